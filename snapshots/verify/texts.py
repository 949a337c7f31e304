"""Whether the pages' texts follow from their bytes: read again, by whoever has the programs that read them.

Not part of the program that bundles carry: reading pages takes far more than the standard library.
"""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from snapshots.errors import Unsound
from snapshots.verify.blobs import ARCHIVE
from snapshots.verify.claims import Claim, Faults, not_checkable
from snapshots.verify.members import Members
from snapshots.verify.record_lines import Records
from snapshots.verify.strict_json import canonical_bytes
from snapshots.verify.warc import WarcHead, WarcReader

MAX_REREAD = 64 * 1024 * 1024
"""Bytes of a body that is read again; larger ones are counted as not checked."""

_END_OF_HTTP_HEAD = b"\r\n\r\n"


@dataclass(frozen=True)
class PageBytes:
    """A page as it was captured: its body, and its capture's members."""

    body: bytes
    capture: dict[str, Any]


@dataclass(frozen=True)
class TextRead:
    """What reading it gave now, and with which programs (names and versions)."""

    text: str
    extractors: tuple[tuple[str, str], ...]


Reread = Callable[[PageBytes], Future[TextRead | None]]
"""Begins to read a page; gives None in the end if it could not be read within the limits."""


@dataclass(frozen=True)
class _Waiting:
    document: str
    reading: Future[TextRead | None]


class TextCheck:
    """Reads every page of a bundle again, `at_once` of them at the same time, and compares the texts."""

    def __init__(self, reread: Reread, *, at_once: int) -> None:
        self._reread = reread
        self._at_once = at_once

    def __call__(self, members: Members, records: Records) -> Claim:
        """The claim about the texts; `members` are read once more for it."""
        faults = Faults("text")
        self._same, self._other = 0, 0
        waiting: deque[_Waiting] = deque()
        try:
            for document, page in _pages(members, records):
                waiting.append(_Waiting(document, self._reread(page)))
                if len(waiting) > self._at_once:
                    self._settle(waiting.popleft(), records, faults)
        except Unsound:
            pass  # what is wrong with the archive is another claim
        while waiting:
            self._settle(waiting.popleft(), records, faults)
        left = len(records.documents) - self._same - faults.count
        if not self._same and not faults.count:
            told = "none of its documents was read by the programs in the versions that are installed here"
            return not_checkable("text", told if records.documents else "there are no documents in it")
        told = f"{self._same} of {len(records.documents)} texts were read out of the same bytes again"
        if left:
            told += f"; {left} were not compared: read by other versions, too large, or their bytes are not here"
        return faults.verdict(told, "the programs that are installed here, in the versions that are recorded")

    def _settle(self, waiting: _Waiting, records: Records, faults: Faults) -> None:
        found, document = waiting.reading.result(), records.documents[waiting.document]
        if found is None or found.extractors != document.extractors:
            self._other += 1
        elif sha256(canonical_bytes(found.text)).digest() == document.text_hash:
            self._same += 1
        else:
            told = f"read again, its bytes give another text, of {len(found.text)} characters"
            faults.add("text-differs", waiting.document, f"{told} instead of {document.text_length}")


def _pages(members: Members, records: Records) -> Iterator[tuple[str, PageBytes]]:
    """Each document once, with the body it was read from."""
    done: set[str] = set()
    if ARCHIVE not in members:
        return
    reader = WarcReader(members.pieces(ARCHIVE), packed=True, strict=True)
    while (head := reader.next()) is not None:
        body = _body(reader, head)
        reader.finish(head)
        capture = records.capture(head.get("Citator-Capture") or "")
        document = capture["document"] if capture is not None else None
        if capture is None or body is None or document in done or document not in records.documents:
            continue
        if f"sha256:{sha256(body).hexdigest()}" == records.documents[document].source == capture["body"]:
            done.add(document)
            yield document, PageBytes(body, capture)


def _body(reader: WarcReader, head: WarcHead) -> bytes | None:
    """The payload of a record that may be a page; None for others and for those that are too large."""
    wanted = head.type in {"response", "resource"} and head.length <= MAX_REREAD
    data = bytearray()
    for piece in reader.block():
        if wanted:
            data += piece
    if not wanted:
        return None
    return bytes(data) if head.type == "resource" else bytes(data).partition(_END_OF_HTTP_HEAD)[2]
