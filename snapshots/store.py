"""Named bytes: the contract that every bucket keeps, and what is common to all of them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

MAX_NAME = 512
"""Characters in a name; S3 takes 1,024, and a prefix of the operator's goes before it."""

_SEGMENT = r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}"
_NAME = re.compile(rf"{_SEGMENT}(?:/{_SEGMENT})*")

Addressing = Literal["auto", "path", "virtual"]
Checksums = Literal["when_required", "when_supported"]


@dataclass(frozen=True, slots=True)
class Stat:
    """One object in a listing: its name, and its stored size in bytes."""

    name: str
    size: int


class Store(Protocol):
    """Named bytes, written whole or not at all.

    A name is '/'-joined ASCII segments of `[A-Za-z0-9._-]` that do not begin with a dot, 512 characters at most, and
    no name is the folder of another. Writing under anything else raises `ValueError`; reading it raises `Missing`.

    A store may be used from many threads and many processes at once. A reader sees the old bytes or the new ones,
    never a part. What has returned is durable: it survives a kill of the process and a loss of power, except where
    `durable=False` says otherwise. Nothing else is promised: bytes can rot on disk, so whoever reads checks a hash.

    Besides `Missing` and `Conflict` each call may raise `StoreUnreachable`, `StoreFull`, `StoreRefused` (it names the
    setting to look at) or another `StoreError`. A call that raised may have done a part of its work: any of its names
    may be there, each of them whole.
    """

    def put_new(self, objects: Mapping[str, bytes]) -> frozenset[str]:
        """Writes each object unless its name is taken; returns the names that were taken and left alone.

        All of them are durable when it returns, those that were there before too. What stands under a taken name is
        not looked at: that is the caller's business.
        """
        ...

    def put(self, name: str, data: bytes, *, durable: bool = True) -> None:
        """Writes `data` under `name`, over what was there.

        With `durable=False` it becomes durable with the next `sync`. Until then a loss of power (not a kill) can
        leave the name absent, old, or damaged: only for what is made again after a crash without being trusted.
        """
        ...

    def get(self, name: str) -> bytes:
        """The bytes under `name`; raises `Missing`."""
        ...

    def exists(self, names: Iterable[str]) -> frozenset[str]:
        """Those of `names` that are taken. They may not be durable yet if another writer is at it."""
        ...

    def sizes(self, names: Iterable[str]) -> dict[str, int]:
        """The stored size in bytes of each of `names` that is taken."""
        ...

    def read(self, name: str) -> tuple[bytes, str]:
        """The bytes under `name`, durable, and the token of this version for `swap`; raises `Missing`."""
        ...

    def swap(self, name: str, data: bytes, expected: str | None, *, after: Mapping[str, bytes] | None = None) -> str:
        """Writes `data` under `name` if its version is `expected` (None: if it is not taken); returns the new token.

        The objects in `after` are written first, as by `put_new`: whoever sees the new value finds them durable. They
        may be there also when the swap fails. A store can do both together with fewer syncs than one after the other.

        Raises `Conflict` if it is not; of several writers with the same `expected` one wins. Tokens are opaque; equal
        bytes may have equal tokens, so let each value differ from all before it. After `StoreUnreachable` the outcome
        is not known and can still change for a while: `read` before trying again. Use `swap` alone on such names.
        """
        ...

    def list(self, prefix: str) -> Iterator[Stat]:
        """All objects whose name begins with `prefix` (any string, not only whole segments), sorted by name."""
        ...

    def delete(self, names: Iterable[str]) -> None:
        """Removes each of `names`, durably; one that is not there is no error."""
        ...

    def sync(self) -> None:
        """Makes durable what this object has written with `durable=False`."""
        ...

    def close(self) -> None:
        """Gives back threads, connections and temporary space. Nothing is lost without it."""
        ...


def well_named(name: str) -> bool:
    """Whether `name` is one that a store takes."""
    return len(name) <= MAX_NAME and _NAME.fullmatch(name) is not None


def checked(name: str) -> str:
    """`name`, if a store takes it; raises `ValueError`."""
    if not well_named(name):
        raise ValueError(f"{name[:MAX_NAME]!r} is no name for an object")
    return name
