"""What a report cites: its quotations, and the ids and links that stand beside them. Pure, on Markdown and plain text.

A quotation belongs to the sources after it, up to the next quotation of its paragraph; else to those before it. A
block quotation also takes those of the line below that says where it is from, or of the paragraph above that leads to
it. Footnotes, numbered references and reference links are followed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

LEAST_WORDS: Final = 3
"""Fewer words in quotation marks are a name or irony, unless a source stands beside them."""
LEAST_UNSPACED: Final = 6
"""The same in characters, for scripts that set no spaces."""
NEAR: Final = 40
"""Characters between a few words in quotation marks and a source that stands beside them."""
LONGEST: Final = 10_000
"""Characters of a quotation that are looked for."""
MOST: Final = 2_000
"""Citations of one text."""

_ID: Final = r"(?:sha256:)?[0-9a-f]{12,64}"
_SOURCE: Final = re.compile(
    r"(?P<prefixed>\bsha256:[0-9a-f]{12,64}\b)|\[(?P<bare>[0-9a-f]{12,64})\]"
    r"|(?P<url>https?://[^\s<>\"'`\])}|]+(?:\([^\s()]*\)[^\s<>\"'`\])}|]*)*)"
    r"|\[(?P<note>\^[^\]\s]{1,60})\](?!:)|\[(?P<number>\d{1,4})\](?![(:])|\]\[(?P<named>[^\]]{1,80})\]"
)
_DEFINED: Final = re.compile(r"^ {0,3}\[(\^?[^\]\n]{1,80})\]:?[ \t]+(.+(?:\n(?:[ \t]{2,}).+)*)", re.MULTILINE)
_LISTED: Final = re.compile(r"^ {0,3}(\d{1,4})[.)][ \t]+(.*(?:https?://|sha256:|\[[0-9a-f]{12,}\]).*)$", re.MULTILINE)
_QUOTED: Final = re.compile(
    r"“(?P<a>[^“”]+)”|„(?P<b>[^„“”]+)[“”]|«(?P<c>[^«»]+)»|»(?P<d>[^«»]+)«|「(?P<e>[^「」]+)」|『(?P<f>[^『』]+)』"
    r"|(?<![\w\"])\"(?P<g>[^\"]+)\"(?![\w])|(?<!\w)\u2018(?P<h>[^\u2018]+?)\u2019(?!\w)"
)
_LINK_TEXT: Final = re.compile(r"!?\[([^\[\]]*+)\](?:\([^)]{0,2000}+\)|\[[^\[\]]*+\])")
_MARKUP: Final = re.compile(r"(?<!\\)(\*{1,3}|_{1,3}(?=\W|$)|(?<=\W)_{1,3}|`+|~~)|\\(?=[\\`*_{}\[\]()#+.!-])")
_UNSPACED: Final = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_TRAILING: Final = ".,;:!?"
_FROM: Final = re.compile(r"^\s*(?:[–—]|--|source|quelle|fuente|fonte|from\b|\()", re.IGNORECASE)  # noqa: RUF001

_ATTRIBUTED: Final = re.compile(rf"{_FROM.pattern}|\s*-\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Citation:
    """A quotation (None: a source that is named without one), its `line` from 1, and the ids and addresses it names."""

    line: int
    quote: str | None
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in a text. `short` counts what stands in quotation marks and is too short to be a quotation."""

    citations: tuple[Citation, ...]
    short: int
    cut: bool


@dataclass(slots=True)
class _Piece:
    """A quotation or a source at a place of the text."""

    at: int
    quote: str | None = None
    block: bool = False
    sources: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Paragraph:
    start: int
    text: str
    block: bool


def find_citations(text: str) -> Found:
    """All citations of a report, in order."""
    text = text.replace("\r\n", "\n")
    blank = _without_code(text)
    defined = _definitions(blank)
    for pattern in (_DEFINED, _LISTED):
        blank = pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), blank)
    paragraphs = [_pieces(one, defined) for one in _paragraphs(blank)]
    citations: list[Citation] = []
    short = 0
    for number, pieces in enumerate(paragraphs):
        above = paragraphs[number - 1] if number else []
        below = paragraphs[number + 1] if number + 1 < len(paragraphs) else []
        used: set[int] = set()
        for place, piece in enumerate(pieces):
            if piece.quote is None:
                continue
            if not piece.block and _is_short(piece.quote) and not _followed(pieces, place):
                short += 1
                continue
            sources = _beside(pieces, place, used) or (_around(text, above, below) if piece.block else [])
            citations.append(Citation(_line(text, piece.at), piece.quote, tuple(dict.fromkeys(sources))))
        citations += [
            Citation(_line(text, piece.at), None, tuple(piece.sources))
            for place, piece in enumerate(pieces)
            if piece.quote is None and piece.sources and place not in used
        ]
    named = {source for one in citations if one.quote for source in one.sources}
    citations = [
        one if one.quote else replace(one, sources=tuple(s for s in one.sources if s not in named)) for one in citations
    ]
    listed = {source for one in citations for source in one.sources}
    citations += [
        Citation(line, None, (source,))
        for line, sources in defined.values()
        for source in sources
        if source not in listed
    ]
    kept = sorted((one for one in citations if one.quote or one.sources), key=lambda one: one.line)
    return Found(tuple(kept[:MOST]), short, len(kept) > MOST)


def _without_code(text: str) -> str:
    """The text with spaces in place of fenced code, so that places stay what they are."""
    lines, fence = [], ""
    for line in text.split("\n"):
        mark = line.strip()[:3] if line.lstrip().startswith(("```", "~~~")) else ""
        lines.append(" " * len(line) if fence or mark else line)
        if mark and (not fence or (mark == fence and not line.strip().strip(mark[0]))):
            fence = "" if fence else mark
    return "\n".join(lines)


def _definitions(text: str) -> dict[str, tuple[int, list[str]]]:
    """Footnotes and numbered references by their names: their line, and the sources they name."""
    found: dict[str, tuple[int, list[str]]] = {}
    for pattern in (_LISTED, _DEFINED):
        for one in pattern.finditer(text):
            sources = [source for piece in _sources(one[2], 0, {}) for source in piece.sources]
            if sources:
                found[one[1].casefold()] = (_line(text, one.start()), sources)
    return found


def _paragraphs(text: str) -> Iterator[_Paragraph]:
    """Runs of lines of one kind: of block quotations, of other text, one list item at a time."""
    start, lines, block = 0, list[str](), False
    at = 0
    for line in text.split("\n"):
        quoted = line.lstrip().startswith(">")
        item = re.match(r"\s*(?:[-*+]|\d{1,4}[.)])\s", line) is not None and not quoted
        if lines and (not line.strip() or quoted != block or item):
            yield _Paragraph(start, "\n".join(lines), block)
            lines = []
        if line.strip():
            if not lines:
                start, block = at, quoted
            lines.append(line)
        at += len(line) + 1
    if lines:
        yield _Paragraph(start, "\n".join(lines), block)


def _pieces(paragraph: _Paragraph, defined: dict[str, tuple[int, list[str]]]) -> list[_Piece]:
    """The quotations and sources of a paragraph, in order."""
    sources = list(_sources(paragraph.text, paragraph.start, defined))
    if paragraph.block:
        lines = [re.sub(r"^\s*(?:>\s?)+", "", line) for line in paragraph.text.split("\n")]
        while lines and (not lines[-1].strip() or (len(lines) > 1 and _ATTRIBUTED.match(lines[-1]))):
            lines.pop()
        quote = _plain(_SOURCE.sub("", "\n".join(lines)))
        own = _QUOTED.fullmatch(quote.strip())
        words = next(filter(None, own.groups()), quote) if own else quote
        return [_Piece(paragraph.start, words.strip(), block=True), *sources] if words.strip() else sources
    quotes = [
        _Piece(paragraph.start + found.start(), _plain(next(filter(None, found.groups()))))
        for found in _QUOTED.finditer(paragraph.text)
        if "://" not in found[0]
    ]
    return sorted([*quotes, *sources], key=lambda piece: piece.at)


def _sources(text: str, start: int, defined: dict[str, tuple[int, list[str]]]) -> Iterator[_Piece]:
    for found in _SOURCE.finditer(text):
        match found.lastgroup, found[found.lastgroup or 0]:
            case "prefixed" | "bare", name:
                yield _Piece(start + found.start(), sources=[name])
            case "url", url:
                yield _Piece(start + found.start(), sources=[url.rstrip(_TRAILING)])
            case _, name:
                line_and_sources = defined.get(name.casefold())
                if line_and_sources:
                    yield _Piece(start + found.start(), sources=list(line_and_sources[1]))


def _beside(pieces: list[_Piece], place: int, used: set[int]) -> list[str]:
    """The sources after a quotation up to the next one; else those before it, back to the one before."""
    after: list[str] = []
    for at in range(place + 1, len(pieces)):
        if pieces[at].quote is not None:
            break
        used.add(at)
        after += pieces[at].sources
    if after:
        return after
    for at in range(place - 1, -1, -1):
        if pieces[at].quote is None:
            used.add(at)
            return pieces[at].sources
    return []


def _followed(pieces: list[_Piece], place: int) -> bool:
    """Whether a source stands right after a quotation."""
    following = pieces[place + 1] if place + 1 < len(pieces) else None
    end = pieces[place].at + len(pieces[place].quote or "")
    return following is not None and following.quote is None and following.at - end <= NEAR


def _around(text: str, above: list[_Piece], below: list[_Piece]) -> list[str]:
    """The sources of the line under a block quotation that says where it is from, or of the one that leads to it."""
    if below and below[0].quote is None:
        line = text[text.rfind("\n", 0, below[0].at) + 1 :]
        if _FROM.match(line):
            return [source for piece in below for source in piece.sources]
    if above and above[-1].quote is None:
        return list(above[-1].sources)
    return []


def _plain(text: str) -> str:
    """Words without the marks of Markdown; of a very long quotation the beginning."""
    return " ".join(_MARKUP.sub("", _LINK_TEXT.sub(r"\1", text[:LONGEST])).split())


def _is_short(quote: str) -> bool:
    unspaced = len(_UNSPACED.findall(quote))
    return unspaced < LEAST_UNSPACED if unspaced else len(quote.split()) < LEAST_WORDS


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
