"""A bibliography in BibTeX as the Markdown that `service.citations` reads. Pure; takes time with its length.

An entry becomes a paragraph: what is quoted in it, then its address. Quotations stand in fields of their own (`quote`,
`quotation`), or between quotation marks in a note.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_QUOTES: Final = ("quote", "quotation", "quoted")
_NOTES: Final = ("note", "annote", "annotation", "abstract", "addendum", "comment")
_ADDRESSES: Final = ("url", "howpublished", "note", "link", "doi", "eprint", "ee")

_ENTRY: Final = re.compile(r"@([A-Za-z]+)\s*[{(]")
_FIELD: Final = re.compile(r"[\s,]*([A-Za-z][\w:-]*)\s*=\s*")
_UNIT: Final = re.compile(r"[{}]|\\.|[^{}\\]+", re.DOTALL)
_URL: Final = re.compile(r"https?://[^\s{}\"<>]+")
_DOI: Final = re.compile(r"10\.\d{4,9}/\S+")
_ARXIV: Final = re.compile(r"(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?")

_ACCENT: Final = re.compile(r"\\([`'^\"~=.uvHcdbkr])\s*(?:\{\s*\\?([A-Za-z])\s*\}|(?<=[`'^\"~=.])\\?([A-Za-z]))")
_MARKS: Final = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "d": "\u0323", "b": "\u0331", "k": "\u0328",
    "r": "\u030a",
}  # fmt: skip
_LETTERS: Final = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł",
    "i": "i", "j": "j", "ldots": "…", "dots": "…", "euro": "€", "pounds": "£",
    "textendash": "\u2013", "textemdash": "\u2014", "textquotedblleft": "“", "textquotedblright": "”",
    "textquoteleft": "\u2018", "textquoteright": "\u2019",
}  # fmt: skip
_COMMAND: Final = re.compile(r"\\([A-Za-z]+)\s*")
_ESCAPED: Final = re.compile(r"\\([&%$#_{} ])")
_SPACE: Final = re.compile(r"[ \t\r\n]+")
_SET: Final = (("---", "\u2014"), ("--", "\u2013"), ("``", "“"), ("''", "”"), ("~", "\u00a0"))


@dataclass(frozen=True, slots=True)
class Bibliography:
    """`text` is Markdown; `lines` says where each of its paragraphs (one a line, an empty line between) was."""

    text: str
    lines: tuple[int, ...]

    def line_of(self, line: int) -> int:
        """The line of the file that a line of the text comes from."""
        return self.lines[(line - 1) // 2] if 0 < line < 2 * len(self.lines) + 1 else line


def bibliography(source: str) -> Bibliography:
    """What the entries of a bibliography quote and where they say it stands."""
    paragraphs: list[str] = []
    lines: list[int] = []
    line, seen = 1, 0
    for at, fields in _entries(source):
        line += source.count("\n", seen, at)
        seen = at
        address = _address(fields)
        quoted = [f"“{_plain(fields[name])}”" for name in _QUOTES if fields.get(name, "").strip()]
        notes = [_plain(_URL.sub(" ", fields[name])) for name in _NOTES if name in fields]
        words = " ".join([*notes, *(one.replace("””", "”").replace("““", "“") for one in quoted)])
        if address or quoted:
            paragraphs.append(f"{words} {address or ''}".strip())
            lines.append(line)
    return Bibliography("\n\n".join(paragraphs), tuple(lines))


def _entries(source: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Each entry's place and fields; what is no entry is passed over, and so is one that does not end."""
    place = 0
    while found := _ENTRY.search(source, place):
        place = found.end()
        if found[1].lower() in {"comment", "preamble", "string"}:
            continue
        comma = re.compile(r"[^,{}=\"]*,").match(source, place)
        if comma is None:
            continue
        place = comma.end()
        fields: dict[str, str] = {}
        while named := _FIELD.match(source, place):
            value, place = _value(source, named.end())
            fields.setdefault(named[1].lower(), value)
        yield found.start(), fields


def _value(source: str, place: int) -> tuple[str, int]:
    """A field's value from `place` on, its outer marks taken away, and where it ends."""
    parts: list[str] = []
    while True:
        opening = source[place : place + 1]
        if opening in {"{", '"'}:
            inner, place = _enclosed(source, place + 1, quoted=opening == '"')
        else:
            bare = re.compile(r"[^\s,{}\"#()]*").match(source, place)
            inner, place = (bare[0], bare.end()) if bare else ("", place)
        parts.append(inner)
        joined = re.compile(r"\s*#\s*").match(source, place)
        if joined is None:
            return "".join(parts), place
        place = joined.end()


def _enclosed(source: str, place: int, *, quoted: bool) -> tuple[str, int]:
    """What stands up to the brace, or with `quoted` the quotation mark, that closes; all of the rest if none does."""
    depth, start = 0, place
    while unit := _UNIT.match(source, place):
        piece = unit[0]
        if quoted and not depth and piece[0] not in "{}\\" and '"' in piece:
            end = place + piece.index('"')
            return source[start:end], end + 1
        if piece == "{":
            depth += 1
        elif piece == "}":
            if not depth:
                return source[start:place], place + 1
            depth -= 1
        place = unit.end()
    return source[start:], len(source)


def _address(fields: dict[str, str]) -> str | None:
    """Where an entry says that it stands: an address first, else its DOI or its number at arXiv."""
    texts = {name: _ESCAPED.sub(r"\1", fields[name].replace(r"{\_}", "_")) for name in _ADDRESSES if name in fields}
    for text in texts.values():
        if found := _URL.search(text):
            return found[0].rstrip(".,;")
    if found := _DOI.search(texts.get("doi", "")):
        return f"https://doi.org/{found[0].rstrip('.,;')}"
    archive = fields.get("archiveprefix", fields.get("eprinttype", "")).strip().lower()
    if archive == "arxiv" and (found := _ARXIV.search(texts.get("eprint", ""))):
        return f"https://arxiv.org/abs/{found[0]}"
    return None


def _plain(text: str) -> str:
    """Words without what is meant for LaTeX."""
    text = _ACCENT.sub(lambda one: unicodedata.normalize("NFC", (one[2] or one[3]) + _MARKS[one[1]]), text)
    text = _ESCAPED.sub(r"\1", text)
    text = _COMMAND.sub(lambda one: _LETTERS.get(one[1], ""), text)
    for written, meant in _SET:
        text = text.replace(written, meant)
    return _SPACE.sub(" ", text.replace("{", "").replace("}", "")).strip()
