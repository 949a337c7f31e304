"""Structured logs, to stderr only: lines for people on a terminal, JSON elsewhere. Keys are masked in every value."""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any, Final, TextIO

import structlog

from service.keys import masked

LEVELS: Final = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def _mask(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for name, value in event.items():
        if isinstance(value, str):
            event[name] = masked(value)
    return event


def log_to_stderr(level: str, stream: TextIO | None = None) -> None:
    """Send all logs, structlog's and the standard library's, to `stream` (default stderr) from now on.

    Called by commands once they know their settings. Nothing is ever logged to stdout, which belongs to results.
    """
    out = stream or sys.stderr
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.stdlib.ExtraAdder(),
    ]
    terminal = out.isatty()
    # Tracebacks are text before they are masked, and without the values of variables, among which are keys.
    last: list[structlog.typing.Processor] = [
        structlog.processors.format_exc_info,
        _mask,
        structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
        if terminal
        else structlog.processors.JSONRenderer(ensure_ascii=False),
    ]
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(LEVELS[level])
    # These narrate every connection; their warnings still come through.
    for noisy in ("uvicorn", "httpcore", "botocore", "urllib3", "asyncio", "alembic"):
        logging.getLogger(noisy).setLevel(max(LEVELS[level], logging.WARNING))
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *last,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=structlog.PrintLoggerFactory(out),
        cache_logger_on_first_use=False,
    )
