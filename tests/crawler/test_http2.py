import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import h2.config
import h2.connection
import h2.events
import h2.exceptions
import pytest

from tests.crawler.fetching import fetcher
from tests.network import Authority

Answer = Callable[[h2.connection.H2Connection, int, str], None]


class Http2Site:
    """A site that speaks HTTP/2 over TLS and leaves the answer to a function of connection, stream and path."""

    def __init__(self, context: ssl.SSLContext, answer: Answer) -> None:
        context.set_alpn_protocols(["h2"])
        self._context = context
        self._answer = answer
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.requests: list[list[tuple[str, str]]] = []
        self.connections = 0
        self._open: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def close(self) -> None:
        for held in (self._listener, *self._open):
            with suppress(OSError):
                held.shutdown(socket.SHUT_RDWR)
            held.close()
        self._thread.join(5)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                plain, _ = self._listener.accept()
                self.connections += 1
                with suppress(OSError, h2.exceptions.ProtocolError):
                    self._serve(self._context.wrap_socket(plain, server_side=True))

    def _serve(self, stream: ssl.SSLSocket) -> None:
        self._open.append(stream)
        speaker = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        speaker.initiate_connection()
        stream.sendall(speaker.data_to_send())
        while data := stream.recv(65_536):
            for event in speaker.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    headers = [(str(name), str(value)) for name, value in event.headers or []]
                    self.requests.append(headers)
                    self._answer(speaker, event.stream_id or 0, dict(headers)[":path"])
            stream.sendall(speaker.data_to_send())
        stream.close()


Start = Callable[[Answer], tuple[Http2Site, str]]


@pytest.fixture
def http2(tmp_path: Path) -> Iterator[Start]:
    authority = Authority(tmp_path)
    running: list[Http2Site] = []

    def start(answer: Answer) -> tuple[Http2Site, str]:
        running.append(Http2Site(authority.server("127.0.0.1"), answer))
        return running[-1], str(authority.file)

    yield start
    for site in running:
        site.close()


def whole(speaker: h2.connection.H2Connection, stream: int, path: str) -> None:
    if path == "/robots.txt":
        speaker.send_headers(stream, [(":status", "404")], end_stream=True)
        return
    if path == "/from":
        speaker.send_headers(stream, [(":status", "302"), ("location", "/to"), ("set-cookie", "a=1")], end_stream=True)
        return
    speaker.send_headers(
        stream, [(":status", "200"), ("content-type", "text/html"), ("x-twice", "1"), ("x-twice", "2")]
    )
    speaker.send_data(stream, b"hello", end_stream=True)


async def test_http2_is_spoken_where_the_site_offers_it_and_recorded_as_it_was(http2: Start) -> None:
    site, authorities = http2(whole)

    async with fetcher(certificate_authorities=(authorities,)) as web:
        visit = await web.fetch(f"https://127.0.0.1:{site.port}/from")

    first, last = visit.hops
    assert (visit.outcome, visit.body, visit.media_type) == ("ok", b"hello", "text/html")
    assert (last.status, last.protocol) == (200, "h2")
    assert last.tls is not None
    assert last.tls.verified
    assert last.response_headers == (("content-type", "text/html"), ("x-twice", "1"), ("x-twice", "2"))
    assert list(last.request_headers) == site.requests[-1]
    assert dict(last.request_headers)["cookie"] == "a=1"
    assert dict(first.response_headers)["location"] == "/to"
    assert site.connections == 1


async def test_http2_can_be_left_out(http2: Start) -> None:
    site, authorities = http2(whole)

    async with fetcher(certificate_authorities=(authorities,), http2=False) as web:
        visit = await web.fetch(f"https://127.0.0.1:{site.port}/", robots="ignore")

    assert visit.outcome == "error"  # this site speaks nothing else
    assert visit.settings["http2"] is False


ENDS = {
    "/reset": ("incomplete", "cut_short"),
    "/goodbye": ("incomplete", "cut_short"),
    "/10": ("incomplete", "length_mismatch"),
    "/3": ("incomplete", "length_mismatch"),
    "/0": ("incomplete", "length_mismatch"),
    "/4,5": ("incomplete", "length_mismatch"),
    "/4,04": ("ok", None),
    "/many": ("ok", None),
}
"""Paths, how a body of four bytes ends there (a number: what is declared of its length), and what comes of it."""


@pytest.mark.parametrize("at_once", [True, False])
async def test_of_an_http2_body_that_is_not_as_it_was_announced_the_part_that_came_is_kept(
    http2: Start,
    at_once: bool,  # noqa: FBT001 - whether head and body come together
) -> None:
    def cut(speaker: h2.connection.H2Connection, stream: int, path: str) -> None:
        declared = [("content-length", length) for length in path.strip("/").split(",")]
        said = [("content-type", "text/html"), *(declared if path not in {"/reset", "/goodbye"} else [])]
        speaker.send_headers(stream, [(":status", "200"), *said])
        if not at_once:
            speaker.send_data(stream, b"")
        ending = path not in {"/reset", "/goodbye"}
        speaker.send_data(stream, b"half", end_stream=ending)
        if path == "/reset":
            speaker.reset_stream(stream)
        elif path == "/goodbye":
            speaker.close_connection(error_code=2)

    site, authorities = http2(cut)

    async with fetcher(certificate_authorities=(authorities,)) as web:
        visits = {path: await web.fetch(f"https://127.0.0.1:{site.port}{path}", robots="ignore") for path in ENDS}

    assert {path: (visit.outcome, visit.reason) for path, visit in visits.items()} == ENDS
    assert {(visit.status, visit.body) for visit in visits.values()} == {(200, b"half")}


async def test_an_answer_over_http2_that_has_no_body_may_declare_one(http2: Start) -> None:
    def unchanged(speaker: h2.connection.H2Connection, stream: int, _path: str) -> None:
        speaker.send_headers(stream, [(":status", "204"), ("content-length", "100")], end_stream=True)

    site, authorities = http2(unchanged)

    async with fetcher(certificate_authorities=(authorities,)) as web:
        visit = await web.fetch(f"https://127.0.0.1:{site.port}/", robots="ignore")

    assert (visit.outcome, visit.status, visit.body) == ("ok", 204, b"")


STATUSES = {
    "none": [],
    "words": [(":status", "fine")],
    "empty": [(":status", "")],
    "two": [(":status", "404"), (":status", "200")],
    "zero": [(":status", "000")],
    "below": [(":status", "-1")],
    "wide": [(":status", "\uff12\uff10\uff10")],
    "long": [(":status", "200000")],
}


async def test_an_answer_over_http2_that_says_no_status_is_none(http2: Start) -> None:
    def odd(speaker: h2.connection.H2Connection, stream: int, path: str) -> None:
        speaker.config.validate_outbound_headers = speaker.config.normalize_outbound_headers = False
        speaker.send_headers(stream, [*STATUSES[path.strip("/")], ("content-type", "text/html")])
        speaker.send_data(stream, b"hello", end_stream=True)

    site, authorities = http2(odd)

    async with fetcher(certificate_authorities=(authorities,), retries=0) as web:
        visits = {name: await web.fetch(f"https://127.0.0.1:{site.port}/{name}", robots="ignore") for name in STATUSES}

    told = {name: (visit.outcome, visit.reason, visit.hops[-1].status) for name, visit in visits.items()}
    assert told == dict.fromkeys(STATUSES, ("error", "bad_response", None))


@pytest.mark.parametrize("way", ["goodbye", "refused"])
async def test_a_server_that_ends_a_stream_before_it_answers_is_asked_again(http2: Start, way: str) -> None:
    asked: list[str] = []

    def leaving(speaker: h2.connection.H2Connection, stream: int, path: str) -> None:
        asked.append(path)
        if len(asked) > 1:
            whole(speaker, stream, path)
        elif way == "goodbye":
            speaker.close_connection()
        else:
            speaker.reset_stream(stream, error_code=7)

    site, authorities = http2(leaving)

    async with fetcher(certificate_authorities=(authorities,), retries=1) as web:
        visit = await web.fetch(f"https://127.0.0.1:{site.port}/", robots="ignore")

    assert (visit.outcome, visit.body) == ("ok", b"hello")
    assert [hop.error for hop in visit.hops] == ["connection_lost", None]
    assert asked == ["/", "/"]
