"""What an idle server costs, and how long a person waits for a first answer or for help."""

import subprocess
import tempfile
import time
from pathlib import Path

from tests.acceptance.installation import COMMAND, Installation
from tests.eval.measure import line, memory_of_group, timed


def run() -> None:
    print("\nStarting and idling")
    with tempfile.TemporaryDirectory() as work:
        installation = Installation(Path(work) / "data")
        starts: list[float] = []
        memory: dict[str, float] = {}
        for _ in range(3):
            begin = time.perf_counter()
            with installation.serving() as server:
                status, _ = server.post("/api/v1/search", {"query": "anything", "fetch": "never"})
                starts.append(time.perf_counter() - begin)
                assert status == 200
                time.sleep(3)
                memory = memory_of_group(server.process.pid)
    helped = timed(lambda: subprocess.run([COMMAND, "--help"], capture_output=True, check=True))
    python = timed(lambda: subprocess.run([COMMAND.with_name("python"), "-c", "pass"], check=True))
    line("start to first answer", f"{sorted(starts)[1]:.2f} s", "median of 3, a new process each", "aim under 3 s")
    line(
        "idle memory, all processes",
        f"{memory['pss']:.0f} MB",
        f"{memory['processes']:.0f} processes, shared pages once",
    )
    line("idle memory, the server itself", f"{memory['rss']:.0f} MB", "resident", "aim under 200 MB")
    line("citator --help", f"{helped:.2f} s", f"python -c pass {python:.2f} s", "aim under 0.3 s")
