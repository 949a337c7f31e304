"""Bundles open in other people's readers of web archives, which find in them what we put in."""

import gzip
import hashlib
import json
import random
import subprocess
import urllib.error
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import pytest

from crawler import Address, BadAddress, parse_address
from snapshots.bundles.surt import surt
from snapshots.bundles.warc import target_of
from tests.acceptance.installation import Installation
from tests.acceptance.web_archives import pywb, replayer, run, text_in_browser, tool
from tests.service.opened import BRIDGE, FERRY, TOLL
from tests.sites import HTML, Route, Site, robots
from tests.strict_warc import records

pytestmark = pytest.mark.slow

WORDS = "Größe und Übergröße; “quoted”, 北港渡船, naïve"
ODD = f'<!DOCTYPE html><html lang="de"><meta charset="utf-8"><title>{WORDS}</title><p>{WORDS}. {TOLL * 3}</p>'
SITE = [
    robots("User-agent: *\nAllow: /\n"),
    Route("/toll", 302, (("Location", "/bridge"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")), "moved"),
    Route("/bridge", 200, (HTML, ("Content-Encoding", "gzip")), gzip.compress(BRIDGE.encode()), framing="chunked"),
    Route("/ferry", 200, (HTML,), FERRY, framing="chunked"),
    Route("/odd/%C3%BC?b=2&a=%20x", 200, (HTML,), ODD),
    Route("/Picture.PNG", 200, (("Content-Type", "image/png"),), b"\x89PNG\r\n\x1a\n" + bytes(range(256))),
    Route("/*", 404, (HTML,), "<!DOCTYPE html><title>Not found</title><p>There is no such page here.</p>"),
]
ASKED = ("/toll", "/ferry", "/odd/ü?b=2&a=%20x", "/Picture.PNG", "/nothing")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages of every kind, an address where nobody answers, a file, and a search, in one bundle."""
    folder = tmp_path_factory.mktemp("bundle")
    installation = Installation(folder / "data")
    page = folder / "tides.html"
    page.write_text(f"<title>Tides</title><p>High water is at four. {WORDS}</p>")
    with Site(SITE) as site, installation.serving():  # the commands go through its socket
        ids = [installation.run("fetch", site.url(path), "--json", status=None).json["capture"] for path in ASKED]
        ids.append(installation.run("fetch", "http://127.0.0.1:9/dead", "--json", status=None).json["capture"])
        ids.append(installation.run("add", str(page), "--url", "https://tides.example/", "--json").json["capture"])
        search = installation.run("search", "toll bridge", "--json").json
        assert search["results"]
        installation.run("bundle", *ids, "--search", search["record"], "-o", str(folder / "b.wacz"))
    return folder / "b.wacz"


@pytest.fixture(scope="module")
def unpacked(bundle: Path) -> Path:
    folder = bundle.with_name("unpacked")
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(folder)
    return folder


def index(unpacked: Path) -> list[tuple[str, dict[str, Any]]]:
    """Time and contents of each line of the index."""
    lines = gzip.decompress((unpacked / "indexes" / "index.cdx.gz").read_bytes()).decode().splitlines()
    return [(line.split(" ")[1], json.loads(line.split(" ", 2)[2])) for line in lines]


def test_the_validator_of_wacz_files_finds_nothing_wrong(bundle: Path) -> None:
    told = run("validators/bin/wacz", "validate", "-f", bundle)

    assert told.returncode == 0, told.stdout + told.stderr
    assert "is valid" in told.stdout


def test_the_archive_is_whole_for_gzip_and_warcio(unpacked: Path) -> None:
    archive = unpacked / "archive" / "data.warc.gz"

    for packed in (archive, unpacked / "indexes" / "index.cdx.gz"):
        subprocess.run(["gzip", "-t", packed], check=True)
    told = run("validators/bin/warcio", "check", "-v", archive)

    assert told.returncode == 0, told.stdout
    assert told.stdout.count("digest pass") == len(list(records(archive.read_bytes())))


def test_the_common_indexer_makes_the_same_index(unpacked: Path) -> None:
    told = run("validators/bin/cdxj-indexer", "-s", unpacked / "archive" / "data.warc.gz")

    assert told.returncode == 0, told.stderr
    assert told.stdout == gzip.decompress((unpacked / "indexes" / "index.cdx.gz").read_bytes()).decode()
    assert len(told.stdout.splitlines()) >= len(ASKED)


SURTS = "import json, sys, surt; print(json.dumps([surt.surt(url) for url in json.load(sys.stdin)]))"
"""A program over the library that makes the keys of the common indexer."""
PARTS = (
    "a",
    "B",
    "/",
    "?",
    "&",
    "=",
    "..",
    "%20",
    "%2F",
    "%25",
    "é",
    "//",
    "www.",
    "-",
    "_",
    "~",
    "(",
    ",",
    ";",
    "+",
    "'",
)


def test_addresses_have_the_keys_that_the_common_indexer_gives_them() -> None:
    draw = random.Random(5)
    hosts = ("a.example", "www.b.example", "www1.x.org:8080", "127.0.0.1:81", "EX.org", "bücher.example")
    made = (f"https://{draw.choice(hosts)}/{''.join(draw.choices(PARTS, k=draw.randint(0, 9)))}" for _ in range(3000))
    urls = sorted({target_of(found.href) for url in made if (found := address(url))})

    told = subprocess.run(
        [tool("validators/bin/python"), "-c", SURTS], input=json.dumps(urls), capture_output=True, text=True, check=True
    )

    assert len(urls) > 1000
    assert dict(zip(urls, map(surt, urls), strict=True)) == dict(zip(urls, json.loads(told.stdout), strict=True))


def address(url: str) -> Address | None:
    """The address in the form in which pages are fetched; None if it is none."""
    try:
        return parse_address(url)
    except BadAddress:
        return None


def test_a_strict_reader_finds_headers_and_bodies_that_agree(unpacked: Path) -> None:
    found = list(records((unpacked / "archive" / "data.warc.gz").read_bytes()))

    bridge = [one for one in found if one["WARC-Type"] == "response" and TOLL.encode() in one.body]
    assert any(one.header("X-Archive-Orig-Transfer-Encoding") == ["chunked"] for one in bridge)
    assert any(one.header("X-Archive-Orig-Content-Encoding") == ["gzip"] for one in bridge)
    redirect = next(one for one in found if one.first.startswith("HTTP/1.1 302"))
    assert redirect.header("Set-Cookie") == ["a=1", "b=2"]


def test_pywb_replays_the_bytes_that_were_recorded(bundle: Path, unpacked: Path, tmp_path: Path) -> None:
    wanted = [(time, about) for time, about in index(unpacked) if about.get("status", "200") in {"200", "404"}]
    replayed = {}

    with pywb(bundle, tmp_path) as base:
        for time, about in wanted:
            if about["url"].startswith("urn:"):
                continue
            replayed[about["url"]] = asked(f"{base}/{time}id_/{about['url']}")

    digests = {about["url"]: about["digest"] for _, about in wanted if not about["url"].startswith("urn:")}
    assert len(digests) >= len(ASKED)
    assert {url: f"sha256:{hashlib.sha256(body).hexdigest()}" for url, body in replayed.items()} == digests


def asked(url: str) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return bytes(answer.read())
    except urllib.error.HTTPError as answer:
        with answer:
            return answer.read()


@pytest.mark.parametrize(
    ("end", "words"),
    [("/bridge", TOLL), ("b=2&a=%20x", WORDS), ("tides.example/", "High water is at four.")],
)
def test_a_browser_shows_the_text_of_each_page(
    bundle: Path, unpacked: Path, tmp_path: Path, end: str, words: str
) -> None:
    lines = (unpacked / "pages" / "pages.jsonl").read_text().splitlines()[1:]
    url = next(one["url"] for one in map(json.loads, lines) if one["url"].endswith(end))

    with replayer(bundle, url.replace("&", "&amp;")) as page:
        shown = text_in_browser(page, tmp_path, words)

    assert words in shown
