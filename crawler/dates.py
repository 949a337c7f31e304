"""When a page says it was published and last changed.

A date is firm only where the page states it as its own: structured data, meta tags, microdata, a `time` element in
the header of the article; of several that differ, the one that readers are shown. A date in the address, in a line
near the title or in one that says when the page was published is a guess and marked as one. Dates of scripts, footers,
other stories and events are never taken, nor is a date after the page was fetched.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import islice, product
from typing import Any, Final

from crawler.date_address import day_in_address
from crawler.date_lines import above_title, after_title, says_published, signed
from crawler.date_marks import NEAR_TITLE, marked_dates
from crawler.date_places import own_item
from crawler.date_values import Judge
from crawler.head import Head, text_of, type_of, words_of
from crawler.language import detect_language, stated_language
from crawler.reading import Dated, Language
from crawler.titles import title_element

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
    "firstpublishedtime",
    "bt:pubdate", "article_date", "release_date",
)  # fmt: skip
# These say a date, but not of what: often that of publication, sometimes that a file was made or an article sent in.
_SOME_META: Final = (
    "date.created", "datecreated", "dcterms.created", "dc.date.created", "creation_date", "created", "dc.date",
    "dcterms.date", "date", "timestamp",
)  # fmt: skip
_PUBLISHED_NAME: Final = re.compile(
    r"(?<!un)(?<!next[-_.:])(?:pub(?:lish(?:ed|ing)?|lication)?|upload|issue)[-_.:]?(?:date|time)$"
)
_MODIFIED_META: Final = (
    "article:modified_time", "og:article:modified_time", "datemodified", "og:updated_time", "dcterms.modified",
    "dc.date.modified",
    "dc.modified", "last-modified", "lastmod", "modified_time", "modificationdate", "article:modified",
    "article.updated",
    "updated_time", "date.modified", "revision_date", "moddate", "last_updated",
)  # fmt: skip

# Pieces of text from which the language of a page is guessed that states none.
MAX_TEXTS: Final = 200
DAY: Final = len("2024-03-05")


def find_dates(
    root: Any, head: Head, named: list[tuple[Any, str]], *, url: str, at: datetime
) -> tuple[Dated | None, Dated | None]:
    """When the page with the `html` element ROOT was published, and when it was changed.

    NAMED are the page's elements as `named_elements` has them.
    """
    judge = Judge(at, stated_language(root, head), partial(_detected, root))
    own = (t for t in head.data if not _of_another_page(t, head, url) and not _is_shown_beside(t, head))
    head = replace(head, data=tuple(own))
    title = title_element(root, head)
    changed = next(_stated(head, judge, ("dateModified",), _MODIFIED_META), None)
    metas = (*_PUBLISHED_META, *filter(_PUBLISHED_NAME.search, head.meta))
    stated = list(_stated(head, judge, ("datePublished",), metas))
    marked = list(marked_dates(named, title, judge, below=not (stated and changed)))
    modified = changed or next((found for found, is_change in marked if is_change), None)
    marks = [found for found, is_change in marked if not is_change]
    stated.extend(found for found in marks if found.firm)
    shown = next((found for found in marks if found.how == NEAR_TITLE), None) or _shown(root, title, judge)
    if stated:
        return _as_shown(stated, shown, modified), modified
    some = next(_stated(head, judge, ("uploadDate", "dateCreated"), _SOME_META), None)
    seen = shown or next(iter(marks), None)
    if some and (seen is None or seen.value[:DAY] == some.value[:DAY]):
        return some, modified
    return shown or (seen if some else _guessed(root, head, title, judge, url, marks)), modified


def _shown(root: Any, title: Any | None, judge: Judge) -> Dated | None:
    """The date that readers see near the title."""
    return _guess(above_title(title, judge), "line above the title") or _guess(
        after_title(root, title, judge), "line near the title"
    )


def _as_shown(stated: list[Dated], shown: Dated | None, modified: Dated | None) -> Dated:
    """Of several STATED dates the first, unless another of them is of the day that the page also shows its readers.

    Pages state an instant in UTC and in their own zone, or the day of a copy and that of the original.
    """
    first = stated[0]
    if shown is None or shown.value[:DAY] in (first.value[:DAY], modified and modified.value[:DAY]):
        return first
    return next((found for found in stated if found.value[:DAY] == shown.value[:DAY]), first)


def _guessed(root: Any, head: Head, title: Any | None, judge: Judge, url: str, marks: list[Dated]) -> Dated | None:
    """When a page was probably published that neither states it nor shows it near the title."""
    said = head.first("og:url")
    addresses = (url, head.canonical or "", said[1] if said else "")
    return (
        next(filter(None, (_guess(day_in_address(a, judge), "address") for a in addresses)), None)
        or next(iter(marks), None)
        or _guess(says_published(root, title, own_item(title), judge), "line that says it was published")
        or _guess(signed(title, judge), "last line of the text")
    )


def _guess(value: str | None, how: str) -> Dated | None:
    return Dated(value, how, firm=False) if value else None


def _detected(root: Any) -> Language | None:
    """The language that the beginning of the page looks like."""
    return detect_language(" ".join(islice(root.itertext("p", "div", "span", "h1", "h2", "li", "a"), MAX_TEXTS)))


def _of_another_page(thing: dict[str, Any], head: Head, url: str) -> bool:
    """Whether structured data is about another story: it has another address than this page, and another headline."""
    address, headline = text_of(thing.get("url")), text_of(thing.get("headline") or thing.get("name"))
    if not address or not headline:
        return False
    own_address = head.first("og:url")
    own = {_last_part(a) for a in (url, head.canonical, own_address and own_address[1]) if a}
    return _last_part(address) not in own and words_of(headline) not in _titles(head)


def _is_shown_beside(thing: dict[str, Any], head: Head) -> bool:
    """Whether structured data is about a film on a page that is called otherwise."""
    name = words_of(text_of(thing.get("name")) or "").split()
    return type_of(thing) == "VideoObject" and len(set(name) & set(_titles(head).split())) * 2 < len(set(name))


def _titles(head: Head) -> str:
    """The words of what the page says that it is called."""
    own = head.first("og:title")
    return words_of(" ".join(filter(None, (head.title, own and own[1]))))


def _last_part(address: str) -> str:
    """What tells an address from others of its site."""
    return address.partition("#")[0].partition("?")[0].rstrip("/").rsplit("/", 1)[-1].lower()


def _stated(head: Head, judge: Judge, names: tuple[str, ...], metas: tuple[str, ...]) -> Iterator[Dated]:
    for thing, name in product(head.data, names):
        said = thing.get(name)
        value = judge.read(str(said)) if isinstance(said, str | int) else None
        if value:
            yield Dated(value, f"structured data {name}", firm=True)
    for meta in metas:
        for content in head.meta.get(meta, ()):
            value = judge.read(content)
            if value:
                yield Dated(value, f"meta {meta}", firm=True)
