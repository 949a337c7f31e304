"""The pace of hosts, which processes on one database keep together."""

import sqlalchemy as sa
from alembic import op

revision = "state_4"
down_revision = "state_3"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "hosts",
        sa.Column("host", sa.String, primary_key=True),
        sa.Column("next_start", sa.BigInteger, nullable=False),
        sa.Column("held_until", sa.BigInteger, nullable=False),
    )
