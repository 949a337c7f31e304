"""Runs migrations on the connection and in the transaction that `snapshots.migrating` hands over."""

from alembic import context

connection = context.config.attributes["connection"]
schema = context.config.attributes["schema"]
context.configure(
    connection=connection,
    target_metadata=schema.metadata,
    version_table=schema.version_table,
    transactional_ddl=True,
)
context.run_migrations()
