"""`citator search`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli_output import bad_use, cut, give_body, members, run, show

if TYPE_CHECKING:
    from service.cli_lines import Line
    from service.doors import Citator, Json

WIDTH = 400
"""Characters of a passage shown to a reader; `--json` gives all of it."""


AT_ONCE = 4
"""Queries answered at a time: while one is made durable, the next is searched."""


def search(
    query: Annotated[str | None, typer.Argument(help="What is looked for, in plain words.")] = None,
    queries: Annotated[
        Path | None, typer.Option(help='A query a line, or {"id","query",…options}; one JSON reply a line. `-`: stdin.')
    ] = None,
    max_results: Annotated[int | None, typer.Option(help="Results listed at most (8).")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Token budget of all passages (4000).")] = None,
    max_tokens_per_url: Annotated[int | None, typer.Option(help="Token budget of one page.")] = None,
    provider: Annotated[list[str] | None, typer.Option(help="Ask only this provider; may be given again.")] = None,
    fetch: Annotated[str | None, typer.Option(help="auto, never or always.")] = None,
    max_age: Annotated[int | None, typer.Option(help="Seconds that a kept capture is good enough.")] = None,
    published_after: Annotated[str | None, typer.Option(help="Only pages published at or after this time.")] = None,
    published_before: Annotated[str | None, typer.Option(help="Only pages published before this time.")] = None,
    as_of: Annotated[str | None, typer.Option(help="What was known at this time or log position.")] = None,
    include_domain: Annotated[list[str] | None, typer.Option(help="Only this domain; may be given again.")] = None,
    exclude_domain: Annotated[list[str] | None, typer.Option(help="Not this domain; may be given again.")] = None,
    language: Annotated[str | None, typer.Option(help="Only pages in this language, such as `en`.")] = None,
    fold: Annotated[bool, typer.Option(help="Show near-duplicates once.")] = True,
    store: Annotated[bool, typer.Option(help="Keep record and reply; without, nothing stays.")] = True,
    session: Annotated[str | None, typer.Option(help="Your name for this session, kept with the reply.")] = None,
    json: Annotated[bool, typer.Option("--json", help="The whole result as JSON.")] = False,
) -> None:
    """Search what is kept, and the web where providers are set up."""
    if (query is None) == (queries is None):
        bad_use("give a QUERY or --queries FILE")
    options: dict[str, Any] = {
        "max_results": max_results,
        "max_tokens": max_tokens,
        "max_tokens_per_url": max_tokens_per_url,
        "providers": provider or None,
        "fetch": fetch,
        "max_age": max_age,
        "published_after": published_after,
        "published_before": published_before,
        "as_of": as_of,
        "include_domains": include_domain or None,
        "exclude_domains": exclude_domain or None,
        "language": language,
        "session": session,
    }
    given = {name: value for name, value in options.items() if value is not None} | {"fold": fold, "store": store}
    if queries is not None:
        run(lambda citator: _many(citator, queries, given), as_json=True)
    else:
        run(lambda citator: _one(citator, given | {"query": query}, as_json=json), as_json=json)


async def _one(citator: "Citator", given: dict[str, Any], *, as_json: bool) -> int:
    from dataclasses import replace

    from service.cli_progress import shown
    from service.connect import ME
    from service.requests import SearchRequest

    request = SearchRequest.model_validate(given)
    with shown() as step:
        pages = 0

        def hear(event: dict[str, Any]) -> None:
            nonlocal pages
            pages += event["type"] == "page"
            if event["type"] in ("asked", "page"):
                step("pages looked at", pages, None)

        reply = await citator.search(request, replace(ME, told=hear))
    found = members(reply.body)
    if as_json:
        give_body(reply.body)
    else:
        _tell(found)
    return status_of(found)


async def _many(citator: "Citator", file: Path, given: dict[str, Any]) -> int:
    from service.cli_lines import each, lines
    from service.connect import ME
    from service.requests import SearchRequest

    async def one(line: "Line") -> "Json":
        fields = line.fields() if line.text.startswith("{") else {"query": line.text}
        returned = {"id": fields.pop("id")} if "id" in fields else {}
        reply = await citator.search(SearchRequest.model_validate(given | fields), ME)
        return returned | members(reply.body)

    return await each(lines(file), one, at_once=AT_ONCE)


def status_of(found: "Json") -> int:
    """A search that found nothing is done; one that could ask nobody is not."""
    from service.errors import DONE, NOT_DONE

    failed = found.get("state") in ("provider_failed", "fetch_failed")
    return NOT_DONE if failed and not found.get("results") else DONE


def counted(number: int, what: str) -> str:
    """`1 result`, `2 results`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _tell(found: "Json") -> None:
    for result in found["results"]:
        show(f"{result['rank']}. {result.get('title') or result['url']}")
        show(f"   {result['url']}")
        for passage in result["passages"]:
            show(f"   {cut(passage.get('text') or '', WIDTH)}")
            page = f" page {passage['page']}" if "page" in passage else ""
            show(f"   [{passage['id']}]{page}")
        show()
    note = found.get("message")
    show(f"{counted(len(found['results']), 'result')}, state {found['state']}" + (f": {note}" if note else ""))
    if found.get("dropped"):
        show(f"dropped: {counted(len(found['dropped']), 'candidate')}; --json says why")
    if found.get("record"):
        show(f"record {found['record']}")
