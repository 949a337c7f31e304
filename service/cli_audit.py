"""`citator audit`: what of a transcript can be proven. The transcript stays here; only ids are asked for."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli_output import bad_use, give_json, run, say, show

if TYPE_CHECKING:
    from service.doors import Citator, Json

LISTED = 30
"""Results shown one by one; `--json` and `--html` list all."""


def audit(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A transcript; `-`: stdin.")],
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write the report as a page too.")] = None,
    form: Annotated[
        str | None, typer.Option("--format", help="The transcript's format, where it is not told by its beginning.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="The whole report, as JSON.")] = False,
) -> None:
    """Tell what of a transcript can be proven, what is sealed, and what lies with providers."""
    from service.transcripts.detecting import FORMATS

    known = next((one for one in FORMATS if one == form), None)
    if form is not None and known is None:
        bad_use(f"there is no format {form!r}; there are {', '.join(FORMATS)}")

    async def work(citator: "Citator") -> int:
        from service.cli_files import opened_file, written
        from service.errors import DONE, NOT_HELD
        from service.transcripts.auditing import audit as audited
        from service.transcripts.page import audit_page

        with opened_file(file) as source:
            report = await audited(citator, source, name=None if str(file) == "-" else file.name, form=known)
        if html is not None:
            with written(html) as page:
                for piece in audit_page(report):
                    page.write(piece.encode("utf-8", "replace"))
        if json:
            give_json(report)
        else:
            _tell(report)
        return DONE if report["holds"] else NOT_HELD

    run(work, as_json=json)


def _tell(report: "Json") -> None:
    show(report["summary"])
    show()
    for test in report["tests"]:
        show(f"{test['test']:8} {test['result']:7} {test['detail']}")
        for one in test["findings"]:
            lines = ", ".join(map(str, one["lines"][:10]))
            show(f"         {one['count']} {one['what']}{f' (line {lines})' if lines else ''}")
    if report["results"]:
        show()
    for one in report["results"][:LISTED]:
        show(f"line {one['line']:<6} {one['verdict']:26} {one['tool']}: {one['reason']}")
    if len(report["results"]) > LISTED:
        say(f"… and {len(report['results']) - LISTED} more results; --json lists them")
    for one in report["copies"][:LISTED]:
        show(f"{one['provider']} {one['what']} {one['id']}: {one['kept']}; {one['delete']}")
    for one in report["cited_unknown"]:
        show(f"line {one['line']:<6} cites {one['id']}, of which nothing is known here")
    for note in report["notes"]:
        say(f"note: {note}")
