"""The text of a PDF, page by page."""

import re
from typing import Final, NamedTuple

from crawler.blocks import BlockWriter
from crawler.reading import Block, Dated

# A longer document is cut; the reading says so.
MAX_PAGES: Final = 1_000
MAX_CHARACTERS: Final = 5_000_000

_DATE: Final = re.compile(r"^D:(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?(?:(Z)|([+-]\d\d)'?(\d\d)?'?)?)?")


class PdfText(NamedTuple):
    """A PDF's text with its blocks, and what its metadata say; `cut` is a sentence if not all of it was read."""

    text: str
    blocks: tuple[Block, ...]
    title: str | None
    author: str | None
    created: Dated | None
    changed: Dated | None
    cut: str | None


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
    try:
        for number in range(len(document)):
            if number >= MAX_PAGES or length > MAX_CHARACTERS:
                cut = f"only the first {number} of {len(document)} pages were read"
                break
            page = document[number]
            words = page.get_textpage()
            text = words.get_text_bounded()
            words.close()
            page.close()
            length += len(text)
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
    )


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
