"""Where commands write: results to stdout, everything else to stderr. Exit statuses are in `service.errors`.

Imported by every command before anything is known, so it imports nothing heavy itself.
"""

import json
import os
import re
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import typer

if TYPE_CHECKING:
    from service.doors import Citator, Json
    from service.errors import Problem

# What could move a terminal's cursor, change its title or reverse the reading direction of the rest of a line.
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class _Untold(Exception):
    """Stdout takes no more: the disk that it is written to is full, or what it leads to is broken."""


def plain(text: str) -> str:
    """`text` as it may be shown on a terminal: text of pages is not to be trusted with it."""
    return _UNSAFE.sub("\ufffd", text.replace("\r\n", "\n"))


def say(text: str) -> None:
    """Tell a person something that is no result."""
    sys.stderr.write(plain(text) + "\n")
    sys.stderr.flush()


def show(text: str = "") -> None:
    """Show a line of a result that is meant for reading."""
    with _telling():
        sys.stdout.write(plain(text).encode("utf-8", "replace").decode("utf-8") + "\n")


def give(data: bytes) -> None:
    """Write bytes of a result as they are."""
    with _telling():
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


@contextmanager
def _telling() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise  # whoever reads has enough
    except OSError as error:
        raise _Untold(error.strerror) from error


def _silence() -> None:
    """Lead stdout nowhere: Python would complain once more about what is left when it closes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def give_json(value: object) -> None:
    """Write one JSON document on a line of its own."""
    give(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n")


def give_body(body: bytes) -> None:
    """Write a reply's bytes as they were kept, and end the line."""
    give(body + b"\n")


def confirmed(question: str) -> bool:
    """Ask a person. An interrupt ends the command, also where a loop would only hear of it after the answer."""
    import signal

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return typer.confirm(question, err=True)
    finally:
        signal.signal(signal.SIGINT, before)


def refuse(problem: "Problem", *, as_json: bool) -> NoReturn:
    """Tell of a problem and end with its exit status."""
    say(f"citator: {problem.title}" + (f" {problem.detail}" if problem.detail != problem.title else ""))
    for mistake in problem.members.get("candidates", ()):
        say(f"  {mistake}")
    if as_json:
        try:
            give_json(problem.details())
        except (BrokenPipeError, _Untold):
            _silence()
    raise typer.Exit(problem.exit)


def run(work: "Callable[[Citator], Awaitable[int]]", *, as_json: bool = False) -> None:
    """Connect, do `work`, and end with the exit status that it gives."""

    async def connect_and_work() -> int:
        from service.connect import connected

        async with connected() as citator:
            return await work(citator)

    finish(connect_and_work, as_json=as_json)


def finish(work: Callable[[], Coroutine[Any, Any, int]], *, as_json: bool = False) -> None:
    """Do `work` in an event loop of its own, and end with the exit status that it gives."""
    import asyncio

    end(lambda: asyncio.run(work()), as_json=as_json)


def end(work: Callable[[], int], *, as_json: bool = False) -> None:
    """Do `work` and end with the exit status that it gives; what it raises is told as a problem."""
    from service.errors import NOT_DONE, problem_of
    from service.logs import log_to_stderr

    log_to_stderr("warning")
    try:
        status = work()
        with _telling():
            sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        say("citator: stopped")
        raise typer.Exit(NOT_DONE) from None
    except BrokenPipeError:
        _silence()
        raise typer.Exit(NOT_DONE) from None
    except _Untold as error:
        _silence()
        say(f"citator: the result cannot be written: {error}")
        raise typer.Exit(NOT_DONE) from None
    except Exception as error:  # noqa: BLE001 - the last resort: a person gets a sentence, the log the traceback
        problem = asked_wrongly(error) or problem_of(error)
        if problem.slug == "internal":
            import structlog

            structlog.get_logger().exception("failed")
        refuse(problem, as_json=as_json)
    if status:
        raise typer.Exit(status)


def asked_wrongly(error: Exception) -> "Problem | None":
    """The problem with options that are not what they should be, None if that is not what happened."""
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return None
    from service.api_answers import invalid

    return invalid(error)


def bad_use(message: str) -> NoReturn:
    """Refuse options that do not go together, as Typer refuses those it knows to be wrong."""
    raise typer.BadParameter(message)


def members(body: bytes) -> "Json":
    """A reply's JSON object."""
    found: dict[str, Any] = json.loads(body)
    return found


def cut(text: str, length: int) -> str:
    """At most `length` characters on one line."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"
