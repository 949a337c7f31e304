"""What a document cites, in whatever form it comes: quotations and links with their lines, or a bundle's passages."""

import base64
import binascii
import io
import re
import zipfile
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import orjson

from service.bibtex import bibliography
from service.check_requests import MAX_REPORT, DocumentAsked, DocumentFormat
from service.citations import find_citations
from service.citations_html import markdown_of
from service.extraction import NOWHERE
from service.failures import BadRequest
from service.following import ANSWERS
from service.parts import Readers
from snapshots import BadRecord, Passage, digest, read_passage

MAX_MEMBER: Final = 256 * 1024 * 1024
"""Bytes of a bundle's member that are looked through: a book of passages has some ten."""
PASSAGES: Final = "evidence/passages.jsonl"
RECORDS: Final = "evidence/records.jsonl"

_PDF: Final = b"%PDF-"
_ZIP: Final = b"PK\x03\x04"
_BIBTEX: Final = re.compile(r"\s*(?:%[^\n]*\n\s*)*@[A-Za-z]+\s*[{(]")
_HTML: Final = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype html|html|head|body)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cites:
    """A quotation (None: a link alone) at a line, from 1, and the id or address it names (None: it names none)."""

    line: int
    quote: str | None
    source: str | None


@dataclass(frozen=True)
class CitingDocument:
    """What a document cites. Of a bundle: its passages, and the asked addresses of its good captures by their ids."""

    format: DocumentFormat
    cites: tuple[Cites, ...] = ()
    short: int = 0
    cut: bool = False
    passages: tuple[Passage, ...] = ()
    captures: dict[str, str] | None = None


async def read_document(readers: Readers, asked: DocumentAsked) -> CitingDocument:
    """What a document cites; PDF is read by a worker.

    Raises:
        BadRequest: it is not what it is said to be, or cannot be read.
    """
    data = _bytes(asked.data) if asked.data is not None else b""
    text = asked.text if asked.text is not None else data[: 4 * MAX_REPORT].decode("utf-8-sig", "replace")
    form = asked.format or _form(data, text)
    match form:
        case "bundle":
            return _bundle(data)
        case "pdf":
            return _citing("pdf", await _pdf_text(readers, data))
        case "html":
            return _citing("html", markdown_of(text[:MAX_REPORT]), whole=len(text) <= MAX_REPORT)
        case "bibtex":
            listed = bibliography(text[:MAX_REPORT])
            found = _citing("bibtex", listed.text, whole=len(text) <= MAX_REPORT)
            cites = tuple(Cites(listed.line_of(one.line), one.quote, one.source) for one in found.cites)
            return CitingDocument("bibtex", cites, found.short, found.cut)
        case "markdown" | "text":
            return _citing(form, text)


def _bytes(encoded: str) -> bytes:
    try:
        return base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadRequest("`data` is no base64") from error


def _form(data: bytes, text: str) -> DocumentFormat:
    if data.startswith(_PDF):
        return "pdf"
    if data.startswith(_ZIP):
        return "bundle"
    if _HTML.match(text):
        return "html"
    return "bibtex" if _BIBTEX.match(text) else "markdown"


def _citing(form: DocumentFormat, text: str, *, whole: bool = True) -> CitingDocument:
    found = find_citations(text[:MAX_REPORT])
    cites = tuple(Cites(one.line, one.quote, source) for one in found.citations for source in (one.sources or (None,)))
    return CitingDocument(form, cites, found.short, found.cut or not whole or len(text) > MAX_REPORT)


async def _pdf_text(readers: Readers, body: bytes) -> str:
    """The text of a PDF, each address that it links to behind the words that it lies on."""
    if not body.startswith(_PDF):
        raise BadRequest("this is no PDF")
    reading = await readers.read(
        body, media_type="application/pdf", charset=None, url=NOWHERE, at=datetime.now(UTC), status=None, asked=None
    )
    if not reading.text:
        raise BadRequest(f"the PDF cannot be read: {reading.detail or reading.outcome}")
    parts: list[str] = []
    place, unplaced = 0, []
    for link in reading.links:
        if link.url in reading.text:
            continue  # it is printed, and found there
        at, end = _under(reading.text, place, link.text)
        if at < 0:
            unplaced.append(link.url)
            continue
        parts += [reading.text[place:end], f" {link.url} "]
        place = end
    return "\n\n".join(["".join([*parts, reading.text[place:]]), *unplaced])


def _under(text: str, place: int, words: str) -> tuple[int, int]:
    """Where the words under a link stand, from a place on (-1: nowhere). Its frame may cut the first and the last."""
    inner = " ".join(words.split()[1:-1])
    for one in (words, inner if len(inner) > len(words) // 2 else ""):
        at = text.find(one, place) if one else -1
        if at >= 0:
            return at, at + len(one)
    return -1, -1


def _bundle(data: bytes) -> CitingDocument:
    """The passages of a bundle as it gives them; whether it holds is for `verify` to say."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            passages = [_passage(line) for line in _lines(file, PASSAGES)]
            captures = dict(one for line in _lines(file, RECORDS) if (one := _capture(line)) is not None)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise BadRequest(f"this is no bundle: {error}") from error
    if not passages and not captures:
        raise BadRequest("this is no bundle, or it holds neither passages nor captures")
    return CitingDocument("bundle", passages=tuple(passages), captures=captures)


def _lines(file: zipfile.ZipFile, name: str) -> list[bytes]:
    if name not in file.namelist():
        return []
    with file.open(name) as member:
        data = member.read(MAX_MEMBER + 1)
    if len(data) > MAX_MEMBER:
        raise BadRequest(f"{name} of the bundle is larger than is looked through")
    return data.splitlines()


def _passage(line: bytes) -> Passage:
    try:
        return read_passage(line)
    except BadRecord as error:
        raise BadRequest(f"a passage of the bundle is none: {error}") from error


def _capture(line: bytes) -> tuple[str, str] | None:
    """The id and the asked address of a capture that has a page; None for any other record."""
    if b'"kind":"capture"' not in line:
        return None
    try:
        found = orjson.loads(line)
    except ValueError as error:
        raise BadRequest(f"a record of the bundle is none: {error}") from error
    if not isinstance(found, dict) or found.get("kind") != "capture" or found.get("document") is None:
        return None
    asked, good = found.get("asked"), found.get("outcome") == "ok" and found.get("page_state") in ANSWERS
    good = good and all(not hop["tls"] or hop["tls"]["verified"] for hop in found.get("hops") or ())
    return (digest(line), asked) if good and isinstance(asked, str) else None
