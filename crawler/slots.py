"""Slots: what is written at the same place of each of several elements that are called and placed alike."""

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from crawler.page_signs import count_words

MIN_RECORDS: Final = 3
"""Two things of one form are columns, or an article and its teaser."""
LEVELS: Final = 12
"""Levels above a text that say at which place it stands."""
PROSE: Final = 15
"""Words of one record's text that make its slot one of texts: bylines are shorter."""
TITLE: Final = 2
"""Words of a title, as they go."""
DIFFERENT: Final = 0.9
"""How many of the titles are no other's; the same subject and the same name come again."""
SHARED: Final = 0.45
OFTEN: Final = 0.6
"""A slot is furniture if this much of it are words that so many of its records have."""
MAX_LINKED: Final = 0.5
"""Of words in links; with more of them, what stands there leads elsewhere."""
MOST: Final = 2 / 3
"""Records of which every one has a byline, a date or a heading, at least nearly."""
NO_TEXT: Final = frozenset(("script", "style", "noscript", "template", "select", "button", "textarea", "svg", "iframe"))
_INLINE: Final = frozenset(
    (
        "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "cite", "code", "del", "dfn", "em", "i", "img", "ins",
        "kbd", "mark", "q", "s", "samp", "small", "strike", "strong", "sub", "sup", "tt", "u", "var", "wbr",
    )
)  # fmt: skip
# Of these, those without a name are parts of what they stand in; `font` and `span` are named by their size.
PARTS: Final = frozenset(
    ("p", "ul", "ol", "li", "blockquote", "pre", "dl", "dt", "dd", "div", "center", "font", "span", "figure")
)
HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_VARYING: Final = re.compile(r"\d|^(?:even|odd|alt|first|last|has-.*|is-.*)$", re.IGNORECASE)
_DATE_NAME: Final = re.compile(r"date|time(?!line)|datum|fecha|heure|stamp", re.IGNORECASE)
_DIGITS: Final = re.compile(r"\d+")
_WHEN: Final = re.compile(r"(?<!\d)\d{1,2}[:h]\d\d(?!\d)|(?<!\d)(?:19|20)\d\d(?!\d)")
# "3 hours ago", in the languages of many forums.
_AGO: Final = re.compile(
    r"\d.{0,12}\b(?:ago|geleden|sedan|siden|sitten|temu|önce|fa|atrás|назад|тому|lalu|trước)\b|\d.{0,6}(?:前|전)"
    r"|\b(?:vor|il y a|hace|há|πριν|منذ) .{0,8}\d",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_]+")


@dataclass(slots=True)
class Slot:
    """What stands at one place of the records: the elements, by record."""

    heading: bool
    pieces: list[tuple[int, Any, str]] = field(default_factory=list)
    linked: int = 0
    """Words in links."""
    links: int = 0


def name_of(element: Any) -> str:
    """How an element is called and shaped, without what differs from one to the next."""
    tokens = [t for t in (element.get("class") or "").split() if not _VARYING.search(t)]
    called = tokens[0] if tokens else _DIGITS.sub("", element.get("class") or "")
    identity = element.get("id") or ""
    if not called and _DIGITS.search(identity):
        called = "#" + _DIGITS.sub("", identity)
    if not called:
        called = element.get("width") or element.get("size") or ""
    return f"{element.tag}.{called}"


def slots_of(records: list[Any], members: dict[Any, int]) -> dict[tuple[str, ...], Slot]:
    """The slots of RECORDS by the names of the elements above them; MEMBERS are the records with their numbers."""
    slots: dict[tuple[str, ...], Slot] = {}
    for number, record in enumerate(records):
        pieces, linked, links = texts_in(record, members)
        for holder, texts in pieces.items():
            text = " ".join(texts)
            above = _up(holder, record)
            heading = any(element.tag in HEADINGS for element in above)
            slot = slots.setdefault(tuple(map(name_of, above)), Slot(heading))
            slot.pieces.append((number, holder, text))
            slot.linked += linked[holder]
            slot.links += links[holder]
        term = record.getprevious() if record.tag == "dd" else None
        if term is not None and term.tag == "dt":
            slots.setdefault(("dt",), Slot(heading=True)).pieces.append((number, term, "".join(term.itertext())))
    return slots


def texts_in(record: Any, members: dict[Any, int]) -> tuple[dict[Any, list[str]], Counter[Any], Counter[Any]]:
    """The texts in RECORD by what holds them, how many of their words are in links, and in how many links with words.

    Those in other MEMBERS within it are not of it.
    """
    pieces: dict[Any, list[str]] = {}
    linked: Counter[Any] = Counter()
    links: Counter[Any] = Counter()
    stack = [(record, False)]
    while stack:
        node, inside = stack.pop()
        if not isinstance(node.tag, str) or node.tag in NO_TEXT or (node is not record and node in members):
            continue
        inside = inside or node.tag == "a"
        for text, in_link in [(node.text, inside), *((child.tail, inside) for child in node)]:
            if text and text.strip():
                holder = _holder(node, record)
                pieces.setdefault(holder, []).append(text)
                if in_link:
                    linked[holder] += count_words(text)
                    links[holder] += len(_WORD.findall(text)) > 0
        stack += [(child, inside) for child in reversed(node)]
    return pieces, linked, links


def _holder(node: Any, record: Any) -> Any:
    """The element whose text a text in NODE is: the next one up that has a name of its own."""
    while node is not record:
        if node.tag in HEADINGS:
            return node
        if node.tag not in _INLINE and not (node.tag in PARTS and name_of(node).endswith(".")):
            return node
        node = node.getparent()
    return node


def _up(holder: Any, record: Any) -> list[Any]:
    """HOLDER and the elements above it within RECORD, as far as they say where it stands."""
    found: list[Any] = []
    while holder is not record and len(found) < LEVELS:
        found.append(holder)
        holder = holder.getparent()
    return found


def is_text(slot: Slot) -> bool:
    """Whether SLOT has what is said in the records: sentences, and other ones in each."""
    counts = [count_words(text) for _, _, text in slot.pieces]
    if max(counts) < PROSE or slot.linked > MAX_LINKED * sum(counts):
        return False
    return len(slot.pieces) < MIN_RECORDS or _shared(slot) < SHARED


def _shared(slot: Slot) -> float:
    """How much of what is said in the slot is said in most of the records."""
    said = [_WORD.findall(text.lower()) for _, _, text in slot.pieces]
    held = Counter(word for one in said for word in set(one))
    often = {word for word, count in held.items() if count >= OFTEN * len(said)}
    total = sum(map(len, said))
    return sum(word in often for one in said for word in one) / total if total else 1.0


def is_heading(slot: Slot) -> bool:
    """Whether SLOT has titles: no two are equal, as names are of people who write twice, and they are no days."""
    said = [text for _, _, text in slot.pieces]
    if slot.pieces[0][1].tag == "dt":
        return _shared(slot) < SHARED
    names = " ".join(f"{e.get('class') or ''}" for _, h, _ in slot.pieces[:1] for e in (h, h.getparent()))
    words = sum(map(count_words, said))
    return not _DATE_NAME.search(names) and words >= TITLE * len(said) and len(set(said)) > DIFFERENT * len(said)


def is_byline(slot: Slot, least: int) -> bool:
    """Whether most of what stands in SLOT is short and says when, or is the same links again and again.

    LEAST links are wanted of each: one alone may lead from a teaser to what it announces.
    """
    if slot.heading and (slot.pieces[0][1].tag != "dt" or _shared(slot) < SHARED):
        return False
    short = [piece for piece in slot.pieces if count_words(piece[2]) < PROSE]
    records = MOST * len({number for number, _, _ in slot.pieces})
    if len({number for number, element, text in short if _says_when(element, text.strip())}) >= records:
        return True
    most = MOST * len(slot.pieces)
    again = len(short) >= most and slot.links >= least * most and _shared(slot) >= SHARED
    return again and slot.pieces[0][1].tag != "dt"


def _says_when(element: Any, text: str) -> bool:
    """Whether TEXT in ELEMENT says when something was written.

    A year alone stands above what happened in it, a time alone in a cell of a programme.
    """
    if element.tag == "time":
        return True
    if _AGO.search(text):
        return True
    return _WHEN.search(text) is not None and not text.isdigit() and (element.tag != "td" or count_words(text) > 1)
