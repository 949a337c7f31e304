"""Records: what a page shows several times in one form, with a text in each.

Such are replies in tables, entries of a guest book, messages of an archive, notes of a ticker, whole articles one below
the other. No name is needed for it. Elements that are called and placed alike are records if most of the page stands in
them; what is written at the same place of each is a slot. A slot with sentences, other ones in every record, is the
text; one with a few words, or with the same words again and again, is a byline, a date, a count or a button. Headings
are kept.
"""

import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from crawler.page_signs import count_words
from crawler.scalars import one_line
from crawler.slots import (
    HEADINGS,
    MAX_LINKED,
    MIN_RECORDS,
    MOST,
    NO_TEXT,
    PARTS,
    PROSE,
    Slot,
    is_byline,
    is_heading,
    is_text,
    name_of,
    slots_of,
    texts_in,
)

MAX_GROUPS: Final = 12
"""Groups looked at, each time with the whole page; one element around the next makes many."""
RECORDS_SHARE: Final = 0.5
"""Of all words outside furniture, those in records; old forums have as much beside them."""
MAX_ONE: Final = 0.75
"""One record with more of all their words than this is the page's article, the others stand around it."""
ONCE: Final = 1.5
"""Texts of a record, as they go; with more of them it is a section of several things."""
NESTED: Final = 6
"""Levels between a reply and what it replies to."""
MAX_BUTTON: Final = 4
"""Words of a link that stands in every record."""
MAX_LABEL: Final = 30
"""Words of a line beside a text, with the counts and buttons in it."""
OUTSIDE: Final = 0.3
"""Prose beside records, as a share of their texts: with more, the page is about something else than they are."""
OPENING: Final = 180
"""Words before the records that are what they answer to, or lead to them; with more the page is an article."""

_FURNITURE: Final = frozenset(("nav", "footer", "aside"))
_PARAGRAPHS: Final = frozenset(("p", "ul", "ol", "blockquote", "pre"))
_CONTAINERS: Final = frozenset(("article", "dd", "div", "li", "section", "table", "tbody", "td", "tr"))
_SIDE: Final = re.compile(
    r"(?:^|[\s_-])(?:side|sidebar|nav|menu|footer|foot|widget|infobar|related|breadcrumbs?|login|modal|dialog|popup|"
    r"cookies?|alert)(?=$|[\s_-])",
    re.IGNORECASE,
)
# How an element is laid out, which is no name of what it is.
_LAYOUT: Final = re.compile(
    r"\.(?:flex|grid|relative|absolute|block|container|rows?|cols?|columns?|clearfix|[wh]-full)$"
)
_ARTICLE: Final = re.compile(r'"@type"\s*:\s*\[?\s*"(?:https?://schema\.org/)?\w*Article"')
_TICKER: Final = re.compile(r'"@type"\s*:\s*\[?\s*"(?:https?://schema\.org/)?LiveBlogPosting"')


@dataclass(frozen=True, slots=True)
class Records:
    """The elements that hold the texts and headings of records, in the page's order, and what in them is left out."""

    texts: list[Any]
    left_out: list[Any]


def find_records(root: Any, *, thread: bool) -> Records | None:
    """The page's records; None if it has none. THREAD says that something else tells that people speak there."""
    body = root.find("body")
    if body is None:
        return None
    words = _count(body)
    for candidates in _candidates(body, words):
        found = _read(body, candidates, words, opening=OUTSIDE if thread else 0)
        if found is not None:
            return found
    return None


def says_one_article(root: Any) -> bool:
    """Whether the page ROOT describes itself as one article, and not as a ticker of many notes."""
    types = [m.get("content") for m in root.iter("meta") if m.get("property") == "og:type"]
    data = " ".join(s.text for s in root.iter("script") if s.get("type") == "application/ld+json" and s.text)
    if _TICKER.search(data):
        return False
    return "article" in types or _ARTICLE.search(data) is not None


def _count(body: Any) -> dict[Any, int]:
    """The words in each element below BODY, without those in furniture."""
    words: dict[Any, int] = {}
    for element in reversed(list(body.iter())):
        tag = element.tag
        if not isinstance(tag, str) or tag in NO_TEXT or tag in _FURNITURE:
            continue
        own = count_words(element.text) if element.text else 0
        for child in element:
            own += words.get(child, 0)
            if child.tail:
                own += count_words(child.tail)
        words[element] = own
    return words


def _candidates(body: Any, words: dict[Any, int]) -> list[list[Any]]:
    """Groups of elements that may be records, the largest elements first."""
    groups: dict[tuple[str, str], list[Any]] = {}
    keys: dict[Any, tuple[str, str]] = {}
    for element in body.iter(*_CONTAINERS):
        if not words.get(element):
            continue
        parent, name = element.getparent(), name_of(element)
        above = _holder_of(element, name, keys)
        keys[element] = key = above or (name_of(parent), name)
        groups.setdefault(key, []).append(element)
    order = list(body.iter())
    place = {element: number for number, element in enumerate(order)}
    last: dict[Any, int] = {}
    for element in reversed(order):
        last[element] = last[element[-1]] if len(element) else place[element]
    total = words[body]
    found = []
    for (_, name), group in groups.items():
        if len(group) < MIN_RECORDS or _LAYOUT.search(name):
            continue
        held, end = 0, -1
        for element in group:  # a reply is counted with what it replies to
            if place[element] > end:
                held += words[element]
                end = last[element]
        if held >= RECORDS_SHARE * total:
            found.append(group)
    return found[:MAX_GROUPS]


def _holder_of(element: Any, name: str, keys: dict[Any, tuple[str, str]]) -> tuple[str, str] | None:
    """The group of what is called as ELEMENT is and holds it: a reply stands in what it replies to."""
    if name.endswith("."):
        return None
    for above in islice(element.iterancestors(), NESTED):
        key = keys.get(above)
        if key is not None and key[1] == name:
            return key
    return None


def _read(body: Any, records: list[Any], words: dict[Any, int], *, opening: float) -> Records | None:
    members = {record: number for number, record in enumerate(records)}
    slots = slots_of(records, members)
    texts = [slot for slot in slots.values() if not slot.heading and is_text(slot)]
    have: Counter[int] = Counter()
    for slot in texts:
        for number, _, text in slot.pieces:
            have[number] += count_words(text)
    total = sum(have.values())
    if len(have) < MIN_RECORDS or max(have.values()) > MAX_ONE * total:
        return None
    main = max(texts, key=lambda slot: sum(count_words(text) for _, _, text in slot.pieces))
    labels = [slot for slot in slots.values() if slot not in texts and _share(slot, have) >= MOST]
    headings = [slot for slot in slots.values() if slot.heading and is_heading(slot)]
    least = 1 if opening else 2
    if len(main.pieces) > ONCE * len({number for number, _, _ in main.pieces}):
        return None
    if _share(main, have) < MOST or not any(is_byline(slot, least) for slot in labels):
        return None
    chosen = {element for slot in (*texts, *headings) for number, element, _ in slot.pieces if number in have}
    before, beside = _prose_outside(body, members, records[min(have)])
    if beside > OUTSIDE * total or sum(before.values()) > max(OPENING, opening * total):
        return None
    if not opening and any(_in_article(holder) for holder in before):
        return None  # an article and what is said of it
    short = {e for slot in labels if not slot.heading for _, e, _ in slot.pieces if words.get(e, 0) < MAX_LABEL}
    names = {name for e in short if not (name := name_of(e)).endswith(".")}
    before = {holder: count for holder, count in before.items() if count >= MAX_LABEL or name_of(holder) not in names}
    first = {*before, *(e for holder in before for e in _beside(holder) if name_of(e) not in names)}
    chosen |= first
    top = [e for e in body.iter() if e in chosen and not any(a in chosen for a in e.iterancestors())]
    left_out = short | members.keys() | _buttons(records, least=MOST * len(have))
    for one in first:
        left_out.update(e for e in one.iterdescendants() if isinstance(e.tag, str) and name_of(e) in names)
    return Records(top, list(left_out - chosen))


def _in_article(element: Any) -> bool:
    return element.tag == "article" or next(element.iterancestors("article"), None) is not None


def _buttons(records: list[Any], least: float) -> set[Any]:
    """The links that at least so many of RECORDS have with the same words: to reply, to read on."""
    links: dict[str, list[Any]] = {}
    for record in records:
        for link in record.iter("a"):
            text = one_line("".join(link.itertext()))
            if text and count_words(text) <= MAX_BUTTON:
                links.setdefault(text, []).append(link)
    return {link for same in links.values() if len(same) >= least for link in same}


def _share(slot: Slot, have: Counter[int]) -> float:
    """How many of the records that have a text have something in SLOT."""
    return len({number for number, _, _ in slot.pieces} & have.keys()) / len(have)


def _beside(holder: Any) -> list[Any]:
    """What belongs to the same text as HOLDER, one of its paragraphs."""
    if holder.tag not in PARTS:
        return []
    called = (None, holder.get("class"))
    return [e for e in holder.getparent() if e.tag in _PARAGRAPHS and e.get("class") in called]


def _prose_outside(body: Any, members: dict[Any, int], first: Any) -> tuple[dict[Any, int], int]:
    """What holds prose before the FIRST record, and the words of all prose outside records."""
    pieces, linked, _ = texts_in(body, members)
    before: dict[Any, int] = {}
    above = set(first.iterancestors())
    beside = 0
    behind = set(first.iter()) | {
        e for a in (first, *first.iterancestors()) for s in a.itersiblings() for e in s.iter()
    }
    for holder, texts in pieces.items():
        count = count_words(" ".join(texts))
        if count < PROSE or linked[holder] > MAX_LINKED * count or holder is body:
            continue
        if holder in above:
            before.update(_paragraphs_above(holder, above, first))
            continue
        if holder.tag in HEADINGS or any(_is_side(e) for e in (holder, *holder.iterancestors()) if e not in above):
            continue
        if holder not in behind:
            before[holder] = count
        else:
            beside += count
    return before, beside


def _paragraphs_above(holder: Any, above: set[Any], first: Any) -> dict[Any, int]:
    """The paragraphs that stand in HOLDER, which holds the FIRST record too, before it, with their words."""
    found: dict[Any, int] = {}
    for child in holder:
        if child is first or child in above:
            break
        if child.tag in _PARAGRAPHS and (count := count_words("".join(child.itertext()))) >= PROSE:
            found[child] = count
    return found


def _is_side(element: Any) -> bool:
    if element.tag in ("body", "html"):
        return False
    return (
        element.tag in _FURNITURE or _SIDE.search(f"{element.get('class') or ''} {element.get('id') or ''}") is not None
    )
