"""WARC and WACZ files of others: what fits is taken, what contradicts itself is named."""

import gzip
import json
import re
import zlib
from dataclasses import replace
from pathlib import Path

import brotli
import pytest

from snapshots import Unsound
from snapshots.verify.claims import NOT_CHECKABLE
from snapshots.verify.http_bodies import parse_head
from tests.snapshots.verify.archives import (
    PAGE,
    Made,
    Wacz,
    cdxj,
    chunked,
    pages,
    reasons,
    sha1,
    sha256,
    verified,
    wacz,
    warc,
    with_length,
)

WARC = "data.warc.gz"
CHUNKED = ("Transfer-Encoding", "chunked")
GZIP = ("Content-Encoding", "gzip")
PACKED = gzip.compress(PAGE)
NO_BODY = Made((("Content-Length", "5000"),), b"", number=1)

GOOD = {
    "a plain body with its length": with_length(),
    "no length at all": Made(),
    "chunks as received with their header": Made((CHUNKED,), chunked(PAGE)),
    "chunks with extensions and trailers": Made(
        (CHUNKED,), b"5;a=b\r\n<html\r\n0\r\nServer-Timing: total\r\n\r\n", payload=b"<html"
    ),
    "chunks whose digest is over what was in them": Made((CHUNKED,), chunked(PAGE), payload=PAGE),
    "gzip as received": with_length(PACKED, GZIP),
    "gzip in chunks": Made((CHUNKED, GZIP), chunked(PACKED)),
    "several gzip members": with_length(PACKED + PACKED, GZIP),
    "deflate with and without its head": with_length(zlib.compress(PAGE), ("Content-Encoding", "deflate")),
    "raw deflate": with_length(zlib.compress(PAGE, wbits=-15), ("Content-Encoding", "deflate")),
    "brotli as received": with_length(brotli.compress(PAGE * 9), ("Content-Encoding", "br")),
    "identity": with_length(PAGE, ("Content-Encoding", "identity")),
    "renamed headers": with_length(
        PAGE, ("X-Archive-Orig-Content-Encoding", "gzip"), ("X-Orig-Transfer-Encoding", "x")
    ),
    "SHA-1 in base32": with_length(digest=sha1),
    "SHA-256 in base32": with_length(
        digest=lambda data: "sha256:" + __import__("base64").b32encode(bytes.fromhex(sha256(data)[7:])).decode()
    ),
    "no digests": with_length(digest=None),
    "digests of a kind that is not known": with_length(digest=lambda _: "tiger:AAAA"),
    "WARC/1.0": with_length(version="WARC/1.0"),
    "a body that was cut off and says so": Made(
        (("Content-Length", "90000"),), PAGE, fields=(("WARC-Truncated", "length"),)
    ),
    "chunks that were cut off and say so": Made((CHUNKED,), chunked(PAGE)[:70], fields=(("WARC-Truncated", "time"),)),
    "not modified, with the length of what it does not send": Made(
        (("Content-Length", "900"),), b"", "304 Not Modified"
    ),
    "a revisit with the length of what is kept elsewhere": Made(
        (("Content-Length", str(len(PAGE))), GZIP), b"", kind="revisit", payload=PAGE
    ),
    "brackets around the address": with_length(url="<http://harbour.test/ferry>"),
}

BAD = {
    "a chunked header over a body without chunks": (Made((CHUNKED,), PAGE), "Transfer-Encoding"),
    "that and a length": (with_length(PAGE, CHUNKED), "Transfer-Encoding"),
    "chunks that were taken apart half": (Made((CHUNKED,), b"0\r\n\r\n" + PAGE), "Transfer-Encoding"),
    "chunks without the last one": (Made((CHUNKED,), chunked(PAGE)[:-5]), "Transfer-Encoding"),
    "chunks with a wrong length": (Made((CHUNKED,), b"4\r\n<html\r\n0\r\n\r\n"), "Transfer-Encoding"),
    "a gzip header over plain text": (with_length(PAGE, GZIP), "Content-Encoding"),
    "an x-gzip header over plain text": (Made((("content-encoding", "x-gzip"),), PAGE), "Content-Encoding"),
    "gzip that ends too early": (with_length(PACKED[:-9], GZIP), "Content-Encoding"),
    "gzip with a damaged check sum": (with_length(PACKED[:-8] + b"12345678", GZIP), "Content-Encoding"),
    "a deflate header over plain text": (with_length(PAGE, ("Content-Encoding", "deflate")), "Content-Encoding"),
    "a brotli header over plain text": (with_length(PAGE, ("Content-Encoding", "br")), "Content-Encoding"),
    "a zstd header over plain text": (with_length(PAGE, ("Content-Encoding", "zstd")), "Content-Encoding"),
    "gzip in chunks over plain text in chunks": (Made((CHUNKED, GZIP), chunked(PAGE)), "Content-Encoding"),
    "a length of the packed body over the unpacked one": (Made((("Content-Length", "77"),), PAGE), "Content-Length"),
    "two lengths": (with_length(PAGE, ("Content-Length", "3")), "Content-Length"),
    "a length and nothing there": (NO_BODY, "Content-Length"),
}


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "plain"])
@pytest.mark.parametrize("name", GOOD)
def test_a_record_whose_headers_and_body_agree_holds(tmp_path: Path, name: str, *, packed: bool) -> None:
    found = verified(tmp_path, warc(GOOD[name], packed=packed), WARC if packed else "data.warc")

    assert reasons(found) == set()
    assert found.holds


@pytest.mark.parametrize("name", BAD)
def test_a_record_whose_headers_and_body_contradict_each_other_is_named(tmp_path: Path, name: str) -> None:
    made, header = BAD[name]

    found = verified(tmp_path, warc(with_length(number=7), made), WARC)

    assert not found.holds
    (failure,) = [failure for claim in found.claims for failure in claim.failures]
    assert (failure.reason, "inconsistent" in failure.detail, header in failure.detail) == ("warc-headers", True, True)


@pytest.mark.parametrize("first", ["response", "request"])
def test_a_reply_to_head_has_a_length_and_no_body(tmp_path: Path, first: str) -> None:
    answer = replace(NO_BODY, fields=(("WARC-Concurrent-To", "<urn:uuid:00000000-0000-4000-8000-000000000002>"),))
    asked = Made(
        kind="request",
        status="HEAD",
        number=2,
        fields=(("WARC-Concurrent-To", f"<urn:uuid:{'0' * 8}-0000-4000-8000-{1:012d}>"),),
    )

    found = verified(tmp_path, warc(*((answer, asked) if first == "response" else (asked, answer))), WARC)

    assert found.holds


def test_a_digest_of_other_bytes_is_named(tmp_path: Path) -> None:
    for wrong in (with_length(payload=b"other"), with_length(digest=lambda _: sha1(b"other"))):
        assert ("replay", "warc-digest", "data.warc.gz") in reasons(verified(tmp_path, warc(wrong), WARC))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data[:-40],
        lambda data: data[:-4] + b"abcd",
        lambda data: data + b"rest",
        lambda data: data[:300] + bytes([data[300] ^ 4]) + data[301:],
        lambda _: b"\x1f\x8b",
        lambda data: gzip.compress(gzip.decompress(data).replace(b"WARC/1.1", b"WARC/9.9")),
        lambda data: gzip.compress(re.sub(rb"(?<=Content-Length: )1", b"2", gzip.decompress(data), count=1)),
        lambda data: gzip.compress(gzip.decompress(data).replace(b"WARC-Date: ", b"WARC-Date ")),
        lambda data: gzip.compress(gzip.decompress(data)[:-2]),
    ],
    ids=["cut", "check sum", "rest", "bit", "only a mark", "version", "length", "field", "end"],
)
def test_what_is_damaged_or_cut_is_named(tmp_path: Path, spoil: object) -> None:
    data = spoil(warc(with_length(), with_length(url="http://harbour.test/tide", number=2)))  # type: ignore[operator]

    found = verified(tmp_path, data, WARC)

    assert {reason for _, reason, _ in reasons(found)} == {"warc-malformed"}


def test_several_records_in_one_gzip_member_are_read(tmp_path: Path) -> None:
    records = [with_length(number=n, url=f"http://harbour.test/{n}") for n in range(5)]

    found = verified(tmp_path, gzip.compress(warc(*records, packed=False)), WARC)

    assert found.holds
    assert "5 records" in next(claim.detail for claim in found.claims if claim.claim == "replay")


def test_a_body_that_grows_without_measure_is_not_followed(tmp_path: Path) -> None:
    bomb = gzip.compress(gzip.compress(bytes(300_000_000), 9), 9)

    found = verified(tmp_path, warc(with_length(gzip.decompress(bomb), GZIP)), WARC)

    assert ("replay", "warc-headers", "data.warc.gz") in reasons(found)


def test_claims_that_only_bundles_have_are_not_checkable(tmp_path: Path) -> None:
    found = verified(tmp_path, wacz(with_length()).data)

    assert found.holds
    results = {claim.claim: claim.result for claim in found.claims}
    assert {name for name, result in results.items() if result != NOT_CHECKABLE} == {"container", "members", "replay"}


SOME = (with_length(), with_length(url="http://harbour.test/tide", number=2))
LINES = [b'!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}\n']


def with_block_list() -> Wacz:
    block = gzip.compress(cdxj(*SOME), mtime=0)
    told = {"offset": 0, "length": len(block), "digest": sha256(block), "filename": "index.cdx.gz"}
    listed = LINES[0] + b"test,harbour)/ferry 20260305100000 " + json.dumps(told).encode() + b"\n"
    made = wacz(*SOME)
    members = {name: data for name, data in made.members.items() if name != "indexes/index.cdxj"}
    return made.but(members={**members, "indexes/index.cdx.gz": block, "indexes/index.idx": listed})


def several_archives() -> Wacz:
    one, two = (warc(each) for each in SOME)
    index = b"".join(sorted([cdxj(SOME[0], filename="a.warc.gz"), cdxj(SOME[1], filename="b.warc.gz")]))
    return Wacz(
        {
            "archive/a.warc.gz": one,
            "archive/b.warc.gz": two,
            "indexes/index.cdx": index,
            "pages/pages.jsonl": pages(*SOME),
            "pages/extraPages.jsonl": pages(),
            "logs/crawl.log": b"done\n",
        }
    )


GOOD_WACZ = {
    "plain index": wacz(*SOME),
    "packed index with its list of blocks": with_block_list(),
    "packed index without a list": with_block_list().having(indexes__index_idx=None),
    "sizes after the data": wacz(*SOME).but(streamed=True),
    "packed pages": wacz(*SOME).but(deflated=["pages/pages.jsonl", "indexes/index.cdxj"]),
    "several archives": several_archives(),
    "no digest file": wacz(*SOME).but(digest=False),
    "an archive that is not packed": Wacz(
        {
            "archive/data.warc": warc(*SOME, packed=False),
            "indexes/index.cdxj": cdxj(*SOME, filename="data.warc", packed=False),
            "pages/pages.jsonl": pages(*SOME),
        }
    ),
    "old digests": wacz(*(replace(each, digest=sha1, version="WARC/1.0") for each in SOME)),
}


@pytest.mark.parametrize("name", GOOD_WACZ)
def test_a_good_wacz_holds_in_all_its_forms(tmp_path: Path, name: str) -> None:
    found = verified(tmp_path, GOOD_WACZ[name].data)

    assert reasons(found) == set()
    assert found.holds


A = "archive/data.warc.gz"
I = "indexes/index.cdxj"  # noqa: E741 - the index
BAD_WACZ = {
    "a stale hash": (wacz(*SOME).but(hashes={A: sha256(b"before")}), ("members", "member-hash", A)),
    "no index": (
        wacz(*SOME).having(indexes__index_cdxj=None),
        ("members", "required-member-missing", "indexes/*.cdx.gz"),
    ),
    "only a list of blocks": (
        with_block_list().having(indexes__index_cdx_gz=None),
        ("members", "required-member-missing", "indexes/*.cdx.gz"),
    ),
    "no pages": (
        wacz(*SOME).having(pages__pages_jsonl=None),
        ("members", "required-member-missing", "pages/pages.jsonl"),
    ),
    "no archive": (
        wacz(*SOME).having(archive__data_warc_gz=None),
        ("members", "required-member-missing", "archive/*.warc.gz"),
    ),
    "a packed archive packed again": (wacz(*SOME).but(deflated=[A]), ("container", "zip-method", A)),
    "a member that is not listed": (
        wacz(*SOME).having(archive__EVIL=b"x").but(listed=list(wacz(*SOME).members)),
        ("members", "member-unlisted", "archive/EVIL"),
    ),
    "a member that is listed and missing": (
        wacz(*SOME).but(listed=[*wacz(*SOME).members, "logs/crawl.log"]),
        ("members", "member-missing", "logs/crawl.log"),
    ),
    "an index of another archive": (
        wacz(*SOME).having(indexes__index_cdxj=cdxj(*reversed(SOME))),
        ("replay", "cdx-mismatch", I),
    ),
    "an index with another address": (
        wacz(*SOME).having(indexes__index_cdxj=cdxj(*SOME).replace(b'test/tide"', b'test/tidy"')),
        ("replay", "cdx-mismatch", I),
    ),
    "an index with another digest": (
        wacz(*SOME).having(indexes__index_cdxj=cdxj(*(replace(each, digest=sha1) for each in SOME))),
        ("replay", "cdx-mismatch", I),
    ),
    "an index that is not sorted": (
        wacz(*SOME).having(indexes__index_cdxj=b"".join(reversed(cdxj(*SOME).splitlines(keepends=True)))),
        ("replay", "cdx-order", I),
    ),
    "an index of something else": (wacz(*SOME).having(indexes__index_cdxj=b"hello\n"), ("replay", "cdx-malformed", I)),
    "an index that is cut": (
        with_block_list().having(indexes__index_cdx_gz=gzip.compress(cdxj(*SOME))[:-9]),
        ("replay", "cdx-malformed", "indexes/index.cdx.gz"),
    ),
    "a list of blocks that leads nowhere": (
        with_block_list().having(
            indexes__index_idx=with_block_list().members["indexes/index.idx"].replace(b'set": 0', b'set": 9')
        ),
        ("replay", "idx-mismatch", "indexes/index.idx"),
    ),
    "pages without addresses": (
        wacz(*SOME).having(pages__pages_jsonl=b'{"format":"json-pages-1.0"}\n{"ts":"2026-03-05T10:00:00Z"}\n'),
        ("replay", "page-malformed", "pages/pages.jsonl"),
    ),
    "headers that contradict the body": (
        wacz(Made((CHUNKED,), PAGE)),
        ("replay", "warc-headers", A),
    ),
    "an archive with another name than bytes": (
        wacz(*SOME).having(archive__data_warc_gz=warc(*SOME, packed=False)),
        ("replay", "warc-malformed", A),
    ),
    "a way out of the folder": (
        wacz(*SOME).but(members={**wacz(*SOME).members, "../evil.txt": b""}),
        ("container", "zip-bad-name", "../evil.txt"),
    ),
}


@pytest.mark.parametrize("name", BAD_WACZ)
def test_what_is_wrong_with_a_wacz_is_named(tmp_path: Path, name: str) -> None:
    made, expected = BAD_WACZ[name]

    found = verified(tmp_path, made.data)

    assert not found.holds
    assert expected in reasons(found)


def test_a_digest_of_another_list_is_named(tmp_path: Path) -> None:
    data = wacz(*SOME).data
    wrong = data.replace(sha256(wacz(*SOME).package).encode(), sha256(b"another").encode())

    found = verified(tmp_path, wrong)

    assert ("members", "digest-mismatch", "datapackage.json") in reasons(found)


def test_a_hash_mismatch_is_called_so(tmp_path: Path) -> None:
    found = verified(tmp_path, BAD_WACZ["a stale hash"][0].data)

    (failure,) = [failure for claim in found.claims for failure in claim.failures]
    assert failure.detail.startswith("hash mismatch")


def test_a_header_that_is_folded_without_end_is_none() -> None:
    with pytest.raises(Unsound, match="no header"):
        parse_head(b"HTTP/1.1 200 OK\r\nA: b" + b"\r\n c" * 200_000)
