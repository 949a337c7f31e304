"""Captures of others: what is read out of WARC and WACZ files, what is turned away, and what no file can do to us."""

import gzip
import io
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler import Archived, BadArchive, Turned, open_archive
from crawler.warc import LEAST_GIVEN, MAX_EXPANSION, read_warc
from tests.archives import DATE, chunked, record, request, response, sha256, wacz, zipped

URL = "http://site.test/ferry"
PAGE = b"<!DOCTYPE html><title>Ferry</title><p>The ferry leaves the northern pier every hour."
LIMIT = 1_000_000
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(*records: bytes, name: str = "other.warc.gz") -> Path:
        path = tmp_path / name
        path.write_bytes(zipped(records) if name.endswith(".gz") else b"".join(records))
        return path

    return write


def taken(path: Path, *, max_body: int = LIMIT) -> list[Archived | Turned]:
    archive = open_archive(path)
    assert archive is not None
    return list(archive.responses(max_body=max_body))


def only(path: Path) -> Archived:
    (found,) = taken(path)
    assert isinstance(found, Archived), found
    return found


@pytest.mark.parametrize("name", ["other.warc", "other.warc.gz"])
def test_a_response_becomes_a_visit_with_the_address_time_and_headers_of_the_file(write: Write, name: str) -> None:
    path = write(
        record("warcinfo", {"Content-Type": "application/warc-fields"}, b"software: other\r\n"),
        response(URL, PAGE, WARC_IP_Address="192.0.2.7"),
        request(URL),
        name=name,
    )

    found = only(path)

    visit = found.visit
    assert (visit.asked, visit.body, visit.status) == (URL, PAGE, 200)
    assert (visit.media_type, visit.charset_header, visit.outcome) == ("text/html", "utf-8", "ok")
    assert visit.retrieved_at.isoformat() == "2026-03-05T10:00:00+00:00"
    assert visit.hops[0].remote == "192.0.2.7"
    assert visit.hops[0].response_headers == (("Content-Type", "text/html; charset=utf-8"),)
    assert visit.hops[0].request_headers[1] == ("User-Agent", "Other/1.0")
    assert visit.user_agent == "Other/1.0"
    assert (found.about["block_digest"], found.about["payload_digest"]) == ("held", "held")
    assert found.about["archive"] == name


def test_a_request_before_its_response_is_paired_as_well(write: Write) -> None:
    found = taken(write(request(URL), response(URL, PAGE), request("http://site.test/other"), response(URL, PAGE)))

    agents = [one.visit.user_agent for one in found if isinstance(one, Archived)]
    assert agents == ["Other/1.0", ""]


def test_records_that_are_no_answers_of_web_servers_are_counted(write: Write) -> None:
    path = write(
        record("metadata", {"WARC-Target-URI": URL}, b"x"),
        record("revisit", {"WARC-Target-URI": URL}, b"x"),
        record("resource", {"WARC-Target-URI": "urn:view:http://site.test/", "Content-Type": "image/png"}, b"x"),
        record("resource", {"WARC-Target-URI": URL, "Content-Type": "text/html"}, PAGE),
    )
    archive = open_archive(path)
    assert archive is not None

    (found,) = archive.responses(max_body=LIMIT)

    assert isinstance(found, Archived)
    assert (found.visit.hops, found.visit.media_type) == ((), "text/html")
    assert dict(archive.passed) == {"metadata": 1, "revisit": 1, "resource": 1}


@pytest.mark.parametrize(
    ("headers", "stored"),
    [
        (["Transfer-Encoding: chunked"], chunked(PAGE)),
        (["Content-Encoding: gzip"], gzip.compress(PAGE)),
        (
            ["Transfer-Encoding: chunked", "Content-Encoding: gzip"],
            chunked(gzip.compress(PAGE)),
        ),
    ],
    ids=["chunked", "gzip", "both"],
)
def test_chunks_and_codings_are_undone(write: Write, headers: list[str], stored: bytes) -> None:
    found = only(write(response(URL, stored, headers=headers)))

    assert found.visit.body == PAGE
    assert found.visit.warnings == ()


def test_a_payload_digest_over_the_body_without_chunks_holds_too(write: Write) -> None:
    path = write(response(URL, chunked(PAGE), headers=["Transfer-Encoding: chunked"], WARC_Payload_Digest=sha256(PAGE)))

    assert only(path).about["payload_digest"] == "held"


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        (["Transfer-Encoding: chunked"], "transfer_encoding: labelled chunked"),
        (["Content-Encoding: gzip"], "content_encoding: labelled gzip"),
        (["Content-Length: 3"], "content_length: the headers say 3 bytes"),
    ],
)
def test_headers_that_do_not_fit_the_body_are_named_and_the_body_is_taken_as_it_is(
    write: Write, headers: list[str], said: str
) -> None:
    found = only(write(response(URL, PAGE, headers=["Content-Type: text/html", *headers])))

    assert found.visit.body == PAGE
    assert [warning for warning in found.visit.warnings if warning.startswith(said)]


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (response(URL, PAGE, WARC_Block_Digest=sha256(b"other")), "block_digest"),
        (response(URL, PAGE, WARC_Payload_Digest=sha256(b"other")), "payload_digest"),
        (response(URL, PAGE, WARC_Date="yesterday"), "no_date"),
        (response("http://", PAGE), "bad_address"),
        (response(URL, PAGE, status="220 smtp.site.test"), "no_http"),
        (response(URL, b"x" * (LIMIT + 1)), "too_large"),
        (response(URL, gzip.compress(bytes(50_000_000)), headers=["Content-Encoding: gzip"]), "too_large"),
        (response(URL, bytes(30_000_000)), "too_large"),
    ],
)
def test_what_does_not_hold_or_fit_is_turned_away_and_the_rest_is_taken(write: Write, made: bytes, reason: str) -> None:
    before, turned, after = taken(write(response(URL, PAGE), made, response(URL, PAGE)))

    assert isinstance(before, Archived)
    assert isinstance(turned, Turned)
    assert isinstance(after, Archived)
    assert turned.reason == reason


def test_digests_that_are_not_there_or_not_known_are_told(write: Write) -> None:
    found = only(write(response(URL, PAGE, WARC_Block_Digest="blake3:00", WARC_Payload_Digest="sha1:zz")))

    assert (found.about["block_digest"], found.about["payload_digest"]) == ("unknown", "unknown")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (zipped([response(URL, PAGE)])[:-20], "gzip member"),
        (response(URL, PAGE)[:-20], "middle of a record"),
        (record("response", {"WARC-Target-URI": URL}, PAGE, length=5), "longer than it says"),
        (record("response", {"WARC-Target-URI": URL}, PAGE, length=10**17), "claims"),
        (record("response", {"WARC-Target-URI": URL}, PAGE, length=5_000), "middle of a record"),
        (b"WARC/1.0\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nxxx\r\n\r\n", "how long"),
        (b"WARC/1.0\r\nno field\r\n\r\n", "headers make no sense"),
        (b"WARC/1.0\r\n" + b"A: b\r\n" * 200 + b"\r\n", "headers make no sense"),
        (b"WARC/1.0\r\nA: " + b"b" * 200_000, "no end"),
        (b"WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\nsomething else\r\n", "longer than it says"),
        (zipped([response(URL, PAGE)]) + b"not gzip", "something else"),
    ],
)
def test_a_file_that_stops_making_sense_is_named_with_the_place(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "odd.warc.gz"
    path.write_bytes(data)

    with pytest.raises(BadArchive, match=said) as caught:
        taken(path)

    assert caught.value.offset is not None


def test_what_came_before_the_fault_is_given(write: Write) -> None:
    path = write(response(URL, PAGE), response(URL, PAGE))
    path.write_bytes(path.read_bytes()[:-10])
    archive = open_archive(path)
    assert archive is not None

    found = archive.responses(max_body=LIMIT)
    first = next(found)

    assert isinstance(first, Archived)
    with pytest.raises(BadArchive):
        list(found)


def test_a_bomb_is_left_before_it_fills_anything(tmp_path: Path) -> None:
    path = tmp_path / "bomb.warc.gz"
    packer = zlib.compressobj(9, wbits=31)
    head = f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {URL}\r\nWARC-Date: {DATE}\r\n"
    data = packer.compress(f"{head}Content-Length: 4000000000\r\n\r\n".encode())
    for _ in range(2000):
        data += packer.compress(bytes(100_000))
    path.write_bytes(data + packer.flush())

    with pytest.raises(BadArchive, match=f"more than {MAX_EXPANSION} times"):
        taken(path)


def test_other_files_are_no_archives(tmp_path: Path) -> None:
    for name, data in [
        ("page.html", PAGE),
        ("page.html.gz", gzip.compress(PAGE)),
        ("notes.zip", wacz(tmp_path / "z", {"notes.txt": b"x"}, manifest=False).read_bytes()),
        ("empty", b""),
    ]:
        (tmp_path / name).write_bytes(data)
        assert open_archive(tmp_path / name) is None


def test_a_wacz_file_gives_the_captures_of_its_warc_files(tmp_path: Path) -> None:
    path = wacz(
        tmp_path / "other.wacz",
        {
            "archive/a.warc.gz": zipped([response(URL, PAGE)]),
            "archive/b.warc": response(f"{URL}2", PAGE),
            "x.txt": b"x",
        },
    )

    found = taken(path)

    assert [one.visit.asked for one in found if isinstance(one, Archived)] == [URL, f"{URL}2"]
    assert {one.about["archive"] for one in found if isinstance(one, Archived)} == {
        "other.wacz!archive/a.warc.gz",
        "other.wacz!archive/b.warc",
    }


def test_a_member_whose_hash_is_of_other_bytes_is_turned_away_by_name(tmp_path: Path) -> None:
    members = {"archive/a.warc.gz": zipped([response(URL, PAGE)]), "archive/b.warc.gz": zipped([response(URL, PAGE)])}
    path = wacz(tmp_path / "stale.wacz", members, listed={"archive/a.warc.gz": sha256(b"stale")})

    turned, found = taken(path)

    assert isinstance(turned, Turned)
    assert (turned.reason, turned.record) == ("member_hash", "archive/a.warc.gz")
    assert isinstance(found, Archived)


def test_members_that_nothing_vouches_for_are_told(tmp_path: Path) -> None:
    archive = open_archive(wacz(tmp_path / "bare.wacz", {"archive/a.warc.gz": b""}, manifest=False))

    assert archive is not None
    assert "nothing vouches" in archive.remarks[0]


def test_a_bundle_of_citator_is_for_import(tmp_path: Path) -> None:
    path = wacz(tmp_path / "own.wacz", {"archive/a.warc.gz": b"", "evidence/bundle.json": b"{}"})

    with pytest.raises(BadArchive, match="citator import"):
        open_archive(path)


def test_headers_that_are_folded_without_end_are_named() -> None:
    """Each line would copy all that came before it."""
    endless = b"WARC/1.1\r\nWARC-Type: response" + b"\r\n a" * 1_000_000

    with pytest.raises(BadArchive, match="no end"):
        list(read_warc(io.BytesIO(endless), max_block=LIMIT))


@pytest.mark.parametrize(
    ("packing", "size", "said"),
    [(zipfile.ZIP_LZMA, 10, "packed in a way"), (zipfile.ZIP_BZIP2, 10, "packed in a way"),
     (zipfile.ZIP_DEFLATED, LEAST_GIVEN + 1, "times its bytes")],
)  # fmt: skip
def test_a_wacz_file_that_would_fill_memory_or_time_is_refused(
    tmp_path: Path, packing: int, size: int, said: str
) -> None:
    path = tmp_path / "bomb.wacz"
    with zipfile.ZipFile(path, "w", packing) as file:
        file.writestr("archive/a.warc", b"\0" * size)

    with pytest.raises(BadArchive, match=said):
        open_archive(path)


def test_a_name_that_stands_twice_in_a_wacz_file_is_refused(tmp_path: Path) -> None:
    path = wacz(tmp_path / "twice.wacz", {"archive/a.warc.gz": b"", "archive/b.warc.gz": b""})
    path.write_bytes(path.read_bytes().replace(b"archive/b.warc.gz", b"archive/a.warc.gz"))

    with pytest.raises(BadArchive, match="twice"):
        open_archive(path)


def test_a_wacz_file_whose_member_begins_before_the_file_is_refused_as_an_archive(tmp_path: Path) -> None:
    path = wacz(tmp_path / "before.wacz", {"archive/a.warc": response(URL, PAGE)}, manifest=False)
    data = bytearray(path.read_bytes())
    place = data.rindex(b"PK\x05\x06") + 16  # where the list of members is said to begin
    data[place : place + 4] = (int.from_bytes(data[place : place + 4], "little") + 1_000).to_bytes(4, "little")
    path.write_bytes(data)

    with pytest.raises(BadArchive, match="cannot be read"):
        taken(path)


CHUNKED = response(f"{URL}/2", chunked(PAGE), headers=["Transfer-Encoding: chunked"])
SOUND = zipped([response(URL, PAGE), request(URL), CHUNKED])
SOUND_PLAIN = gzip.decompress(SOUND)


@settings(max_examples=300)
@given(data=st.data())
def test_spoilt_files_give_whole_records_or_a_named_fault(tmp_path: Path, data: st.DataObject) -> None:
    sound = data.draw(st.sampled_from([SOUND, SOUND_PLAIN]))
    at = data.draw(st.integers(0, len(sound) - 1))
    cut = data.draw(st.sampled_from([b"", b"\x00", b"\r\n", b"9", b"WARC/1.0\r\n"]))
    path = tmp_path / "spoilt.warc.gz"
    path.write_bytes(sound[:at] + cut + sound[at + data.draw(st.integers(0, 3)) :])

    try:
        archive = open_archive(path)
        found = list(archive.responses(max_body=LIMIT)) if archive else []
    except BadArchive:
        return

    for one in found:
        if isinstance(one, Archived) and one.about["payload_digest"] == "held":
            assert one.visit.body == PAGE or one.visit.warnings or one.visit.outcome != "ok"


@given(st.binary(max_size=400))
def test_any_bytes_are_records_or_a_named_fault(junk: bytes) -> None:
    for data in (junk, b"WARC/1.1\r\n" + junk, gzip.compress(b"WARC/1.1\r\n" + junk), b"\x1f\x8b" + junk):
        try:
            list(read_warc(io.BytesIO(data), max_block=1000))
        except BadArchive:
            continue
