"""Asks the web: an address in, what was seen and its text out. No storage, no index.

The names below are the library's front door. They are loaded when first used, so that a process that only fetches
never loads the parsers.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crawler.reader import read_page as read_page
    from crawler.reader_pool import ReaderPool as ReaderPool
    from crawler.reading import Block as Block
    from crawler.reading import Charset as Charset
    from crawler.reading import Dated as Dated
    from crawler.reading import Language as Language
    from crawler.reading import Link as Link
    from crawler.reading import Reading as Reading
    from crawler.reading import RobotsMeta as RobotsMeta

_HOMES = {
    "Block": "crawler.reading",
    "Charset": "crawler.reading",
    "Dated": "crawler.reading",
    "Language": "crawler.reading",
    "Link": "crawler.reading",
    "Reading": "crawler.reading",
    "ReaderPool": "crawler.reader_pool",
    "RobotsMeta": "crawler.reading",
    "read_page": "crawler.reader",
}

__all__ = sorted(_HOMES)  # noqa: PLE0605 - the table is the one list of names; type checkers read the imports above


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)
