"""Bringing a database to the revision of this release, with Alembic. Loaded only when there is something to do."""

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from snapshots.database import Schema


def upgrade(connection: Connection, schema: Schema, found: str | None) -> bool:
    """Runs the migrations after `found` (None: all) inside the transaction of `connection`.

    False, and nothing is done, if `found` is a revision this release does not know.
    """
    config = Config()
    config.set_main_option("script_location", str(schema.migrations).replace("%", "%%"))
    config.attributes["connection"] = connection
    config.attributes["schema"] = schema
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if found is not None and found not in known:
        return False
    command.upgrade(config, schema.head)
    return True
