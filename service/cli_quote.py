"""`citator quote`: does a page in a file say what was quoted from it? Opens no data directory and keeps nothing."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli_output import bad_use, finish, give_json, show

if TYPE_CHECKING:
    from service.cli_lines import Line
    from service.doors import Json
    from service.quoting import Comparer, Given


def quote(
    page: Annotated[Path | None, typer.Option(metavar="FILE", help="The page as it is now.")] = None,
    old: Annotated[Path | None, typer.Option(metavar="FILE", help="The page that was quoted.")] = None,
    text: Annotated[str | None, typer.Option("--quote", metavar="TEXT", help="What was quoted from it.")] = None,
    prefix: Annotated[str, typer.Option(help="What stood before the quotation.")] = "",
    suffix: Annotated[str, typer.Option(help="What stood after it.")] = "",
    jsonl: Annotated[
        Path | None,
        typer.Option(help='{"id","quote","prefix","suffix","page","old"} a line; a verdict a line. `-`: stdin.'),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="The verdict with place and differences, as JSON.")] = False,
) -> None:
    """Tell whether a page in a file still says what was quoted from it: word for word, edited, or not at all."""
    if (text is None) == (jsonl is None):
        bad_use("give --quote TEXT or --jsonl FILE")
    if text is not None and page is None:
        bad_use("give --page FILE")

    async def work() -> int:
        from service.errors import DONE
        from service.quoting import Quotation, comparer
        from service.settings import load_settings

        settings = load_settings()
        async with comparer(settings) as compare:
            if jsonl is not None:
                return await _lines(compare, jsonl, page, old, 2 * settings.readers)
            assert page is not None, "looked at above"
            found = await compare(Quotation(text or "", prefix, suffix), _given(page), _given(old) if old else None)
        if json:
            give_json(found)
        else:
            _tell(found)
        return DONE

    finish(work, as_json=json or jsonl is not None)


def _given(file: Path) -> "Given":
    import mimetypes

    from service.cli_lines import bytes_of
    from service.quoting import Given

    return Given(bytes_of(file), mimetypes.guess_type(file.name)[0])


async def _lines(compare: "Comparer", file: Path, page: Path | None, old: Path | None, at_once: int) -> int:
    from service.cli_lines import each, lines
    from service.failures import BadRequest
    from service.quoting import Quotation

    async def one(line: "Line") -> "Json":
        fields = line.fields()
        given = {name: fields.get(name) for name in ("quote", "prefix", "suffix", "page", "old")}
        if not all(value is None or isinstance(value, str) for value in given.values()):
            raise BadRequest(f"line {line.number} has a field that is no text")
        now = Path(given["page"]) if given["page"] else page
        if given["quote"] is None or now is None:
            raise BadRequest(f'line {line.number} has no "quote" or no "page"')
        before = Path(given["old"]) if given["old"] else old
        returned = {"id": fields["id"]} if "id" in fields else {}
        quotation = Quotation(given["quote"], given["prefix"] or "", given["suffix"] or "")
        return returned | await compare(quotation, _given(now), _given(before) if before else None)

    return await each(lines(file), one, at_once=at_once)


def _tell(found: "Json") -> None:
    show(f"{found['verdict']}{': ' + found['reason'] if found['reason'] else ''}")
    if found["matched"] is not None:
        show(f"  {found['where']} {found['start']}..{found['end']}: {found['matched']}")
    for one in found["differences"]:
        show(f"  - {one['quote']!r}  + {one['page']!r}")
    if found["flags"]:
        show(f"  it has to do with: {', '.join(found['flags'])}")
    if found["page_state"] != "ok":
        show(f"  page state {found['page_state']}: {'; '.join(found['page_state_evidence'])}")
