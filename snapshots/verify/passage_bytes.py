"""Makes passages again out of capture, document and range, and compares. The page on records has the rule in words."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from snapshots.errors import Unsound
from snapshots.verify.forms import (
    Form,
    first_wrong,
    is_count,
    is_id_text,
    is_moment,
    is_text,
    list_of,
    one_of,
)
from snapshots.verify.strict_json import canonical_bytes, read_canonical

CONTEXT_LENGTH = 64
"""Code points of prefix and of suffix."""

MAX_HEADING_LENGTH = 200
"""Code points of a heading that a passage repeats."""

_PASSAGE: Final[dict[str, Form]] = {
    "kind": one_of("passage"),
    "version": one_of(1),
    "capture": is_id_text,
    "document": is_id_text,
    "url": is_text,
    "retrieved_at": is_moment,
    "ordinal": is_count,
    "start": is_count,
    "end": is_count,
    "text": is_text,
    "prefix": is_text,
    "suffix": is_text,
    "headings": list_of(is_text),
}


@dataclass(frozen=True, slots=True)
class PassageRead:
    """What is kept of a passage until its capture and document come by."""

    id: str
    capture: str
    document: str
    url: str
    retrieved_at: str
    ordinal: int
    start: int
    end: int

    @property
    def reference(self) -> dict[str, Any]:
        """The form in which records name it."""
        names = ("id", "capture", "ordinal", "start", "end")
        return {name: getattr(self, name) for name in names}


def read_passage_line(data: bytes) -> PassageRead:
    """A passage out of its canonical bytes. Raises Unsound(passage-malformed)."""
    try:
        value = read_canonical(data)
    except Unsound as problem:
        raise Unsound("passage-malformed", str(problem)) from None
    wrong = first_wrong(value, _PASSAGE) if type(value) is dict else "is none"
    if wrong is not None:
        raise Unsound("passage-malformed", f"the passage {wrong}")
    if value["start"] >= value["end"]:
        raise Unsound("passage-range", f"the range {value['start']}..{value['end']} is empty")
    names = ("capture", "document", "url", "retrieved_at", "ordinal", "start", "end")
    return PassageRead("sha256:" + sha256(data).hexdigest(), *(value[name] for name in names))


def check_passage(passage: PassageRead, document: dict[str, Any]) -> None:
    """Holds a passage against its document. Raises Unsound: `passage-range` or `passage-mismatch`."""
    text: str = document["text"]
    start, end = passage.start, passage.end
    if end > len(text):
        raise Unsound("passage-range", f"the range {start}..{end} reaches beyond a text of {len(text)} characters")
    made = {
        "kind": "passage",
        "version": 1,
        "capture": passage.capture,
        "document": passage.document,
        "url": passage.url,
        "retrieved_at": passage.retrieved_at,
        "ordinal": passage.ordinal,
        "start": start,
        "end": end,
        "text": text[start:end],
        "prefix": text[max(0, start - CONTEXT_LENGTH) : start],
        "suffix": text[end : end + CONTEXT_LENGTH],
        "headings": headings_above(text, document["blocks"], start),
    }
    if "sha256:" + sha256(canonical_bytes(made)).hexdigest() != passage.id:
        raise Unsound("passage-mismatch", f"is not what stands at {start}..{end} of its document")


def check_capture_of(passage: PassageRead, capture: dict[str, Any]) -> None:
    """Holds a passage against its capture. Raises Unsound(passage-mismatch)."""
    found = (capture["final"], capture["retrieved_at"], capture["document"])
    if found != (passage.url, passage.retrieved_at, passage.document):
        raise Unsound("passage-mismatch", "its address, time or document are not those of its capture")


def headings_above(text: str, blocks: list[dict[str, Any]], start: int) -> list[str]:
    """The chain of headings above a place, outermost first."""
    chain: list[dict[str, Any]] = []
    for block in blocks:
        if block["start"] > start:
            break
        if block["level"] is None or block["end"] > start:
            continue
        while chain and chain[-1]["level"] >= block["level"]:
            chain.pop()
        chain.append(block)
    return [text[block["start"] : block["end"]][:MAX_HEADING_LENGTH] for block in chain]
