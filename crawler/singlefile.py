"""Pages that the browser extension SingleFile saved: where and when, as it wrote into the page's first comment."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from crawler.addresses import parse_address
from crawler.errors import BadAddress

LOOKED_AT: Final = 16 * 1024
"""Bytes of the page in which the comment stands; before it are at most a document type and the html element."""

_COMMENT: Final = re.compile(rb"<!--\s*Page saved with SingleFile\s(.*?)-->", re.DOTALL)
_URL: Final = re.compile(r"^\s*url:\s*(\S+)\s*$", re.MULTILINE)
_DATE: Final = re.compile(r"^\s*saved date:\s*(.+?)\s*$", re.MULTILINE)
_ZONE_NAME: Final = re.compile(r"\s*\([^)]*\)\s*$")


@dataclass(frozen=True, slots=True)
class SavedPage:
    """What a saved page says of itself: its address, and when it was saved (None if that cannot be read)."""

    url: str
    at: datetime | None


def saved_page(body: bytes) -> SavedPage | None:
    """What the page's comment says; None for a page that SingleFile did not save, or that names no address."""
    found = _COMMENT.search(body, 0, LOOKED_AT)
    if found is None:
        return None
    text = found[1].decode("utf-8", "replace")
    url, date = _URL.search(text), _DATE.search(text)
    if url is None:
        return None
    try:
        address = parse_address(url[1]).href
    except BadAddress:
        return None
    return SavedPage(address, _moment(date[1]) if date else None)


def _moment(text: str) -> datetime | None:
    """A time as JavaScript writes it (`Mon Nov 02 2026 10:11:12 GMT+0100 (…)`), or by ISO 8601."""
    plain = _ZONE_NAME.sub("", text)
    try:
        return datetime.strptime(plain, "%a %b %d %Y %H:%M:%S GMT%z").astimezone(UTC)
    except ValueError:
        pass
    try:
        at = datetime.fromisoformat(plain)
        return at.astimezone(UTC) if at.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None
