"""A memory of a bounded size for what was read last."""

from collections import OrderedDict
from typing import Generic, TypeVar

T = TypeVar("T")


class Recent(Generic[T]):
    """Values by id, the last ones up to `limit` bytes. Not for several threads at once: its owner holds a lock."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = 0
        self._values: OrderedDict[str, tuple[T, int]] = OrderedDict()

    def get(self, name: str) -> T | None:
        """The value, which is now the last that will be let go; None if it is not held."""
        found = self._values.get(name)
        if found is None:
            return None
        self._values.move_to_end(name)
        return found[0]

    def keep(self, name: str, value: T, size: int) -> None:
        """Holds a value of `size` bytes; none that would take a quarter of the room."""
        if size > self._limit // 4 or name in self._values:
            return
        self._values[name] = value, size
        self._held += size
        while self._held > self._limit:
            self._held -= self._values.popitem(last=False)[1][1]

    def drop(self, name: str) -> None:
        """Lets go of a value, if it is held."""
        gone = self._values.pop(name, None)
        if gone is not None:
            self._held -= gone[1]

    def clear(self) -> None:
        """Lets go of everything."""
        self._values.clear()
        self._held = 0
