"""`citator fetch` and `citator add`."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli_output import bad_use, give_body, give_json, members, run, say, show

if TYPE_CHECKING:
    from service.cli_lines import Line
    from service.doors import Citator, Json
    from service.requests import Reply

TEXT = "text/plain; charset=utf-8"
HTML = "text/html; charset=utf-8"

AT_ONCE = 16
"""Lines kept at a time: they share commits."""


def fetch(
    url: Annotated[str, typer.Argument(help="The page.")],
    render: Annotated[str | None, typer.Option(help="auto, never or always: whether a browser renders it.")] = None,
    screenshot: Annotated[bool, typer.Option("--screenshot", help="Keep a picture of it.")] = False,
    screenshot_of: Annotated[str | None, typer.Option(help="full or viewport: of which part the picture is.")] = None,
    pdf: Annotated[bool, typer.Option("--pdf", help="Keep a printed copy of it.")] = False,
    accept_bad_certificate: Annotated[
        bool, typer.Option("--accept-bad-certificate", help="Take it though its server's certificate does not hold.")
    ] = False,
    max_age: Annotated[int | None, typer.Option(help="Seconds that a kept capture is good enough.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Token budget of the text.")] = None,
    store: Annotated[bool, typer.Option(help="Keep page and reply; without, nothing stays.")] = True,
    session: Annotated[str | None, typer.Option(help="Your name for this session, kept with the reply.")] = None,
    json: Annotated[bool, typer.Option("--json", help="The whole reply as JSON.")] = False,
) -> None:
    """Fetch a page, keep what was seen, and give its text."""
    options = {
        "url": url,
        "render": render,
        "screenshot": screenshot,
        "screenshot_of": screenshot_of,
        "pdf": pdf,
        "accept_bad_certificate": accept_bad_certificate,
        "max_age": max_age,
        "max_tokens": max_tokens,
        "store": store,
        "session": session,
    }
    given = {name: value for name, value in options.items() if value is not None}

    async def work(citator: "Citator") -> int:
        from service.connect import ME
        from service.requests import CaptureRequest

        return _tell(await citator.capture(CaptureRequest.model_validate(given), ME), as_json=json)

    run(work, as_json=json)


def add(
    files: Annotated[list[Path] | None, typer.Argument(help="Files to keep.", metavar="FILE…")] = None,
    jsonl: Annotated[
        Path | None, typer.Option(help='{"url","title","html"|"text","at"} a line; one JSON reply a line. `-`: stdin.')
    ] = None,
    url: Annotated[str | None, typer.Option(help="Where the file came from.")] = None,
    at: Annotated[str | None, typer.Option(help="When it was seen.")] = None,
    type_: Annotated[str | None, typer.Option("--type", help="Its media type; found by name without.")] = None,
    title: Annotated[str | None, typer.Option(help="A title for what has none of its own.")] = None,
    store: Annotated[bool, typer.Option(help="Keep it; without, nothing stays.")] = True,
    session: Annotated[str | None, typer.Option(help="Your name for this session, kept with the reply.")] = None,
    json: Annotated[bool, typer.Option("--json", help="The whole reply as JSON; a list for several files.")] = False,
) -> None:
    """Keep files that you have, as evidence like any page; of WARC and WACZ files each capture in them."""
    if bool(files) == (jsonl is not None):
        bad_use("give FILE… or --jsonl FILE")
    if files and len(files) > 1 and url is not None:
        bad_use("--url goes with one file: two files did not come from the same place")
    options = {"url": url, "at": at, "media_type": type_, "title": title, "store": store, "session": session}
    given = {name: value for name, value in options.items() if value is not None}
    if jsonl is not None:
        run(lambda citator: _add_lines(citator, jsonl, given), as_json=True)
    else:
        run(lambda citator: _add_files(citator, files or [], given, as_json=json), as_json=json)


async def _add_files(citator: "Citator", files: list[Path], given: dict[str, Any], *, as_json: bool) -> int:
    """Keep files one after another. One that cannot be kept is told in its place, and the others are kept."""
    from asyncio import to_thread

    from service.cli_imports import add_captures, holds_captures
    from service.cli_output import asked_wrongly
    from service.errors import DONE, NOT_DONE, problem_of

    status, told = DONE, []
    for file in files:
        try:
            if await to_thread(holds_captures, file):
                found = await add_captures(citator, file, given, silent=as_json)
                told.append(found)
                status = max(status, DONE if found["whole"] else NOT_DONE)
                continue
            reply = await _add_file(citator, file, given)
        except Exception as error:
            problem = asked_wrongly(error) or problem_of(error)
            if len(files) == 1 or problem.slug == "internal":
                raise
            say(f"citator: {problem.title} {problem.detail}")
            told.append(problem.details() | {"file": str(file)})
            status = max(status, problem.exit)
        else:
            told.append(members(reply.body))
            status = max(status, _tell(reply, as_json=as_json and len(files) == 1, silent=as_json, text=False))
            if as_json and len(files) == 1:
                return status  # the reply has been given as it was kept
    if as_json:
        give_json(told[0] if len(files) == 1 else told)
    return status


async def _add_file(citator: "Citator", file: Path, given: dict[str, Any]) -> "Reply":
    import mimetypes

    from service.cli_lines import bytes_of
    from service.connect import ME
    from service.requests import UploadRequest

    name = os.fsencode(file.name).decode("utf-8", "replace")  # names of files are bytes, records hold text
    guessed = {"name": name, "media_type": mimetypes.guess_type(name)[0]}
    fields = {option: value for option, value in guessed.items() if value} | given
    return await citator.upload(UploadRequest.model_validate(fields | {"body": bytes_of(file)}), ME)


async def _add_lines(citator: "Citator", file: Path, given: dict[str, Any]) -> int:
    import asyncio
    from collections import defaultdict

    from service.cli_lines import each, lines
    from service.connect import ME
    from service.failures import BadRequest
    from service.requests import UploadRequest

    in_order: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def one(line: "Line") -> "Json":
        fields = line.fields()
        returned = {"id": fields.pop("id")} if "id" in fields else {}
        content = {name: fields.pop(name) for name in ("html", "text") if name in fields}
        if len(content) != 1 or not isinstance(text := next(iter(content.values())), str):
            raise BadRequest(f'line {line.number} has neither "html" nor "text", or both')
        if "body" in fields:
            raise BadRequest(f'line {line.number} has a "body": give "html" or "text"')
        whole = {"media_type": HTML if "html" in content else TEXT} | given | fields
        request = UploadRequest.model_validate(whole | {"body": _utf8(text, line.number)})
        async with in_order[request.url or ""]:  # the log must see versions of one page in the order of their lines
            reply = await citator.upload(request, ME)
        return returned | members(reply.body)

    return await each(lines(file), one, at_once=AT_ONCE)


def _utf8(text: str, number: int) -> bytes:
    from service.failures import BadRequest

    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise BadRequest(f"line {number} holds half of a surrogate pair: {error}") from error


def _tell(reply: "Reply", *, as_json: bool, silent: bool = False, text: bool = True) -> int:
    from service.errors import DONE, problem_told

    found = members(reply.body)
    problem = problem_told(found, reply.status) if reply.status >= 400 else None  # noqa: PLR2004 - HTTP's refusals
    if as_json:
        give_body(reply.body)
    elif not silent:
        if problem is None:
            show(f"{found.get('title') or found.get('url')}")
        show(f"{found.get('final') or found.get('url')}, retrieved {found.get('retrieved_at')}")
        _tell_of_it(found)
        show(f"capture {found.get('capture')}")
        for name in ("screenshot", "pdf"):
            if found.get(name):
                show(f"{name} {found[name]}")
        if text:
            show()
            show(found.get("text") or "")
    if problem is not None:
        say(f"citator: {problem.title}" + (f" {problem.detail}" if problem.detail != problem.title else ""))
    return problem.exit if problem else DONE


def _tell_of_it(found: "Json") -> None:
    """What is to be known of a page beside its text."""
    if found.get("page_state") not in (None, "ok", "unknown"):
        show(f"page state {found['page_state']}, status {found.get('http_status')}")
    for warning in found.get("warnings") or ():
        show(f"{'beware' if warning.startswith('bad_certificate') else 'note'}: {warning}")
