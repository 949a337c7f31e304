"""The words of `lexicon.toml`: read once, when they are first needed."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, Literal

Topic = Literal["number", "date", "unit", "negation", "modality"]
TOPICS: Final[tuple[Topic, ...]] = ("number", "date", "unit", "negation", "modality")


@dataclass(frozen=True, slots=True)
class Entries:
    """Whole words without case, and parts of runs of letters, longest first."""

    words: frozenset[str]
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What is known of each topic; beginnings that make a word its opposite; labels of links."""

    topics: dict[Topic, Entries]
    opposites: tuple[str, ...]
    labels: frozenset[str]


@cache
def lexicon() -> Lexicon:
    """The lexicon of this release."""
    read = tomllib.loads(files("snapshots.quotes").joinpath("lexicon.toml").read_text("utf-8"))
    return Lexicon(
        topics={
            topic: Entries(
                words=frozenset(word.casefold() for word in read[topic]["words"]),
                parts=tuple(sorted(read[topic]["parts"], key=len, reverse=True)),
            )
            for topic in TOPICS
        },
        opposites=tuple(read["negation"]["before"]),
        labels=frozenset(label.casefold() for label in read["label"]["words"]),
    )
