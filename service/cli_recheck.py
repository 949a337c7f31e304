"""`citator recheck` and `citator check-citations`: do sources say what is cited of them?"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli_output import bad_use, give, give_json, run, say, show

if TYPE_CHECKING:
    from service.doors import Citator, Json

_ID = re.compile(r"(?:sha256:)?[0-9a-f]{12,64}")
SHOWN = 300
"""Characters of a passage that are shown; `--json` has all."""


def recheck(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ID|URL|FILE…",
            help="Passages, captures, searches, crawls, rechecks; addresses; or a report, bibliography or bundle.",
        ),
    ] = None,
    session: Annotated[str | None, typer.Option(help="All that was served for this session.")] = None,
    quote: Annotated[str | None, typer.Option(metavar="TEXT", help="A quotation said to stand at the one URL.")] = None,
    no_store: Annotated[bool, typer.Option("--no-store", help="Keep nothing.")] = False,
    json: Annotated[bool, typer.Option("--json", help="The whole reply, as JSON.")] = False,
) -> None:
    """Visit pages again and tell whether they still say what was cited of them."""
    given = what or []
    addresses = [one for one in given if "://" in one]
    files = [Path(one) for one in given if "://" not in one and not _ID.fullmatch(one)]
    if len(files) > 1 or (files and quote is not None):
        bad_use("give one file at a time, and no --quote with it")
    if not given and session is None:
        bad_use("give an id, an address or --session")
    if quote is not None and (len(given) != 1 or not addresses):
        bad_use("--quote goes with one address")

    async def work(citator: "Citator") -> int:
        import orjson

        from service.check_requests import RecheckRequest
        from service.connect import ME
        from service.errors import DONE, NOT_DONE, NOT_HELD

        asked: Json = {"store": not no_store}
        if quote is not None:
            asked["quotations"] = [{"url": addresses[0], "quote": quote}]
        else:
            asked |= {"ids": [one for one in given if _ID.fullmatch(one)], "urls": addresses, "of_session": session}
            if files:
                from service.cli_documents import document_of

                asked["document"] = document_of(files[0])
        reply = await citator.recheck(RecheckRequest.model_validate(asked), ME)
        found: Json = orjson.loads(reply.body)
        if json:
            give(reply.body + b"\n")
        else:
            _tell(found)
        return NOT_HELD if not found["holds"] else DONE if found["conclusive"] else NOT_DONE

    run(work, as_json=json)


def _tell(found: "Json") -> None:
    _tell_document(found.get("document", {}))
    for page in found["pages"]:
        show(f"{page['verdict']}  {page['url']}{': ' + page['reason'] if page['reason'] else ''}")
        for one in page["passages"]:
            if one["verdict"] == "exact":
                if one["passage"] is None:  # it was asked for in words, so it is answered in words
                    show(f"  exact: {_short(one['quote'])}")
                continue
            show(f"  {one['verdict']}{': ' + one['reason'] if one['reason'] else ''}")
            show(f"    was  {_short(one['quote'])}")
            if one["matched"] is not None:
                show(f"    now  {_short(one['matched'])}")
            for edit in one["differences"]:
                show(f"    - {edit['quote']!r}  + {edit['page']!r}")
            if one["flags"]:
                show(f"    it has to do with: {', '.join(one['flags'])}")
        if page["record"]:
            show(f"  record {page['record']}")
    total = sum(found["counts"].values())
    say(f"{found['present']} of {total} passages stand there")


def _tell_document(document: "Json") -> None:
    for one in document.get("citations", ()):
        show(f"line {one['line']}: {one['verdict']}: {_short(one['quote']) if one['quote'] else one['source']}")
        if one["verdict"] == "no_source":
            show(f"  {one['reason']}")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[:SHOWN] + "…"


def check_citations(
    file: Annotated[Path, typer.Argument(metavar="FILE|-", help="An answer or report; `-`: stdin.")],
    format_: Annotated[
        str | None, typer.Option("--format", help="markdown, text or html; by the file's name without.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="All that was found, as JSON.")] = False,
) -> None:
    """Tell what bears out each quotation, passage id and link of a report. Exit status 1: something does not hold."""

    async def work(citator: "Citator") -> int:
        import sys

        from service.check_requests import CitationsRequest
        from service.cli_lines import bytes_of
        from service.errors import DONE, NOT_HELD

        data = sys.stdin.buffer.read() if str(file) == "-" else bytes_of(file)
        text = data.decode("utf-8-sig", "replace")
        form = format_ or ("html" if file.suffix.lower() in (".html", ".htm", ".xhtml") else "markdown")
        found = await citator.check_citations(CitationsRequest.model_validate({"text": text, "format": form}))
        if json:
            give_json(found)
        else:
            _tell_citations(found)
        return DONE if found["holds"] else NOT_HELD

    run(work, as_json=json)


def _tell_citations(found: "Json") -> None:
    for one in found["citations"]:
        what = _short(one["quote"]) if one["quote"] else ", ".join(source["source"] for source in one["sources"])
        show(f"line {one['line']}: {one['verdict']}: {what}")
        if one["reason"]:
            show(f"  {one['reason']}")
        if one["verdict"] == "edited":
            show(f"    says  {_short(one['support']['matched'] or '')}")
        for other in one["elsewhere"]:
            show(f"    {other['url']} [{other['passage'] or other['capture']}]")
    if found["too_short"]:
        say(f"{found['too_short']} words in quotation marks are too short to be looked for")
    if not found["citations"]:
        say("nothing is cited here")
