"""When a page says it was published and last changed.

A date is firm only where the page states it as its own: structured data, meta tags, microdata, a `time` element in
the header of the article. A date in the address or in the text near the title is a guess and marked as one. Dates of
scripts, footers, other stories and events are never taken, nor is a date after the page was fetched.
"""

import re
from collections.abc import Iterator
from copy import copy
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Final

from crawler.head import Head, named_elements
from crawler.reading import Dated
from crawler.scalars import one_line

# Nothing was published on the web before; an earlier date is about the content, not the page.
EARLIEST: Final = date(1991, 8, 6)

# A page dated in a zone ahead of UTC can be of tomorrow.
ZONE_SLACK: Final = timedelta(hours=14)

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
_MODIFIED_META: Final = (
    "article:modified_time", "og:article:modified_time", "datemodified", "og:updated_time", "dcterms.modified",
    "dc.date.modified",
    "dc.modified", "last-modified", "lastmod", "modified_time", "modificationdate", "article:modified",
    "article.updated",
    "updated_time", "date.modified", "revision_date", "moddate", "last_updated",
)  # fmt: skip

_ISO: Final = re.compile(
    r"^\s*(?P<date>(?:19|20)\d\d-\d\d?-\d\d?)(?:[T ]+(?P<time>\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?)\s*"
    r"(?P<zone>Z|"
    r"UTC|GMT|[+-]\d\d:?\d\d|[+-]\d\d)?)?"
)
_COMPACT: Final = re.compile(r"^\s*((?:19|20)\d\d)(0[1-9]|1[0-2])([0-2]\d|3[01])(?:T?\d{4,6}Z?)?\s*$")
_SLASHED: Final = re.compile(r"^\s*((?:19|20)\d\d)[/.]([01]?\d)[/.]([0-3]?\d)(?!\d)")
_EPOCH: Final = re.compile(r"^\s*(1\d{9})(?:\d{3})?\s*$")
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
_ELSEWHERE: Final = re.compile(
    r"(?:^|[\s_-])(?:related|recommend|sidebar|side-bar|widget(?! Blog)|teaser|comment(?!ary)|repl(?:y|ies)|"
    r"popular|trending|latest|more-|recent|"
    r"archive|event|calendar|promo|newsletter|navigation|breadcrumb|copyright|disqus|weather|ticker|read-?next|"
    r"most-?read|tweet)",
    re.IGNORECASE,
)
_DATE_NAMES: Final = re.compile(
    r"date|time(?!line)|publi[sc]|posted|byline|meta(?!d)|pub[-_]|stamp|fecha|datum|article-?info|post-?info|"
    r"entry-?info|created|erschienen",
    re.IGNORECASE,
)
# A paragraph of this many words is where the article begins; what stands before it is its header.
FIRST_PARAGRAPH_WORDS: Final = 25

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
    r"©|\(c\)|copyright|all rights|valid|until|opens?\b|starts?\b|from\b|deadline|version|gültig|bis\b|seit\b|since",
    re.IGNORECASE,
)


class _Judge:
    """Turns what a page gives as a date into a date that it can be."""

    def __init__(self, at: datetime) -> None:
        self.latest = at.astimezone(UTC) + ZONE_SLACK

    def possible(self, day: date) -> bool:
        return EARLIEST <= day <= self.latest.date()

    def read(self, text: str | None) -> str | None:
        """TEXT in one of the formats that machines write, as `YYYY-MM-DD` or with time and zone; else None."""
        if not text:
            return None
        iso = _ISO.match(text)
        if iso:
            return self._iso(iso)
        for pattern in (_COMPACT, _SLASHED):
            parts = pattern.match(text)
            if parts:
                return self.day(int(parts[1]), int(parts[2]), int(parts[3]))
        epoch = _EPOCH.match(text)
        if epoch:
            moment = datetime.fromtimestamp(int(epoch[1]), UTC)
            return moment.isoformat().replace("+00:00", "Z") if self.possible(moment.date()) else None
        try:
            moment = parsedate_to_datetime(text)
        except (ValueError, TypeError, IndexError, OverflowError):
            return self.words(text)
        return moment.isoformat() if self.possible(moment.date()) else None

    def _iso(self, iso: re.Match[str]) -> str | None:
        year, month, number = map(int, iso["date"].split("-"))
        day = self.day(year, month, number)
        if day is None or iso["time"] is None:
            return day
        zone = iso["zone"] or ""
        if zone in ("UTC", "GMT"):
            zone = "Z"
        elif zone[:1] in ("+", "-"):
            zone = f"{zone[:3]}:{zone[-2:] if len(zone) > len('+00') else '00'}"
        clock = (
            iso["time"].replace(",", ".").rjust(5, "0")
            if iso["time"].index(":") == 1
            else iso["time"].replace(",", ".")
        )
        value = f"{day}T{clock}{zone}"
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return day
        return value if (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) <= self.latest else None

    def day(self, year: int, month: int, number: int) -> str | None:
        try:
            day = date(year, month, number)
        except ValueError:
            return None
        return day.isoformat() if self.possible(day) else None

    def words(self, text: str) -> str | None:
        """A date as people write it, in the languages that htmldate knows."""
        from htmldate.extractors import try_date_expr  # noqa: PLC0415 - in workers only

        earliest = datetime(EARLIEST.year, EARLIEST.month, EARLIEST.day)  # noqa: DTZ001 - htmldate compares without zones
        found = try_date_expr(text, "%Y-%m-%d", False, earliest, self.latest.replace(tzinfo=None))  # noqa: FBT003 - its signature
        return found if isinstance(found, str) else None


def find_dates(
    root: Any, head: Head, named: list[tuple[Any, str]], *, url: str, at: datetime
) -> tuple[Dated | None, Dated | None]:
    """When the page with the `html` element ROOT was published, and when it was changed.

    NAMED are the page's elements as `named_elements` has them.
    """
    judge = _Judge(at)
    published = _stated(head, judge, "datePublished", _PUBLISHED_META) or _stated(head, judge, "dateCreated", ())
    modified = _stated(head, judge, "dateModified", _MODIFIED_META)
    if published is None or modified is None:
        for found, changed in _in_header(named, judge):
            if changed:
                modified = modified or found
            elif published is None or (found.firm and not published.firm):
                published = found
            if published is not None and published.firm:
                break
    if published is None or not published.firm:
        published = _from_address(url, judge) or published
    return published or _from_lines(root, judge) or _searched(root, judge), modified


def _stated(head: Head, judge: _Judge, name: str, metas: tuple[str, ...]) -> Dated | None:
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


def _from_address(url: str, judge: _Judge) -> Dated | None:
    path = url.split("://", 1)[-1].partition("/")[2].partition("?")[0]
    for pattern in _ADDRESS:
        for year, month, number in pattern.findall(f"/{path}"):
            value = judge.day(
                int(year), int(month) if month.isdigit() else _MONTHS.index(month.lower()) + 1, int(number)
            )
            if value:
                return Dated(value, "address", firm=False)
    return None


def _in_header(named: list[tuple[Any, str]], judge: _Judge) -> Iterator[tuple[Dated, bool]]:
    """Dates that the page's markup names, those of the article's header first, each with whether it is of a change.

    They are firm where a `time` element in the header or microdata says them, else guesses.
    """
    for element, name, header in _dated_elements(named):
        marked = (element.get("itemprop") or "").lower()
        if element.tag == "time" or marked.startswith("date"):
            text = one_line("".join(element.itertext()))
            value = judge.read(element.get("datetime") or element.get("content") or text) or judge.words(text)
            if value:
                changed = "modif" in marked or bool(_CHANGED.search(f"{name} {_before(element)}"))
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


def _from_lines(root: Any, judge: _Judge) -> Dated | None:
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
            if value and not _is_elsewhere(element, around):
                return Dated(value, "line near the title", firm=False)
        if element.tag == "p" and len("".join(element.itertext()).split()) >= FIRST_PARAGRAPH_WORDS:
            return None
    return None


def _date_line(line: str, judge: _Judge) -> str | None:
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


def _searched(root: Any, judge: _Judge) -> Dated | None:
    """What htmldate finds in likely elements of the page's own part. Its search of whole pages finds noise."""
    from htmldate import find_date  # noqa: PLC0415 - in workers only

    own = copy(root)
    around = {a for heading in own.iter("h1") for a in heading.iterancestors()}
    for element in list(own.iter("aside", "nav", "form", "script", "style", "footer", "noscript")):
        _drop(element)
    for element, name in named_elements(own):
        if element not in around and element.tag not in ("body", "html", "article", "main") and _ELSEWHERE.search(name):
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

    The header ends with the first paragraph of some length after the title.
    """
    titled = ended = False
    around = {a for element, _ in named if element.tag == "h1" for a in element.iterancestors()}
    for element, name in named:
        tag = element.tag
        if tag == "h1":
            titled = True
        elif tag == "p" and titled and not ended and len("".join(element.itertext()).split()) >= FIRST_PARAGRAPH_WORDS:
            ended = True
        marked = tag == "time" or (element.get("itemprop") or "").lower().startswith("date")
        if (marked or _DATE_NAMES.search(name)) and not _is_elsewhere(element, around):
            yield element, name, not ended and (titled or next(element.iterancestors("article"), None) is not None)


def _is_elsewhere(element: Any, around: set[Any]) -> bool:
    """Whether ELEMENT is part of something else than the article. AROUND, what holds the title, is not."""
    for ancestor in (element, *element.iterancestors()):
        if ancestor in around:
            return False
        if ancestor.tag in ("nav", "form", "blockquote"):
            return True
        if ancestor.tag in ("footer", "aside"):
            # An article has its own; those of the page are about other things.
            return next(ancestor.iterancestors("article"), None) is None
        if ancestor.tag in ("body", "article", "main"):
            return False
        if _ELSEWHERE.search(f"{ancestor.get('class') or ''} {ancestor.get('id') or ''}"):
            return True
    return False


def _before(element: Any) -> str:
    """The words right before an element: "Updated", "Published on"."""
    before = element.getprevious()
    parent = element.getparent()
    said = (
        (before.tail or "") + "".join(before.itertext())
        if before is not None
        else (parent.text or "")
        if parent is not None
        else ""
    )
    return said[-40:] if isinstance(said, str) else ""
