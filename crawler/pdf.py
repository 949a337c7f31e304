"""The text of a PDF, page by page."""

import ctypes
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from crawler.blocks import BlockWriter
from crawler.links import MAX_LINK_TEXT, MAX_LINKS, resolve
from crawler.reading import Block, Dated, Link
from crawler.scalars import one_line, scalars

# A longer document is cut; the reading says so.
MAX_PAGES: Final = 1_000
MAX_CHARACTERS: Final = 5_000_000

EDGE: Final = 0.35
"""Of the height of a link's frame, above and below, that is no part of the words it lies on."""

_DATE: Final = re.compile(r"^D:(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?(?:(Z)|([+-]\d\d)'?(\d\d)?'?)?)?")


class PdfText(NamedTuple):
    """A PDF's text with its blocks, and what its metadata say; `cut` is a sentence if not all of it was read.

    `links` are those that a reader can click, in order, each with the words that it lies on.
    """

    text: str
    blocks: tuple[Block, ...]
    title: str | None
    author: str | None
    created: Dated | None
    changed: Dated | None
    cut: str | None
    links: tuple[Link, ...] = ()
    scanned: int = 0
    """Pages that show pictures and hold no text."""


class NotAPdf(Exception):
    """The bytes are no PDF that can be opened."""


# Control characters that fonts without a map to Unicode leave behind, and the mark of a hyphen at the end of a line.
_NO_TEXT: Final = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ufffe]")


def read_pdf(body: bytes) -> PdfText:
    """Read BODY; NotAPdf if it cannot be opened (damaged, or needs a password)."""
    import pypdfium2  # noqa: PLC0415 - in workers only

    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        raise NotAPdf(str(error)) from error
    writer, cut, length = BlockWriter(), None, 0
    links: list[Link] = []
    scanned = 0
    try:
        for number in range(len(document)):
            if number >= MAX_PAGES or length > MAX_CHARACTERS:
                cut = f"only the first {number} of {len(document)} pages were read"
                break
            page = document[number]
            words = page.get_textpage()
            text = words.get_text_bounded()
            links += _links(document, page, words, MAX_LINKS - len(links))
            words.close()
            scanned += not text.strip() and _shows_pictures(page)
            page.close()
            length += len(text)
            writer.page = number + 1
            _write_page(writer, text)
        said = document.get_metadata_dict(skip_empty=True)
    except pypdfium2.PdfiumError as error:
        raise NotAPdf(str(error)) from error
    finally:
        document.close()
    return PdfText(
        writer.text,
        tuple(writer.blocks),
        " ".join(said.get("Title", "").split()) or None,
        " ".join(said.get("Author", "").split()) or None,
        _dated(said.get("CreationDate"), "PDF CreationDate"),
        _dated(said.get("ModDate"), "PDF ModDate"),
        cut,
        tuple(links),
        scanned,
    )


def _shows_pictures(page: Any) -> bool:
    from pypdfium2 import raw  # noqa: PLC0415 - in workers only

    return next(iter(page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE])), None) is not None


def _links(document: Any, page: Any, words: Any, most: int) -> Iterator[Link]:
    """The addresses that a page links to, at most so many, with the words under each."""
    from pypdfium2 import raw  # noqa: PLC0415 - in workers only

    place, link, frame = ctypes.c_int(0), raw.FPDF_LINK(), raw.FS_RECTF()
    while most > 0 and raw.FPDFLink_Enumerate(page, place, link):
        action = raw.FPDFLink_GetAction(link)
        if not action or raw.FPDFAction_GetType(action) != raw.PDFACTION_URI:
            continue
        size = raw.FPDFAction_GetURIPath(document, action, None, 0)
        address = ctypes.create_string_buffer(size)
        raw.FPDFAction_GetURIPath(document, action, address, size)
        url = resolve(address.value.decode("utf-8", "replace"), "")
        if url is None:
            continue
        under = ""
        if raw.FPDFLink_GetAnnotRect(link, frame):
            # Frames reach into the lines above and below: letters count that are in the middle of it.
            margin = (frame.top - frame.bottom) * EDGE
            under = words.get_text_bounded(frame.left, frame.bottom + margin, frame.right, frame.top - margin)
        yield Link(url, one_line(scalars(_NO_TEXT.sub("", under)))[:MAX_LINK_TEXT].rstrip())
        most -= 1


def _write_page(writer: BlockWriter, text: str) -> None:
    """Lines of a page as paragraphs: a new one begins after a blank line or after a line that ends a sentence short."""
    text = _NO_TEXT.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = [line.strip() for line in text.split("\n")]
    longest = max(map(len, lines), default=0)
    for line in lines:
        if not line:
            writer.end("paragraph")
            continue
        writer.add(line + " ")
        if 4 * len(line) < 3 * longest and line[-1] in ".!?:;。\uff01\uff1f":
            writer.end("paragraph")
    writer.end("paragraph")


def _dated(value: str | None, how: str) -> Dated | None:
    """A PDF date. It is the file's, not the publication's: a guess."""
    found = _DATE.match(value or "")
    if not found:
        return None
    year, month, day, hour, minute, second, utc, hours, minutes = found.groups()
    text = f"{year}-{month}-{day}"
    if hour:
        text += f"T{hour}:{minute}:{second or '00'}" + ("Z" if utc else f"{hours}:{minutes or '00'}" if hours else "")
    return Dated(text, how, firm=False)
