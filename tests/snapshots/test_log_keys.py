"""The log's key: made with the log, kept apart from it, handed over to the next one."""

from pathlib import Path

import pytest

from snapshots.errors import BadProof, LogError, NoLog, WrongLogKey
from snapshots.ids import digest
from snapshots.log import Log, open_log, rotate_log_key
from snapshots.log_key import LogKey
from snapshots.log_keys import handover, next_key_path, parse_handover
from tests.memory_store import MemoryStore

KEY = LogKey("example.org/log", bytes(32))
OTHER_KEY = LogKey("example.org/log", bytes(range(32)))


def ids(start: int, end: int) -> list[str]:
    return [digest(str(number).encode()) for number in range(start, end)]


def new_log(store: MemoryStore, size: int = 0) -> Log:
    log = Log.open(store, KEY, create=True)
    log.append(ids(0, size))
    return log


def test_a_log_and_its_key_are_made_only_when_asked(tmp_path: Path) -> None:
    store, path = MemoryStore(), tmp_path / "keys" / "log.key"

    with pytest.raises(NoLog):
        open_log(store, path, create=False)
    assert not path.exists()
    log = open_log(store, path, create=True, origin="example.org/mine")

    assert (log.origin, log.size) == ("example.org/mine", 0)
    assert open_log(store, path, create=False).vkey == log.vkey
    path.unlink()
    assert open_log(store, path, create=True).read_only
    assert not path.exists()


def test_a_key_backup_opens_the_log(tmp_path: Path) -> None:
    store = MemoryStore()
    open_log(store, tmp_path / "log.key", create=True).append(ids(0, 1))

    LogKey.load(tmp_path / "log.key").save(tmp_path / "backup.key")

    assert open_log(store, tmp_path / "backup.key", create=False).append(ids(1, 2)) == range(1, 2)


def test_after_a_rotation_old_checkpoints_and_proofs_stay_verifiable(tmp_path: Path) -> None:
    store, path = MemoryStore(), tmp_path / "log.key"
    log = open_log(store, path, create=True)
    log.append(ids(0, 300))
    old_vkey, old_checkpoint = log.vkey, log.checkpoint
    reader = Log.open(store, None, create=False)

    vkeys = [rotate_log_key(log, path) for _ in range(2)]
    log.append(ids(300, 301))

    assert log.vkey == LogKey.load(path).vkey == vkeys[-1]
    assert [key.text for key in log.keys] == [vkeys[1], vkeys[0], old_vkey]
    again = open_log(store, path, create=False, seen=[old_checkpoint])
    assert again.check(deep=True, seen=[old_checkpoint]).ok
    assert again.append(ids(301, 302)) == range(301, 302)
    assert reader.refresh() == 302
    assert reader.vkey == vkeys[1]
    assert not next_key_path(path).exists()


def test_after_a_rotation_the_old_key_writes_no_more() -> None:
    store = MemoryStore()
    log, other = new_log(store, 3), Log.open(store, KEY, create=False)

    log.rotate(OTHER_KEY)

    with pytest.raises(WrongLogKey):
        other.append(ids(3, 4))
    with pytest.raises(WrongLogKey):
        Log.open(store, KEY, create=False)
    assert Log.open(store, OTHER_KEY, create=False).size == 3


def test_a_rotation_cut_short_is_finished_by_the_next_opening(tmp_path: Path) -> None:
    store, path = MemoryStore(), tmp_path / "log.key"
    log = open_log(store, path, create=True)
    new = LogKey.generate(log.origin)
    new.save(next_key_path(path))
    log.rotate(new)

    again = open_log(store, path, create=False)

    assert again.vkey == LogKey.load(path).vkey == new.vkey
    assert again.append(ids(0, 1)) == range(1)


def test_a_key_of_another_log_cannot_take_over() -> None:
    log = new_log(MemoryStore())

    for key in (KEY, LogKey("example.org/other", bytes(range(32)))):
        with pytest.raises(LogError, match="same origin"):
            log.rotate(key)


def test_a_handover_that_one_side_has_not_signed_is_refused() -> None:
    note = handover(KEY, OTHER_KEY)
    lines = note.splitlines(keepends=True)

    assert parse_handover(note) == (KEY.verifier, OTHER_KEY.verifier)
    for missing in (-1, -2):
        with pytest.raises(BadProof):
            parse_handover(b"".join(line for line in lines if line != lines[missing]))
