# ruff: noqa: ARG002 - these buckets keep the signatures of the contract, if not the contract
"""A bucket is asked whether it keeps its promises before anything is trusted to it."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from snapshots.directory import Directory
from snapshots.errors import Conflict, NoConditionalWrites, StoreError, StoreRefused
from snapshots.probing import probe


class IgnoresConditions(Directory):
    """A bucket that overwrites whatever it is told, as some S3 look-alikes do."""

    def swap(self, name: str, data: bytes, expected: str | None, *, after: Mapping[str, bytes] | None = None) -> str:
        self.put(name, data)
        return self.read(name)[1]


class OverwritesNewOnes(Directory):
    """A bucket that takes a name for free when it is not."""

    def put_new(self, objects: Mapping[str, bytes]) -> frozenset[str]:
        for name, data in objects.items():
            self.put(name, data)
        return frozenset()


class RefusesConditions(Directory):
    """A bucket that knows no conditional writes and says so."""

    def swap(self, name: str, data: bytes, expected: str | None, *, after: Mapping[str, bytes] | None = None) -> str:
        raise StoreRefused("501 NotImplemented", setting="CITATOR_BUCKET")


class GivesBackOtherBytes(Directory):
    """A bucket that changes what it is given."""

    def get(self, name: str) -> bytes:
        return super().get(name)[:-1]


class NobodyWins(Directory):
    """A bucket that lets no writer through."""

    def swap(self, name: str, data: bytes, expected: str | None, *, after: Mapping[str, bytes] | None = None) -> str:
        raise Conflict(name)


class DeletesNothing(Directory):
    """A bucket that says it has deleted."""

    def delete(self, names: object) -> None:
        pass


def test_a_good_bucket_passes_and_is_left_as_it_was(tmp_path: Path) -> None:
    store = Directory(tmp_path)

    probe(store)

    assert list(store.list("")) == []


@pytest.mark.parametrize("kind", [IgnoresConditions, OverwritesNewOnes, RefusesConditions, NobodyWins])
def test_a_bucket_without_conditional_writes_is_named(tmp_path: Path, kind: type[Directory]) -> None:
    store = kind(tmp_path)

    with pytest.raises(NoConditionalWrites):
        probe(store)

    assert list(store.list("")) == []


@pytest.mark.parametrize("kind", [GivesBackOtherBytes, DeletesNothing])
def test_a_bucket_that_does_not_do_what_it_says_is_named(tmp_path: Path, kind: type[Directory]) -> None:
    with pytest.raises(StoreError, match="the bucket"):
        probe(kind(tmp_path))
