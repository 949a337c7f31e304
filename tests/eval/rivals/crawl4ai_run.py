"""crawl4ai: shows the addresses on stdin, some at a time, with a picture, and tells the seconds."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

ASKED = json.load(sys.stdin)
told = sys.stdout
sys.stdout = sys.stderr  # it talks


async def main(where: str) -> None:
    from crawl4ai import AsyncWebCrawler, BrowserConfig, CacheMode, CrawlerRunConfig
    from crawl4ai.async_dispatcher import SemaphoreDispatcher

    config = CrawlerRunConfig(
        cache_mode=CacheMode.BYPASS,
        screenshot=True,
        verbose=False,
        wait_until="load",
        check_robots_txt=False,
        scan_full_page=ASKED["picture"] == "full",
    )
    browser = BrowserConfig(cdp_url=where, headless=True, verbose=False, viewport_width=1280, viewport_height=800)
    async with AsyncWebCrawler(config=browser) as crawler:
        await crawler.arun(ASKED["urls"][0], config=config)
        began = time.perf_counter()
        dispatcher = SemaphoreDispatcher(max_session_permit=ASKED["at_once"])
        found = await crawler.arun_many(ASKED["urls"], config=config, dispatcher=dispatcher)
        seconds = time.perf_counter() - began
    good = sum(one.success and bool(one.screenshot) for one in found)
    json.dump({"seconds": seconds, "pages": good}, told)


with tempfile.TemporaryDirectory() as profile:
    command = [
        ASKED["chromium"],
        "--headless",
        "--no-sandbox",
        "--remote-debugging-port=0",
        f"--user-data-dir={profile}",
    ]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        assert process.stderr is not None
        where = next(found[0] for line in process.stderr if (found := re.search(r"ws://\S+", line)))
        asyncio.run(main(where))
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # all that it started, which would hold on to our streams
        process.wait()
