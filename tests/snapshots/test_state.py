from collections.abc import Iterator
from pathlib import Path

import pytest

from snapshots import digest
from snapshots.state import ApiKey, State
from tests.snapshots.evidence import time_at

NOW = time_at(100)
LATER = time_at(200)


@pytest.fixture
def state(database_url: str) -> Iterator[State]:
    opened = State.open(database_url)
    yield opened
    opened.close()


def test_a_key_is_found_by_its_hash_alone(state: State) -> None:
    key = ApiKey("k1", "my laptop", ("read", "write"), NOW)
    state.add_key(key, digest(b"secret"))

    assert state.key_of(digest(b"secret")) == key
    assert state.key_of(digest(b"guess")) is None
    assert state.list_keys() == [key]


def test_a_revoked_key_stays_listed_and_keeps_its_time(state: State) -> None:
    state.add_key(ApiKey("k1", "n", ("read",), NOW), digest(b"secret"))

    revoked = state.revoke_key("k1", NOW)
    again = state.revoke_key("k1", LATER)

    assert revoked is not None
    assert revoked == again == state.key_of(digest(b"secret"))
    assert revoked.revoked_at == NOW
    assert state.revoke_key("k2", NOW) is None


def test_the_last_use_only_moves_forward(state: State) -> None:
    state.add_key(ApiKey("k1", "n", (), NOW), digest(b"secret"))

    state.used_keys({"k1": LATER, "gone": LATER})
    state.used_keys({"k1": NOW})
    state.used_keys({})

    assert [key.last_used for key in state.list_keys()] == [LATER]


def test_a_lease_has_one_owner_until_its_time(state: State) -> None:
    first = state.take_lease("jobs", "a", now=NOW, until=LATER)
    second = state.take_lease("jobs", "b", now=NOW, until=LATER)
    longer = state.take_lease("jobs", "a", now=NOW, until=time_at(300))

    assert first is not None
    assert second is None
    assert longer is not None
    assert (first.turn, longer.turn) == (1, 1)
    assert state.lease("jobs", now=LATER) == longer
    assert state.lease("jobs", now=time_at(300)) is None


def test_a_lease_that_ran_out_goes_to_the_next_and_the_first_cannot_give_it_back(state: State) -> None:
    first = state.take_lease("jobs", "a", now=NOW, until=LATER)
    second = state.take_lease("jobs", "b", now=LATER, until=time_at(300))

    assert first is not None
    assert second is not None
    assert second.turn == 2
    assert not state.release_lease(first)
    assert state.release_lease(second)
    assert state.lease("jobs", now=LATER) is None
    third = state.take_lease("jobs", "a", now=LATER, until=time_at(300))
    assert third is not None
    assert third.turn == 3


def test_a_repeated_request_gets_the_same_reply(state: State) -> None:
    request, reply = digest(b"request"), digest(b"reply")

    assert state.claim("c", "key", request, now=NOW, until=LATER).state == "new"
    assert state.claim("c", "key", request, now=NOW, until=LATER).state == "running"
    state.settle("c", "key", reply)
    done = state.claim("c", "key", request, now=NOW, until=LATER)

    assert (done.state, done.reply) == ("done", reply)
    assert state.claim("c", "key", digest(b"another"), now=NOW, until=LATER).state == "other"
    assert state.claim("d", "key", request, now=NOW, until=LATER).state == "new"
    assert state.claim("c", "key", request, now=LATER, until=time_at(300)).state == "new"


def test_a_request_that_failed_may_be_tried_again(state: State) -> None:
    request = digest(b"request")
    state.claim("c", "key", request, now=NOW, until=LATER)

    state.abandon("c", "key")

    assert state.claim("c", "key", request, now=NOW, until=LATER).state == "new"
    state.settle("c", "key", digest(b"reply"))
    state.abandon("c", "key")
    assert state.claim("c", "key", request, now=NOW, until=LATER).state == "done"


def test_state_survives_and_is_copied_whole(tmp_path: Path) -> None:
    state = State.open(f"sqlite:///{tmp_path / 's.db'}")
    state.add_key(ApiKey("k1", "n", ("read",), NOW), digest(b"secret"))

    state.backup_to(tmp_path / "copy.db")
    state.close()

    for name in ("s.db", "copy.db"):
        opened = State.open(f"sqlite:///{tmp_path / name}")
        assert [key.id for key in opened.list_keys()] == ["k1"]
        opened.close()
