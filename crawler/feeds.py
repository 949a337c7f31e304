"""Feeds in XML (RSS 0.9 to 2.0, RDF, Atom) as text: each entry a heading with what it says, and its address as a link.

No entity is expanded and nothing is loaded. Damaged feeds are read as far as they can be.
"""

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

from lxml import etree

from crawler.blocks import BlockWriter, write_tree
from crawler.links import resolve
from crawler.reading import Block, Link
from crawler.scalars import one_line, scalars

MAX_ENTRIES: Final = 2_000
"""Entries read of one feed; real ones have a few dozen."""
MAX_MARKUP: Final = 500_000
"""Characters of markup in one entry; longer ones are read as they stand."""
ROOTS: Final = frozenset({"rss", "feed", "rdf", "channel"})
ENTRIES: Final = frozenset({"item", "entry"})
BODIES: Final = (("encoded", "content"), ("description", "summary", "subtitle", "tagline", "abstract"))
"""Where an entry says what it is about: in full, else in short."""
AUTHORS: Final = ("creator", "author", "managingeditor")
MOMENTS: Final = ("published", "pubdate", "issued", "date", "created", "updated", "modified")
HEADING_OF_ENTRY: Final = 2


@dataclass
class Feed:
    """A feed, read."""

    text: str = ""
    blocks: tuple[Block, ...] = ()
    title: str | None = None
    author: str | None = None
    links: tuple[Link, ...] = ()
    links_total: int = 0
    cut: str | None = None
    """What was left out, if the feed is longer than what is read of it."""


def cut_of(entries: int) -> str | None:
    """Say so where a feed has too many entries."""
    return f"of {entries} entries the first {MAX_ENTRIES} are read" if entries > MAX_ENTRIES else None


def local_name(element: Any) -> str:
    """A tag without its namespace, also where a damaged document left a prefix in it."""
    tag = element.tag
    return tag.rpartition("}")[2].rpartition(":")[2].lower() if isinstance(tag, str) else ""


def read_feed(root: Any, url: str, parse: Callable[[str], Any]) -> Feed | None:
    """The feed below ROOT, which lies at URL; None if it is none. PARSE makes a tree of the markup in an entry."""
    if root is None or local_name(root) not in ROOTS:
        return None
    channel = root if local_name(root) in {"feed", "channel"} else next(_named(root, "channel"), root)
    entries = [one for one in root.iter() if local_name(one) in ENTRIES]
    if channel is root and not entries and local_name(root) != "feed":
        return None
    feed = Feed(title=_words(channel, "title", parse), author=_author(channel))
    writer = BlockWriter()
    if feed.title:
        writer.add(feed.title)
        writer.end("heading", 1)
    _write_body(writer, channel, parse)
    found: dict[str, str] = {}
    for number, entry in enumerate(entries):
        if number >= MAX_ENTRIES:
            break
        title = _words(entry, "title", parse)
        if title:
            writer.add(title)
            writer.end("heading", HEADING_OF_ENTRY)
        _write_line(writer, entry)
        _write_body(writer, entry, parse)
        address = _address(entry, url)
        if address is not None:
            found.setdefault(address.partition("#")[0], title or "")
    feed.links, feed.links_total = tuple(Link(address, text) for address, text in found.items()), len(found)
    feed.cut = cut_of(len(entries))
    feed.text, feed.blocks = writer.text, tuple(writer.blocks)
    return feed


def _named(parent: Any, *names: str) -> Iterator[Any]:
    return (one for one in parent if local_name(one) in names)


def _markup(element: Any) -> bool:
    """Whether an element's text is HTML: Atom says so, RSS leaves it open."""
    kind = (element.get("type") or "").lower()
    if (element.get("mode") or "").lower() == "escaped":
        return True
    return kind in {"html", "text/html"} or (not kind and "atom" not in element.tag.partition("}")[0].lower())


def _words(parent: Any, name: str, parse: Callable[[str], Any] | None = None) -> str | None:
    """The words of a child on one line."""
    for element in _named(parent, name):
        text = "".join(element.itertext())
        if parse is not None and _markup(element) and ("<" in text or "&" in text):
            tree = parse(text)
            text = tree.text_content() if tree is not None else text
        words = one_line(scalars(text))
        if words:
            return words
    return None


def _author(parent: Any) -> str | None:
    for name in AUTHORS:
        for element in _named(parent, name):
            words = _words(element, "name") or one_line(scalars(element.text or ""))
            if words:
                return words
    return None


def _write_line(writer: BlockWriter, entry: Any) -> None:
    """Who wrote an entry, and when, as the feed says it."""
    when = next((words for name in MOMENTS if (words := _words(entry, name))), None)
    said = [one for one in (_author(entry), when) if one]
    if said:
        writer.add(", ".join(said))
        writer.end("paragraph")


def _write_body(writer: BlockWriter, parent: Any, parse: Callable[[str], Any]) -> None:
    for names in BODIES:
        bodies = [one for one in _named(parent, *names) if "".join(one.itertext()).strip()]
        for element in bodies[:1]:
            if len(element):  # markup that stands in the feed itself
                write_tree(_as_html(element), writer)
            else:
                _write_text(writer, element, parse)
        if bodies:
            return


def _write_text(writer: BlockWriter, element: Any, parse: Callable[[str], Any]) -> None:
    text = element.text or ""
    tree = parse(text) if "<" in text and len(text) <= MAX_MARKUP and _markup(element) else None
    if tree is not None:
        write_tree(tree, writer)
        return
    writer.add(text)
    writer.end("paragraph")


def _as_html(element: Any) -> Any:
    """Markup of the feed itself, without its namespaces."""
    made = etree.Element("div")
    made.text = element.text
    made.extend(deepcopy(child) for child in element)
    for one in made.iter():
        if isinstance(one.tag, str):
            one.tag = local_name(one) or "span"
    return made


def _address(entry: Any, url: str) -> str | None:
    """Where an entry leads: to the page that it is about."""
    links = list(_named(entry, "link"))
    for link in links:
        if link.get("href") and (link.get("rel") or "alternate").lower() == "alternate":
            return resolve(link.get("href").strip(), _base(link, url))
    for link in links:
        if not link.get("href") and (link.text or "").strip():
            return resolve((link.text or "").strip(), _base(link, url))
    for guid in _named(entry, "guid", "id"):
        text = (guid.text or "").strip()
        said = (guid.get("ispermalink") or guid.get("isPermaLink") or "").lower()
        if said != "false" and ("://" in text or (said == "true" and text)):
            return resolve(text, _base(guid, url))
    about = entry.get("{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about") or ""
    return resolve(about, _base(entry, url)) if "://" in about else None


def _base(element: Any, url: str) -> str:
    """The base address of an element, by the `xml:base` of those around it."""
    found = url
    around = [element, *element.iterancestors()]
    for one in reversed(around):
        base = one.get("{http://www.w3.org/XML/1998/namespace}base")
        if base:
            found = resolve(base, found) or found
    return found
