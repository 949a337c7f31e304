"""The main job with the bucket on an S3 server and the databases on PostgreSQL."""

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
import zstandard
from botocore.config import Config

from tests.acceptance.history import continues
from tests.acceptance.installation import Installation
from tests.acceptance.traces import traces, windows
from tests.postgres import Cluster, postgres_cluster
from tests.seaweed import ACCESS_KEY, SECRET_KEY, Seaweed, seaweed

pytestmark = pytest.mark.slow

PAGES = 60
CHECKER = Path(__file__).parents[1] / "check_proof.py"
QUESTION = "context manager protocol"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with postgres_cluster() as running:
        yield running


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seaweed]:
    with seaweed(tmp_path_factory.mktemp("seaweed")) as running:
        yield running


def stored(s3: Seaweed) -> dict[str, bytes]:
    """Everything in the bucket, by name below the installation's prefix."""
    client = boto3.session.Session().client(
        "s3",
        endpoint_url=s3.endpoint,
        region_name="us-east-1",
        aws_access_key_id=ACCESS_KEY,
        aws_secret_access_key=SECRET_KEY,
        config=Config(s3={"addressing_style": "path"}),
    )
    found = {}
    for page in client.get_paginator("list_objects_v2").paginate(Bucket=s3.bucket):
        for entry in page.get("Contents", []):
            body = client.get_object(Bucket=s3.bucket, Key=entry["Key"])["Body"].read()
            found[entry["Key"].partition("/")[2]] = body
    client.close()
    return found


def plain(data: bytes, name: str) -> bytes:
    """An object's own bytes, which must be what its name says."""
    if hashlib.sha256(data).hexdigest() != name:
        data = zstandard.ZstdDecompressor().decompressobj().decompress(data)
    assert hashlib.sha256(data).hexdigest() == name
    return data


def search(installation: Installation) -> dict[str, Any]:
    found: dict[str, Any] = installation.run("search", QUESTION, "--json").json
    return found


def ids(found: dict[str, Any]) -> list[str]:
    return [passage["id"] for result in found["results"] for passage in result["passages"]]


def test_the_main_job_with_bucket_on_s3_and_databases_on_postgresql(
    documentation: str, s3: Seaweed, cluster: Cluster, tmp_path: Path
) -> None:
    settings = {**s3.environment, "CITATOR_DATABASE_URL": cluster.create()}
    here = Installation(tmp_path / "here", settings)

    report = here.run("crawl", f"{documentation}library/contextlib.html", "--max-pages", str(PAGES), "--json").json
    assert len(report["captures"]) == PAGES
    assert not (here.data / "bucket").exists()
    assert not list(here.data.glob("*.db"))

    found = search(here)
    passage = found["results"][0]["passages"][0]
    shown = here.run("show", passage["id"]).stdout
    assert f"sha256:{hashlib.sha256(shown).hexdigest()}" == passage["id"]
    proof = here.run("proof", passage["id"], "--json").json
    (tmp_path / "proof").write_text(proof["proof"])
    (tmp_path / "record").write_bytes(here.run("show", proof["record"]).stdout)
    command = [sys.executable, str(CHECKER), str(tmp_path / "proof"), proof["vkey"], str(tmp_path / "record")]
    assert subprocess.run(command, check=False).returncode == 0

    # Killed in the middle of work, nothing is half there.
    with here.serving() as server:
        server.post("/api/v1/crawls", {"url": documentation, "max_pages": 40})
        server.post("/api/v1/search", {"query": QUESTION, "fetch": "never"})
        _, seen = server.get("/api/v1/log/checkpoint")
        server.kill()
        assert server.survivors() == []
    assert here.run("doctor", "--deep", "--json").json["holds"] is True

    # Another machine: the same bucket and databases, the same key, nothing else.
    before = ids(search(here))
    there = Installation(tmp_path / "there", settings)
    (there.data / "keys").mkdir(parents=True, mode=0o700)
    there.data.chmod(0o700)
    shutil.copy2(here.data / "keys" / "log.key", there.data / "keys" / "log.key")
    there.run("rebuild", "--json")
    assert ids(search(there)) == before

    # A page is removed: no byte of its text is left in bucket, databases, or on either machine's disk.
    page = search(here)["results"][0]
    capture = json.loads(here.run("show", page["capture"]).stdout)
    document = json.loads(here.run("show", capture["document"]).stdout)
    source = document["source"].removeprefix("sha256:")
    contents = {name.rpartition("/")[2]: data for name, data in stored(s3).items() if name.startswith("objects/")}
    elsewhere = b"\0".join(
        whole
        for name, whole in ((name, plain(data, name)) for name, data in contents.items())
        if name != source and source.encode() not in whole and page["capture"].encode() not in whole
    )
    needles = [piece for piece in windows(document["text"]) if piece not in elsewhere]
    assert len(needles) > 5
    assert any(needle in plain(contents[source], source) for needle in needles)

    here.run("delete", page["url"], "--yes", "--json")
    there.run("search", QUESTION, "--json")  # the other machine hears of it when it next looks

    left = tmp_path / "left"
    for name, data in stored(s3).items():
        (left / name).parent.mkdir(parents=True, exist_ok=True)
        (left / name).write_bytes(data)
    assert traces(needles, left, here.data, there.data, cluster.folder) == {}
    files = stored(s3)
    assert continues(lambda name: files[f"log/{name}"], [seen])
    assert here.run("doctor", "--deep", "--json").json["holds"] is True
