"""The driver between us and the browsers may stand still or end: nothing waits for it for ever, and nothing is left."""

import asyncio
import gc
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright._impl._driver import compute_driver_executable
from playwright.async_api import Error

from crawler import NoBrowser, RenderSettings
from crawler.browsers import Browsers, find_chromium
from crawler.driver import Driver
from tests.crawler.test_rendering import children

SILENT = "while read -r line; do :; done"


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Puts a shell script in the place of Node.js; `{node}` in it stands for the real one."""
    real, _ = compute_driver_executable()

    def place(script: str) -> None:
        program = tmp_path / "node"
        program.write_text(f"#!/bin/sh\n{script.replace('{node}', real)}\n")
        program.chmod(0o700)
        os.environ["PLAYWRIGHT_NODEJS_PATH"] = str(program)

    yield place
    del os.environ["PLAYWRIGHT_NODEJS_PATH"]


async def test_a_driver_that_says_nothing_is_ended_and_named(node: Callable[[str], None]) -> None:
    node(SILENT)
    before = children()

    with pytest.raises(NoBrowser, match="said nothing"):
        await Driver.start(patience=0.5)

    assert children() <= before


async def test_a_driver_that_ends_at_its_start_is_named(node: Callable[[str], None]) -> None:
    node("exit 1")

    with pytest.raises(NoBrowser, match="cannot be started"):
        await Driver.start()


async def test_another_driver_gets_a_try(node: Callable[[str], None]) -> None:
    node('mkdir "$0.tried" && exit 1\nexec "{node}" "$@"')
    browsers = Browsers(RenderSettings())
    before = children()

    try:
        async with browsers.one() as running:
            name = running.name
    finally:
        await browsers.close()

    assert name.startswith("Chromium ")
    assert children() <= before


async def test_a_driver_that_is_lost_leaves_nothing_in_the_log() -> None:
    said: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: said.append(context))
    started = await Driver.start()

    for process in started.processes:
        os.kill(process, signal.SIGKILL)
    with pytest.raises(Error):
        await started.playwright.chromium.launch(executable_path=find_chromium())
    await started.stop()
    del started
    gc.collect()

    assert said == []


async def test_a_driver_that_stands_still_at_the_end_is_ended() -> None:
    before = children()
    started = await Driver.start()

    for process in children() - before:
        os.kill(process, signal.SIGSTOP)
    await started.stop(patience=0.5)

    assert children() <= before
