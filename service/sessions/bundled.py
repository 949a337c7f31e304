"""Which session a bundle is of."""

import zipfile
from pathlib import Path

import orjson


def session_in(path: Path) -> str | None:
    """The session that a bundle was made of, by its own word; None if there is none, or more than one. Blocking."""
    try:
        with zipfile.ZipFile(path) as members:
            found = orjson.loads(members.read("session/context.json"))["session"]
    except (KeyError, TypeError, ValueError, zipfile.BadZipFile):
        return None
    return found if isinstance(found, str) else None
