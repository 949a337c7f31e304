"""`citator serve` where names lead to what a file says: for each name a list of answers, given one after the other."""

import asyncio
import json
import os
from pathlib import Path

from service.build import build
from service.server import serve, stopped_by_signals
from service.settings import load_settings
from tests.network import ScriptedResolver


async def main(script: dict[str, list[list[str]]]) -> None:
    """As the command does, with another resolver."""
    settings = load_settings()
    stop = asyncio.Event()
    with stopped_by_signals(stop):
        async with build(settings, resolver=ScriptedResolver(script), resume=True) as actions:
            await serve(actions, settings, stop)


if __name__ == "__main__":
    asyncio.run(main(json.loads(Path(os.environ["NAMES"]).read_text())))
