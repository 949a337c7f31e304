import multiprocessing
import sqlite3
import stat
import threading
import time
from collections.abc import Callable
from contextlib import closing
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text

from snapshots import CatalogueBusy, CatalogueError, CatalogueVersion, Deletion, Removed
from snapshots import state as state_module
from snapshots import tables as catalogue_module
from snapshots.catalogue import Catalogue
from snapshots.database import Database, Schema
from snapshots.rows import Entry
from snapshots.state import State
from tests.snapshots.evidence import AT, capture_of, search_of, time_at

SCHEMAS = [catalogue_module.SCHEMA, state_module.SCHEMA]
SPAWN = multiprocessing.get_context("spawn")


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: schema.name)
def test_the_migrations_make_the_tables_that_the_code_describes(database_url: str, schema: Schema) -> None:
    database = Database(database_url, schema)

    with database.read() as connection:
        options = {"version_table": schema.version_table}
        differences = compare_metadata(MigrationContext.configure(connection, opts=options), schema.metadata)

    assert differences == []
    database.close()


def test_catalogue_and_state_may_share_a_database(database_url: str) -> None:
    first, second = (Database(database_url, schema) for schema in SCHEMAS)

    first.close()
    second.close()
    again = [Database(database_url, schema) for schema in SCHEMAS]

    assert all(again)
    for database in again:
        database.close()


def test_a_database_of_another_version_is_refused_and_left_alone(database_url: str) -> None:
    database = Database(database_url, state_module.SCHEMA)
    with database.write() as connection:
        connection.execute(text("UPDATE state_version SET version_num = 'state_99'"))
    database.close()

    with pytest.raises(CatalogueVersion, match="state_99"):
        State.open(database_url)

    with pytest.raises(CatalogueVersion):
        State.open(database_url)


def test_a_database_with_somebody_elses_tables_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x.db")) as connection:
        connection.execute("CREATE TABLE entries (something)")

    with pytest.raises(CatalogueVersion):
        Catalogue.open(f"sqlite:///{tmp_path / 'x.db'}")


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"not a database at all" * 100)

    with pytest.raises(CatalogueError):
        Catalogue.open(f"sqlite:///{tmp_path / 'x.db'}")


@pytest.mark.parametrize("url", ["", "x", "mysql://h/d", "sqlite://", "sqlite:///:memory:"])
def test_an_address_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(CatalogueError):
        State.open(url)


def test_a_server_that_does_not_answer_is_named() -> None:
    with pytest.raises(CatalogueError):
        State.open("postgresql://nobody:nothing@127.0.0.1:9/none", timeout=2)


def test_only_the_owner_may_read_the_file(tmp_path: Path) -> None:
    State.open(f"sqlite:///{tmp_path / 'deeper' / 's.db'}").close()

    assert stat.S_IMODE((tmp_path / "deeper" / "s.db").stat().st_mode) == 0o600


def test_a_reader_cannot_write(database_url: str) -> None:
    database = Database(database_url, state_module.SCHEMA)

    with pytest.raises(CatalogueError), database.read() as connection:
        connection.execute(text("DELETE FROM leases"))

    database.close()


def test_a_failed_transaction_leaves_nothing(database_url: str) -> None:
    database = Database(database_url, state_module.SCHEMA)

    def half() -> None:
        with database.write() as connection:
            connection.execute(text("INSERT INTO leases VALUES ('a', 'b', 'c', 1)"))
            connection.execute(text("INSERT INTO leases VALUES ('a', 'b', 'c', 1)"))

    with pytest.raises(CatalogueError):
        half()

    with database.read() as connection:
        assert connection.execute(text("SELECT count(*) FROM leases")).scalar() == 0
    database.close()


def test_who_waits_too_long_for_another_writer_is_told(database_url: str) -> None:
    holder = Database(database_url, state_module.SCHEMA)
    waiting = Database(database_url, state_module.SCHEMA, timeout=0.2)

    with holder.write(), pytest.raises(CatalogueBusy), waiting.write():
        pytest.fail("two writers at once")

    with waiting.write():
        pass
    holder.close()
    waiting.close()


def test_readers_do_not_wait_for_a_writer(database_url: str) -> None:
    database = Database(database_url, state_module.SCHEMA, timeout=0.5)

    with database.write() as writing:
        writing.execute(text("INSERT INTO leases VALUES ('a', 'b', 'c', 1)"))
        with database.read() as reading:
            assert reading.execute(text("SELECT count(*) FROM leases")).scalar() == 0

    database.close()


def _open_at_once(url: str, start: Event) -> None:
    start.wait()
    Catalogue.open(url).close()
    State.open(url).close()


@pytest.mark.slow
def test_several_processes_may_open_a_new_database_at_once(database_url: str) -> None:
    start = SPAWN.Event()
    processes = [SPAWN.Process(target=_open_at_once, args=(database_url, start)) for _ in range(3)]
    for process in processes:
        process.start()

    start.set()
    for process in processes:
        process.join()

    assert [process.exitcode for process in processes] == [0] * 3


def _take_turns(url: str, owner: str, rounds: int, start: Event) -> None:
    """Reads and then writes in one transaction, again and again: the pattern that ends in an upgrade conflict."""
    state = State.open(url)
    start.wait()
    for number in range(rounds):
        claim = state.claim("all", f"job {number}", "sha256:" + "0" * 64, now=time_at(0), until=time_at(1))
        if claim.state == "new":
            state.settle("all", f"job {number}", "sha256:" + owner * 64)
        state.take_lease("crawl", owner, now=time_at(number), until=time_at(number))
    state.close()


def _feed(url: str, rounds: int, start: Event) -> None:
    catalogue = Catalogue.open(url)
    start.wait()
    while (position := catalogue.position()) < rounds:
        capture = capture_of(f"https://a.example/{position}", "t")
        catalogue.apply(position, [Entry(capture.id, capture)])
        catalogue.latest(f"https://a.example/{position}")
    catalogue.close()


@pytest.mark.slow
def test_processes_that_read_and_then_write_never_find_the_database_locked(new_database: Callable[[], str]) -> None:
    rounds, state_url, catalogue_url = 40, new_database(), new_database()
    state, catalogue = State.open(state_url), Catalogue.open(catalogue_url)
    start = SPAWN.Event()
    workers = [SPAWN.Process(target=_take_turns, args=(state_url, owner, rounds, start)) for owner in "abc"]
    workers += [SPAWN.Process(target=_feed, args=(catalogue_url, rounds, start)) for _ in range(2)]
    for worker in workers:
        worker.start()

    start.set()
    longest = 0.0
    while any(worker.is_alive() for worker in workers):
        before = time.monotonic()
        state.lease("crawl", now=time_at(0))
        catalogue.counts()
        longest = max(longest, time.monotonic() - before)
        time.sleep(0.02)

    assert [worker.exitcode for worker in workers] == [0] * len(workers)
    with state._database.read() as connection:
        assert connection.execute(text("SELECT count(*), count(reply) FROM requests")).one() == (rounds, rounds)
    assert catalogue.counts()["captures"] == catalogue.position() == rounds
    assert longest < 5
    state.close()
    catalogue.close()


@pytest.mark.slow
def test_a_copy_made_while_others_write_is_whole(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'c.db'}"
    catalogue, start = Catalogue.open(url), SPAWN.Event()
    writers = [SPAWN.Process(target=_feed, args=(url, 150, start)) for _ in range(2)]
    for writer in writers:
        writer.start()
    start.set()

    copies = 0
    while any(writer.is_alive() for writer in writers):
        copies += 1
        catalogue.backup_to(tmp_path / f"copy-{copies}.db")
    for writer in writers:
        writer.join()

    assert [writer.exitcode for writer in writers] == [0, 0]
    assert copies > 1
    for number in range(1, copies + 1):
        copy = Catalogue.open(f"sqlite:///{tmp_path / f'copy-{number}.db'}")
        assert copy.counts()["captures"] == copy.position() <= 150
        copy.close()
    catalogue.close()


def test_a_copy_overwrites_nothing_and_needs_sqlite(database_url: str, tmp_path: Path) -> None:
    state = State.open(database_url)
    (tmp_path / "there").write_bytes(b"mine")

    with pytest.raises(CatalogueError):
        state.backup_to(tmp_path / "there")

    assert (tmp_path / "there").read_bytes() == b"mine"
    if database_url.startswith("postgresql"):
        with pytest.raises(CatalogueError, match="pg_dump"):
            state.backup_to(tmp_path / "new")
    state.close()


def test_scrubbing_waits_for_readers_and_lets_writers_wait(database_url: str) -> None:
    catalogue = Catalogue.open(database_url)
    capture = capture_of("https://a.example/", "t")
    deletion = Deletion(at=AT, selector={}, removed=[Removed(id=capture.id, kind="capture", bytes=1)])
    catalogue.apply(0, [Entry(record.id, record) for record in (capture, search_of([(capture, "t")]), deletion)])
    scrubbing = threading.Thread(target=catalogue.scrub, args=(3,))

    with catalogue._database.read() as connection:
        connection.execute(text("SELECT count(*) FROM entries")).scalar()
        scrubbing.start()
        time.sleep(0.2)
    catalogue.apply(3, [Entry(other.id, other) for other in [capture_of("https://b.example/", "t")]])
    scrubbing.join()

    assert not catalogue.unscrubbed()
    assert catalogue.position() == 4
    catalogue.close()
