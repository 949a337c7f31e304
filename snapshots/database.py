"""One SQL database, SQLite or PostgreSQL, opened so that processes can share it without failing each other.

Two rules keep "database is locked" away. Whoever writes says so first (`BEGIN IMMEDIATE`, or an advisory lock on
PostgreSQL), so a transaction never reads and then finds that it may not write. And whoever reads does it over a
connection that cannot write at all. Writers wait for each other; readers wait for nobody.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, Insert, MetaData, create_engine, event, inspect, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.schema import Table

from snapshots.errors import CatalogueBusy, CatalogueDamaged, CatalogueError, CatalogueVersion, StoreFull

TIMEOUT: Final = 30.0
"""Seconds a writer waits for others. A commit takes milliseconds and a VACUUM seconds; who waits longer than this
waits for a process that hangs."""
READERS: Final = 8
"""Connections kept for reading; a thread more waits for one of them."""
WAL_LIMIT: Final = 64 * 1024 * 1024
"""Bytes the write-ahead log is cut back to after a checkpoint; one large removal must not leave it large for ever."""
_PAUSE: Final = 0.02
"""Seconds between attempts where SQLite does not wait by itself."""

_PLAIN: Final = "citator_outside_transactions"

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Schema:
    """The tables of one database, and the migrations that make them."""

    name: str
    metadata: MetaData
    head: str
    """The revision this release works with."""
    lock: int
    """The number of its advisory lock on PostgreSQL."""
    durable: bool
    """Whether a commit must survive a loss of power. A view that is made again from the log need not."""

    @property
    def version_table(self) -> str:
        """Where the database says which revision it has."""
        return f"{self.name}_version"

    @property
    def migrations(self) -> Path:
        """The folder with the migrations."""
        return Path(__file__).parent / "migrations" / self.name


@dataclass(frozen=True)
class BulkInsert:
    """An insert of many rows that goes past SQLAlchemy's per-row work: `rows` are tuples in the order of `columns`."""

    table: Table
    columns: tuple[str, ...]
    _text: dict[str, str] = field(default_factory=dict, compare=False)

    def run(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Inserts `rows`, leaving alone those whose key is taken."""
        if not rows:
            return
        dialect = connection.dialect
        statement = self._text.get(dialect.name)
        if statement is None:
            insert: Callable[[Table], Any] = postgresql.insert if dialect.name == "postgresql" else sqlite.insert
            made: Insert = insert(self.table).on_conflict_do_nothing()
            statement = str(made.compile(dialect=dialect, column_keys=list(self.columns)))
            self._text[dialect.name] = statement
        driver = connection.connection.driver_connection
        if isinstance(driver, sqlite3.Connection):
            driver.executemany(statement, rows).close()  # SQLAlchemy's share would be the larger one
        else:
            connection.exec_driver_sql(statement, [dict(zip(self.columns, row, strict=True)) for row in rows])


class Database:
    """A database of one schema. Thread-safe; several processes may have it open.

    Every call may raise CatalogueBusy (another process held it longer than the time-out, or its server does not
    answer), StoreFull (no room on the disk) or another CatalogueError.
    """

    def __init__(self, url: str, schema: Schema, *, timeout: float = TIMEOUT) -> None:
        self.schema = schema
        self._timeout = timeout
        self._url = _checked(url)
        self.is_sqlite = self._url.get_backend_name() == "sqlite"
        self._writer_turn = threading.Lock()
        with _explained():
            if self.is_sqlite:
                self._make_file()
            self._writer = self._engine(writes=True)
            self._reader = self._engine(writes=False)
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that may read and write; the only one of all processes while it lasts."""
        with self._writer_turn, _explained(), self._writer.begin() as connection:
            if not self.is_sqlite:
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": self.schema.lock})
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database and cannot write."""
        with _explained(), self._reader.begin() as connection:
            yield connection

    def scrub(self) -> None:
        """Rewrites the database so that no byte of a deleted row is left in it or in its write-ahead log."""
        with self._writer_turn, _explained(), self._writer.connect() as connection:
            if self.is_sqlite:
                plain = connection.execution_options(**{_PLAIN: True})
                plain.exec_driver_sql("VACUUM")
                self._truncate_log(plain)
            else:
                plain = connection.execution_options(isolation_level="AUTOCOMMIT")
                for table in self.schema.metadata.sorted_tables:
                    plain.exec_driver_sql(f'VACUUM FULL "{table.name}"')

    def backup_to(self, path: Path) -> None:
        """Writes a whole copy, as of one moment, to the new file `path` while others go on writing.

        Only for SQLite; a PostgreSQL server has its own ways, and this raises CatalogueError.
        """
        if not self.is_sqlite:
            raise CatalogueError("a PostgreSQL database is copied with pg_dump, not by Citator")
        with _explained():
            path.touch(mode=0o600, exist_ok=False)
            with closing(sqlite3.connect(self._file, timeout=self._timeout)) as source:
                source.execute("PRAGMA query_only = ON")
                with closing(sqlite3.connect(path)) as target:
                    # All pages in one step: a copy in parts starts again whenever somebody writes in between.
                    source.backup(target, pages=-1)
                    # A copy is read on its own: without write-ahead log it is one file and stays one.
                    target.execute("PRAGMA journal_mode = DELETE")
            _sync(path)

    def close(self) -> None:
        """Gives back the connections."""
        self._writer.dispose()
        self._reader.dispose()

    # opening

    @property
    def _file(self) -> str:
        return self._url.database or ""

    def _make_file(self) -> None:
        """An empty file that only its owner may read, in WAL mode. Both last, so this does something only once."""
        Path(self._file).parent.mkdir(parents=True, exist_ok=True)
        # Only a file that is not there is opened here: closing one takes away the locks that any connection of this
        # process has on it (POSIX), and another process would then write in between.
        with suppress(FileExistsError):
            os.close(os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        deadline = time.monotonic() + self._timeout
        with closing(sqlite3.connect(self._file, timeout=self._timeout, isolation_level=None)) as connection:
            # Changing the mode fails at once, without waiting, while another process does the same.
            while True:
                try:
                    if connection.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",):
                        return
                except sqlite3.OperationalError:
                    if time.monotonic() > deadline:
                        raise
                if time.monotonic() > deadline:
                    raise CatalogueError(f"{self._file} is on a file system on which SQLite cannot share a file")
                time.sleep(_PAUSE)

    def _engine(self, *, writes: bool) -> Engine:
        size = 1 if writes else READERS
        if not self.is_sqlite:
            engine = create_engine(
                self._url,
                pool_size=size,
                max_overflow=0,
                pool_timeout=self._timeout,
                pool_pre_ping=True,
                connect_args={"connect_timeout": int(self._timeout)},
                execution_options={} if writes else {"postgresql_readonly": True, "isolation_level": "REPEATABLE READ"},
            )

            @event.listens_for(engine, "begin")
            def _patient(connection: Connection) -> None:
                if writes:
                    connection.exec_driver_sql(f"SET LOCAL lock_timeout = {int(self._timeout * 1000)}")

            return engine
        engine = create_engine(
            self._url,
            pool_size=size,
            max_overflow=0,
            pool_timeout=self._timeout,
            connect_args={"timeout": self._timeout, "isolation_level": None, "check_same_thread": False},
        )
        pragmas = [
            "PRAGMA foreign_keys = ON",
            "PRAGMA secure_delete = ON",
            f"PRAGMA synchronous = {'FULL' if self.schema.durable else 'NORMAL'}",
            f"PRAGMA journal_size_limit = {WAL_LIMIT}",
            f"PRAGMA query_only = {'OFF' if writes else 'ON'}",
        ]

        @event.listens_for(engine, "connect")
        def _set_up(connection: sqlite3.Connection, _record: object) -> None:
            try:
                for pragma in pragmas:
                    connection.execute(pragma)
            except BaseException:
                connection.close()  # the pool does not know it yet
                raise

        @event.listens_for(engine, "begin")
        def _begin(connection: Connection) -> None:
            # The driver begins nothing by itself (isolation_level None), so that this decides.
            if not connection.get_execution_options().get(_PLAIN):
                connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

        return engine

    def _prepare(self) -> None:
        """Brings a new database, or one of an older version, to the revision of this release."""
        with self.read() as connection:
            if self._revision(connection) == self.schema.head:
                return
        # Alembic takes 0.2 s to load and is needed once in the life of a database.
        from snapshots.migrating import upgrade  # noqa: PLC0415

        with self.write() as connection:
            found = self._revision(connection)
            if found == self.schema.head:
                return
            if found is None and self._foreign_tables(connection):
                raise CatalogueVersion(f"{self._shown} holds tables called like Citator's that it has not made")
            if not upgrade(connection, self.schema, found):
                raise CatalogueVersion(
                    f"{self._shown} was made by another version of Citator (its {self.schema.name} has revision"
                    f" {found}, this version works with {self.schema.head}); use that version or a newer one"
                )

    def _revision(self, connection: Connection) -> str | None:
        if not inspect(connection).has_table(self.schema.version_table):
            return None
        found: str | None = connection.exec_driver_sql(f"SELECT version_num FROM {self.schema.version_table}").scalar()  # noqa: S608 - a constant of ours
        return found

    def _foreign_tables(self, connection: Connection) -> bool:
        return not set(inspect(connection).get_table_names()).isdisjoint(self.schema.metadata.tables)

    @property
    def _shown(self) -> str:
        return self._url.render_as_string(hide_password=True)

    def _truncate_log(self, connection: Connection) -> None:
        """Empties the write-ahead log, which waits for readers of old states to finish."""
        deadline = time.monotonic() + self._timeout
        while connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()[0]:
            if time.monotonic() > deadline:
                raise CatalogueBusy(f"a reader held {self._file} for more than {self._timeout:.0f} s")
            time.sleep(_PAUSE)


def _checked(url: str) -> URL:
    """The address with its driver; raises CatalogueError for what is neither SQLite nor PostgreSQL."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise CatalogueError("the database's address is not one that SQLAlchemy understands") from None
    backend = parsed.get_backend_name()
    if backend == "postgresql" or parsed.drivername == "postgres":
        return parsed.set(drivername="postgresql+psycopg")
    if backend == "sqlite" and parsed.database not in {None, "", ":memory:"}:
        return parsed.set(drivername="sqlite+pysqlite")
    raise CatalogueError(f"{parsed.drivername} is not supported: sqlite:///FILE or postgresql://HOST/NAME are")


def _sync(path: Path) -> None:
    """Makes the file and its name durable."""
    for place in (path, path.parent):
        descriptor = os.open(place, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


_BUSY: Final = ("database is locked", "database table is locked", "lock timeout", "connection timeout", "pool limit")
_AWAY: Final = ("connection failed", "connection refused", "the connection is", "terminating connection")
_DAMAGED: Final = ("file is not a database", "database disk image is malformed")
_FULL: Final = ("disk is full", "no space left", "disk i/o error", "could not extend file")


@contextmanager
def _explained() -> Iterator[None]:
    """Turns the errors of SQLAlchemy, the drivers and the file system into ours."""
    try:
        yield
    except DBAPIError as error:
        raise _named(str(error.orig), lost=error.connection_invalidated) from error
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise _named(str(error), lost=False) from error
    except OSError as error:
        raise _named(str(error), lost=False) from error


def _named(message: str, *, lost: bool) -> CatalogueError | StoreFull:
    lowered = message.lower()
    if any(words in lowered for words in _FULL):
        return StoreFull(f"the disk has no room for the database: {message}")
    if lost or any(words in lowered for words in _BUSY + _AWAY):
        return CatalogueBusy(f"the database is held by another process or does not answer: {message}")
    if any(words in lowered for words in _DAMAGED):
        return CatalogueDamaged(f"the database file is damaged: {message}")
    return CatalogueError(f"the database says: {message}")


def chunks(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """`items` in lists of at most `size`: databases limit how many values one statement may name."""
    part: list[Any] = []
    for item in items:
        part.append(item)
        if len(part) == size:
            yield part
            part = []
    if part:
        yield part
