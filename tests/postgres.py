"""A private PostgreSQL cluster for tests: made in a temporary directory, never run as root, gone afterwards."""

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

USER = "citator"
START_WITHIN = 60.0  # seconds; a shared machine with two busy cores takes its time


@dataclass(frozen=True)
class Cluster:
    """A running cluster; `folder` holds its files."""

    folder: Path
    port: int
    password: str

    def url(self, database: str) -> str:
        """The address of a database as SQLAlchemy takes it."""
        return f"postgresql+psycopg://{USER}:{self.password}@127.0.0.1:{self.port}/{database}"

    def create(self) -> str:
        """Make an empty database under a new name; its address."""
        name = f"d{secrets.token_hex(6)}"
        with psycopg.connect(self.url("postgres").replace("+psycopg", ""), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return self.url(name)


def programs() -> Path:
    """Where initdb and postgres lie, whichever version there is."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    if initdb is None:
        pytest.fail("there is no PostgreSQL server: run `make setup-tests`")
    return Path(initdb).parent


@contextmanager
def postgres_cluster() -> Iterator[Cluster]:
    """Start a cluster of its own for the time of a block."""
    with tempfile.TemporaryDirectory(prefix="citator-postgres-") as work:
        place = Path(work)
        drop: list[str] = []
        password = secrets.token_hex(16)
        (place / "password").write_text(password)
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            drop = ["setpriv", f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--init-groups"]
            for path in (place, place / "password"):
                os.chown(path, owner.pw_uid, owner.pw_gid)
        data, bin_folder = place / "data", programs()
        made = [*drop, str(bin_folder / "initdb"), "-D", str(data), "-U", USER, "--pwfile", str(place / "password")]
        subprocess.run(
            [*made, "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync"],
            check=True,
            capture_output=True,
            cwd=place,
        )
        port = free_port()
        options = [f"-p{port}", f"-k{place}", "-clisten_addresses=127.0.0.1", "-cfsync=off", "-cmax_connections=50"]
        with (place / "server.log").open("wb") as log:
            process = subprocess.Popen(
                [*drop, str(bin_folder / "postgres"), "-D", str(data), *options],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                cwd=place,
            )
        cluster = Cluster(data, port, password)
        try:
            _wait(cluster, process, place / "server.log")
            yield cluster
        finally:
            process.send_signal(signal.SIGINT)  # the fast shutdown: clients are not waited for
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(cluster: Cluster, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_WITHIN
    while True:
        try:
            psycopg.connect(cluster.url("postgres").replace("+psycopg", ""), connect_timeout=5).close()
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"PostgreSQL did not start:\n{log.read_text()[-2000:]}") from None
            time.sleep(0.05)
        else:
            return


def free_port() -> int:
    """A port that was free a moment ago."""
    import socket

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port
