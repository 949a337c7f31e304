"""A store and a catalogue that fail, or die, exactly when they are told to."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from snapshots import Catalogue, CatalogueBusy, Stat, Store
from snapshots.rows import Entry

WRITES: Final = frozenset({"put_new", "put", "swap", "delete", "sync"})


class Killed(BaseException):
    """The process is gone: nothing that comes after this happens."""


class FaultyStore:
    """A real store behind a gate: `gate` is told each call and its names, and may raise."""

    def __init__(self, store: Store, gate: Callable[[str, Sequence[str]], None]) -> None:
        self._store = store
        self.gate = gate

    def put_new(self, objects: Mapping[str, bytes]) -> frozenset[str]:
        self.gate("put_new", list(objects))
        return self._store.put_new(objects)

    def put(self, name: str, data: bytes, *, durable: bool = True) -> None:
        self.gate("put", [name])
        self._store.put(name, data, durable=durable)

    def get(self, name: str) -> bytes:
        self.gate("get", [name])
        return self._store.get(name)

    def exists(self, names: Iterable[str]) -> frozenset[str]:
        return self._store.exists(names)

    def sizes(self, names: Iterable[str]) -> dict[str, int]:
        return self._store.sizes(names)

    def read(self, name: str) -> tuple[bytes, str]:
        self.gate("read", [name])
        return self._store.read(name)

    def swap(self, name: str, data: bytes, expected: str | None, *, after: Mapping[str, bytes] | None = None) -> str:
        if after:
            self.put_new(after)
        self.gate("swap", [name])
        return self._store.swap(name, data, expected)

    def list(self, prefix: str) -> Iterator[Stat]:
        return self._store.list(prefix)

    def delete(self, names: Iterable[str]) -> None:
        names = list(names)
        self.gate("delete", names)
        self._store.delete(names)

    def sync(self) -> None:
        self.gate("sync", [])
        self._store.sync()

    def close(self) -> None:
        self._store.close()


class DiesAtWrite:
    """A gate: lets so many writes pass, and then the process is dead."""

    def __init__(self, writes: int) -> None:
        self.left = writes

    def __call__(self, call: str, names: Sequence[str]) -> None:
        if call in WRITES:
            self.left -= 1
        if self.left < 0:
            raise Killed(call, names)


def open_gate(call: str, names: Sequence[str]) -> None:
    """Lets everything pass."""


class BusyCatalogue(Catalogue):
    """A catalogue that somebody else holds while `busy`; `killed_at` names a step at which the process dies."""

    busy = False
    killed_at = ""

    def apply(self, first: int, batch: Sequence[Entry]) -> int:
        if self.busy:
            raise CatalogueBusy("held by a test")
        if self.killed_at == "apply":
            raise Killed("apply")
        return super().apply(first, batch)

    def scrub(self, until: int) -> None:
        if self.killed_at == "scrub":
            raise Killed("scrub")
        super().scrub(until)
        if self.killed_at == "scrubbed":
            raise Killed("scrubbed")
