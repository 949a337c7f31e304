"""Redirects that a page itself asks for: `Refresh`, as a header or as a `meta` element.

Read from the bytes, since they are followed before a page is parsed. Only what acts at once is a redirect: pages that
renew themselves every few minutes, or say "you will be taken there in ten seconds", are pages.
"""

import re
from collections.abc import Iterator
from html import unescape
from html.entities import html5
from typing import Final

from crawler.addresses import joined
from crawler.charset import decode_as, meta_charset
from crawler.charset_labels import encoding_of

AT_ONCE: Final = 3.0
"""Seconds up to which a refresh is a redirect."""
MAX_READ: Final = 65_536
"""Bytes of a page that are looked at; such pages are short."""
_OPEN: Final = re.compile(rb"<!--|<([a-zA-Z][^\t\n\f\r />]{0,40})")
_ATTRIBUTE: Final = re.compile(
    rb"""[\t\n\f\r /]*([^\t\n\f\r />=]+)(?:[\t\n\f\r ]*=[\t\n\f\r ]*"""
    rb"""(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r >"'][^\t\n\f\r >]*)))?"""
)
_OPAQUE: Final = frozenset((b"script", b"noscript", b"style", b"template", b"textarea", b"title", b"iframe", b"xmp"))
"""Elements in which nothing is a tag, or none that counts."""
_REFERENCE: Final = re.compile(r"&(?:#[0-9xX][0-9a-fA-F]{0,7};?|([A-Za-z][A-Za-z0-9]{0,31}(?:;|(?![=A-Za-z0-9]))))")
"""A character reference in an attribute: `&copy=` and `&region` are parts of an address there."""
_CONTENT: Final = re.compile(
    r"\s*(?:(\d{1,6}(?:\.\d*)?)[\d.]*|(\.)[\d.]*)\s*(?:[;,\s]\s*(?:url\s*=\s*)?(['\"]?)(.*)|$)",
    re.IGNORECASE | re.DOTALL | re.ASCII,
)


def refresh_target(body: bytes, header: str | None, url: str = "", charset: str | None = None) -> str | None:
    """Where the page at URL sends its reader at once, as it says it; None if it does not. "" is the page itself.

    HEADER is what `Refresh` says, CHARSET the label of the Content-Type. Of several wishes the first counts, as in the
    HTML standard; a target is relative to a `base` that stands before it.
    """
    if header is not None and (found := _read(header)) is not None:
        return found[1] if found[0] <= AT_ONCE else None
    head = body[:MAX_READ]
    if b"refresh" not in head.lower():
        return None
    base: str | None = None
    encoding = encoding_of(charset) or meta_charset(head) or "windows-1252"
    for name, given in _tags(head):
        if name == b"base" and base is None and b"href" in given:
            base = joined(_text(given[b"href"], encoding), url) or ""
        elif name == b"meta" and given.get(b"http-equiv", b"").strip().lower() == b"refresh":
            found = _read(_text(given.get(b"content", b""), encoding))
            if found is None:
                continue
            seconds, target = found
            if seconds > AT_ONCE:
                return None
            return (base and target and joined(target, base)) or target
    return None


def _read(content: str) -> tuple[float, str] | None:
    """The seconds and the target that a refresh names; None if it is none."""
    found = _CONTENT.match(content)
    if found is None:
        return None
    target = found[4] or ""
    if found[3]:
        target = target.partition(found[3])[0]
    return float(found[1] or 0), target.strip()


def _tags(head: bytes) -> Iterator[tuple[bytes, dict[bytes, bytes]]]:
    """The start tags of HEAD that count, each with its attributes (the first of each name)."""
    position, lower = 0, head.lower()
    while (tag := _OPEN.search(head, position)) is not None:
        if tag[1] is None:
            end = head.find(b"-->", tag.start() + 2)
            if end < 0:
                return
            position = end + 3
            continue
        given: dict[bytes, bytes] = {}
        position = tag.end()
        while (found := _ATTRIBUTE.match(head, position)) is not None:
            given.setdefault(found[1].lower(), next((value for value in found.groups()[1:] if value is not None), b""))
            position = found.end()
        name = tag[1].lower()
        yield name, given
        if name in _OPAQUE:
            position = lower.find(b"</" + name, position)
            if position < 0:
                return


def _text(value: bytes, encoding: str) -> str:
    """An attribute's VALUE as text: in UTF-8 if it is that, else in the ENCODING of the page."""
    try:
        text = value.decode("utf-8")
    except UnicodeDecodeError:
        text, _ = decode_as(value, encoding)
    return _REFERENCE.sub(lambda found: html5.get(found[1], found[0]) if found[1] else unescape(found[0]), text)
