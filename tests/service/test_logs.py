import io
import json
import logging

import pytest
import structlog

from service.keys import new_key
from service.logs import log_to_stderr


def test_logs_are_json_lines_with_keys_masked() -> None:
    out = io.StringIO()
    key = new_key().key

    log_to_stderr("info", out)
    structlog.get_logger().info("request", path=f"/x/{key}")
    logging.getLogger("some.library").warning("used %s", key)

    first, second = (json.loads(line) for line in out.getvalue().splitlines())
    assert (first["event"], first["level"]) == ("request", "info")
    assert second["event"].startswith("used citator_")
    assert key not in out.getvalue()


def test_nothing_below_the_level_is_logged_and_nothing_reaches_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    out = io.StringIO()

    log_to_stderr("error", out)
    structlog.get_logger().info("quiet")
    logging.getLogger("some.library").warning("quiet")

    assert out.getvalue() == ""
    assert capsys.readouterr().out == ""


def test_an_exception_is_logged_with_its_traceback() -> None:
    out = io.StringIO()

    log_to_stderr("info", out)
    try:
        int("broken")
    except ValueError:
        structlog.get_logger().exception("failed")

    assert "ValueError: invalid literal" in json.loads(out.getvalue())["exception"]


class Terminal(io.StringIO):
    """A stream that people look at."""

    def isatty(self) -> bool:
        return True


def test_on_a_terminal_a_traceback_shows_no_key_and_no_values_of_variables() -> None:
    out = Terminal()
    key = new_key().key
    headers = {"secret": "a-value-of-a-variable"}

    log_to_stderr("info", out)
    try:
        int(f"no use for {key} {len(headers)}")
    except ValueError:
        structlog.get_logger().exception("failed")

    assert "no use for citator_" in out.getvalue()
    assert key not in out.getvalue()
    assert headers["secret"] not in out.getvalue()
