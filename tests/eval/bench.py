"""`make bench`: how fast it is, each figure beside its baseline from the same run.

With names of sections as arguments only those are run: crawl, search, metasearch, index, process, bundle, transcripts,
recheck, sessions, rivals.
"""

import importlib
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path

SECTIONS = {
    "crawl": "tests.eval.bench_crawl",
    "search": "tests.eval.bench_search",
    "metasearch": "tests.eval.bench_metasearch",
    "index": "tests.eval.bench_index",
    "process": "tests.eval.bench_process",
    "bundle": "tests.eval.bench_bundle",
    "transcripts": "tests.eval.bench_transcripts",
    "recheck": "tests.eval.bench_recheck",
    "sessions": "tests.eval.bench_sessions",
    "rivals": "tests.eval.bench_rivals",
}


def machine() -> str:
    """What the figures were measured on."""
    cpuinfo = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    model = next((each.partition(":")[2].strip() for each in cpuinfo.splitlines() if each.startswith("model name")), "")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    load = os.getloadavg()[0]
    return (
        f"{os.cpu_count()} x {model or platform.machine()}, {memory:.0f} GB, Python {platform.python_version()}, "
        f"load {load:.1f} at the start, {datetime.now(UTC):%Y-%m-%d}"
    )


def main() -> int:
    """Run the sections that were asked for, or all."""
    wanted = sys.argv[1:] or list(SECTIONS)
    unknown = [name for name in wanted if name not in SECTIONS]
    if unknown:
        print(f"no such section: {', '.join(unknown)}; there are {', '.join(SECTIONS)}", file=sys.stderr)
        return 2
    print(machine())
    for name in wanted:
        importlib.import_module(SECTIONS[name]).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
