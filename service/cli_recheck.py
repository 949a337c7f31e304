"""`citator recheck`: do sources still say what was cited of them?"""

from typing import TYPE_CHECKING, Annotated

import typer

from service.cli_output import bad_use, give, run, say, show

if TYPE_CHECKING:
    from service.doors import Citator, Json

SHOWN = 300
"""Characters of a passage that are shown; `--json` has all."""


def recheck(
    what: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID|URL…", help="Passages, captures, searches, crawls, earlier rechecks, or addresses."),
    ] = None,
    session: Annotated[str | None, typer.Option(help="All that was served for this session.")] = None,
    quote: Annotated[str | None, typer.Option(metavar="TEXT", help="A quotation said to stand at the one URL.")] = None,
    no_store: Annotated[bool, typer.Option("--no-store", help="Keep nothing.")] = False,
    json: Annotated[bool, typer.Option("--json", help="The whole reply, as JSON.")] = False,
) -> None:
    """Visit pages again and tell whether they still say what was cited of them."""
    given = what or []
    addresses = [one for one in given if "://" in one]
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
            asked |= {"ids": [one for one in given if "://" not in one], "urls": addresses, "of_session": session}
        reply = await citator.recheck(RecheckRequest.model_validate(asked), ME)
        found: Json = orjson.loads(reply.body)
        if json:
            give(reply.body + b"\n")
        else:
            _tell(found)
        return NOT_HELD if not found["holds"] else DONE if found["conclusive"] else NOT_DONE

    run(work, as_json=json)


def _tell(found: "Json") -> None:
    for page in found["pages"]:
        show(f"{page['verdict']}  {page['url']}{': ' + page['reason'] if page['reason'] else ''}")
        for one in page["passages"]:
            if one["verdict"] == "exact":
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


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[:SHOWN] + "…"
