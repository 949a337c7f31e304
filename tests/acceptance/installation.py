"""One installation of Citator as a person has it: a data directory, and the command."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.postgres import free_port

COMMAND = Path(sys.executable).parent / "citator"
START_WITHIN = 60.0  # seconds; a shared machine with two busy cores takes its time


@dataclass(frozen=True)
class Finished:
    """What a command left behind."""

    status: int
    stdout: bytes
    stderr: str

    @property
    def json(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.stdout)

    @property
    def lines(self) -> list[Any]:
        """One JSON document a line."""
        return [json.loads(line) for line in self.stdout.splitlines()]


@dataclass(frozen=True)
class Server:
    """A running `citator serve`. Its process group holds all its workers."""

    url: str
    process: subprocess.Popen[bytes]
    key: str
    log: Path

    def get(self, path: str, *, headers: Mapping[str, str] | None = None) -> tuple[int, bytes]:
        return self.ask("GET", path, None, headers=headers)

    def post(self, path: str, body: object) -> tuple[int, bytes]:
        return self.ask("POST", path, body)

    def ask(
        self, method: str, path: str, body: object = None, *, headers: Mapping[str, str] | None = None
    ) -> tuple[int, bytes]:
        """Status and body; connection errors raise `OSError`."""
        request = urllib.request.Request(self.url + path, method=method)
        request.add_header("Authorization", f"Bearer {self.key}")
        for name, value in (headers or {}).items():
            request.add_header(name, value)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, refused.read()

    def kill(self) -> None:
        """As `kill -9` does: only the server itself, its workers have to notice."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """As an operator does; the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)

    def survivors(self, within: float = START_WITHIN) -> list[int]:
        """Processes of the server that still live after it is gone."""
        deadline = time.monotonic() + within
        while left := members(self.process.pid):
            if time.monotonic() > deadline:
                return left
            time.sleep(0.05)
        return []


def members(group: int) -> list[int]:
    """The processes of a group that are not zombies."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            state, _, its_group = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue  # gone meanwhile
        if int(its_group) == group and state != "Z":
            found.append(int(entry.name))
    return found


@dataclass(frozen=True)
class Installation:
    """A data directory and its settings."""

    data: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    command: Sequence[str] = (str(COMMAND),)

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("CITATOR_")}
        loopback = {"CITATOR_ALLOW_ADDRESSES": "127.0.0.0/8", "CITATOR_HOST_DELAY": "0"}
        return kept | loopback | {"CITATOR_DATA": str(self.data), "NO_COLOR": "1"} | dict(self.settings)

    def run(self, *arguments: str, status: int | None = 0, given: bytes = b"", within: float = 900) -> Finished:
        """Run a command to its end; `status` is the exit status that is expected (None: any)."""
        done = subprocess.run(
            [*self.command, *arguments],
            input=given,
            capture_output=True,
            env=self.environment,
            timeout=within,
            check=False,
        )
        finished = Finished(done.returncode, done.stdout, done.stderr.decode(errors="replace"))
        assert status is None or finished.status == status, (
            f"citator {' '.join(arguments)}: {finished.status}\n{finished.stderr}\n{finished.stdout[:2000]!r}"
        )
        return finished

    def start(self, *, command: Sequence[str] | None = None, **settings: str) -> Server:
        """Start `citator serve` (or `command`, which does the same) on a free port; wait until it can do its work."""
        log = self.data.with_name(self.data.name + ".serve.log")
        port = free_port()
        environment = self.environment | {"CITATOR_LISTEN": f"127.0.0.1:{port}"} | settings
        with log.open("ab") as messages:
            process = subprocess.Popen(
                [*(command or (*self.command, "serve"))],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=messages,
                stderr=messages,
                start_new_session=True,
            )
        url = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + START_WITHIN
        while True:
            try:
                with urllib.request.urlopen(f"{url}/readyz", timeout=5):
                    break
            except OSError:
                if process.poll() is not None or time.monotonic() > deadline:
                    process.kill()
                    raise AssertionError(f"the server did not start:\n{log.read_text()[-4000:]}") from None
                time.sleep(0.02)
        return Server(url, process, (self.data / "first-key").read_text().strip(), log)

    @contextmanager
    def serving(self, *, command: Sequence[str] | None = None, **settings: str) -> Iterator[Server]:
        """A server for the time of a block; whatever happens there, nothing of it is left running."""
        server = self.start(command=command, **settings)
        try:
            yield server
        finally:
            end_group(server.process)


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Stop a process that leads a group, politely and then not, with all that it started."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for left in members(process.pid):
        os.kill(left, signal.SIGKILL)


@contextmanager
def static_site(folder: Path) -> Iterator[str]:
    """A plain static server over `folder` in a process of its own; yields its address, with the final slash."""
    port = free_port()
    command = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "--directory", str(folder)]
    process = subprocess.Popen(
        [*command, "--protocol", "HTTP/1.1", str(port)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    url = f"http://127.0.0.1:{port}/"
    try:
        deadline = time.monotonic() + START_WITHIN
        while True:
            try:
                with urllib.request.urlopen(url, timeout=5):
                    break
            except urllib.error.HTTPError:
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
        yield url
    finally:
        end_group(process)
