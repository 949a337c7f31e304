"""Which session a bundle is of."""

import zipfile
import zlib
from pathlib import Path
from typing import Final

import orjson

from service.failures import BadRequest

CONTEXT: Final = "session/context.json"
MAX_CONTEXT: Final = 256 * 1024 * 1024
"""Plain bytes of the member that names the session. It is read before anything of the bundle has been verified."""


def session_in(path: Path) -> str | None:
    """The session that a bundle was made of, by its own word; None if there is none, or more than one. Blocking.

    Raises BadRequest if the file cannot be read, or says more than is looked through.
    """
    try:
        with zipfile.ZipFile(path) as members:
            if CONTEXT not in members.namelist():
                return None
            with members.open(CONTEXT) as member:
                data = member.read(MAX_CONTEXT + 1)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise BadRequest(f"{path} cannot be read as a bundle: {error}") from error
    if len(data) > MAX_CONTEXT:
        raise BadRequest(f"{CONTEXT} of {path} is larger than is looked through")
    try:
        found = orjson.loads(data)["session"]
    except (KeyError, TypeError, ValueError):
        return None
    return found if isinstance(found, str) else None
