"""What servers write around their headers, and browsers pass over."""

from collections.abc import Callable

import pytest

from crawler.answer_head import read_answer_head
from tests.crawler.fetching import fetcher
from tests.sites import Route, Site

Sites = Callable[..., Site]
OK = b"HTTP/1.1 200 OK\r\n"
KIND = b"Content-Type: text/html; charset=utf-8\r\n"
FIVE = b"Content-Length: 5\r\n"
CHUNKS = b"\r\n5\r\nhello\r\n0\r\n\r\n"


@pytest.mark.parametrize(
    "line",
    [
        b"Warning without a colon",
        b"HTTP/1.1 200 OK",
        b": nameless",
        b"Cache Control: no-store",
        b"X[1]: y",
        "Größe: 4".encode(),
        b"PHP Notice (line 3)",
    ],
)
@pytest.mark.parametrize("place", ["first", "last"])
async def test_a_line_that_is_no_header_costs_only_itself(site: Sites, line: bytes, place: str) -> None:
    lines = [line + b"\r\n", KIND] if place == "first" else [KIND, line + b"\r\n"]
    odd = site(Route("/", raw=OK + FIVE + b"".join(lines) + b"\r\nhello"))

    async with fetcher() as web:
        visit = await web.fetch(odd.url(), robots="ignore")

    assert (visit.outcome, visit.body, visit.charset_header) == ("ok", b"hello", "utf-8")
    assert visit.hops[0].response_headers == (
        ("Content-Length", "5"),
        ("Content-Type", "text/html; charset=utf-8"),
    )
    assert visit.warnings == ("header_lines_left_out: 1, which are no headers",)


@pytest.mark.parametrize(
    "head",
    [
        b"http/1.1 200 ok\r\n" + KIND + FIVE,
        b"HTTP/1.1  200\tOK\r\n" + KIND,
        b"HTTP/2 200\r\n" + KIND,
        b"HTTP/1.1 200OK\r\n" + KIND,
        "HTTP/1.1 200 Très\x0bbien\r\n".encode() + KIND,
        b"\r\n\r\nHTTP/1.1 200 OK\r\n" + KIND + FIVE,
        b"HTTP/1.1 103 Early Hints\r\nno header\r\n\r\n" + OK + KIND + FIVE,
        OK + b"Content-Type : text/html;\r\n\tcharset=utf-8\r\n" + FIVE,
        OK + b"X-Cut: a\rb\x0cc\r\n" + KIND + FIVE,
        OK + KIND + b"Content-Length:\r\n",
        OK + KIND + b"Content-Length: 5, 5\r\nContent-Length: 5\r\n",
        OK + KIND + b"Transfer-Encoding: identity\r\n" + FIVE,
    ],
)
async def test_a_head_that_is_written_carelessly_is_read(site: Sites, head: bytes) -> None:
    careless = site(Route("/", raw=head + b"\r\nhello"))

    async with fetcher() as web:
        visit = await web.fetch(careless.url(), robots="ignore")

    assert (visit.outcome, visit.status, visit.body) == ("ok", 200, b"hello")
    assert (visit.media_type, visit.charset_header, visit.warnings) == ("text/html", "utf-8", ())


@pytest.mark.parametrize(
    "said",
    [
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: Chunked, chunked\r\n",
        b"Transfer-Encoding: identity, chunked\r\n",
        b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
    ],
)
async def test_chunks_that_are_announced_more_than_once_are_put_together_once(site: Sites, said: bytes) -> None:
    place = site(Route("/", raw=OK + KIND + said + CHUNKS))

    async with fetcher() as web:
        visit = await web.fetch(place.url(), robots="ignore")

    assert (visit.outcome, visit.body) == ("ok", b"hello")
    told = b"".join(f"{name}: {value}\r\n".encode() for name, value in visit.hops[0].response_headers[1:])
    assert told == said  # as it came


async def test_what_follows_an_announcing_answer_or_a_body_is_read_at_its_time(site: Sites) -> None:
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 3
    place = site(Route("/", raw=hints + OK + KIND + b"Content-Length: 0\r\n\r\n" + OK + FIVE + b"\r\nother"))

    async with fetcher() as web:
        visit = await web.fetch(place.url(), robots="ignore")

    assert (visit.outcome, visit.reason, visit.body) == ("incomplete", "length_mismatch", b"")


def test_a_first_line_that_says_no_status_is_left_as_it_is() -> None:
    heads = [b"HTTP/1.1 fine\r\nA: b\r\n\r\n", b"HTTP/1.1 2000 OK\r\n\r\n", b"HTTP/one 200 OK\n\n", b"HTTP/1.1\r\n\r\n"]

    assert [read_answer_head(head).strict for head in heads] == heads
