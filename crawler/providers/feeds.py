"""Results as Atom and RSS list them, and OpenSearch descriptions: XML of others, read without anything it refers to."""

from email.utils import parsedate_to_datetime
from typing import Any, Final

from lxml import etree

MAX_ELEMENTS: Final = 100_000
"""Elements that are looked at: a list of two hundred results has some thousands."""
TYPES: Final = ("application/json", "application/feed+json", "application/atom+xml", "application/rss+xml")
"""Forms of results that can be read, the one that says most first. Pages for readers are none."""
_SAID: Final = {
    "title": "title", "summary": "content", "description": "content", "content": "content", "encoded": "content",
    "published": "published", "updated": "updated", "pubdate": "published", "date": "published",
}  # fmt: skip
_LONGEST: Final = 20_000  # characters of a member; what is shown of it is cut later


def results(raw: bytes) -> dict[str, Any]:
    """The entries of an Atom or RSS list, as a JSON list would have them.

    Raises:
        ValueError: it is neither.
    """
    root = _parsed(raw)
    if _name(root) not in {"feed", "rss", "rdf"}:
        raise ValueError("neither Atom nor RSS")
    return {"items": [_entry(one) for one in _all(root) if _name(one) in {"entry", "item"}]}


def template_of(raw: bytes) -> str:
    """The address with `{searchTerms}` that an OpenSearch description names for results that can be read.

    Raises:
        ValueError: it is no description, or names none.
    """
    root = _parsed(raw)
    if _name(root) != "opensearchdescription":
        raise ValueError("this is no OpenSearch description")
    offered = [
        (TYPES.index(kind), place, str(one.get("template", "")))
        for place, one in enumerate(_all(root))
        if _name(one) == "url" and (kind := str(one.get("type", "")).partition(";")[0].strip().lower()) in TYPES
        if str(one.get("rel", "results")).lower() == "results" and str(one.get("method", "get")).lower() == "get"
    ]
    usable = [template for _, _, template in sorted(offered) if "{searchTerms}" in template]
    if not usable:
        raise ValueError(f"it offers no results as {', '.join(TYPES)}")
    return usable[0]


def _parsed(raw: bytes) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(raw, parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"this is no XML: {error}") from error


def _all(root: etree._Element) -> list[etree._Element]:
    found = []
    for one in root.iter("{*}*"):
        found.append(one)
        if len(found) == MAX_ELEMENTS:
            break
    return found


def _name(element: etree._Element) -> str:
    return element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else ""


def _entry(element: etree._Element) -> dict[str, str]:
    entry: dict[str, str] = {}
    for child in element:
        name = _name(child)
        said = " ".join("".join(child.itertext())[:_LONGEST].split())
        if name == "link" and child.get("rel", "alternate") == "alternate":
            entry.setdefault("url", (child.get("href") or said).strip())
        elif name in _SAID and said:
            entry.setdefault(_SAID[name], said)
    published = entry.get("published") or entry.pop("updated", "")
    if published:
        entry["published"] = _iso(published)
    return entry


def _iso(said: str) -> str:
    """A time as RSS writes it (RFC 822), in ISO 8601; others as they are."""
    try:
        return said if said[:4].isdecimal() else parsedate_to_datetime(said).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return said
