"""The first form of the catalogue."""

import sqlalchemy as sa
from alembic import op

revision = "catalogue_1"
down_revision = None
branch_labels = None
depends_on = None

# SQLite keeps a whole number in as many bytes as it needs; only `INTEGER PRIMARY KEY` is the row's own number.
NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "entries",
        sa.Column("position", NUMBER, primary_key=True, autoincrement=False),
        sa.Column("id", sa.LargeBinary, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("at", NUMBER),
    )
    op.create_index("entries_id", "entries", ["id"])
    op.create_index("entries_at", "entries", ["at"])
    op.create_table(
        "captures",
        sa.Column("position", NUMBER, primary_key=True, autoincrement=False),
        sa.Column("asked", sa.Text, nullable=False),
        sa.Column("final", sa.Text, nullable=False),
        sa.Column("retrieved_at", NUMBER, nullable=False),
        sa.Column("document", sa.LargeBinary),
        sa.Column("body", sa.LargeBinary),
        sa.Column("outcome", sa.String, nullable=False),
        sa.Column("page_state", sa.String, nullable=False),
        sa.Column("method", sa.String, nullable=False),
        sa.Column("crawl", sa.LargeBinary),
    )
    op.create_table(
        "addresses",
        sa.Column("address", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("position", NUMBER, primary_key=True, autoincrement=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "links",
        sa.Column("target", sa.LargeBinary, primary_key=True),
        sa.Column("source", NUMBER, primary_key=True, autoincrement=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "considered",
        sa.Column("position", NUMBER, primary_key=True, autoincrement=False),
        sa.Column("prefixes", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "passages",
        sa.Column("id", sa.LargeBinary, primary_key=True),
        sa.Column("source", NUMBER, nullable=False),
        sa.Column("capture", sa.LargeBinary, nullable=False),
        sa.Column("ordinal", NUMBER, nullable=False),
        sa.Column("start", NUMBER, nullable=False),
        sa.Column("end", NUMBER, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "removed",
        sa.Column("id", sa.LargeBinary, primary_key=True),
        sa.Column("deletion", NUMBER, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "progress",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("value", NUMBER, nullable=False),
    )
