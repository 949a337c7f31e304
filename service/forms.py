"""How doors write their replies. The actions find and keep; a form says how much fits, and what is sent."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import orjson

from service import tokens


@dataclass(frozen=True)
class Served:
    """A reply as one door writes it. With `structured`, it has two forms that say the same, and `body` is the text."""

    body: bytes
    media_type: str = "application/json"
    status: int = 200
    structured: bytes | None = None


@dataclass(frozen=True)
class Shown:
    """A page that is going to be shown, as far as its heading takes room."""

    url: str
    title: str | None


class Form(Protocol):
    """One door's way to write one reply."""

    def room(self, pages: Sequence[Shown], asked: int | None) -> int | None:
        """Tokens that passages may take when these pages are shown. `asked` is the request's budget; None: no limit."""
        ...

    def cost(self, text: str) -> int:
        """Tokens that a passage of this text takes, with all that is written around it."""
        ...

    def write(self, fields: dict[str, Any]) -> Served | None:
        """What is sent where the API's JSON would be `fields`. None: what is sent is made of several replies, later.

        Called before anything is kept: what it raises is raised to the door, and nothing stays.
        """
        ...


@dataclass(frozen=True)
class Written:
    """The form of a door that shows what the API shows, in other words."""

    writing: Callable[[dict[str, Any]], Served | None]

    def room(self, pages: Sequence[Shown], asked: int | None) -> int | None:  # noqa: ARG002 - the protocol's
        """As much as was asked for."""
        return asked

    def cost(self, text: str) -> int:
        """The text's own tokens."""
        return tokens.estimate(text)

    def write(self, fields: dict[str, Any]) -> Served | None:
        """What `writing` makes of it."""
        return self.writing(fields)


def _as_it_is(fields: dict[str, Any]) -> Served:
    return Served(orjson.dumps(fields))


API_FORM = Written(_as_it_is)
"""The API's own form."""


def _later(_fields: dict[str, Any]) -> None:
    return None


LATER = Written(_later)
"""The form of what becomes part of a larger reply: kept now, served with the others."""
