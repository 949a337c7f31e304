"""What can be asked: a file to which its evidence is attached."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

MAX_CAPTURES: Final = 500
"""Pages captured for one file: sites are asked politely one after another, and the caller waits."""

MAX_ARTEFACTS: Final = 1_000
"""Files that go along with one file."""

Notes = Literal["none", "footnotes", "appendix"]


@dataclass(frozen=True)
class Artefact:
    """A file by its name, which may have folders, and its bytes."""

    name: str
    body: bytes


@dataclass(frozen=True)
class AttachRequest:
    """A report or a transcript, the files that belong to it, and what is to be done.

    `written_at` is when it was written, for what does not tell its own times. `notes` says how a copy of a report tells
    its sources.
    """

    file: Artefact
    artefacts: tuple[Artefact, ...] = ()
    written_at: datetime | None = None
    capture_missing: bool = False
    notes: Notes = "none"
