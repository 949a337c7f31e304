"""Capturing pages beside programs that do the same without evidence, on the same pages in the same run.

Static pages beside Scrapy with trafilatura, in two processes each; rendered ones with a picture beside plain Playwright
and crawl4ai; and pages that have not changed beside their first capture. `make bench` installs the other programs.
"""

import json
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.acceptance.installation import Installation, Server, static_site
from tests.acceptance.pages import python_documentation
from tests.eval.bench_crawl import crawl
from tests.eval.measure import line

RIVALS = Path(".tmp/rivals/bin/python")
SCRIPTS = Path(__file__).parent / "rivals"
PAGES = 300
SHOWN = 40
AT_ONCE = 2
"""Pages that are shown at a time: as many as there are cores."""


def rival(script: str, asked: object) -> subprocess.Popen[str]:
    """Start one of the other programs."""
    process = subprocess.Popen(
        [RIVALS, SCRIPTS / f"{script}.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(json.dumps(asked))
    process.stdin.close()
    return process


def told(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What it tells at its end."""
    assert process.stdout is not None
    with process:
        text = process.stdout.read()
    return dict(json.loads(text[text.index("{") :]))


def static(site: str, work: Path) -> None:
    """First captures and second ones, and Scrapy on the same addresses."""
    installation = Installation(work / "static", {"CITATOR_READERS": "2"})
    with installation.serving() as server:
        crawl(server, f"{site}about.html", 1)
        begin = time.perf_counter()
        addresses = crawl(server, site, PAGES)
        first = (time.perf_counter() - begin) / len(addresses)
        begin = time.perf_counter()
        again = crawl(server, site, PAGES)
        second = (time.perf_counter() - begin) / len(again)
    halves = [rival("scrapy_run", addresses[half::2]) for half in (0, 1)]
    found = [told(one) for one in halves]
    wall = max(one["ended"] for one in found) - min(one["began"] for one in found)
    pages = sum(one["pages"] for one in found)
    print(f"\nStatic pages, {len(addresses)} of python3-doc")
    line("pages a second", f"{1 / first:.1f}", f"Scrapy and trafilatura, two processes {pages / wall:.1f}")
    line("  ratio", f"{1 / first / (pages / wall):.2f}", "", "aim 0.8 or more")
    line("pages a second, unchanged since", f"{1 / second:.1f}", f"first capture {1 / first:.1f}")
    line("  ratio", f"{first / second:.1f}", "", "aim 10 or more")


def captured(server: Server, url: str, picture: str) -> None:
    """One rendered page with its picture."""
    asked = {"url": url, "render": "always", "screenshot": True, "screenshot_of": picture}
    status, body = server.post("/api/v1/captures", asked)
    assert status == 200, body[:300]
    assert json.loads(body)["screenshot"]


def rendered(site: str, work: Path, picture: str) -> None:
    """The same pages shown by all three, with a picture of the same extent."""
    chromium = next(found for name in ("chromium-headless-shell", "chromium") if (found := shutil.which(name)))
    folder = python_documentation() / "library"
    urls = [f"{site}library/{path.name}" for path in sorted(folder.glob("*.html"))[: SHOWN + 1]]
    settings = {"CITATOR_RENDER_CONCURRENCY": str(AT_ONCE), "CITATOR_CHROMIUM": chromium}
    with Installation(work / picture, settings).serving() as server:
        captured(server, urls[0], picture)
        begin = time.perf_counter()
        with ThreadPoolExecutor(AT_ONCE) as many:
            list(many.map(lambda url: captured(server, url, picture), urls[1:]))
        ours = (len(urls) - 1) / (time.perf_counter() - begin)
    asked = {"urls": urls[1:], "at_once": AT_ONCE, "chromium": chromium, "picture": picture}
    plain, other = (told(rival(name, asked)) for name in ("playwright_run", "crawl4ai_run"))
    print(f"\nRendered pages with a picture ({picture}), {len(urls) - 1} of python3-doc, {AT_ONCE} at a time")
    for name, found, aim in (("plain Playwright", plain, "0.9"), ("crawl4ai", other, "1.0")):
        theirs = found["pages"] / found["seconds"]
        line("pages a second", f"{ours:.2f}", f"{name} {theirs:.2f} ({found['pages']} pages)")
        line("  ratio", f"{ours / theirs:.2f}", "", f"aim {aim} or more")


def run() -> None:
    if not RIVALS.exists():
        print("\nThe programs to compare with are not installed: `make bench` does it")
        return
    with tempfile.TemporaryDirectory() as work, static_site(python_documentation()) as site:
        static(site, Path(work))
        for picture in ("full", "viewport"):
            rendered(site, Path(work), picture)
