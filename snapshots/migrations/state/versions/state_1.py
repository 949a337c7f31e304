"""The first form of the state database."""

import sqlalchemy as sa
from alembic import op

revision = "state_1"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("created_at", sa.String, nullable=False),
        sa.Column("revoked_at", sa.String),
        sa.Column("last_used", sa.String),
    )
    op.create_table(
        "leases",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("owner", sa.String),
        sa.Column("until", sa.String, nullable=False),
        sa.Column("turn", sa.Integer, nullable=False),
    )
    op.create_table(
        "requests",
        sa.Column("caller", sa.String, primary_key=True),
        sa.Column("key", sa.String, primary_key=True),
        sa.Column("request", sa.LargeBinary, nullable=False),
        sa.Column("reply", sa.LargeBinary),
        sa.Column("until", sa.String, nullable=False),
    )
