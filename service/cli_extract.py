"""`citator extract`: read a page that lies in a file. Opens no data directory and keeps nothing."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli_output import bad_use, finish, give_json, say, show

if TYPE_CHECKING:
    from service.cli_lines import Line
    from service.doors import Json
    from service.extraction import Extractor

HTML = "text/html; charset=utf-8"


def extract(
    file: Annotated[Path | None, typer.Argument(metavar="FILE|-", help="The page; `-`: stdin.")] = None,
    jsonl: Annotated[
        Path | None, typer.Option(help='{"id","path"|"html","url"} a line; one JSON document a line. `-`: stdin.')
    ] = None,
    url: Annotated[str | None, typer.Option(help="Where it came from; links and dates are read with it.")] = None,
    type_: Annotated[
        str | None, typer.Option("--type", help="Its media type; found by name and content without.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="All that was found, as JSON.")] = False,
) -> None:
    """Read a page's text, title, author, dates, language and links."""
    if (file is None) == (jsonl is None):
        bad_use("give FILE or --jsonl FILE")

    async def work() -> int:
        from service.extraction import extractor
        from service.settings import load_settings

        settings = load_settings()
        async with extractor(settings) as read:
            if jsonl is not None:
                return await _lines(read, jsonl, 2 * settings.readers)  # the next page waits when a worker is free
            return await _one(read, file or Path("-"), url, type_, as_json=json)

    finish(work, as_json=json or jsonl is not None)


async def _one(read: "Extractor", file: Path, url: str | None, media_type: str | None, *, as_json: bool) -> int:
    from service.cli_lines import bytes_of
    from service.errors import DONE, NOT_DONE

    body = sys.stdin.buffer.read() if str(file) == "-" else bytes_of(file)
    found = await read(body, url=url, media_type=media_type or _by_name(file))
    if as_json:
        give_json(found)
    else:
        show(found["text"])
    good = found["outcome"] in ("ok", "empty")
    if not good or found["outcome"] == "empty":
        say(f"citator: {found['outcome']}: {found['detail']}")
    return DONE if good else NOT_DONE


def _by_name(file: Path) -> str | None:
    import mimetypes

    return mimetypes.guess_type(file.name)[0]


async def _lines(read: "Extractor", file: Path, at_once: int) -> int:
    from service.cli_lines import bytes_of, each, lines
    from service.failures import BadRequest

    async def one(line: "Line") -> "Json":
        fields = line.fields()
        returned = {"id": fields["id"]} if "id" in fields else {}
        url, given = fields.get("url"), fields.get("type")
        if not all(one is None or isinstance(one, str) for one in (url, given)):
            raise BadRequest(f'line {line.number} has a "url" or "type" that is no text')
        if isinstance(fields.get("html"), str):
            body, kind = fields["html"].encode("utf-8", "replace"), HTML
        elif isinstance(fields.get("path"), str):
            path = Path(fields["path"])
            body, kind = bytes_of(path), _by_name(path) or ""
        else:
            raise BadRequest(f'line {line.number} has neither "path" nor "html"')
        return returned | await read(body, url=url, media_type=given or kind or None)

    return await each(lines(file), one, at_once=at_once)
