"""API keys have limits of their own."""

import sqlalchemy as sa
from alembic import op

revision = "state_2"
down_revision = "state_1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("api_keys", sa.Column("rate", sa.Integer))
    op.add_column("api_keys", sa.Column("concurrency", sa.Integer))
