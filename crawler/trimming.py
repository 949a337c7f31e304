"""Lines around an article that are not of it, taken out of its main text.

Extractors take the body of an article with some of what stands around it. What goes is told by the page itself, and
only where most of the text is prose, so that an index, a list of links or a table of contents stays what it is:

* the title, which a reading has as a field of its own;
* a line that is nothing but a link to another page of the site, perhaps behind a label: a teaser; and the line before
  such lines that announces them;
* lines before the text that only say when it came out, which a reading has as a field too;
* after the last of the text headings, which belong to what was left out, and lines that only say whose a picture or the
  text is, when it came out, or where to follow the site;
* the words that it is filed under;
* labels of advertisements, and lines without a letter or a number.

All of it still stands in the visible text.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.addresses import same_site
from crawler.blocks import BLOCK_GAP, ITEM_GAP
from crawler.edges import is_call, is_credit, is_dateline, is_offer_to_hear, is_rights, is_tags
from crawler.main_text import MainText
from crawler.page_signs import count_words
from crawler.reading import Block, Link

# A paragraph of this many words is prose. An article begins with the first one and ends with the last.
PROSE: Final = 15

# Only a text of which this much is prose is trimmed.
PROSE_SHARE: Final = 0.5

# A link of fewer words is a name or a term, as texts have them; one of more is a paragraph.
TEASER: Final = 5
MAX_TEASER: Final = 40

# "You may also like:"; a line of more words is a sentence.
LABEL_WORDS: Final = 8

# The words that a page is filed under are one line, with a label before it, and perhaps something short behind.
TAG_LINES: Final = 3

# How much of a line has to be the link for it to be one: there may be a mark or a date before it.
LINKED: Final = 0.8

# A heading may say the title shorter or longer than the head of the page does; one of less letters has to be equal.
SHORTER: Final = 0.5
LONGER: Final = 0.7
LEAST_TITLE: Final = 9

# "Read more: a headline": a label of so many words before it.
MAX_SAID: Final = 4
_LABELLED: Final = re.compile(r"\W*[^\n:\uff1a]{2,40}[:\uff1a]\s*")

_LETTERS: Final = re.compile(r"[^\W_]+")
_ADVERTISEMENT: Final = frozenset(
    (
        "advertisement", "advertising", "anzeige", "werbung", "publicité", "publicidad", "publicidade", "pubblicità",
        "advertentie", "annons", "annonce", "reklame", "reklam", "reklama", "mainos", "hirdetés", "реклама",
        "スポンサーリンク", "スポンサードリンク", "lasuiteaprèslapublicité", "continuadepoisdapublicidade",
        "continuaapósapublicidade", "continúadespuésdelapublicidad", "storycontinuesbelowadvertisement",
        "articlecontinuesbelowadvertisement", "articlecontinuesafteradvertisement", "scrolltocontinue",
        "continuereadingbelowadvertisement",
        "continuaaleggeredopolapubblicità",
        "διαφήμιση", "iklan", "quảngcáo", "إعلان", "اعلان", "विज्ञापन", "โฆษณา", "广告", "廣告", "広告", "광고",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Line:
    """One block, its words, and its letters in one case without anything between them."""

    block: Block
    text: str
    words: int
    folded: str


def trimmed(
    main: MainText, *, title: str | None, links: Iterable[Link], base: str, days: Sequence[str] = ()
) -> MainText:
    """MAIN without the lines that are not of the article; MAIN itself if it is no prose.

    TITLE is the page's title, LINKS are its links, BASE is its address, DAYS are those on which it came out and was
    changed.
    """
    lines = [_line(main.text, block) for block in main.blocks]
    prose = [line for line in lines if _is_prose(line, days)]
    if sum(line.words for line in prose) < PROSE_SHARE * sum(line.words for line in lines) or not prose:
        return main
    begin, end = prose[0].block.start, prose[-1].block.end
    elsewhere = [(folded(link.text), link.url) for link in links]
    kept: list[_Line] = []
    left_out = False
    for line in lines:
        if _is_teaser(line, elsewhere, base):
            left_out = True
            if kept and _announces(kept[-1]):
                kept.pop()
        elif not (_is_label(line) or (line.block.start < begin and _is_before(line, title, days))):
            if left_out and kept and _is_over(kept[-1], line):
                kept.pop()
            kept.append(line)
            left_out = False
    del kept[_tags_begin(kept, end) :]
    while len(kept) > 1 and _is_after(kept[-1], end, days):
        kept.pop()
    return main if len(kept) == len(lines) else _joined(main, kept)


def _is_prose(line: _Line, days: Sequence[str]) -> bool:
    return line.words >= PROSE and line.block.type in ("paragraph", "quote") and not _says_when(line, days)


def _line(text: str, block: Block) -> _Line:
    own = text[block.start : block.end]
    return _Line(block, own, count_words(own), folded(own))


def folded(text: str) -> str:
    """The letters and numbers of TEXT in one case."""
    return "".join(_LETTERS.findall(text.casefold()))


def _is_label(line: _Line) -> bool:
    return line.block.type != "code" and (not line.folded or line.folded in _ADVERTISEMENT)


def _says(line: _Line, title: str | None) -> bool:
    """Whether LINE is the title, as a heading or as a paragraph that says just that."""
    said, own = folded(title or ""), line.folded
    if own == said:
        return True
    if line.block.type != "heading" or len(own) < LEAST_TITLE or len(said) < LEAST_TITLE:
        return False
    return (said.startswith(own) and len(own) > SHORTER * len(said)) or (
        own.startswith(said) and len(said) > LONGER * len(own)
    )


def _announces(line: _Line) -> bool:
    """Whether LINE, which stands before teasers, only says that they follow."""
    ends = line.text.endswith((":", "\uff1a"))
    return ends and line.words <= LABEL_WORDS and line.block.type != "heading"


def _is_over(heading: _Line, line: _Line) -> bool:
    """Whether the section of HEADING had only what was left out: LINE is the next one's heading."""
    both = heading.block.type == line.block.type == "heading"
    return both and (heading.block.level or 0) >= (line.block.level or 0)


def _tags_begin(lines: Sequence[_Line], end: int) -> int:
    """Where the words begin that the page is filed under: behind END, or in the last lines if they look like prose."""
    for at, line in enumerate(lines):
        if at and is_tags(line.text) and (line.block.start >= end or at >= len(lines) - TAG_LINES):
            return at
    return len(lines)


def _is_before(line: _Line, title: str | None, days: Sequence[str]) -> bool:
    """Whether LINE, which stands before the text, is of what stands above an article."""
    return _says(line, title) or _says_when(line, days) or is_offer_to_hear(line.text, line.words)


def _says_when(line: _Line, days: Sequence[str]) -> bool:
    return line.block.type == "paragraph" and is_dateline(line.text, line.words, days)


def _is_after(line: _Line, end: int, days: Sequence[str]) -> bool:
    """Whether LINE, the last one, is of what stands below the article."""
    if line.block.type == "heading":
        return line.block.start >= end
    return (
        is_call(line.text, line.words)
        or is_rights(line.text, line.words)
        or is_credit(line.text, line.words)
        or _says_when(line, days)
    )


def _is_teaser(line: _Line, links: Sequence[tuple[str, str]], base: str) -> bool:
    if line.block.type not in ("paragraph", "list", "heading") or not TEASER <= line.words <= MAX_TEASER:
        return False
    labelled = _LABELLED.match(line.text)
    rest = folded(line.text[labelled.end() :]) if labelled and count_words(labelled[0]) <= MAX_SAID else ""
    least, most = LINKED * len(line.folded), len(line.folded)
    said = (
        url
        for text, url in links
        if (least <= len(text) <= most and text in line.folded) or (text == rest and len(rest) >= LEAST_TITLE)
    )
    return any(same_site(url, base) for url in said)


def _joined(main: MainText, lines: Sequence[_Line]) -> MainText:
    parts: list[str] = []
    blocks: list[Block] = []
    length = 0
    for line in lines:
        if blocks:
            gap = ITEM_GAP if line.block.type == blocks[-1].type == "list" else BLOCK_GAP
            parts.append(gap)
            length += len(gap)
        parts.append(line.text)
        blocks.append(replace(line.block, start=length, end=length + len(line.text)))
        length += len(line.text)
    return replace(main, text="".join(parts), blocks=tuple(blocks))
