import socket
from collections.abc import Callable
from hashlib import sha256
from ipaddress import ip_address

import pytest

from crawler.dialling import interleaved
from tests.crawler.fetching import fetcher
from tests.network import ScriptedResolver
from tests.sites import HTML, Route, Site

Sites = Callable[..., Site]
BODY = b"<p>The toll at the swing bridge ends on Friday.</p>"


@pytest.mark.parametrize("framing", ["length", "chunked", "close"])
async def test_a_page_is_whole_in_every_framing_with_everything_on_record(site: Sites, framing: str) -> None:
    place = site(
        Route(
            "/page?a=b",
            headers=(("CONTENT-type", 'Text/HTML; Charset="UTF-8"'), ("X-Twice", "1"), ("x-twice", "2")),
            body=BODY,
            framing=framing,
        )
    )

    async with fetcher(user_agent="Tester/9 (+x)", accept_language="cs, en;q=0.5") as web:
        visit = await web.fetch(place.url("/page?a=b#part"))

    assert (visit.outcome, visit.reason, visit.detail, visit.warnings) == ("ok", None, None, ())
    assert visit.asked == visit.final == place.url("/page?a=b")
    assert (visit.body, visit.wire_length, visit.wire_sha256) == (BODY, len(BODY), sha256(BODY).hexdigest())
    assert (visit.media_type, visit.charset_header) == ("text/html", "UTF-8")
    (hop,) = visit.hops
    assert hop.response_headers[:3] == (
        ("CONTENT-type", 'Text/HTML; Charset="UTF-8"'),
        ("X-Twice", "1"),
        ("x-twice", "2"),
    )
    assert hop.request_headers == place.requests[-1].headers
    assert dict(hop.request_headers)["User-Agent"] == visit.user_agent == "Tester/9 (+x)"
    assert dict(hop.request_headers)["Accept-Language"] == visit.settings["accept_language"] == "cs, en;q=0.5"
    assert (hop.status, hop.protocol, hop.remote, hop.tls) == (200, "http/1.1", f"127.0.0.1:{place.port}", None)
    assert visit.started_at <= hop.started_at <= hop.ended_at <= visit.retrieved_at


@pytest.mark.parametrize("status", [200, 201, 203, 400, 401, 403, 404, 410, 418, 451, 500, 502, 503, 599])
async def test_any_status_is_a_visit(site: Sites, status: int) -> None:
    place = site(Route("/", status, body=BODY))

    async with fetcher() as web:
        visit = await web.fetch(place.url())

    assert (visit.outcome, visit.status, visit.body) == ("ok", status, BODY)


@pytest.mark.parametrize(
    ("value", "media_type", "charset"),
    [
        ("text/html", "text/html", None),
        ("TEXT/HTML;charset=cp1251", "text/html", "cp1251"),
        ("text/html; foo=bar; charset='utf-8'", "text/html", "utf-8"),
        ("text/html; charset=", "text/html", None),
        ("application/pdf", "application/pdf", None),
        ("nonsense", None, None),
        ("", None, None),
        ("; charset=utf-8", None, "utf-8"),
    ],
)
async def test_content_types_are_read_as_they_come(
    site: Sites, value: str, media_type: str | None, charset: str | None
) -> None:
    place = site(Route("/", headers=(("Content-Type", value),), body=b"\x00\xff"))

    async with fetcher() as web:
        visit = await web.fetch(place.url())

    assert (visit.outcome, visit.body) == ("ok", b"\x00\xff")
    assert (visit.media_type, visit.charset_header) == (media_type, charset)


@pytest.mark.parametrize(
    ("route", "reason"),
    [
        (Route(body=BODY, declared=len(BODY) + 1, framing="as-is", then="close"), "length_mismatch"),
        (Route(body=BODY, declared=len(BODY) + 1000, framing="as-is", then="reset"), "length_mismatch"),
        (Route(body=BODY, declared=len(BODY) - 1, framing="as-is"), "length_mismatch"),
        (Route(body=BODY, framing="chunked", then="reset"), "cut_short"),
        (Route(raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), "cut_short"),
        (Route(raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nZZ\r\n"), "cut_short"),
        (Route(body=BODY, framing="close", then="reset"), "cut_short"),
        (Route(status=206, body=BODY), "partial_content"),
    ],
)
async def test_a_body_that_is_not_whole_is_incomplete_and_what_came_is_kept(
    site: Sites, route: Route, reason: str
) -> None:
    place = site(route)

    async with fetcher() as web:
        visit = await web.fetch(place.url())

    assert (visit.outcome, visit.reason) == ("incomplete", reason)
    assert visit.hops[-1].status in {200, 206}
    assert visit.body is not None
    assert (BODY + b"hello").find(visit.body) >= 0


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "connection_lost"),
        (b"HTTP/1.1 200", "connection_lost"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", "connection_lost"),
        (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", "bad_response"),
        (b"<html><body>HTTP/0.9</body></html>\r\n\r\n", "bad_response"),
        (b"<html><body>HTTP/0.9</body></html>", "bad_response"),
        (b"220 mail.example ESMTP\r\n", "bad_response"),
        (b"\x15\x03\x01\x00\x02\x02\x50", "bad_response"),
        (b"HTT", "connection_lost"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", "bad_response"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nhello!", "bad_response"),
    ],
)
async def test_what_is_no_answer_is_an_error(site: Sites, raw: bytes, reason: str) -> None:
    place = site(Route("/", raw=raw, then="close"))

    async with fetcher() as web:
        visit = await web.fetch(place.url(), robots="ignore")

    assert (visit.outcome, visit.reason, visit.body) == ("error", reason, None)
    assert [(hop.status, hop.error) for hop in visit.hops] == [(None, reason)]


async def test_a_server_of_another_protocol_is_told_at_its_first_words(site: Sites) -> None:
    place = site(Route("/", raw=b"220 mail.example ESMTP\r\n", then="hold"))

    async with fetcher(read_timeout=60.0, deadline=120.0) as web:
        visit = await web.fetch(place.url(), robots="ignore")

    assert (visit.outcome, visit.reason) == ("error", "bad_response")


async def test_a_page_that_did_not_change_though_nobody_asked_that_is_an_error(site: Sites) -> None:
    place = site(Route("/", 304, framing="as-is"))

    async with fetcher() as web:
        visit = await web.fetch(place.url(), robots="ignore")

    assert (visit.outcome, visit.reason, visit.status, visit.body) == ("error", "bad_response", 304, None)


async def test_an_answer_may_lack_its_reason_phrase_and_be_preceded_by_hints(site: Sites) -> None:
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
    place = site(Route("/", raw=hints + b"HTTP/1.0 200\r\nX: y\r\n\r\nhello"))

    async with fetcher() as web:
        visit = await web.fetch(place.url())

    assert (visit.outcome, visit.body, visit.hops[0].protocol) == ("ok", b"hello", "http/1.0")


@pytest.mark.parametrize(
    ("route", "reason", "body"),
    [
        (Route(before=5.0), "read_timeout", None),
        (Route(body=BODY, declared=500, framing="as-is", then="hold"), "read_timeout", BODY),
        (Route(body=BODY, framing="close", then="drip", drip=(500, 0.1)), "deadline", None),
        (Route(raw=b"HTTP/1.1 200 OK\r\n", then="drip", drip=(1, 0.1)), "deadline", None),
    ],
)
async def test_silence_and_dripping_end_in_time(site: Sites, route: Route, reason: str, body: bytes | None) -> None:
    place = site(route)

    async with fetcher(read_timeout=0.3) as web:
        visit = await web.fetch(place.url(), deadline=0.8, robots="ignore")

    assert (visit.outcome, visit.reason) == ("timeout", reason)
    assert visit.hops[-1].error == reason
    assert body is None or visit.body == body
    assert (visit.retrieved_at - visit.started_at).total_seconds() < 3


async def test_the_deadline_is_for_all_hops_together(site: Sites) -> None:
    place = site(
        *(Route(f"/{n}", 302, (("Location", f"/{n + 1}"),), before=0.2) for n in range(10)), Route("/10", body=BODY)
    )

    async with fetcher() as web:
        visit = await web.fetch(place.url("/0"), deadline=1.2)

    assert (visit.outcome, visit.reason) == ("timeout", "deadline")
    assert 2 <= len(visit.hops) <= 7
    assert visit.hops[-1].error == "deadline"


async def test_a_dead_host_a_closed_port_and_an_unknown_name_are_told_apart() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but nobody listens
        port = taken.getsockname()[1]
        names = ScriptedResolver({"half.test": [["127.0.0.1"]]})

        async with fetcher(resolver=names) as web:
            closed = await web.fetch(f"http://127.0.0.1:{port}/")
            named = await web.fetch(f"http://half.test:{port}/")
            unknown = await web.fetch("http://nowhere.test/")
            odd = await web.fetch("http://a..b/")

    assert [(visit.outcome, visit.reason) for visit in (closed, named, unknown, odd)] == [
        ("error", "connect_failed"),
        ("error", "connect_failed"),
        ("error", "name_not_found"),
        ("error", "name_not_found"),
    ]


async def test_a_host_with_a_dead_address_is_reached_at_its_other_one(site: Sites) -> None:
    place = site(Route("/", body=BODY), address="127.0.0.3")
    names = ScriptedResolver({"two.test": [["127.0.0.4", "127.0.0.3"]]})

    async with fetcher(resolver=names) as web:
        visit = await web.fetch(place.url("/", "two.test"))

    assert (visit.outcome, visit.hops[0].remote) == ("ok", f"127.0.0.3:{place.port}")


def test_both_kinds_of_numbers_are_tried_in_turns() -> None:
    numbers = [ip_address(text) for text in ("2600::1", "2600::2", "2600::3", "8.8.8.8", "9.9.9.9")]

    tried = [str(number) for number in interleaved(numbers)]

    assert tried == ["2600::1", "8.8.8.8", "2600::2", "9.9.9.9", "2600::3"]


async def test_connections_are_kept_and_a_dead_one_is_replaced(site: Sites) -> None:
    place = site(Route("/a", body=BODY), Route("/b", body=BODY, framing="close"), Route("/c", body=BODY, then="close"))

    async with fetcher() as web:
        visits = [await web.fetch(place.url(path)) for path in ("/a", "/a", "/c", "/a", "/b", "/a")]

    assert [visit.outcome for visit in visits] == ["ok"] * 6
    assert place.connections == 3


@pytest.mark.parametrize(
    ("second", "outcome", "asked"),
    [
        (Route("/page", raw=b"", hit=2), "ok", 3),
        (Route("/page", raw=b"HTTP/1.1 200 OK\r\nConte", hit=2), "ok", 3),
        (Route("/page", raw=b"HTTP/1.1 fine\r\n\r\n", hit=2), "error", 2),
    ],
)
async def test_a_request_that_a_kept_connection_swallowed_is_sent_again_and_that_is_told(
    site: Sites, second: Route, outcome: str, asked: int
) -> None:
    place = site(second, Route("/page", body=BODY))

    async with fetcher(retries=0) as web:
        visits = [await web.fetch(place.url("/page"), robots="ignore") for _ in range(2)]

    assert [visit.outcome for visit in visits] == ["ok", outcome]
    told = [warning.partition(":")[0] for warning in visits[1].warnings]
    assert told == ["connection_renewed"] * (outcome == "ok")
    assert place.asked("/page") == asked


async def test_bytes_behind_an_answer_are_never_read_as_the_next_one(site: Sites) -> None:
    forged = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"
    place = site(
        Route("/first", body=BODY + forged, declared=len(BODY), framing="as-is"), Route("/second", body=b"true")
    )

    async with fetcher() as web:
        first = await web.fetch(place.url("/first"))
        second = await web.fetch(place.url("/second"))

    assert (first.outcome, first.reason, first.body) == ("incomplete", "length_mismatch", BODY)
    assert (second.outcome, second.body) == ("ok", b"true")


async def test_a_body_behind_a_redirect_is_skimmed_or_dropped(site: Sites) -> None:
    place = site(
        Route("/small", 302, (HTML, ("Location", "/end")), body=BODY),
        Route("/large", 302, (HTML, ("Location", "/end")), body=b"x" * 1_000_000, framing="chunked"),
        Route("/endless", 302, (HTML, ("Location", "/end")), body=b"x", framing="close", then="hold"),
        Route("/end", body=BODY),
    )

    async with fetcher(read_timeout=0.3) as web:
        visits = [await web.fetch(place.url(path)) for path in ("/small", "/large", "/endless")]

    assert [(visit.outcome, visit.body) for visit in visits] == [("ok", BODY)] * 3
