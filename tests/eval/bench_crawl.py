"""Crawling a static site, the whole pipeline durable on disk, beside extraction alone on the same bytes."""

import gzip
import json
import stat
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from tests.acceptance.installation import Installation, Server, static_site
from tests.acceptance.pages import python_documentation
from tests.eval.measure import cpu_of_group, line

PAGES = 300

# Runs alone in a process, so that nothing but extraction is counted. Prints CPU seconds.
BASELINE = """
import json, sys, time
import trafilatura
pages = [open(path, encoding="utf-8").read() for path in json.load(sys.stdin)]
trafilatura.bare_extraction(pages[0], with_metadata=True)
begin = time.process_time()
for page in pages:
    trafilatura.bare_extraction(page, with_metadata=True)
print(time.process_time() - begin)
"""


def crawl(server: Server, url: str, pages: int) -> list[str]:
    """Crawl through the API to the end, and wait for the index; the captured addresses."""
    status, body = server.post("/api/v1/crawls", {"url": url, "max_pages": pages})
    assert status < 300, body
    crawl_id = json.loads(body)["id"]
    while True:
        _, body = server.get(f"/api/v1/crawls/{crawl_id}")
        state = json.loads(body)
        if state["state"] != "running":
            break
        time.sleep(0.2)
    server.post("/api/v1/search", {"query": "index", "fetch": "never", "store": False})  # waits for the index
    return [capture["url"] for capture in state["captures"]]


def baseline(files: list[Path]) -> float:
    """CPU seconds of `trafilatura.bare_extraction` with metadata over the files, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", BASELINE],
        input=json.dumps([str(path) for path in files]),
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def sizes(folder: Path) -> tuple[int, int]:
    """Files and bytes below a folder, which may be changing."""
    found = []
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):
            status = path.stat()
            if stat.S_ISREG(status.st_mode):
                found.append(status.st_size)
    return len(found), sum(found)


def run() -> None:
    site_folder = python_documentation()
    print(f"\nCrawl of {PAGES} pages of Debian's python3-doc on loopback, durable on disk")
    with tempfile.TemporaryDirectory() as work, static_site(site_folder) as url:
        installation = Installation(Path(work) / "data")
        with installation.serving() as server:
            crawl(server, f"{url}about.html", 1)  # workers are up, modules loaded
            before_objects, before_bytes = sizes(installation.data / "bucket" / "objects")
            before_log = sizes(installation.data / "bucket" / "log")[1]
            before_cpu, begin = cpu_of_group(server.process.pid), time.perf_counter()
            addresses = crawl(server, url, PAGES)
            wall = time.perf_counter() - begin
            cpu = cpu_of_group(server.process.pid) - before_cpu
        objects, stored = sizes(installation.data / "bucket" / "objects")
        objects, stored = objects - before_objects, stored - before_bytes
        log = sizes(installation.data / "bucket" / "log")[1] - before_log
        pages = len(addresses)
        files = [site_folder / (urlsplit(address).path.lstrip("/") or "index.html") for address in addresses]
        files = [path / "index.html" if path.is_dir() else path for path in files]
        alone = baseline([path for path in files if path.suffix == ".html"])
        html = sum(path.suffix == ".html" for path in files)
        zipped = sum(len(gzip.compress(path.read_bytes(), 6)) for path in files)
    ours, theirs = pages / cpu, html / alone
    line("pages per CPU second, all processes", f"{ours:.1f}", f"bare_extraction alone {theirs:.1f}")
    line("  ratio", f"{ours / theirs:.2f}", "", "aim 0.75 or more")
    line("pages per second of wall time", f"{pages / wall:.1f}")
    line("objects per page", f"{objects / pages:.2f}", "", "aim 3 at most")
    line(
        "bytes kept per page, objects and log",
        f"{(stored + log) / pages:.0f}",
        f"gzip of the pages {zipped / pages:.0f}",
    )
    line("  ratio", f"{(stored + log) / zipped:.2f}", f"log alone {log / pages:.0f} bytes a page", "aim under 1.6")
