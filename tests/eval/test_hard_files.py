"""Hard inputs of others: addresses, addresses that lead inwards, encodings, robots.txt, feeds, XML attacks, PDF.

What does not come to what its makers expect is listed here by kind, with the reason in `docs/limits.md`.
"""

import gzip
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from crawler import AddressRefused, BadAddress, Guard, Reading, parse_address, read_page
from crawler.charset import decode
from crawler.robots import RobotsAnswer, read_robots

AT = datetime(2026, 11, 29, tzinfo=UTC)


@pytest.fixture(scope="module")
def hard(eval_data: Path) -> Path:
    return eval_data / "hard"


def read(path: Path, media_type: str) -> Reading:
    body = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return read_page(body, media_type=media_type, charset=None, url="http://site.example/", at=AT)


def test_addresses_are_read_as_browsers_read_them(hard: Path) -> None:
    different = []
    cases = [
        case
        for case in _cases(hard / "url-wpt" / "tests" / "wpt" / "urltestdata.json")
        if "failure" in case or case["href"]
    ]
    for case in cases:
        wanted = None if case.get("failure") else case["href"].partition("#")[0]
        wanted = wanted if wanted is not None and wanted.startswith(("http:", "https:")) else None
        try:
            base = case.get("base")
            found = parse_address(case["input"], None if base in (None, "about:blank") else base).href
        except BadAddress as error:
            if error.reason == "credentials":
                continue
            found = None
        if found != wanted and (wanted or "").rstrip("?") != found:
            different.append((case["input"], found, wanted))

    assert len(cases) > 400
    assert different == []


def _cases(path: Path) -> Iterator[dict[str, Any]]:
    found = path if path.exists() else next(path.parents[1].rglob(path.name))
    yield from (case for case in json.loads(found.read_text(encoding="utf-8")) if isinstance(case, dict))


def test_no_spelling_of_an_inner_number_is_taken_for_an_outer_one(hard: Path) -> None:
    guard, let_through, kept_out = Guard.of(), [], []
    lines = (hard / "ssrf" / "ssrf_vectors.jsonl").read_text(encoding="utf-8").splitlines()
    for case in map(json.loads, lines):
        try:
            address = parse_address(case["url"], case.get("base") or None)
            guard.check_asked(address)
        except BadAddress:
            continue
        except AddressRefused:
            kept_out += [case["url"]] if case["internal"] is False else []
        else:
            # Names are judged by the numbers they lead to, when they are dialled.
            let_through += [case["url"]] if case["internal"] and address.ip is not None else []

    assert len(lines) > 90
    assert (let_through, kept_out) == ([], [])


def test_declared_encodings_are_found_where_browsers_find_them(hard: Path) -> None:
    missed = []
    for path in (hard / "html5lib-tests" / "encoding").glob("*.dat"):
        for case in path.read_bytes().split(b"#data\n")[1:]:
            body, _, named = case.rpartition(b"\n#encoding\n")
            wanted, found = named.split(b"\n")[0].strip().decode().lower(), decode(body, None, markup=True)
            # Where nothing is declared, browsers guess by the reader's country; here, bytes that are UTF-8 are UTF-8.
            if wanted not in {found.charset.name, "windows-1252"} and found.charset.name != "utf-8":
                missed.append((path.name, body[:80], wanted, found.charset))

    assert missed == []


def test_every_robots_txt_of_well_known_sites_gives_rules(hard: Path) -> None:
    paths = [path for path in (hard / "protego" / "tests" / "test_data").iterdir() if path.is_file()]

    for path in paths:
        body = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        rules, _ = read_robots(RobotsAnswer("answered", "https://site.example/robots.txt", 200, body), "Citator")
        assert rules.ruling(parse_address("https://site.example/a"), "Citator").decision in {"allowed", "disallowed"}, (
            path
        )

    assert len(paths) > 300


def test_feeds_are_read_or_refused_and_never_break_the_reader(hard: Path) -> None:
    paths = [path for path in (hard / "feedparser" / "tests").rglob("*") if path.is_file()]
    unreadable = {path.name for path in paths if read(path, "application/xml").outcome not in {"ok", "empty"}}

    assert len(paths) > 400
    assert {name for name in unreadable if "32" not in name} == set()  # no browser reads UTF-32


def test_entities_of_xml_neither_grow_nor_fetch(hard: Path) -> None:
    paths = [path for path in (hard / "defusedxml" / "xmltestdata").rglob("*") if path.is_file()]
    found = {path.name: read(path, "application/xml") for path in paths}

    assert {reading.outcome for reading in found.values()} <= {"ok", "empty"}
    assert max(len(reading.text) for reading in found.values()) < 1_000
    assert not any("root:" in reading.text for reading in found.values())


def test_pdfs_are_read_and_one_with_a_password_says_so(hard: Path) -> None:
    found = {path.name: read(path, "application/pdf") for path in (hard / "pdf").rglob("*.pdf*") if path.is_file()}
    unread = {name: reading.detail or "" for name, reading in found.items() if reading.outcome != "ok"}

    assert len(found) >= 10
    assert [("password" in name, "password" in why) for name, why in unread.items()] == [(True, True)]
    assert not any(ord(c) < 32 and c not in "\n\t" for reading in found.values() for c in reading.text)


@pytest.mark.slow
def test_naughty_strings_are_read_in_any_place(hard: Path) -> None:
    strings = json.loads((hard / "blns" / "blns.json").read_text(encoding="utf-8"))

    for text in strings:
        body = f"<title>{text}</title><p>{text}</p><a href='{text}'>{text}</a>".encode("utf-8", "replace")
        reading = read_page(body, media_type="text/html", charset=None, url="http://site.example/", at=AT)
        assert reading.outcome in {"ok", "empty"}, text

    assert len(strings) > 400
