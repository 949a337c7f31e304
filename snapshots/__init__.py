"""Keeps what was seen under names that prove it.

This is the library's front door: what it does not export, nobody outside may use. Everything but the errors is
loaded when it is first asked for, so that `import snapshots` costs nothing and needs no database, store or pydantic.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from snapshots.errors import (
    AmbiguousId,
    ArchiveClosed,
    BadId,
    BadRecord,
    CatalogueBusy,
    CatalogueError,
    CatalogueVersion,
    Conflict,
    DamagedObject,
    EvidenceError,
    LogDamaged,
    LogError,
    LogReadOnly,
    Missing,
    NoConditionalWrites,
    RemovedId,
    StoreError,
    StoreFull,
    StoreRefused,
    StoreUnreachable,
    UnknownId,
    WrongLogKey,
)

if TYPE_CHECKING:
    from snapshots.answers import (
        KEPT,
        Candidate,
        Fetch,
        PassageRef,
        ProviderRank,
        ProviderReply,
        Result,
        ScorePart,
        Search,
        SearchState,
        Serving,
    )
    from snapshots.canonical import Json
    from snapshots.capture import Capture, Charset, Hop, Method, Outcome, PageState, Robots, Tls
    from snapshots.deeds import Agent, Crawl, CrawlState, Deletion, Event, Hold, Import, Recheck, Removed, Watch
    from snapshots.document import Block, Dated, Document, Extractor, Language, Link
    from snapshots.ids import digest, is_id, parse_id, parse_prefix
    from snapshots.passages import Passage, headings_at, passage, passage_of, read_passage, remake
    from snapshots.record import LoggedRecord, Record, UnknownRecord, decimal, nonce
    from snapshots.records import names, read
    from snapshots.store import Stat, Store, open_store
    from snapshots.times import moment, stamp

_HOME = {
    "Agent": "deeds",
    "Block": "document",
    "Candidate": "answers",
    "Capture": "capture",
    "Charset": "capture",
    "Crawl": "deeds",
    "CrawlState": "deeds",
    "Dated": "document",
    "Deletion": "deeds",
    "Document": "document",
    "Event": "deeds",
    "Extractor": "document",
    "Fetch": "answers",
    "Hold": "deeds",
    "Hop": "capture",
    "Import": "deeds",
    "Json": "canonical",
    "KEPT": "answers",
    "Language": "document",
    "Link": "document",
    "LoggedRecord": "record",
    "Method": "capture",
    "Outcome": "capture",
    "PageState": "capture",
    "Passage": "passages",
    "PassageRef": "answers",
    "ProviderRank": "answers",
    "ProviderReply": "answers",
    "Recheck": "deeds",
    "Record": "record",
    "Removed": "deeds",
    "Result": "answers",
    "Robots": "capture",
    "ScorePart": "answers",
    "Search": "answers",
    "SearchState": "answers",
    "Serving": "answers",
    "Stat": "store",
    "Store": "store",
    "Tls": "capture",
    "UnknownRecord": "record",
    "Watch": "deeds",
    "decimal": "record",
    "digest": "ids",
    "headings_at": "passages",
    "is_id": "ids",
    "moment": "times",
    "names": "records",
    "nonce": "record",
    "open_store": "store",
    "parse_id": "ids",
    "parse_prefix": "ids",
    "passage": "passages",
    "passage_of": "passages",
    "read": "records",
    "read_passage": "passages",
    "remake": "passages",
    "stamp": "times",
}
"""The module each lazily loaded name lives in. A name stands here, in the imports above and in `__all__` below."""

__all__ = [
    "KEPT",
    "Agent",
    "AmbiguousId",
    "ArchiveClosed",
    "BadId",
    "BadRecord",
    "Block",
    "Candidate",
    "Capture",
    "CatalogueBusy",
    "CatalogueError",
    "CatalogueVersion",
    "Charset",
    "Conflict",
    "Crawl",
    "CrawlState",
    "DamagedObject",
    "Dated",
    "Deletion",
    "Document",
    "Event",
    "EvidenceError",
    "Extractor",
    "Fetch",
    "Hold",
    "Hop",
    "Import",
    "Json",
    "Language",
    "Link",
    "LogDamaged",
    "LogError",
    "LogReadOnly",
    "LoggedRecord",
    "Method",
    "Missing",
    "NoConditionalWrites",
    "Outcome",
    "PageState",
    "Passage",
    "PassageRef",
    "ProviderRank",
    "ProviderReply",
    "Recheck",
    "Record",
    "Removed",
    "RemovedId",
    "Result",
    "Robots",
    "ScorePart",
    "Search",
    "SearchState",
    "Serving",
    "Stat",
    "Store",
    "StoreError",
    "StoreFull",
    "StoreRefused",
    "StoreUnreachable",
    "Tls",
    "UnknownId",
    "UnknownRecord",
    "Watch",
    "WrongLogKey",
    "decimal",
    "digest",
    "headings_at",
    "is_id",
    "moment",
    "names",
    "nonce",
    "open_store",
    "parse_id",
    "parse_prefix",
    "passage",
    "passage_of",
    "read",
    "read_passage",
    "remake",
    "stamp",
]


def __getattr__(name: str) -> Any:
    """Loads the module that holds `name`."""
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"snapshots has no {name}")
    value = getattr(import_module(f"snapshots.{home}"), name)
    globals()[name] = value
    return value
