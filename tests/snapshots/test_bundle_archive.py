import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from snapshots import Capture, Hop, digest
from snapshots.bundles import cdxj
from snapshots.bundles.surt import surt
from snapshots.bundles.warc import target_of
from tests.snapshots.bench import Bench
from tests.snapshots.bundled import Read, bundled
from tests.snapshots.evidence import body_of, capture_of, document_of, time_at
from tests.strict_warc import Read as Record
from tests.strict_warc import records

PAGE = "https://a.example/page"
TOLL = "The toll at the swing bridge ends on Friday."


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    opened = Bench(tmp_path)
    yield opened
    opened.close()


def hop(url: str, status: int | None, *headers: tuple[str, str], **more: Any) -> Hop:
    told = {
        "url": url,
        "method": "GET",
        "request_headers": (("Host", "a.example"), ("Accept-Encoding", "gzip")),
        "status": status,
        "response_headers": headers,
        "protocol": "http/1.1",
        "remote": "192.0.2.7:443",
        "tls": None,
        "started_at": time_at(1),
        "ended_at": time_at(2),
        "error": None,
    }
    return Hop(**(told | more))


def kept(bench: Bench, hops: list[Hop], text: str | None = TOLL, **more: Any) -> Capture:
    plain = capture_of(hops[-1].url if hops else PAGE, text, at=time_at(9))
    capture = Capture.model_validate(plain.model_dump() | {"hops": hops} | more)
    documents = [document_of(text)] if text and capture.document else []
    bench.keep(*documents, capture, blobs=[body_of(text)] if text else [])
    return capture


def archived(bundle: Read) -> list[Record]:
    """The records of the web archive but the first, each read strictly."""
    first, *rest = records(bundle.members["archive/data.warc.gz"])
    assert first["WARC-Type"] == "warcinfo"
    assert len({one["WARC-Record-ID"] for one in (first, *rest)}) == len(rest) + 1
    return rest


def test_headers_of_codings_are_kept_under_other_names_and_the_length_is_true(bench: Bench) -> None:
    received = [
        ("Transfer-Encoding", "chunked"),
        ("content-encoding", "gzip"),
        ("Content-Length", "99"),
        ("Content-Type", "text/html"),
        ("Set-Cookie", "a=1"),
        ("Set-Cookie", "b=2"),
        ("Connection", "keep-alive"),
    ]
    capture = kept(bench, [hop(PAGE, 200, *received)])

    response, request = archived(bundled(bench, capture.id))

    assert response.body == body_of(TOLL)
    assert TOLL.encode() in response.body
    assert response["WARC-Payload-Digest"] == capture.body
    assert response.http == (
        ("X-Archive-Orig-Transfer-Encoding", "chunked"),
        ("X-Archive-Orig-content-encoding", "gzip"),
        ("X-Archive-Orig-Content-Length", "99"),
        ("Content-Type", "text/html"),
        ("Set-Cookie", "a=1"),
        ("Set-Cookie", "b=2"),
        ("X-Archive-Orig-Connection", "keep-alive"),
        ("Content-Length", str(len(body_of(TOLL)))),
    )
    assert response.first == "HTTP/1.1 200 OK"
    assert response["WARC-Target-URI"] == PAGE
    assert response["WARC-Date"] == "2026-11-29T12:00:09Z"
    assert response["WARC-IP-Address"] == "192.0.2.7"
    assert response["Citator-Capture"] == capture.id
    assert request["WARC-Concurrent-To"] == response["WARC-Record-ID"]
    assert request.first == "GET /page HTTP/1.1"
    assert request.header("Accept-Encoding") == ["gzip"]


def test_each_hop_is_a_record_and_bodies_of_redirects_are_marked_as_left_out(bench: Bench) -> None:
    capture = kept(
        bench,
        [
            hop("https://a.example/", 301, ("Location", "/b"), ("Content-Length", "12")),
            hop("https://a.example/b", 302, ("Location", "/page"), ("Content-Length", "0")),
            hop(PAGE, 200),
        ],
    )

    responses = archived(bundled(bench, capture.id))[::2]

    assert [one.first for one in responses] == [
        "HTTP/1.1 301 Moved Permanently",
        "HTTP/1.1 302 Found",
        "HTTP/1.1 200 OK",
    ]
    assert [one.all("WARC-Truncated") for one in responses] == [["unspecified"], [], []]
    assert [one.body for one in responses] == [b"", b"", body_of(TOLL)]
    assert [one["WARC-Date"] for one in responses] == ["2026-11-29T12:00:02Z"] * 2 + ["2026-11-29T12:00:09Z"]


def test_newer_protocols_are_written_as_the_old_one_and_named(bench: Bench) -> None:
    tls = {"protocol": "TLSv1.3", "cipher": "x", "chain": (), "verified": True, "error": None}
    headers = ((":method", "GET"), ("user-agent", "x"))
    capture = kept(
        bench, [hop(PAGE, 200, protocol="HTTP/2", tls=tls, remote="[2001:db8::7]:443", request_headers=headers)]
    )

    response, request = archived(bundled(bench, capture.id))

    assert response.all("WARC-Protocol") == ["h2", "tls/1.3"]
    assert response["WARC-IP-Address"] == "2001:db8::7"
    assert request.http == (("user-agent", "x"),)


def test_nothing_in_a_header_ends_its_line(bench: Bench) -> None:
    capture = kept(bench, [hop(PAGE, 200, ("X-Odd", "a\r\nContent-Length: 7\x00"), ("Ké", "ü"))])

    (response, _) = archived(bundled(bench, capture.id))

    assert response.header("X-Odd") == ["a  Content-Length: 7 "]
    assert response.header("Ké") == ["ü"]


def test_a_status_that_nobody_knows_has_no_phrase(bench: Bench) -> None:
    capture = kept(bench, [hop(PAGE, 599)])

    assert archived(bundled(bench, capture.id))[0].first == "HTTP/1.1 599 "


@pytest.mark.parametrize("outcome", ["incomplete", "too_large", "timeout"])
def test_a_body_that_is_not_whole_is_marked(bench: Bench, outcome: str) -> None:
    capture = kept(bench, [hop(PAGE, 200)], outcome=outcome)

    assert archived(bundled(bench, capture.id))[0]["WARC-Truncated"] == "unspecified"


def test_a_file_that_was_added_is_a_resource(bench: Bench) -> None:
    capture = kept(
        bench, [], method="upload", media_type="text/html", charset={"name": "windows-1251", "source": "meta"}
    )

    (resource,) = archived(bundled(bench, capture.id))

    assert (resource["WARC-Type"], resource["Content-Type"]) == ("resource", "text/html; charset=windows-1251")
    assert resource.block == body_of(TOLL)


def test_a_rendered_page_stands_beside_what_was_received(bench: Bench) -> None:
    rendered = b"<html>after the scripts ran"
    capture = kept(bench, [hop(PAGE, 200)], rendered=digest(rendered))
    bench.keep(blobs=[rendered])

    bundle = bundled(bench, capture.id)

    response, _, dom = archived(bundle)
    assert (dom["WARC-Target-URI"], dom.block) == (f"urn:dom:{PAGE}", rendered)
    assert dom["Content-Type"] == "text/html;charset=utf-8"
    assert {one["id"] for one in bundle.lines("evidence/blobs.jsonl")} == {capture.body, digest(rendered)}
    assert response.body == body_of(TOLL)


def test_an_address_that_gave_nothing_leaves_a_record_of_that(bench: Bench) -> None:
    capture = kept(bench, [hop(PAGE, None, error="connection_refused")], None, outcome="error", reason="dead")

    bundle = bundled(bench, capture.id)

    (told,) = archived(bundle)
    assert (told["WARC-Type"], told["Content-Type"]) == ("metadata", "application/warc-fields")
    assert told.block == b"outcome: error\r\nreason: dead\r\n"
    assert gzip.decompress(bundle.members["indexes/index.cdx.gz"]) == b""
    assert bundle.members["indexes/index.idx"].count(b"\n") == 1
    assert len(bundle.lines("pages/pages.jsonl")) == 1


def test_captures_stand_in_the_order_of_their_times(bench: Bench) -> None:
    late = kept(bench, [hop(PAGE, 200)], retrieved_at=time_at(50))
    early = kept(bench, [hop(PAGE, 200)], retrieved_at=time_at(40))

    bundle = bundled(bench, late.id, early.id)

    assert [one["Citator-Capture"] for one in archived(bundle)[::2]] == [early.id, late.id]
    assert [line["id"] for line in bundle.lines("pages/pages.jsonl")[1:]] == [early.id[7:], late.id[7:]]


def test_the_index_leads_to_each_record(bench: Bench) -> None:
    captures = [
        kept(bench, [hop(f"https://a.example/{number}", 200, ("Content-Type", "text/html; x=y"))], f"words {number}")
        for number in range(5)
    ]
    bundle = bundled(bench, *(capture.id for capture in captures))
    archive = bundle.members["archive/data.warc.gz"]

    lines = gzip.decompress(bundle.members["indexes/index.cdx.gz"]).decode().splitlines()

    assert lines == sorted(lines)
    assert len(lines) == 5
    for line in lines:
        key, time, told = line.split(" ", 2)
        about = json.loads(told)
        offset, length = int(about["offset"]), int(about["length"])
        (record,) = records(archive[offset : offset + length])
        assert record["WARC-Target-URI"] == about["url"]
        assert record["WARC-Payload-Digest"] == about["digest"]
        assert (key, time) == (surt(about["url"]), "20261129120009")
        assert (about["mime"], about["status"], about["filename"]) == ("text/html", "200", "data.warc.gz")


def test_the_index_comes_in_blocks_that_its_list_leads_to() -> None:
    lines = [f"com,example)/{number:04d} 20261129120009 {{}}\n" for number in range(2500)]

    blocks = list(cdxj.blocks_of(reversed(lines)))

    assert [gzip.decompress(block.packed).count(b"\n") for block in blocks] == [1024, 1024, 452]
    assert b"".join(gzip.decompress(block.packed) for block in blocks).decode() == "".join(lines)
    offset = 0
    for block, first in zip(blocks, (0, 1024, 2048), strict=True):
        key, time, told = block.line.split(" ", 2)
        assert (key, time) == (f"com,example)/{first:04d}", "20261129120009")
        assert (json.loads(told)["offset"], json.loads(told)["length"]) == (offset, len(block.packed))
        offset += len(block.packed)


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://www.Example.org/b/../a?y=2&x=1#there", "org,example)/a?x=1&y=2"),
        ("http://www2.a.example:80/", "example,a)/"),
        ("https://a.example:8443/x/", "example,a:8443)/x"),
        ("https://user:word@a.example/", "example,a)/"),
        ("https://a.example/x?PHPSESSID=12345678901234567890123456789012&b=1", "example,a)/x?b=1"),
        ("http://[2001:db8::1]:81/", "2001:db8::1:81)/"),
        ("https://bücher.example/ü", "example,xn--bcher-kva)/%c3%bc"),
        ("https://a.example/%2525", "example,a)/%25"),
        ("urn:dom:https://a.example/X?b=1&a=2", "urn:dom:https://a.example/x?a=2&b=1"),
        ("urn:upload:abc", "urn:upload:abc"),
        ("http://a.example:x/", "http://a.example:x"),
        ("", ""),
    ],
)
def test_addresses_are_found_under_the_key_that_other_tools_make(url: str, key: str) -> None:
    assert surt(url) == key


def test_addresses_in_records_are_ascii() -> None:
    assert target_of("https://a.example/ü x?q=%20\ud800") == "https://a.example/%C3%BC%20x?q=%20%ED%A0%80"
