"""`citator attach`: a report or a transcript with the evidence for what it cites, as one file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli_output import bad_use, give_json, run, say, show

if TYPE_CHECKING:
    from service.attaching.asked import Artefact
    from service.doors import Citator

LISTED = 40
"""Citations shown one by one; the bundle has all."""

ENDINGS = (".jsonl", ".json", ".txt", ".md")
"""Files that lie in a transcript's own folder and go along: sub-agents' transcripts, results put into files."""


def attach(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A transcript, or a report in Markdown, HTML or PDF.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The bundle to write.")],
    artefacts: Annotated[
        list[Path] | None, typer.Option("--with", metavar="FILE", help="Another file that goes along.")
    ] = None,
    report_out: Annotated[
        Path | None, typer.Option("--report-out", metavar="FILE", help="Write a copy that tells its sources.")
    ] = None,
    footnotes: Annotated[bool, typer.Option("--footnotes", help="The copy has footnotes (Markdown).")] = False,
    appendix: Annotated[bool, typer.Option("--appendix", help="The copy has an appendix.")] = False,
    capture_missing: Annotated[
        bool, typer.Option("--capture-missing", help="Capture cited pages of which nothing is kept, marked as later.")
    ] = False,
    at: Annotated[
        str | None, typer.Option(metavar="TIME", help="When it was written; else when the file was changed last.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="What was found, as JSON.")] = False,
) -> None:
    """Bundle a report or a transcript with the evidence for what it cites, and check each quotation."""
    if footnotes and appendix:
        bad_use("--footnotes and --appendix exclude each other")
    if report_out is not None and not (footnotes or appendix):
        bad_use("say with --footnotes or --appendix how the copy tells its sources")

    async def work(citator: "Citator") -> int:
        from service.attaching.asked import Artefact, AttachRequest
        from service.cli_bundle import write_made
        from service.cli_lines import bytes_of
        from service.cli_progress import shown
        from service.connect import ME
        from service.errors import DONE

        given = [Artefact(str(one), bytes_of(one)) for one in artefacts or ()]
        request = AttachRequest(
            Artefact(file.name, bytes_of(file)),
            (*given, *_beside(file)),
            _written_at(at, file),
            capture_missing,
            "footnotes" if footnotes else "appendix" if appendix else "none",
        )
        with shown() as progress:
            made = await citator.attach(request, ME, progress)
        try:
            write_made(made, output)
        finally:
            made.file.close()
        found = _read(output, report_out)
        if json:
            give_json({"file": str(output), "bytes": made.size, "sha256": made.digest, **found})
        else:
            _tell(found, output)
        return DONE

    run(work, as_json=json)


def _written_at(text: str | None, file: Path) -> Any:
    """When the file was written: as told, or as its last change says."""
    from datetime import UTC, datetime

    from pydantic import TypeAdapter

    from service.requests import Moment

    if text is not None:
        return TypeAdapter(Moment).validate_python(text)
    return datetime.fromtimestamp(file.stat().st_mtime, UTC)


def _beside(file: Path) -> "list[Artefact]":
    """What a client put into the folder that is named as its transcript: nothing that the transcript itself names."""
    from service.attaching.asked import MAX_ARTEFACTS, Artefact
    from service.cli_lines import bytes_of

    folder = file.with_suffix("")
    if file.suffix != ".jsonl" or not folder.is_dir() or folder.is_symlink():
        return []
    found = [
        one for one in sorted(folder.rglob("*")) if one.is_file() and not one.is_symlink() and one.suffix in ENDINGS
    ]
    if len(found) > MAX_ARTEFACTS:
        say(f"note: {folder} has {len(found)} files; the first {MAX_ARTEFACTS} go along")
    return [Artefact(str(one.relative_to(folder.parent)), bytes_of(one)) for one in found[:MAX_ARTEFACTS]]


def _read(bundle: Path, report_out: Path | None) -> dict[str, Any]:
    """What was found, out of the bundle; the copy that tells its sources is written where it was asked for."""
    import json
    import zipfile

    from service.cli_files import written

    with zipfile.ZipFile(bundle) as members:
        if report_out is not None:
            copy = next(one for one in members.namelist() if one.startswith("attached/with-sources."))
            with written(report_out) as out:
                out.write(members.read(copy))
        found: dict[str, Any] = json.loads(members.read("attached/attachment.json"))
    return found


def _tell(found: dict[str, Any], output: Path) -> None:
    show(found["summary"])
    for one in found["citations"][:LISTED]:
        quote = " ".join((one["quote"] or ", ".join(one["sources"])).split())
        show(f"line {one['line']:<5} {one['verdict']:16} {quote[:100]}")
    if len(found["citations"]) > LISTED:
        say(f"… and {len(found['citations']) - LISTED} more; all stand in the bundle")
    for one in found["sources"]:
        if one["standing"] != "kept":
            show(f"line {one['line']:<5} {one['standing']:16} {one['source']}: {one['reason']}")
    for note in found["notes"]:
        say(f"note: {note}")
    show(f"{output}")
