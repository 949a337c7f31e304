"""When a page says it was published and last changed.

A date is firm only where the page states it as its own: structured data, meta tags, microdata, a `time` element in
the header of the article. A date in the address or in the text near the title is a guess and marked as one. Dates of
scripts, footers, other stories and events are never taken, nor is a date after the page was fetched.
"""

import re
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from crawler.date_places import (
    DATE_NAMES,
    ELSEWHERE,
    is_elsewhere,
    is_of_another_item,
    is_of_something_else,
    own_item,
    words_before,
)
from crawler.date_values import Judge
from crawler.head import Head, named_elements, text_of, words_of
from crawler.reading import Dated
from crawler.scalars import one_line

_PUBLISHED_META: Final = (
    "article:published_time", "og:article:published_time", "article:published", "datepublished", "og:published_time",
    "og:pubdate", "parsely-pub-date", "citation_publication_date", "citation_online_date", "citation_date",
    "dc.date.issued",
    "dcterms.issued", "dc.issued", "dcterms.available", "sailthru.date", "publish-date", "publish_date", "publishdate",
    "pubdate", "publication_date", "publicationdate", "published-date", "published_date", "published_time",
    "publishtime",
    "cxenseparse:recs:publishtime", "article.published", "article_date_original", "originalpublicationdate",
    "displaydate",
    "ptime", "iso-8601-publish-date", "rnews:datepublished", "date.issued", "dcsext.articlefirstpublished",
    "vr:published_time",
    "firstpublishedtime", "date.created", "datecreated", "dcterms.created", "dc.date.created", "creation_date",
    "created",
    "dc.date", "dcterms.date", "bt:pubdate", "date", "timestamp", "article_date", "release_date",
)  # fmt: skip
_PUBLISHED_NAME: Final = re.compile(r"(?:pub(?:lish(?:ed|ing)?|lication)?|upload|issue)[-_.:]?(?:date|time)$")
_MODIFIED_META: Final = (
    "article:modified_time", "og:article:modified_time", "datemodified", "og:updated_time", "dcterms.modified",
    "dc.date.modified",
    "dc.modified", "last-modified", "lastmod", "modified_time", "modificationdate", "article:modified",
    "article.updated",
    "updated_time", "date.modified", "revision_date", "moddate", "last_updated",
)  # fmt: skip

_ADDRESS: Final = (
    re.compile(r"(?:^|[/_.-])((?:19|20)\d\d)[/_-](0?[1-9]|1[0-2])[/_-](0?[1-9]|[12]\d|3[01])(?=[/_.-]|\D|$)"),
    re.compile(r"(?:^|[/_-])(20[0-4]\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=[/_.-]|$)"),
    re.compile(
        r"/(20[0-4]\d)/(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*/(0?[1-9]|[12]\d|3[01])(?=/|$)",
        re.IGNORECASE,
    ),
)
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_CHANGED: Final = re.compile(
    r"updat|modif|edit|chang|revis|aktuali|geänd|stand\b|mise? à jour|actuali[sz]|aggiorn|bijgewerkt|更新|修改",
    re.IGNORECASE,
)
# A paragraph of this many words is where the article begins; what stands before it is its header.
FIRST_PARAGRAPH_WORDS: Final = 25

# A paragraph of this many words is a sentence of the text, not a line of the header.
SENTENCE_WORDS: Final = 12
# A line with a date has few words beside it: author, section, "updated at".
MAX_DATE_LINE_WORDS: Final = 16
MAX_DATE_LINE: Final = 120


# A line that is a date has few other words: a weekday, a place, an author.
LINE_WORDS: Final = 7
_LINE_TAGS: Final = (
    "h1",
    "h2",
    "p",
    "div",
    "span",
    "li",
    "td",
    "time",
    "small",
    "em",
    "i",
    "b",
    "strong",
    "a",
    "font",
    "h3",
    "h4",
    "h5",
    "dd",
)
_DIGITS: Final = re.compile(r"\d")
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|\d\.\d\d(?!\d)")
_NOT_A_DATE_LINE: Final = re.compile(
    r"©|\(c\)|copyright|all rights|valid|until|opens?\b|starts?\b|from\b|deadline|version|gültig|bis\b|seit\b|"
    r"since|updated|modified|aktualisiert",
    re.IGNORECASE,
)


def find_dates(
    root: Any, head: Head, named: list[tuple[Any, str]], *, url: str, at: datetime
) -> tuple[Dated | None, Dated | None]:
    """When the page with the `html` element ROOT was published, and when it was changed.

    NAMED are the page's elements as `named_elements` has them.
    """
    judge = Judge(at)
    head = replace(head, data=tuple(thing for thing in head.data if not _of_another_page(thing, head, url)))
    published = _stated(head, judge, "datePublished", (*_PUBLISHED_META, *filter(_PUBLISHED_NAME.search, head.meta)))
    published = published or _stated(head, judge, "uploadDate", ()) or _stated(head, judge, "dateCreated", ())
    modified = _stated(head, judge, "dateModified", _MODIFIED_META)
    if published is None or modified is None:
        for found, changed in _in_header(named, judge):
            if changed:
                modified = modified or found
            elif published is None or (found.firm and not published.firm):
                published = found
    if published is None or not published.firm:
        own = head.first("og:url")
        addresses = (url, head.canonical or "", own[1] if own else "")
        published = next(filter(None, (_from_address(a, judge) for a in addresses)), None) or published
    published = published or _from_lines(root, judge)
    if published is None and _looks_like_an_article(root, head):
        published = _searched(root, judge)
    return published, modified


def _of_another_page(thing: dict[str, Any], head: Head, url: str) -> bool:
    """Whether structured data is about another story: it has another address than this page, and another headline."""
    address, headline = text_of(thing.get("url")), text_of(thing.get("headline") or thing.get("name"))
    if not address or not headline:
        return False
    own_address = head.first("og:url")
    own = {_last_part(a) for a in (url, head.canonical, own_address and own_address[1]) if a}
    own_title = head.first("og:title")
    titles = words_of(" ".join(filter(None, (head.title, own_title and own_title[1]))))
    return _last_part(address) not in own and words_of(headline) not in titles


def _last_part(address: str) -> str:
    """What tells an address from others of its site."""
    return address.partition("#")[0].partition("?")[0].rstrip("/").rsplit("/", 1)[-1].lower()


def _stated(head: Head, judge: Judge, name: str, metas: tuple[str, ...]) -> Dated | None:
    for thing in head.data:
        value = judge.read(thing.get(name)) if isinstance(thing.get(name), str) else None
        if value:
            return Dated(value, f"structured data {name}", firm=True)
    for meta in metas:
        for content in head.meta.get(meta, ()):
            value = judge.read(content)
            if value:
                return Dated(value, f"meta {meta}", firm=True)
    return None


def _from_address(url: str, judge: Judge) -> Dated | None:
    path = url.split("://", 1)[-1].partition("/")[2].partition("?")[0]
    for pattern in _ADDRESS:
        for year, month, number in pattern.findall(f"/{path}"):
            value = judge.day(
                int(year), int(month) if month.isdigit() else _MONTHS.index(month.lower()) + 1, int(number)
            )
            if value:
                return Dated(value, "address", firm=False)
    return None


def _in_header(named: list[tuple[Any, str]], judge: Judge) -> Iterator[tuple[Dated, bool]]:
    """Dates that the page's markup names, those of the article's header first, each with whether it is of a change.

    They are firm where a `time` element in the header or microdata says them, else guesses.
    """
    for element, name, header in _dated_elements(named):
        marked = (element.get("itemprop") or "").lower()
        if element.tag == "time" or marked.startswith("date"):
            text = one_line("".join(element.itertext()))
            value = judge.read(element.get("datetime") or element.get("content") or text) or judge.words(text)
            if value:
                changed = "modif" in marked or bool(_CHANGED.search(f"{name} {words_before(element)}"))
                known = marked.startswith("date") or element.get("pubdate") is not None or header
                how = (
                    f"microdata {marked}"
                    if marked.startswith("date")
                    else "time in the header"
                    if header
                    else "time element"
                )
                yield Dated(value, how, firm=known), changed
        elif element.tag == "abbr" and element.get("title"):
            value = judge.read(element.get("title"))
            if value:
                yield Dated(value, "abbr title", firm=header), False
        elif len(element) < MAX_DATE_LINE_WORDS:
            text = one_line(" ".join(element.itertext()))
            if len(text) <= MAX_DATE_LINE and _DIGITS.search(text):
                value = judge.words(text)
                if value:
                    yield (
                        Dated(value, "text near the title" if header else "text named a date", firm=False),
                        bool(_CHANGED.search(text)),
                    )


def _from_lines(root: Any, judge: Judge) -> Dated | None:
    """A line between the title and the article's text that is a date and little else."""
    started = False
    around = {a for heading in root.iter("h1") for a in heading.iterancestors()}
    for element in root.iter(*_LINE_TAGS):
        if element.tag in ("h1", "h2"):
            started = True
        if not started or (element.text is None and len(element) == 0):
            continue
        for line in (element.text, *(child.tail for child in element)):
            value = _date_line(line or "", judge)
            if value and not is_elsewhere(element, around):
                return Dated(value, "line near the title", firm=False)
        if element.tag == "p" and len("".join(element.itertext()).split()) >= FIRST_PARAGRAPH_WORDS:
            return None
    return None


def _date_line(line: str, judge: Judge) -> str | None:
    """The date that LINE is, or that a paragraph begins with ("Berlin, 4 May 2021 - The council")."""
    if not _YEAR.search(line):
        return None
    words = line.split()
    if len(words) >= FIRST_PARAGRAPH_WORDS:
        words = words[:LINE_WORDS]
    start = " ".join(words)
    if len(words) > LINE_WORDS or not _YEAR.search(start) or _NOT_A_DATE_LINE.search(start):
        return None
    return judge.words(start)


def _looks_like_an_article(root: Any, head: Head) -> bool:
    """Whether a page presents itself as something that was published one day, so that looking closer is worth it."""
    kind = head.first("og:type")
    return bool(head.data) or (kind is not None and kind[1] == "article") or root.find(".//article") is not None


def _searched(root: Any, judge: Judge) -> Dated | None:
    """What htmldate finds in likely elements of the page's own part. Its search of whole pages finds noise."""
    from htmldate import find_date  # noqa: PLC0415 - in workers only

    own = copy(root)
    around = {a for heading in own.iter("h1") for a in heading.iterancestors()}
    for element in list(own.iter("head", "time", "aside", "nav", "form", "script", "style", "footer", "noscript")):
        _drop(element)
    for element, name in named_elements(own):
        if element not in around and element.tag not in ("body", "html", "article", "main") and ELSEWHERE.search(name):
            _drop(element)
    found = find_date(own, extensive_search=False, original_date=True, max_date=judge.latest.date().isoformat())
    return Dated(found, "search", firm=False) if found else None


def _drop(element: Any) -> None:
    parent = element.getparent()
    if parent is not None and (
        element.tag not in ("footer", "aside") or next(element.iterancestors("article"), None) is None
    ):
        parent.remove(element)


def _dated_elements(named: list[tuple[Any, str]]) -> Iterator[tuple[Any, str, bool]]:
    """The elements that are marked or named as dates, with whether they stand in the header of the article.

    The header ends with the first long paragraph after the title, or the second of some length: one may be a summary.
    """
    titled = ended = False
    paragraphs = 0
    around = {a for element, _ in named if element.tag == "h1" for a in element.iterancestors()}
    own = own_item(next((element for element, _ in named if element.tag == "h1"), None))
    for element, name in named:
        tag = element.tag
        if tag == "h1":
            titled = True
        elif tag == "p" and titled and not ended:
            words = len("".join(element.itertext()).split())
            paragraphs += words >= SENTENCE_WORDS
            ended = words >= FIRST_PARAGRAPH_WORDS or paragraphs > 1
        known = (element.get("itemprop") or "").lower().startswith("date")
        marked = known or (tag == "time" and not is_of_something_else(element))
        if (marked or (tag != "time" and DATE_NAMES.search(name))) and not (
            is_elsewhere(element, around) or is_of_another_item(element, own)
        ):
            yield element, name, not ended and (titled or next(element.iterancestors("article"), None) is not None)
