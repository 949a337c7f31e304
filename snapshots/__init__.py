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
    from snapshots.canonical import Json
    from snapshots.ids import digest, is_id, parse_id, parse_prefix
    from snapshots.times import moment, stamp

_HOME = {
    "Json": "canonical",
    "digest": "ids",
    "is_id": "ids",
    "moment": "times",
    "parse_id": "ids",
    "parse_prefix": "ids",
    "stamp": "times",
}
"""The module each lazily loaded name lives in. A name stands here, in the imports above and in `__all__` below."""

__all__ = [
    "AmbiguousId",
    "ArchiveClosed",
    "BadId",
    "BadRecord",
    "CatalogueBusy",
    "CatalogueError",
    "CatalogueVersion",
    "Conflict",
    "DamagedObject",
    "EvidenceError",
    "Json",
    "LogDamaged",
    "LogError",
    "LogReadOnly",
    "Missing",
    "NoConditionalWrites",
    "RemovedId",
    "StoreError",
    "StoreFull",
    "StoreRefused",
    "StoreUnreachable",
    "UnknownId",
    "WrongLogKey",
    "digest",
    "is_id",
    "moment",
    "parse_id",
    "parse_prefix",
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
