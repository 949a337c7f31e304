"""Where the alarms of watches are sent, and how often it was tried."""

import sqlalchemy as sa
from alembic import op

revision = "state_3"
down_revision = "state_2"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "webhooks",
        sa.Column("watch", sa.String, primary_key=True),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("secret", sa.Text, nullable=False),
    )
    op.create_table(
        "deliveries",
        sa.Column("watch", sa.String, primary_key=True),
        sa.Column("alarm", sa.String, primary_key=True),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("at", sa.String, nullable=False),
        sa.Column("detail", sa.Text),
    )
