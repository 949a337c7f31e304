"""`citator serve` and `citator demo`."""

from pathlib import Path
from typing import Annotated

import typer

from service.cli_output import finish


def serve() -> None:
    """Serve the HTTP API until stopped. What is running then is finished; nothing is lost."""

    async def work() -> int:
        import asyncio

        from service.connect import opening
        from service.server import serve as serving
        from service.server import stopped_by_signals

        stop = asyncio.Event()
        with stopped_by_signals(stop):
            async with opening(settings) as actions:
                await serving(actions, settings, stop)
        return 0

    from service.settings import load_settings

    settings = load_settings()
    finish(work, log_level=settings.log_level)


def demo(
    data: Annotated[Path, typer.Option(help="The data directory to use; an earlier demo there is emptied.")] = Path(
        "citator-demo"
    ),
) -> None:
    """Show the whole of Citator on a small site that it brings along."""
    from importlib import import_module

    from service.errors import DONE, NOT_HELD

    raise typer.Exit(DONE if import_module("service.demo.tour").run_demo(data) else NOT_HELD)
