"""`make soak`: 2,000 pages rendered, four at a time, and the memory that the service and its browsers take meanwhile.

The pages are made up: text that a script writes, pictures, a frame, timers that never end; each tenth holds a request
open.
"""

import json
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.acceptance.installation import Installation, Server
from tests.eval.measure import percentile
from tests.sites import HTML, Route, Site, robots

PAGES = int(os.environ.get("SOAK_PAGES", "2000"))
AT_ONCE = 4
SETTLED = min(200, PAGES // 4)
"""Pages after which programs are loaded, caches full and every process has been replaced once."""
EVERY = 10
"""Pages between two measurements."""
MOST_GROWTH = 1.15
SERVICE_LIMIT = 600
ALL_LIMIT = 1_500
"""Megabytes."""
PICTURE = b'<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><rect width="400" height="300"/></svg>'
PAGE = """<!DOCTYPE html><html lang="en"><head><title>Notices</title></head><body><div id="root"></div>
<img src="/picture"><iframe src="/frame"></iframe><script>
const text = "the harbour master tells all skippers that the swing bridge stays closed until the tide has turned";
const words = text.split(" "), root = document.getElementById("root");
for (let n = 0; n < 120; n++) {
  const p = document.createElement("p");
  p.textContent = Array.from({length: 40}, (_, i) => words[(n * 7 + i * i) % words.length]).join(" ") + location.search;
  root.append(p);
}
window.kept = new Array(200000).fill(location.href);
setInterval(() => { root.dataset.now = Date.now(); }, 250);
if (location.search.endsWith("7")) new EventSource("/stream");
</script></body></html>"""


@dataclass(frozen=True)
class Taken:
    """Megabytes of the service (server and readers) and of its browsers, with the program that drives them."""

    service: float
    browsers: float


def family(leader: int) -> dict[int, str]:
    """A process and all that descend from it, with their names."""
    parents: dict[int, tuple[int, str]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                head, _, tail = (entry / "stat").read_text().rpartition(")")
            except OSError:
                continue  # gone meanwhile
            parents[int(entry.name)] = (int(tail.split()[1]), head.partition("(")[2])
    found = {leader: parents[leader][1]}
    grown = True
    while grown:
        more = {pid: name for pid, (parent, name) in parents.items() if parent in found and pid not in found}
        found |= more
        grown = bool(more)
    return found


def taken(leader: int) -> Taken:
    """What is resident now; what processes share is counted once."""
    service = browsers = 0
    for pid, name in family(leader).items():
        try:
            rollup = (Path("/proc") / str(pid) / "smaps_rollup").read_text()
        except OSError:
            continue  # gone meanwhile
        size = next((int(each.split()[1]) for each in rollup.splitlines() if each.startswith("Pss:")), 0)
        if "chrom" in name or "headless" in name or name.startswith("node"):
            browsers += size
        else:
            service += size
    return Taken(service / 1024, browsers / 1024)


def capture(server: Server, url: str) -> bool:
    status, body = server.post("/api/v1/captures", {"url": url, "render": "always", "max_tokens": 100})
    return status == 200 and json.loads(body)["method"] == "browser"


def middle(values: list[float]) -> float:
    return percentile(values, 0.5)


def main() -> int:
    """Render, measure, tell; 1 if it took too much or pages failed."""
    stream = (("Content-Type", "text/event-stream"),)
    routes = [
        robots(),
        Route("/picture", 200, (("Content-Type", "image/svg+xml"),), PICTURE),
        Route("/frame", body="<p>What stands in a frame of the same site is read too.</p>"),
        Route("/stream", 200, stream, "data: begin\n\n", framing="as-is", then="hold"),
        Route("/page*", 200, (HTML,), PAGE),
    ]
    settings = {"CITATOR_RENDER_CONCURRENCY": str(AT_ONCE), "CITATOR_HOST_CONCURRENCY": str(AT_ONCE)}
    samples: list[tuple[int, Taken]] = []
    with (
        tempfile.TemporaryDirectory() as work,
        Site(routes) as site,
        Installation(Path(work) / "data", settings).serving() as server,
        ThreadPoolExecutor(AT_ONCE) as many,
    ):
        begin, good = time.perf_counter(), 0
        for first in range(0, PAGES, EVERY):
            urls = [site.url(f"/page?{number}") for number in range(first, first + EVERY)]
            good += sum(many.map(lambda url: capture(server, url), urls))
            samples.append((first + EVERY, taken(server.process.pid)))
            if (first + EVERY) % 200 == 0:
                now = samples[-1][1]
                print(f"  {first + EVERY} pages: {now.service:.0f} + {now.browsers:.0f} MB", flush=True)
        seconds = time.perf_counter() - begin
        left = server.process.pid
        server.stop()
        survivors = server.survivors()
    settled = middle([one.service for number, one in samples if abs(number - SETTLED) <= 5 * EVERY])
    at_end = middle([one.service for number, one in samples if number > PAGES - 10 * EVERY])
    service = max(one.service for _, one in samples)
    everything = max(one.service + one.browsers for _, one in samples)
    holds = {
        f"{good} of {PAGES} pages rendered, {PAGES / seconds:.1f} a second": good == PAGES,
        f"service at the end {at_end:.0f} MB, after {SETTLED} pages {settled:.0f}": at_end <= settled * MOST_GROWTH,
        f"service at most {service:.0f} MB, limit {SERVICE_LIMIT}": service < SERVICE_LIMIT,
        f"with browsers at most {everything:.0f} MB, limit {ALL_LIMIT}": everything < ALL_LIMIT,
        f"processes left of {left}: {survivors}": not survivors,
    }
    for what, held in holds.items():
        print(f"{'holds' if held else 'DOES NOT HOLD'}: {what}")
    return 0 if all(holds.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
