"""The catalogue's tables. A view of bucket and log: everything here can be made again from them.

Ids are their 32 raw bytes, times milliseconds since 1970, and a logged record is known by its position in the log.
Rows are kept small and in the order of the log where possible: a commit should touch few pages.
"""

from typing import Final

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, MetaData, String, Table, Text

from snapshots.database import BulkInsert, Schema

METADATA: Final = MetaData()
_Position = BigInteger().with_variant(Integer(), "sqlite")

entries = Table(
    "entries",
    METADATA,
    Column("position", _Position, primary_key=True, autoincrement=False),
    Column("id", LargeBinary, nullable=False),
    Column("kind", String, nullable=False),
    # When it happened; null where the record's time is not the time at which it was kept, and after removal.
    Column("at", _Position),
    Index("entries_id", "id"),
    Index("entries_at", "at"),
)

captures = Table(
    "captures",
    METADATA,
    Column("position", _Position, primary_key=True, autoincrement=False),
    Column("asked", Text, nullable=False),
    Column("final", Text, nullable=False),
    Column("retrieved_at", _Position, nullable=False),
    Column("document", LargeBinary),
    Column("body", LargeBinary),
    Column("outcome", String, nullable=False),
    Column("page_state", String, nullable=False),
    Column("method", String, nullable=False),
    Column("crawl", LargeBinary),
)

# Where a page is found by its address: the first 8 bytes of the address's SHA-256, as a number. The asked and the
# final address of a capture both lead to it.
addresses = Table(
    "addresses",
    METADATA,
    Column("address", BigInteger, primary_key=True, autoincrement=False),
    Column("position", _Position, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)

# Which logged record names an id. Passages are found through their captures, and the candidates of a search that
# were not shown through `considered`.
links = Table(
    "links",
    METADATA,
    Column("target", LargeBinary, primary_key=True),
    Column("source", _Position, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)

# The first 8 bytes of the ids (or of the SHA-256 of the addresses) of all candidates of a search that are not in
# `links`, one after the other. 200 candidates as rows of `links` would touch as many pages of it.
considered = Table(
    "considered",
    METADATA,
    Column("position", _Position, primary_key=True, autoincrement=False),
    Column("prefixes", LargeBinary, nullable=False),
)

# The first record that shows a passage, and where its text is.
passages = Table(
    "passages",
    METADATA,
    Column("id", LargeBinary, primary_key=True),
    Column("source", _Position, nullable=False),
    Column("capture", LargeBinary, nullable=False),
    Column("ordinal", _Position, nullable=False),
    Column("start", _Position, nullable=False),
    Column("end", _Position, nullable=False),
    sqlite_with_rowid=False,
)

# What was removed, and the position of the deletion that says so.
removed = Table(
    "removed",
    METADATA,
    Column("id", LargeBinary, primary_key=True),
    Column("deletion", _Position, nullable=False),
    Column("kind", String, nullable=False),
    sqlite_with_rowid=False,
)

# `position`: how many entries of the log stand here. `removal` and `scrubbed`: the position after the last deletion
# that was applied, and after the last one whose traces were wiped from the database file.
progress = Table(
    "progress",
    METADATA,
    Column("name", String, primary_key=True),
    Column("value", _Position, nullable=False),
)

INTO_ENTRIES: Final = BulkInsert(entries, ("position", "id", "kind", "at"))
INTO_CAPTURES: Final = BulkInsert(
    captures,
    (
        "position",
        "asked",
        "final",
        "retrieved_at",
        "document",
        "body",
        "outcome",
        "page_state",
        "method",
        "crawl",
    ),
)
INTO_ADDRESSES: Final = BulkInsert(addresses, ("address", "position"))
INTO_LINKS: Final = BulkInsert(links, ("target", "source"))
INTO_CONSIDERED: Final = BulkInsert(considered, ("position", "prefixes"))
INTO_PASSAGES: Final = BulkInsert(passages, ("id", "source", "capture", "ordinal", "start", "end"))
INTO_REMOVED: Final = BulkInsert(removed, ("id", "deletion", "kind"))

SCHEMA: Final = Schema(name="catalogue", metadata=METADATA, head="catalogue_1", lock=4_801_153_001, durable=False)
