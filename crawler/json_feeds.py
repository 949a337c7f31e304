"""JSON Feed (jsonfeed.org, versions 1 and 1.1) as text, like the feeds in XML."""

import json
from collections.abc import Callable
from typing import Any, Final

from crawler.blocks import BlockWriter, write_tree
from crawler.feeds import HEADING_OF_ENTRY, MAX_ENTRIES, MAX_MARKUP, Feed, cut_of
from crawler.links import resolve
from crawler.reading import Link
from crawler.scalars import one_line, scalars

VERSION: Final = "jsonfeed.org/version/"
NAMED_WITHIN: Final = 100_000
"""Characters in which the version stands; it need not be the first member."""


def read_json_feed(text: str, url: str, parse: Callable[[str], Any]) -> Feed | None:
    """The feed that TEXT is, which lies at URL; None if it is none. PARSE makes a tree of the markup in an entry."""
    if VERSION not in text[:NAMED_WITHIN].replace("\\/", "/"):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if (
        not isinstance(found, dict)
        or VERSION not in _words(found, "version")
        or not isinstance(found.get("items"), list)
    ):
        return None
    feed, writer = Feed(title=_words(found, "title") or None, author=_author(found)), BlockWriter()
    _write(writer, feed.title or "", "heading", 1)
    _write(writer, _words(found, "description"), "paragraph")
    links: dict[str, str] = {}
    for entry in found["items"][:MAX_ENTRIES]:
        if not isinstance(entry, dict):
            continue
        title = _words(entry, "title")
        _write(writer, title, "heading", HEADING_OF_ENTRY)
        said = [_author(entry), _words(entry, "date_published") or _words(entry, "date_modified")]
        _write(writer, ", ".join(one for one in said if one), "paragraph")
        _write_body(writer, entry, parse)
        if (address := _address(entry, url)) is not None:
            links.setdefault(address.partition("#")[0], title)
    feed.links, feed.links_total = tuple(Link(address, text) for address, text in links.items()), len(links)
    feed.cut = cut_of(len(found["items"]))
    feed.text, feed.blocks = writer.text, tuple(writer.blocks)
    return feed


def _words(thing: dict[str, Any], name: str) -> str:
    value = thing.get(name)
    return one_line(scalars(value)) if isinstance(value, str) else ""


def _author(thing: dict[str, Any]) -> str | None:
    named = thing.get("authors") if isinstance(thing.get("authors"), list) else [thing.get("author")]
    return next((words for one in named or [] if isinstance(one, dict) and (words := _words(one, "name"))), None)


def _write(writer: BlockWriter, words: str, kind: Any, level: int | None = None) -> None:
    if words:
        writer.add(words)
        writer.end(kind, level)


def _write_body(writer: BlockWriter, entry: dict[str, Any], parse: Callable[[str], Any]) -> None:
    markup = entry.get("content_html")
    if isinstance(markup, str) and markup.strip():
        tree = parse(markup) if len(markup) <= MAX_MARKUP else None
        if tree is not None:
            write_tree(tree, writer)
            return
        _write(writer, scalars(markup), "paragraph")
        return
    text = entry.get("content_text")
    for paragraph in scalars(text).split("\n\n") if isinstance(text, str) else [_words(entry, "summary")]:
        _write(writer, paragraph.strip(), "paragraph")


def _address(entry: dict[str, Any], url: str) -> str | None:
    """Where an entry leads: its own page, else the one that it is about, else its name if that is an address."""
    for name in ("url", "external_url"):
        if words := _words(entry, name):
            return resolve(words, url)
    name = _words(entry, "id")
    return resolve(name, url) if "://" in name else None
