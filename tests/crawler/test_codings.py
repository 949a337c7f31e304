import gzip
import random
import zlib
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from crawler.decode import Decoder
from crawler.errors import CutShort, TooLarge
from tests.crawler.fetching import fetcher
from tests.sites import HTML, Route, Site

Sites = Callable[..., Site]
PAGE = b"<!DOCTYPE html><html><body><p>The toll at the swing bridge ends on Friday.</p></body></html>\n" * 20


def raw_deflate(data: bytes) -> bytes:
    engine = zlib.compressobj(wbits=-15)
    return engine.compress(data) + engine.flush()


ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "deflate (raw)": raw_deflate,
    "br": brotli.compress,
    "zstd": lambda data: zstandard.ZstdCompressor(write_checksum=True).compress(data),
}


def coded(label: str) -> tuple[str, str]:
    return ("Content-Encoding", label.removesuffix(" (raw)"))


@pytest.mark.parametrize("framing", ["length", "chunked", "close"])
@pytest.mark.parametrize("label", ENCODERS)
async def test_every_coding_is_undone_in_every_framing(site: Sites, label: str, framing: str) -> None:
    wire = ENCODERS[label](PAGE)
    page = site(Route("/", headers=(HTML, coded(label)), body=wire, framing=framing))

    async with fetcher() as web:
        visit = await web.fetch(page.url())

    assert (visit.outcome, visit.body, visit.warnings) == ("ok", PAGE, ())
    assert (visit.wire_length, visit.wire_sha256) == (len(wire), sha256(wire).hexdigest())


@pytest.mark.parametrize("step", [1 << 16, 997, 1])
@pytest.mark.parametrize("size", [65_535, 65_536, 65_537, 100_000, 3_000_000])
@pytest.mark.parametrize("label", ENCODERS)
def test_a_long_page_that_was_packed_small_comes_out_whole(label: str, size: int, step: int) -> None:
    page = (PAGE * (size // len(PAGE) + 1))[:size]
    wire = ENCODERS[label](page)
    decoder = Decoder([label.removesuffix(" (raw)")], limit=10_000_000)

    for start in range(0, len(wire), step):
        decoder.feed(wire[start : start + step])
    decoder.finish()

    assert decoder.body == page


@pytest.mark.parametrize("label", ["gzip", "GZIP", "x-gzip", "deflate", "br", "zstd", "gzip, gzip", "br, gzip"])
@pytest.mark.parametrize(
    "body",
    [
        PAGE,
        b"short",
        b"x",
        "Плата за проход отменяется в пятницу. <p>".encode("cp1251") * 9 + PAGE,
        b'{"json": true, "list": [1, 2, 3]}' * 30,
        b"%PDF-1.7\n\x00\x01\x02 binary" * 30,
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" * 9,
        "旧码头将于下周六重新开放，此前维修历时两年。".encode() * 5,  # noqa: RUF001 - Chinese has its own comma
        "Старый причал".encode(),
        "Старый причал откроется в субботу. ".encode("koi8-r") * 9,
        b"x^2 + y^2 = r^2 is the circle. " * 9,
        b"hC begins as a zlib stream does",
        b"\x1f\x8band no gzip behind it" + PAGE,
        b"one \x01 control character in a page" + PAGE,
    ],
)
async def test_plain_bytes_with_a_wrong_label_are_taken_as_they_came_and_the_record_says_so(
    site: Sites, label: str, body: bytes
) -> None:
    page = site(Route("/", headers=(HTML, ("Content-Encoding", label)), body=body))

    async with fetcher() as web:
        visit = await web.fetch(page.url())

    assert (visit.outcome, visit.body) == ("ok", body)
    assert visit.warnings
    assert all(warning.startswith("content_encoding: ") for warning in visit.warnings)


@pytest.mark.parametrize(("label", "warned"), [("identity", False), ("none", False), ("", False), ("utf-8", True)])
async def test_labels_that_mean_nothing_change_nothing(site: Sites, label: str, warned: bool) -> None:  # noqa: FBT001 - a table
    page = site(Route("/", headers=(HTML, ("Content-Encoding", label)), body=PAGE))

    async with fetcher() as web:
        visit = await web.fetch(page.url())

    assert (visit.outcome, visit.body, bool(visit.warnings)) == ("ok", PAGE, warned)


@pytest.mark.parametrize("label", ["br", "deflate", "zstd", "gzip", "utf-8", "gzip;q=1.0", '"gzip"', "compress"])
@pytest.mark.parametrize("coding", ["gzip", "zstd"])
async def test_a_coding_that_marks_its_bytes_is_undone_whatever_the_label(site: Sites, label: str, coding: str) -> None:
    page = site(Route("/", headers=(HTML, ("Content-Encoding", label)), body=ENCODERS[coding](PAGE)))

    async with fetcher() as web:
        visit = await web.fetch(page.url())

    assert (visit.outcome, visit.body) == ("ok", PAGE)
    assert bool(visit.warnings) == (label.strip('"').removesuffix(";q=1.0") != coding)


async def test_a_page_under_a_label_that_nobody_can_undo_is_taken_if_it_is_plain(site: Sites) -> None:
    page = site(Route("/", headers=(HTML, ("Content-Encoding", "compress")), body=PAGE))

    async with fetcher() as web:
        visit = await web.fetch(page.url())

    assert (visit.outcome, visit.body) == ("ok", PAGE)
    assert visit.warnings == ("content_encoding: unknown label 'compress', bytes taken as they came",)


async def test_of_a_body_that_ends_early_the_part_that_came_is_kept_even_if_it_is_short(site: Sites) -> None:
    page = site(
        Route(
            "/", headers=(HTML, coded("gzip"), ("Content-Length", "900")), body=b"short", framing="as-is", then="close"
        )
    )

    async with fetcher() as web:
        visit = await web.fetch(page.url())

    assert (visit.outcome, visit.body) == ("incomplete", b"short")


async def test_a_coding_that_nobody_can_undo_is_an_error_with_the_bytes_kept(site: Sites) -> None:
    page = site(Route("/", headers=(HTML, ("Content-Encoding", "compress")), body=b"\x1f\x9d\x90abc"))

    async with fetcher() as web:
        visit = await web.fetch(page.url())

    assert (visit.outcome, visit.reason) == ("error", "content_encoding_unsupported")
    assert visit.body == b"\x1f\x9d\x90abc"


@pytest.mark.parametrize("labels", [["gzip", "br"], ["br", "gzip"], ["zstd", "deflate"], ["gzip", "gzip", "zstd"]])
async def test_stacked_codings_are_undone_in_reverse_whether_in_one_header_or_several(
    site: Sites, labels: list[str]
) -> None:
    wire = PAGE
    for label in labels:
        wire = ENCODERS[label](wire)
    one = site(Route("/", headers=(HTML, ("Content-Encoding", ", ".join(labels))), body=wire))
    several = site(Route("/", headers=(HTML, *(coded(label) for label in labels)), body=wire))

    async with fetcher() as web:
        visits = [await web.fetch(page.url()) for page in (one, several)]

    assert [visit.body for visit in visits] == [PAGE, PAGE]
    assert [visit.warnings for visit in visits] == [(), ()]


async def test_a_coding_named_twice_but_applied_once_is_undone_once(site: Sites) -> None:
    page = site(Route("/", headers=(HTML, coded("gzip"), coded("gzip")), body=gzip.compress(PAGE)))

    async with fetcher() as web:
        visit = await web.fetch(page.url())

    assert (visit.outcome, visit.body) == ("ok", PAGE)
    assert len(visit.warnings) == 1


@pytest.mark.parametrize("label", ["gzip", "zstd"])
@pytest.mark.parametrize("padding", [b"", b"\0" * 700])
async def test_several_members_and_padding_are_one_body(site: Sites, label: str, padding: bytes) -> None:
    encode = ENCODERS[label]
    wire = encode(PAGE) + encode(b"") + encode(b"second") + padding
    page = site(Route("/", headers=(HTML, coded(label)), body=wire, drip=(97, 0.0)))

    async with fetcher() as web:
        visit = await web.fetch(page.url())

    assert (visit.outcome, visit.body, visit.warnings) == ("ok", PAGE + b"second", ())


@pytest.mark.parametrize("label", ["gzip", "deflate", "deflate (raw)", "br", "zstd"])
async def test_bytes_behind_the_end_of_a_stream_are_left_out_and_told(site: Sites, label: str) -> None:
    page = site(Route("/", headers=(HTML, coded(label)), body=ENCODERS[label](PAGE) + b"<!-- cached -->"))

    async with fetcher() as web:
        visit = await web.fetch(page.url())

    assert (visit.outcome, visit.body) == ("ok", PAGE)
    assert "behind the end" in visit.warnings[0]


@pytest.mark.parametrize("step", [1 << 16, 4_099, 97])
@pytest.mark.parametrize("rest", [b"<!-- cached -->", b"\0" * 20, b"\n"])
def test_the_end_of_a_brotli_stream_is_found_wherever_it_comes(rest: bytes, step: int) -> None:
    page = PAGE * 40 + random.Random(3).randbytes(9_000).hex().encode()
    wire = brotli.compress(page) + rest
    decoder = Decoder(["br"], limit=1_000_000)

    for start in range(0, len(wire), step):
        decoder.feed(wire[start : start + step])
    decoder.finish()

    assert decoder.body == page
    assert len(decoder.warnings) == bool(rest.strip(b"\0"))


@pytest.mark.parametrize("wrapping", [15, -15])
async def test_text_that_was_wrapped_but_not_compressed_is_unwrapped(site: Sites, wrapping: int) -> None:
    engine = zlib.compressobj(0, wbits=wrapping)
    page = site(Route("/", headers=(HTML, coded("deflate")), body=engine.compress(PAGE) + engine.flush()))

    async with fetcher() as web:
        visit = await web.fetch(page.url())

    assert (visit.outcome, visit.body, visit.warnings) == ("ok", PAGE, ())


async def test_more_codings_than_are_undone_give_no_page(site: Sites) -> None:
    wire = PAGE
    for _ in range(5):
        wire = gzip.compress(wire)
    page = site(Route("/", headers=(HTML, ("Content-Encoding", ", ".join(["gzip"] * 5))), body=wire))

    async with fetcher() as web:
        visit = await web.fetch(page.url())

    assert (visit.outcome, visit.reason) == ("error", "content_encoding_unsupported")
    assert visit.warnings


@pytest.mark.parametrize("label", ENCODERS)
@pytest.mark.parametrize("share", [0.3, 0.9, 0.99])
async def test_a_cut_stream_is_never_ok(site: Sites, label: str, share: float) -> None:
    text = PAGE + random.Random(1).randbytes(4000).hex().encode()
    wire = ENCODERS[label](text)
    cut = wire[: int(len(wire) * share)]
    page = site(Route("/", headers=(HTML, coded(label)), body=cut))

    async with fetcher() as web:
        visit = await web.fetch(page.url())

    assert (visit.outcome, visit.reason) == ("incomplete", "content_encoding_cut")
    assert visit.body is not None
    assert text.startswith(visit.body)
    assert visit.wire_length == len(cut)


@pytest.mark.parametrize("label", ["gzip", "deflate", "br", "zstd"])
async def test_a_stream_broken_in_the_middle_is_never_ok(site: Sites, label: str) -> None:
    text = PAGE + random.Random(2).randbytes(40_000).hex().encode()
    wire = bytearray(ENCODERS[label](text))
    for place in range(len(wire) // 2, len(wire) // 2 + 40):
        wire[place] ^= 0x55
    page = site(Route("/", headers=(HTML, coded(label)), body=bytes(wire)))

    async with fetcher() as web:
        visit = await web.fetch(page.url())

    assert visit.outcome == "incomplete"
    assert visit.reason in {"content_encoding_damaged", "content_encoding_cut"}


@pytest.mark.parametrize("label", ["gzip", "deflate"])
async def test_of_a_stream_whose_checksum_does_not_hold_all_is_kept_as_incomplete(site: Sites, label: str) -> None:
    wire = bytearray(ENCODERS[label](PAGE))
    wire[-5 if label == "gzip" else -1] ^= 0x55
    page = site(Route("/", headers=(HTML, coded(label)), body=bytes(wire)))

    async with fetcher() as web:
        visit = await web.fetch(page.url())

    assert (visit.outcome, visit.reason, visit.body) == ("incomplete", "content_encoding_damaged", PAGE)


@pytest.mark.parametrize("label", ["gzip", "deflate", "deflate (raw)"])
def test_of_a_stream_broken_in_the_middle_what_came_before_is_given(label: str) -> None:
    text = b"".join(b"Line %d of the tolls at the swing bridge.\n" % number for number in range(20_000))
    wire = bytearray(ENCODERS[label](text))
    place = len(wire) // 2
    wire[place : place + 40] = bytes(byte ^ 0x55 for byte in wire[place : place + 40])
    decoder = Decoder([label.removesuffix(" (raw)")], 1 << 24)

    with suppress(CutShort):
        decoder.feed(bytes(wire))

    assert decoder.body.startswith(text[: len(text) // 3])


@pytest.mark.parametrize("status", [200, 204, 404])
async def test_an_empty_body_is_whole_whatever_its_label(site: Sites, status: int) -> None:
    page = site(Route("/", status, headers=(HTML, coded("gzip")), framing="length" if status != 204 else "as-is"))

    async with fetcher() as web:
        visit = await web.fetch(page.url())

    assert (visit.outcome, visit.status, visit.body, visit.wire_length) == ("ok", status, b"", 0)


@given(
    st.binary(max_size=3000),
    st.lists(st.sampled_from(["gzip", "deflate", "br", "zstd"]), min_size=1, max_size=3),
    st.integers(1, 500),
)
def test_what_was_coded_is_decoded_however_it_is_cut_into_pieces(data: bytes, labels: list[str], step: int) -> None:
    wire = data
    for label in labels:
        wire = ENCODERS[label](wire)
    decoder = Decoder(labels, limit=10_000)

    for start in range(0, len(wire), step):
        decoder.feed(wire[start : start + step])
    decoder.finish()

    assert decoder.body == data


@given(
    st.binary(max_size=3000),
    st.lists(st.sampled_from(["gzip", "deflate", "br", "zstd"]), min_size=1, max_size=3),
    st.integers(1, 500),
)
def test_any_bytes_under_any_label_end_in_a_body_or_a_named_fault(wire: bytes, labels: list[str], step: int) -> None:
    decoder = Decoder(labels, limit=10_000)

    with suppress(CutShort, TooLarge):  # anything else would leave the test
        for start in range(0, len(wire), step):
            decoder.feed(wire[start : start + step])
        decoder.finish()

    assert len(decoder.body) <= 10_000
