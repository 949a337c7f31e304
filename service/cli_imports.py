"""`citator import`, and what `citator add` does with files of many captures."""

import gzip
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from service.cli_output import say, show

if TYPE_CHECKING:
    from service.doors import Citator, Json

LISTED = 20
"""Lines of a result that are shown; `--json` has all."""


def holds_captures(file: Path) -> bool:
    """Whether a file looks like a WARC or WACZ file, by its beginning. Nothing is believed of it yet."""
    try:
        with file.open("rb") as opened:
            start = opened.read(5)
        if start.startswith(b"\x1f\x8b"):
            with gzip.open(file) as packed:
                return packed.read(5) == b"WARC/"
        if start.startswith(b"PK\x03\x04"):
            with zipfile.ZipFile(file) as packed_files:
                names = packed_files.namelist()
            return "datapackage.json" in names and any(name.startswith("archive/") for name in names)
    except (OSError, EOFError, ValueError, zlib.error, zipfile.BadZipFile, NotImplementedError):
        return file.name.lower().endswith((".warc", ".warc.gz", ".wacz"))
    return start == b"WARC/" or file.name.lower().endswith((".warc", ".warc.gz", ".wacz"))


async def add_captures(citator: "Citator", file: Path, given: dict[str, Any], *, silent: bool) -> "Json":
    """Have the captures in a file of others kept; tell how it went unless `silent`."""
    from service.cli_progress import shown
    from service.connect import ME
    from service.failures import BadRequest
    from service.requests import ArchiveRequest

    said = {"media_type": "--type"} | {name: f"--{name}" for name in given} | {"store": "--no-store"}
    wrong = [said[name] for name, value in sorted(given.items()) if (name, value) != ("store", True)]
    if wrong:
        options = ", ".join(wrong)
        raise BadRequest(f"{file} holds captures of its own: {options} cannot be said of them")
    with shown() as progress:
        found = await citator.add_archive(file, ArchiveRequest(name=file.name), ME, progress)
    for one in found["refused"][:LISTED]:
        say(f"citator: refused {one['url'] or one['member']} ({one['reason']}): {one['detail']}")
    if found["broken"]:
        say(f"citator: {file} could not be read to its end: {found['broken']}")
    if not silent:
        for one in found["captures"][:LISTED]:
            show(f"{one['capture']}  {one['retrieved_at']}  {one['url']}")
        counts = found["counts"]
        passed = sum(found["passed_over"].values())
        show(f"{counts['captures']} captures kept, {counts['refused']} refused, {passed} other records passed over")
    return found
