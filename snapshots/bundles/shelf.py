"""Many byte strings by id in one temporary file; only where each lies is held in memory."""

from collections.abc import Iterator
from pathlib import Path
from typing import Self

from snapshots.ids import from_raw, to_raw


class Shelf:
    """Puts bytes down once, gives them back in any order. Use as a context manager; the file stays."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("x+b")
        self._places: dict[bytes, tuple[int, int]] = {}
        self._end = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __contains__(self, name: str) -> bool:
        return to_raw(name) in self._places

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[str]:
        """The ids, sorted."""
        return map(from_raw, sorted(self._places))

    def put(self, name: str, data: bytes) -> None:
        """Puts bytes down under an id; the first ones count."""
        if name in self:
            return
        self._file.seek(self._end)
        self._file.write(data)
        self._places[to_raw(name)] = (self._end, len(data))
        self._end += len(data)

    def get(self, name: str) -> bytes:
        """The bytes under an id; raises KeyError."""
        offset, length = self._places[to_raw(name)]
        self._file.seek(offset)
        return self._file.read(length)

    def size(self, name: str) -> int:
        """How many bytes lie under an id; raises KeyError."""
        return self._places[to_raw(name)][1]
