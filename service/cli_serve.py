"""`citator serve` and `citator demo`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli_output import end, finish

if TYPE_CHECKING:
    from service.settings import Settings


def serve() -> None:
    """Serve the HTTP API until stopped. What is running then is finished; nothing is lost."""

    def work() -> int:
        import asyncio

        import uvloop

        from service.heaps import keep_heaps_few
        from service.logs import log_to_stderr
        from service.settings import load_settings

        keep_heaps_few()
        settings = load_settings()
        log_to_stderr(settings.log_level)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve(settings))
        return 0

    end(work)


async def _serve(settings: "Settings") -> None:
    import asyncio

    from service.connect import opening
    from service.server import serve as serving
    from service.server import stopped_by_signals

    stop = asyncio.Event()
    with stopped_by_signals(stop):
        async with opening(settings, resume=True) as actions:
            await serving(actions, settings, stop)


def demo(
    data: Annotated[Path, typer.Option(help="The data directory to use; an earlier demo there is emptied.")] = Path(
        "citator-demo"
    ),
) -> None:
    """Show the whole of Citator on a small site that it brings along."""

    async def work() -> int:
        from service.demo.tour import tour
        from service.errors import DONE, NOT_HELD

        return DONE if await tour(data.absolute()) else NOT_HELD

    finish(work)
