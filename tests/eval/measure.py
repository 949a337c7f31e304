"""What benchmarks measure with: CPU and memory of a whole process group, percentiles, a steady stream of calls."""

import http.client
import json
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tests.acceptance.installation import Server, members

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_of_group(group: int) -> float:
    """CPU seconds of all processes of a group, with those of their children that have ended."""
    total = 0
    for pid in members(group):
        try:
            fields = (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # gone meanwhile; its parent holds its time
        total += sum(int(field) for field in fields[11:15])
    return total / TICKS


def memory_of_group(group: int) -> dict[str, float]:
    """Megabytes: `rss` of the leader, `pss` of all processes (shared pages counted once)."""
    pss = 0
    rss = 0
    for pid in members(group):
        rollup = (Path("/proc") / str(pid) / "smaps_rollup").read_text()
        values = {line.split(":")[0]: int(line.split()[1]) for line in rollup.splitlines()[1:]}
        pss += values["Pss"]
        if pid == group:
            rss = values["Rss"]
    return {"rss": rss / 1024, "pss": pss / 1024, "processes": len(members(group))}


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` of the values do not exceed."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(share * len(ranked)))]


@dataclass(frozen=True)
class Calls:
    """Seconds of each call, from the moment it was due to the last byte; and how many failed."""

    seconds: tuple[float, ...]
    failed: int
    wall: float


def steady_calls(server: Server, path: str, bodies: Sequence[dict[str, object]], per_second: float) -> Calls:
    """POST each body at its appointed time, over kept connections, whether or not earlier ones are answered.

    A call that has to wait for a free sender counts its waiting: a slow server cannot slow the asking down.
    """
    senders = 32
    host = urlsplit(server.url).netloc
    seconds: list[float] = []
    failures: list[str] = []
    guard = threading.Lock()
    waiting = iter(list(enumerate(bodies)))
    begin = time.perf_counter() + 0.2

    def send() -> None:
        connection = http.client.HTTPConnection(host, timeout=60)
        headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
        while True:
            with guard:
                number, body = next(waiting, (-1, {}))
            if number < 0:
                break
            due = begin + number / per_second
            time.sleep(max(0.0, due - time.perf_counter()))
            connection.request("POST", path, json.dumps(body).encode(), headers)
            answer = connection.getresponse()
            text = answer.read()
            took = time.perf_counter() - due
            with guard:
                seconds.append(took)
                if answer.status != http.client.OK:
                    failures.append(f"{answer.status} {text[:200]!r}")
        connection.close()

    threads = [threading.Thread(target=send) for _ in range(senders)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        print(f"    {len(failures)} calls failed, the first: {failures[0]}")
    return Calls(tuple(seconds), len(failures), time.perf_counter() - begin)


def timed(action: Callable[[], object], repeat: int = 5) -> float:
    """The median of the wall seconds of an action."""
    took = []
    for _ in range(repeat):
        begin = time.perf_counter()
        action()
        took.append(time.perf_counter() - begin)
    return percentile(took, 0.5)


def line(what: str, value: str, beside: str = "", aim: str = "") -> None:
    """One figure, with what it is compared to and what was aimed at."""
    print(f"  {what:<46} {value:>14}  {beside:<44} {aim}", flush=True)
