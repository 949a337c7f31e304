"""What a page says about itself in its head and in structured data, collected once."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from lxml import etree

from crawler.date_places import is_of_another_item, own_item
from crawler.scalars import one_line, scalars

# Structured data is read to this size and depth; real pages stay far below.
MAX_DATA_CHARACTERS: Final = 1_000_000
MAX_DATA_OBJECTS: Final = 2_000
MAX_DATA_DEPTH: Final = 12

_ABOUT_THE_PAGE: Final = re.compile(
    r"(?:article|posting|report|recipe|review|webpage|question|qapage|book|paper|story|videoobject|"
    r"podcastepisode|howto|"
    r"newsmediaobject|creativework|event|product|jobposting|presentation|dataset|legislation)$",
    re.IGNORECASE,
)
_ARTICLE: Final = re.compile(r"(?:article|posting|report|recipe|review|question|paper|story|howto)$", re.IGNORECASE)
_NOISE_AROUND_JSON: Final = re.compile(
    r"^\s*(?:<!--|<!\[CDATA\[|//\s*<!\[CDATA\[)|(?:(?://\s*)?-->|(?://\s*)?\]\]>|;)\s*$"
)
_PLAIN_MEMBERS: Final = re.compile(r'"(date[A-Z][a-z]+)"\s*:\s*"([^"\\]{1,60})"')
_WORDS: Final = re.compile(r"\w+")
_TRAILING_COMMA: Final = re.compile(r",(?=\s*[}\]])")


@dataclass(frozen=True)
class Head:
    """The head of a page.

    `meta` maps a lower-case name, property, itemprop or http-equiv to its contents in order; `data` are the objects
    of the structured data that are about the page, articles first; `title` is the text of the title element.
    """

    meta: dict[str, list[str]] = field(default_factory=dict)
    data: tuple[dict[str, Any], ...] = ()
    title: str | None = None
    canonical: str | None = None
    base: str | None = None

    def first(self, *names: str) -> tuple[str, str] | None:
        """The first of NAMES that the page has, with its first content that is not empty."""
        for name in names:
            for content in self.meta.get(name, ()):
                if content:
                    return name, content
        return None


def read_head(root: Any) -> Head:
    """Collect from the `html` element ROOT."""
    meta: dict[str, list[str]] = {}
    own = own_item(next(root.iter("h1"), None))
    for element in root.iter("meta"):
        if element.get("itemprop") is not None and is_of_another_item(element, own):
            continue
        content = element.get("content") or element.get("value")
        if content is None:
            continue
        for attribute in ("name", "property", "itemprop", "http-equiv"):
            name = element.get(attribute)
            if name:
                meta.setdefault(name.strip().lower(), []).append(one_line(scalars(content)))
    title = next((one_line(scalars("".join(t.itertext()))) for t in root.iter("title") if _in_page(t)), None)
    canonical = next(
        (
            e.get("href")
            for e in root.iter("link")
            if "canonical" in (e.get("rel") or "").lower().split() and e.get("href")
        ),
        None,
    )
    base = next((e.get("href") for e in root.iter("base") if e.get("href")), None)
    return Head(meta, tuple(_structured_data(root)), title or None, canonical, base)


def _in_page(title: Any) -> bool:
    parent = title.getparent()
    return parent is not None and parent.tag != "svg"


def _structured_data(root: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for script in root.iter("script"):
        kind = (script.get("type") or "").lower()
        text = script.text
        if "ld+json" in kind and text and len(text) <= MAX_DATA_CHARACTERS:
            found.extend(_objects(_parse(text), 0))
        if len(found) > MAX_DATA_OBJECTS:
            break
    found = found[:MAX_DATA_OBJECTS]
    named = {o["@id"]: o for o in found if isinstance(o.get("@id"), str) and o.get("name")}
    about = [_with_author(o, named) for o in found if _ABOUT_THE_PAGE.search(type_of(o))]
    return sorted(about, key=lambda o: _ARTICLE.search(type_of(o)) is None)


def _with_author(thing: dict[str, Any], named: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """THING with its `account`, where it only says which of the other objects its author is: who put it on the site."""
    author = thing.get("author")
    if isinstance(author, dict) and not author.get("name") and isinstance(author.get("@id"), str):
        return {**thing, "account": named.get(author["@id"], author)}
    return thing


def _parse(text: str) -> Any:
    for attempt in (text, _TRAILING_COMMA.sub("", _NOISE_AROUND_JSON.sub("", text))):
        try:
            return json.loads(attempt, strict=False)
        except (ValueError, RecursionError):
            continue
    # Broken JSON still says some things plainly.
    found = {
        name: json_text for name, json_text in _PLAIN_MEMBERS.findall(text) if name in ("datePublished", "dateModified")
    }
    return {"@type": "Article", **found} if found else None


def _objects(value: Any, depth: int) -> Iterator[dict[str, Any]]:
    """The objects of a document: itself, the items of lists and graphs, and what it says is its main thing."""
    if depth > MAX_DATA_DEPTH:
        return
    if isinstance(value, list):
        for item in value:
            yield from _objects(item, depth + 1)
    elif isinstance(value, dict):
        yield value
        for name in ("@graph", "mainEntity", "mainEntityOfPage", "hasPart" if depth == 0 else "@graph"):
            if isinstance(value.get(name), (dict, list)):
                yield from _objects(value[name], depth + 1)


_NAMED: Final = etree.XPath(
    "descendant::*[@class or @id or @itemprop or @rel or self::time or self::abbr or self::p "
    "or self::h1 or self::h2 or self::h3 or self::h4]"
)


def named_elements(root: Any) -> list[tuple[Any, str]]:
    """The elements that are marked or named, paragraphs and headings, in order, each with its class and id."""
    return [(e, f"{e.get('class') or ''} {e.get('id') or ''}") for e in _NAMED(root)]


def type_of(thing: dict[str, Any]) -> str:
    """The type of an object of structured data, without its vocabulary."""
    kind = thing.get("@type")
    if isinstance(kind, list):
        kind = next((k for k in kind if isinstance(k, str) and _ARTICLE.search(k)), kind[0] if kind else "")
    return kind.rsplit("/", 1)[-1] if isinstance(kind, str) else ""


def text_of(value: Any) -> str | None:
    """A string of structured data on one line, None for anything else or an empty one."""
    if isinstance(value, list) and value:
        value = value[0]
    if isinstance(value, dict):
        value = value.get("@value") or value.get("name")
    return one_line(scalars(value)) or None if isinstance(value, str) else None


def words_of(text: str) -> str:
    """The words of TEXT without case, one space apart: for comparing titles and names."""
    return " ".join(_WORDS.findall(text)).casefold()


def site_of(head: Head) -> str:
    """The site's name as `words_of` has it, empty if the page does not say it."""
    return next(
        (words_of(v) for n in ("og:site_name", "application-name", "twitter:site") for v in head.meta.get(n, ()) if v),
        "",
    )
