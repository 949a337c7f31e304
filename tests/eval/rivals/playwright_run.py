"""Plain Playwright: shows the addresses on stdin, some at a time, takes document and picture, and tells the seconds."""

import asyncio
import json
import sys
import time

from playwright.async_api import Browser, async_playwright

ASKED = json.load(sys.stdin)


async def shown(browser: Browser, url: str) -> int:
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    page = await context.new_page()
    await page.goto(url, wait_until="load")
    content = await page.content()
    picture = await page.screenshot(full_page=ASKED["picture"] == "full")
    await context.close()
    return len(content) + len(picture)


async def main() -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=ASKED["chromium"], args=["--no-sandbox"])
        await shown(browser, ASKED["urls"][0])
        turn = asyncio.Semaphore(ASKED["at_once"])

        async def one(url: str) -> int:
            async with turn:
                return await shown(browser, url)

        began = time.perf_counter()
        sizes = await asyncio.gather(*(one(url) for url in ASKED["urls"]))
        seconds = time.perf_counter() - began
        await browser.close()
    json.dump({"seconds": seconds, "pages": len(sizes)}, sys.stdout)


asyncio.run(main())
