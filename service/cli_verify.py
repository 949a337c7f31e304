"""`citator verify`: checks bundles, and WACZ and WARC files of others. Opens no data directory and keeps nothing."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli_output import finish, give_json, show

if TYPE_CHECKING:
    from snapshots import Verification


def verify(
    files: Annotated[list[Path], typer.Argument(metavar="FILE|DIR…", help="What to check; `-`: stdin.")],
    trust_key: Annotated[
        list[str] | None, typer.Option(metavar="VKEY|FILE", help="A log key that you trust; it must have signed.")
    ] = None,
    trust_tsa: Annotated[
        list[Path] | None, typer.Option(metavar="PEM", help="Certificates of authorities that you trust for the time.")
    ] = None,
    require: Annotated[
        list[str] | None, typer.Option(metavar="CLAIM", help="A claim that must be checked and hold.")
    ] = None,
    reread: Annotated[bool, typer.Option(help="Read the pages again, and compare their texts.")] = True,
    json: Annotated[bool, typer.Option("--json", help="All claims as JSON, a line for each file.")] = False,
) -> None:
    """Check a bundle, claim by claim: who signed it, whether anything was changed, what it shows and what not."""

    async def work() -> int:
        from service.errors import DONE, NOT_HELD
        from service.verifying import verifier
        from snapshots import told_as_json, told_in_words, trust_of

        trust = trust_of(trust_key or [], [str(path) for path in trust_tsa or []], require or [])
        held = True
        async with verifier(trust, reread=reread) as check:
            for file in files:
                found: Verification = await check(file)
                held = held and found.holds
                if json:
                    give_json(told_as_json(found))
                else:
                    show(told_in_words(found))
        return DONE if held else NOT_HELD

    finish(work, as_json=json)
