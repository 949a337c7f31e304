"""A real S3 server on loopback: SeaweedFS, from the `weed` command of the environment.

with seaweed(directory) as server:
    store = open_store(f"s3://{server.bucket}/prefix", **server.options)
"""

import http.client
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ACCESS_KEY = "tests"
SECRET_KEY = "only for tests"
BUCKET = "evidence"
START_SECONDS = 120
"""A machine that is busy with other tests takes its time; one that is not takes three seconds."""
GRPC_OFFSET = 10_000
"""SeaweedFS opens a second port for each, this much above the first."""


@dataclass(frozen=True)
class Seaweed:
    """A running server with one bucket."""

    port: int
    process: subprocess.Popen[bytes]
    bucket: str = BUCKET

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def options(self) -> dict[str, Any]:
        """What `open_store` needs to know."""
        return {"endpoint": self.endpoint, "access_key": ACCESS_KEY, "secret_key": SECRET_KEY}

    @property
    def environment(self) -> dict[str, str]:
        """What a `citator` process needs to know."""
        return {
            "CITATOR_BUCKET": f"s3://{self.bucket}/citator",
            "CITATOR_S3_ENDPOINT": self.endpoint,
            "CITATOR_S3_ACCESS_KEY": ACCESS_KEY,
            "CITATOR_S3_SECRET_KEY": SECRET_KEY,
        }


@contextmanager
def seaweed(directory: Path) -> Iterator[Seaweed]:
    """Starts a server that keeps its data below `directory`, makes the bucket, and ends it afterwards."""
    directory.mkdir(parents=True, exist_ok=True)
    identity = {
        "name": "tests",
        "credentials": [{"accessKey": ACCESS_KEY, "secretKey": SECRET_KEY}],
        "actions": ["Admin", "Read", "Write", "List", "Tagging"],
    }
    (directory / "s3.json").write_text(json.dumps({"identities": [identity]}))
    (directory / "data").mkdir(exist_ok=True)
    s3, master, volume, filer = _free_ports(4)
    command = [
        *(str(Path(sys.executable).with_name("weed")), "mini", f"-dir={directory / 'data'}"),
        *("-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-s3.config={directory / 's3.json'}", f"-s3.port={s3}"),
        *(f"-master.port={master}", f"-volume.port={volume}", f"-filer.port={filer}"),
        *("-admin.ui=false", "-webdav=false", "-s3.port.iceberg=0"),
    ]
    with (directory / "weed.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=directory)
    try:
        server = Seaweed(s3, process)
        _wait(server, directory / "weed.log")
        _make_bucket(server)
        yield server
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(server: Seaweed, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.process.poll() is None:
        with suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=2)
            connection.request("GET", "/healthz")
            status = connection.getresponse().status
            connection.close()
            if status == http.client.OK:
                return
        time.sleep(0.1)
    raise RuntimeError(f"SeaweedFS did not start: {log.read_text(errors='replace')[-2000:]}")


def _make_bucket(server: Seaweed) -> None:
    import boto3
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError, ClientError

    client = boto3.session.Session().client(
        "s3",
        endpoint_url=server.endpoint,
        region_name="us-east-1",
        aws_access_key_id=ACCESS_KEY,
        aws_secret_access_key=SECRET_KEY,
        config=Config(s3={"addressing_style": "path"}),
    )
    deadline = time.monotonic() + START_SECONDS
    while True:  # the S3 port is open a moment before the parts behind it are
        try:
            client.create_bucket(Bucket=server.bucket)
            client.put_object(Bucket=server.bucket, Key="ready", Body=b"ready")
            client.delete_object(Bucket=server.bucket, Key="ready")
        except (BotoCoreError, ClientError) as problem:
            if "BucketAlready" in str(problem):
                break
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
        else:
            break
    client.close()


def _free_ports(count: int) -> list[int]:
    """Ports that are free, and whose neighbours 10,000 above are too."""
    found: list[int] = []
    held: list[socket.socket] = []
    try:
        while len(found) < count:
            first = _bound(0)
            held.append(first)
            port = first.getsockname()[1]
            if port + GRPC_OFFSET > 65_535:
                low = _try_bound(port - 2 * GRPC_OFFSET)
                if low is None:
                    continue
                held.append(low)
                port -= 2 * GRPC_OFFSET
            second = _try_bound(port + GRPC_OFFSET)
            if second is not None:
                held.append(second)
                found.append(port)
    finally:
        for each in held:
            each.close()
    return found


def _bound(port: int) -> socket.socket:
    each = socket.socket()
    try:
        each.bind(("127.0.0.1", port))
    except OSError:
        each.close()
        raise
    return each


def _try_bound(port: int) -> socket.socket | None:
    try:
        return _bound(port)
    except OSError:
        return None
