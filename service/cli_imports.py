"""`citator import`, and what `citator add` does with files of many captures."""

import gzip
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli_output import give_json, run, say, show

if TYPE_CHECKING:
    from service.doors import Citator, Json

LISTED = 20
"""Lines of a result that are shown; `--json` has all."""


def import_(
    file: Annotated[Path, typer.Argument(help="The bundle.")],
    trust_key: Annotated[
        list[str] | None, typer.Option(help="A public log key, or a file with one: refuse what others signed.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="What was taken in, as JSON.")] = False,
) -> None:
    """Take in a bundle of another installation, if all that it claims holds. Its ids stay what they are."""

    async def work(citator: "Citator") -> int:
        from service.cli_progress import shown
        from service.connect import ME
        from service.requests import BundleImport

        request = BundleImport(name=file.name, trust_key=tuple(map(_key, trust_key or ())))
        with shown() as progress:
            found = await citator.import_bundle(file, request, ME, progress)
        if json:
            give_json(found)
        else:
            _tell(found)
        return 0

    run(work, as_json=json)


def _key(text: str) -> str:
    """A key as it was given, or out of the file that was named."""
    with suppress(OSError, UnicodeDecodeError, ValueError):
        return Path(text).read_text().strip()
    return text


def _tell(found: "Json") -> None:
    counts = found["counts"]
    show(f"{counts['new']} records are new, {counts['records'] - counts['new']} were here before")
    show(f"signed by {found['vkey']}" + ("" if found["trusted"] else ", a key that nobody vouched for"))
    for one in found["imports"][:LISTED]:
        show(f"import {one}")
    for one in found["left_out"][:LISTED]:
        show(f"left out  {one['id']}  {one['why']}" + (f", see {one['deletion']}" if one.get("deletion") else ""))
    left = len(found["left_out"]) - LISTED
    if left > 0:
        show(f"… and {left} more")


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
