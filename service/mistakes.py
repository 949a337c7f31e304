"""What is wrong with a request, in words: the mistakes that checking its options found. Pure."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Final

from service.errors import TABLE, Problem

MAX_ERRORS: Final = 20
"""Mistakes listed of one request."""


def mistaken(errors: Iterable[Any], *, skip: int = 0) -> Problem:
    """The problem with a request, each mistake with its place. What was sent is not repeated.

    `errors` is what pydantic's errors list; the first `skip` steps of each place are no option's name.
    """
    mistakes = [
        {"where": _where(mistake, skip), "message": str(mistake["msg"]).removeprefix("Value error, ")}
        for mistake in islice(errors, MAX_ERRORS)
    ]
    detail = "; ".join(": ".join(filter(None, mistake.values())) for mistake in mistakes)
    meaning = TABLE["service.BadRequest"]
    return Problem(meaning.slug, meaning.status, meaning.exit, meaning.title, detail, {"errors": mistakes})


def _where(mistake: Mapping[str, Any], skip: int) -> str:
    """The option that is wrong, without the check that failed last."""
    kind, place = mistake["type"], tuple(mistake["loc"])
    if kind == "json_invalid":
        return ""  # the place is a number of characters
    return ".".join(str(part) for part in place[skip:] if kind == "extra_forbidden" or _named(part))


def _named(part: str | int) -> bool:
    return isinstance(part, int) or part.isidentifier()
