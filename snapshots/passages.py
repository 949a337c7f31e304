"""Passages: a pure function of a capture, its document and a range. Version 1.

A passage is cited by the hash of its bytes, and its bytes are never stored: whoever has the capture and the document
can make them again, here or in any other language. What this module computes must therefore never change; a better
passage is version 2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from snapshots.answers import PassageRef
from snapshots.canonical import dump, load
from snapshots.capture import Capture, Sighting
from snapshots.document import Block, Document, Reading
from snapshots.errors import BadRecord
from snapshots.ids import digest, is_id
from snapshots.times import moment

VERSION = 1
CONTEXT = 64
"""Code points of prefix and of suffix: enough to tell two equal sentences on one page apart."""
MAX_HEADING = 200
"""Code points of a heading that are repeated; a page may call a whole chapter its heading."""


@dataclass(frozen=True)
class Passage:
    """`text` is the document's text from `start` to `end`; `headings` are those above it, outermost first."""

    capture: str
    document: str
    url: str
    retrieved_at: str
    ordinal: int
    start: int
    end: int
    text: str
    prefix: str
    suffix: str
    headings: tuple[str, ...]

    @cached_property
    def encoded(self) -> bytes:
        """The canonical bytes."""
        return dump(
            {
                "kind": "passage",
                "version": VERSION,
                "capture": self.capture,
                "document": self.document,
                "url": self.url,
                "retrieved_at": self.retrieved_at,
                "ordinal": self.ordinal,
                "start": self.start,
                "end": self.end,
                "text": self.text,
                "prefix": self.prefix,
                "suffix": self.suffix,
                "headings": self.headings,
            }
        )

    @cached_property
    def id(self) -> str:
        """`sha256:` and the hash of the canonical bytes; what a citation carries."""
        return digest(self.encoded)

    @property
    def ref_fields(self) -> dict[str, str | int]:
        """What `ref` says, as plain values."""
        return {
            "id": self.id,
            "capture": self.capture,
            "ordinal": self.ordinal,
            "start": self.start,
            "end": self.end,
        }

    @property
    def ref(self) -> PassageRef:
        """The form in which records name this passage."""
        return PassageRef(id=self.id, capture=self.capture, ordinal=self.ordinal, start=self.start, end=self.end)


def passage(
    capture_id: str,
    document_id: str,
    url: str,
    retrieved_at: str,
    text: str,
    *,
    ordinal: int,
    start: int,
    end: int,
    headings: Sequence[str],
) -> Passage:
    """The passage `text[start:end]` (code points) of the document's whole `text`.

    `url` is the capture's final address, `headings` come from `headings_at`. Raises BadRecord if the range is empty
    or lies outside the text.
    """
    if not 0 <= start < end <= len(text):
        raise BadRecord(f"the range {start}..{end} is empty or outside a text of {len(text)} code points")
    return Passage(
        capture=capture_id,
        document=document_id,
        url=url,
        retrieved_at=retrieved_at,
        ordinal=ordinal,
        start=start,
        end=end,
        text=text[start:end],
        prefix=text[max(0, start - CONTEXT) : start],
        suffix=text[end : end + CONTEXT],
        headings=tuple(headings),
    )


def headings_at(text: str, blocks: Sequence[Block], start: int) -> tuple[str, ...]:
    """The chain of headings above the place `start`, outermost first.

    A heading counts when it ends at or before `start`; it ends the reach of earlier ones of its level and deeper.
    Each is cut to MAX_HEADING code points.
    """
    chain: list[Block] = []
    for block in blocks:
        if block.start > start:
            break
        if block.level is None or block.end > start:
            continue
        while chain and (chain[-1].level or 0) >= block.level:
            chain.pop()
        chain.append(block)
    return tuple(text[block.start : block.end][:MAX_HEADING] for block in chain)


def passage_of(
    capture: Capture | Sighting, document: Document | Reading, *, ordinal: int, start: int, end: int
) -> Passage:
    """The passage of a capture and its document. Raises BadRecord for a wrong range or another capture's document."""
    if capture.document != document.id:
        raise BadRecord(f"{document.id} is not the document of {capture.id}")
    return passage(
        capture.id,
        document.id,
        capture.final,
        capture.retrieved_at,
        document.text,
        ordinal=ordinal,
        start=start,
        end=end,
        headings=headings_at(document.text, document.headings, start),  # the other blocks would be passed over
    )


def remake(ref: PassageRef, capture: Capture, document: Document) -> Passage:
    """The passage that `ref` names, made again. Raises BadRecord if its id comes out differently."""
    if ref.capture != capture.id:
        raise BadRecord(f"{ref.id} belongs to another capture")
    made = passage_of(capture, document, ordinal=ref.ordinal, start=ref.start, end=ref.end)
    if made.id != ref.id:
        raise BadRecord(f"the passage at {ref.start}..{ref.end} is {made.id}, not {ref.id}")
    return made


_FIELDS = frozenset(Passage.__dataclass_fields__) | {"kind", "version"}


def read_passage(data: bytes) -> Passage:
    """The passage that `data` holds. Raises BadRecord unless the bytes are canonical and consistent in themselves."""
    value = load(data)
    if not isinstance(value, dict) or value.keys() != _FIELDS or (value["kind"], value["version"]) != ("passage", 1):
        raise BadRecord("is no passage of version 1")
    numbers = [value[name] for name in ("ordinal", "start", "end")]
    strings = [value[name] for name in ("capture", "document", "url", "retrieved_at", "text", "prefix", "suffix")]
    headings = value["headings"]
    if not (
        all(type(number) is int and number >= 0 for number in numbers)
        and all(isinstance(string, str) for string in strings)
        and isinstance(headings, list)
        and all(isinstance(heading, str) and len(heading) <= MAX_HEADING for heading in headings)
    ):
        raise BadRecord("a field of the passage has the wrong type")
    del value["kind"], value["version"]
    made = Passage(**{**value, "headings": tuple(headings)})  # type: ignore[arg-type] # the types were checked above
    if not (
        is_id(made.capture)
        and is_id(made.document)
        and len(made.text) == made.end - made.start > 0
        and len(made.prefix) == min(CONTEXT, made.start)
        and len(made.suffix) <= CONTEXT
    ):
        raise BadRecord("the passage contradicts itself")
    try:
        moment(made.retrieved_at)
    except ValueError as error:
        raise BadRecord(str(error)) from None
    return made
