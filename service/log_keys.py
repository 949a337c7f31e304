"""The log's key: shown, copied, replaced."""

from pathlib import Path
from typing import Any

from service.parts import Parts
from snapshots import LogKey, LogReadOnly, rotate_log_key


def show(parts: Parts) -> dict[str, Any]:
    """The public key and where the private one lies; never the private one."""
    return {
        "origin": parts.log.origin,
        "vkey": parts.log.vkey,
        "earlier": [key.text for key in parts.log.keys[1:]],
        "path": str(parts.settings.key_path),
        "read_only": parts.log.read_only,
    }


def backup(parts: Parts, path: Path) -> dict[str, Any]:
    """Copy the private key to the new file `path`, mode 0600. Blocking."""
    _writable(parts)
    LogKey.load(parts.settings.key_path).save(path)
    return {"path": str(path)}


def rotate(parts: Parts) -> dict[str, Any]:
    """Sign with a new key from now on; the old public key stays known. Blocking."""
    _writable(parts)
    rotate_log_key(parts.log, parts.settings.key_path)
    return show(parts)


def _writable(parts: Parts) -> None:
    if parts.log.read_only:
        raise LogReadOnly(f"there is no key at {parts.settings.key_path}")
