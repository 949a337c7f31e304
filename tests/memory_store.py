"""A bucket in memory, for tests that have to stop, break, delay or order single operations of a store.

It keeps the whole contract of `Store`. Several stores can share one dictionary, as processes share a bucket.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Protocol, TypeVar

from snapshots.errors import Conflict, Missing
from snapshots.store import Stat, checked, well_named

T = TypeVar("T")


class Gate(Protocol):
    """What each operation passes through: it calls `effect`, which does all of it, and returns what that gives.

    A test's gate may wait before it, raise instead of it or after it, or keep it for later.
    """

    def __call__(self, operation: str, name: str, effect: Callable[[], T]) -> T: ...


def open_gate(operation: str, name: str, effect: Callable[[], T]) -> T:
    """Lets everything through."""
    return effect()


@dataclass
class MemoryStore:
    """Named bytes in a dictionary; every operation happens at one stroke."""

    objects: dict[str, bytes] = field(default_factory=dict)
    gate: Gate = open_gate

    def put_new(self, objects: Mapping[str, bytes]) -> frozenset[str]:
        def effect() -> frozenset[str]:
            taken = frozenset(name for name in objects if checked(name) in self.objects)
            for name, data in objects.items():
                self.objects.setdefault(name, bytes(data))
            return taken

        return self.gate("put_new", next(iter(objects), ""), effect)

    def put(self, name: str, data: bytes, *, durable: bool = True) -> None:
        def effect() -> None:
            self.objects[checked(name)] = bytes(data)

        self.gate("put" if durable else "put, not durable", name, effect)

    def get(self, name: str) -> bytes:
        return self.read(name)[0]

    def exists(self, names: Iterable[str]) -> frozenset[str]:
        return frozenset(self.sizes(names))

    def sizes(self, names: Iterable[str]) -> dict[str, int]:
        wanted = list(names)
        return self.gate(
            "sizes", "", lambda: {name: len(self.objects[name]) for name in wanted if name in self.objects}
        )

    def read(self, name: str) -> tuple[bytes, str]:
        def effect() -> tuple[bytes, str]:
            if not well_named(name) or name not in self.objects:
                raise Missing(name)
            return self.objects[name], _token(self.objects[name])

        return self.gate("read", name, effect)

    def swap(self, name: str, data: bytes, expected: str | None, *, after: Mapping[str, bytes] | None = None) -> str:
        if after:
            self.put_new(after)

        def effect() -> str:
            found = self.objects.get(checked(name))
            if (None if found is None else _token(found)) != expected:
                raise Conflict(name)
            self.objects[name] = bytes(data)
            return _token(data)

        return self.gate("swap", name, effect)

    def list(self, prefix: str) -> Iterator[Stat]:
        def effect() -> tuple[Stat, ...]:
            return tuple(
                Stat(name, len(self.objects[name])) for name in sorted(self.objects) if name.startswith(prefix)
            )

        return iter(self.gate("list", prefix, effect))

    def delete(self, names: Iterable[str]) -> None:
        def effect() -> None:
            for name in unwanted:
                self.objects.pop(name, None)

        unwanted = [*names]
        self.gate("delete", "", effect)

    def sync(self) -> None:
        self.gate("sync", "", lambda: None)

    def close(self) -> None:
        pass


def _token(data: bytes) -> str:
    return sha256(data).hexdigest()
