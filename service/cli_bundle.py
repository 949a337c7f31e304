"""`citator bundle`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli_output import bad_use, give, give_json, run, say, show

if TYPE_CHECKING:
    from service.doors import Citator
    from service.requests import Made

PIECE = 1024 * 1024
LISTED = 20
"""Notes shown; all of them stand in the bundle."""


def bundle(
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID…", help="Ids, or 12 or more of their digits.")] = None,
    url: Annotated[str | None, typer.Option(help="All captures of this page.")] = None,
    search: Annotated[str | None, typer.Option(metavar="RECORD", help="A search, with what was served for it.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")] = None,
    format_: Annotated[
        str,
        typer.Option(
            "--format", help="wacz, or only quotations: jsonl, markdown, html, annotations, links, anthropic."
        ),
    ] = "wacz",
    stamp: Annotated[bool, typer.Option("--stamp", help="Have the log time-stamped first, where nobody has.")] = False,
    json: Annotated[bool, typer.Option("--json", help="What was written, as JSON.")] = False,
) -> None:
    """Take evidence along as one file that verifies without Citator, or its quotations in the forms of others."""
    if output is None and (json or format_ == "wacz"):
        bad_use("say with -o FILE where to write it")
    options = {"ids": ids or None, "url": url, "search": search, "format": format_, "stamp": stamp or None}

    async def work(citator: "Citator") -> int:
        from service.cli_progress import shown
        from service.connect import ME
        from service.requests import BundleRequest

        request = BundleRequest.model_validate({name: value for name, value in options.items() if value is not None})
        with shown() as progress:
            made = await citator.bundle(request, ME, progress)
        try:
            if output is None:
                while piece := made.file.read(PIECE):
                    give(piece)
                return 0
            write_made(made, output)
        finally:
            made.file.close()
        _tell(made, output, as_json=json)
        return 0

    run(work, as_json=json)


def write_made(made: "Made", path: Path) -> None:
    """The whole file under its name, or nothing."""
    from hashlib import sha256

    from service.cli_files import written
    from service.errors import ServerUnreachable

    hashed = sha256()
    with written(path) as file:
        while piece := made.file.read(PIECE):
            hashed.update(piece)
            file.write(piece)
        if hashed.hexdigest() != made.digest:
            raise ServerUnreachable("the file did not come whole")


def _tell(made: "Made", path: Path, *, as_json: bool) -> None:
    told: dict[str, Any] = {"file": str(path), "bytes": made.size, "sha256": made.digest, **made.told}
    if as_json:
        give_json(told)
        return
    show(f"{path}: {made.size} bytes, sha256 {made.digest}")
    counts = made.told.get("counts")
    if counts:
        show(", ".join(f"{count} {what}" for what, count in counts.items()))
    for one in made.told.get("stamps", ()):
        say(f"time stamp: {one['authority']}: {one['result']}: {one['detail']}")
    notes = made.told.get("notes", [])
    for note in notes[:LISTED]:
        say(f"note: {note}")
    if len(notes) > LISTED:
        say(f"… and {len(notes) - LISTED} more; all stand in the bundle")
