"""`citator rebuild`, `backup`, `restore` and `doctor`."""

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli_output import finish, give_json, run, show

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from service.doors import Citator, Json, Progress

AsJson = Annotated[bool, typer.Option("--json", help="The result as JSON.")]


def rebuild(json: AsJson = False) -> None:
    """Make catalogue and search index anew from the bucket alone."""
    _work(lambda citator, progress: citator.rebuild(progress), as_json=json)


def backup(
    path: Annotated[Path, typer.Argument(help="The file to write, on the machine that holds the data.")],
    json: AsJson = False,
) -> None:
    """Write everything that cannot be made again into one file."""
    _work(lambda citator, progress: citator.backup(path, progress), as_json=json)


def restore(path: Annotated[Path, typer.Argument(help="A file that `backup` wrote.")], json: AsJson = False) -> None:
    """Fill an empty data directory from a backup."""

    async def work() -> int:
        import asyncio

        from service.backup import restore_backup
        from service.settings import load_settings

        with _shown() as progress:
            found = await asyncio.to_thread(restore_backup, load_settings(), path, progress)
        _tell(found, as_json=json)
        return 0

    finish(work, as_json=json)


def doctor(
    deep: Annotated[bool, typer.Option("--deep", help="Read every object, derive every tile again.")] = False,
    json: AsJson = False,
) -> None:
    """Check this installation; exit status 1 if a check does not hold."""

    async def work(citator: "Citator") -> int:
        from service.errors import DONE, NOT_HELD

        with _shown() as progress:
            found = await citator.doctor(deep=deep, progress=progress)
        if json:
            give_json(found)
        else:
            for check in found["checks"]:
                show(f"{check['result']:8} {check['check']}: {check['detail']}")
            show("all checks hold" if found["holds"] else "NOT all checks hold")
        return DONE if found["holds"] else NOT_HELD

    run(work, as_json=json)


def _work(what: "Callable[[Citator, Progress], Awaitable[Json]]", *, as_json: bool) -> None:
    async def work(citator: "Citator") -> int:
        with _shown() as progress:
            found = await what(citator, progress)
        _tell(found, as_json=as_json)
        return 0

    run(work, as_json=as_json)


def _tell(found: "Json", *, as_json: bool) -> None:
    if as_json:
        give_json(found)
        return
    for name, value in found.items():
        show(f"{name}: {value}")


@contextmanager
def _shown() -> "Iterator[Progress]":
    from service.cli_progress import shown

    with shown() as progress:
        yield progress
