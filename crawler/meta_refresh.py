"""Redirects that a page itself asks for: `Refresh`, as a header or as a `meta` element.

Read from the bytes, since they are followed before a page is parsed. Only what acts at once is a redirect: pages that
renew themselves every few minutes, or say "you will be taken there in ten seconds", are pages.
"""

import html
import re
from typing import Final

AT_ONCE: Final = 3.0
"""Seconds up to which a refresh is a redirect."""
MAX_READ: Final = 65_536
"""Bytes of a page that are looked at; such pages are short."""
_IGNORED: Final = re.compile(
    rb"<!--.*?(?:-->|$)|<(script|noscript|style|template|textarea)\b.*?(?:</\1\s*>|$)", re.DOTALL | re.IGNORECASE
)
_META: Final = re.compile(rb"<meta\b[^>]{0,2000}>", re.IGNORECASE)
_ATTRIBUTE: Final = re.compile(rb"""([a-zA-Z-]{1,40})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_CONTENT: Final = re.compile(
    r"\s*(\d{1,6}(?:\.\d*)?|\.\d+)\s*(?:[;,\s]\s*(?:url\s*=\s*)?(['\"]?)(.*)|$)", re.IGNORECASE | re.DOTALL
)


def refresh_target(body: bytes, header: str | None) -> str | None:
    """Where the page sends its reader at once, as it says it; None if it does not. "" is the page itself."""
    contents = [header] if header is not None else []
    if b"refresh" in body[:MAX_READ].lower():
        for meta in _META.findall(_IGNORED.sub(b"", body[:MAX_READ])):
            given = {name.lower(): a or b or c for name, a, b, c in _ATTRIBUTE.findall(meta)}
            if given.get(b"http-equiv", b"").strip().lower() == b"refresh" and b"content" in given:
                contents.append(html.unescape(given[b"content"].decode("latin-1")))
    for content in contents:
        found = _CONTENT.match(content)
        if found is None or float(found[1]) > AT_ONCE:
            continue
        target = found[3] or ""
        if found[2]:
            target = target.partition(found[2])[0]
        return target.strip()
    return None
