"""Sites that are busy, pages that send their reader on, and what the operator sends to a host of his."""

from collections.abc import Callable

import pytest

from crawler.meta_refresh import refresh_target
from tests.crawler.fetching import fetcher
from tests.network import TurnedClock
from tests.sites import HTML, Route, Site, redirect

Sites = Callable[..., Site]


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
async def test_a_site_that_is_busy_for_a_moment_is_asked_again(site: Sites, status: int) -> None:
    busy = site(
        Route("/", status, hit=1), Route("/", status, (HTML, ("Retry-After", "3")), hit=2), Route("/", body="in")
    )
    clock = TurnedClock()

    async with fetcher(clock=clock, retries=2) as web:
        visit = await web.fetch(busy.url())

    assert (visit.outcome, visit.body) == ("ok", b"in")
    assert [hop.status for hop in visit.hops] == [status, status, 200]
    assert [warning.partition(":")[0] for warning in visit.warnings] == ["asked_again"] * 2
    assert 0.5 <= clock.slept[0] <= 1.0
    assert 3.0 in clock.slept or status not in {429, 503}


async def test_a_site_that_stays_busy_or_asks_for_long_is_left_alone(site: Sites) -> None:
    busy = site(Route("/", 503), Route("/long", 429, (HTML, ("Retry-After", "90"))), Route("/gone", 404))

    async with fetcher(clock=TurnedClock(), retries=2) as web:
        stays = await web.fetch(busy.url("/"))
        gone = await web.fetch(busy.url("/gone"))
        long = await web.fetch(busy.url("/long"))

    assert (stays.status, len(stays.hops)) == (503, 3)
    assert len(gone.hops) == 1
    assert (long.outcome, len(long.hops), long.retry_after) == ("rate_limited", 1, 90.0)


async def test_a_lost_connection_is_tried_once_more(site: Sites) -> None:
    lost = [Route("/", raw=b"", then="reset", hit=hit) for hit in (1, 2)]  # the first was a kept connection's
    shaky = site(*lost, Route("/", body="in"))

    async with fetcher(clock=TurnedClock(), retries=1) as web:
        visit = await web.fetch(shaky.url())

    assert (visit.outcome, visit.body) == ("ok", b"in")
    assert [hop.error for hop in visit.hops] == ["connection_lost", None]


def refresh(content: str) -> str:
    return f'<meta http-equiv="refresh" content="{content}">'


@pytest.mark.parametrize(
    ("body", "header", "target"),
    [
        ('<meta http-equiv="refresh" content="0; url=/next">', None, "/next"),
        ("<META HTTP-EQUIV=Refresh CONTENT='0;URL=/next'>", None, "/next"),
        ("<meta content=\"1;url='/a?b=1&amp;c=2'\" http-equiv=refresh>", None, "/a?b=1&c=2"),
        ('<meta http-equiv="refresh" content="0">', None, ""),
        ("", "0; url=https://other.example/", "https://other.example/"),
        ('<meta http-equiv="refresh" content="300; url=/next">', None, None),
        ('<meta http-equiv="refresh" content="soon">', None, None),
        ('<noscript><meta http-equiv="refresh" content="0; url=/plain"></noscript>', None, None),
        ('<!-- <meta http-equiv="refresh" content="0; url=/old"> -->', None, None),
        ("<script>'<meta http-equiv=refresh content=\"0;url=/x\">'</script>", None, None),
        ("<p>Refresh the page.</p>", None, None),
        (f"{refresh('300; url=/x')}{refresh('0; url=/y')}", None, None),
        (refresh("0; url=/y"), "300; url=/x", None),
        (refresh("soon") + refresh("0; url=/y"), "junk", "/y"),
        (refresh("0.5.3; url=/x"), None, "/x"),
        (refresh("0...; url=/x"), None, "/x"),
        (refresh("0; url=/a>b"), None, "/a>b"),
        (refresh("0; url=/łódź"), None, "/łódź"),
        (refresh("0; url=/&#322;&oacute;d&#x17a;"), None, "/łódź"),
        (refresh("0; url=/q?a=1&region=us&copy=2&notify=1"), None, "/q?a=1&region=us&copy=2&notify=1"),
        ("<meta http-equiv=refresh content='0;url=/x' content='0;url=/y'>", None, "/x"),
        ("<metadata http-equiv=refresh content='0;url=/x'>", None, None),
        (f"<title>{refresh('0; url=/x')}</title>", None, None),
        (f"<p title='{refresh('0; url=/x')}'>", None, None),
        (f"<iframe srcdoc='{refresh('0; url=/x')}'></iframe>", None, None),
        (f"<base href='/sub/'>{refresh('0; url=x')}", None, "http://site.example/sub/x"),
        (f"<base href='/sub/'><base href='/other/'>{refresh('0; url=x')}", None, "http://site.example/sub/x"),
        (f"{refresh('0; url=x')}<base href='/sub/'>", None, "x"),
    ],
)
def test_where_a_page_sends_its_reader_is_read_from_its_bytes(
    body: str, header: str | None, target: str | None
) -> None:
    assert refresh_target(body.encode(), header, "http://site.example/page") == target


@pytest.mark.parametrize(("label", "meta"), [("windows-1251", ""), (None, "<meta charset=windows-1251>")])
def test_where_a_page_sends_its_reader_is_read_in_its_charset(label: str | None, meta: str) -> None:
    body = (meta + refresh("0; url=/паром")).encode("cp1251")

    assert refresh_target(body, None, charset=label) == "/паром"


async def test_a_page_may_send_its_reader_to_an_address_in_any_alphabet(site: Sites) -> None:
    there = site(
        Route("/page", body=refresh("0; url=/&#322;&oacute;d&#378;")),
        Route("/header", headers=(HTML, ("Refresh", "0; url=/łódź"))),
        Route("/%C5%82%C3%B3d%C5%BA", body="here"),
    )

    async with fetcher() as web:
        visits = [await web.fetch(there.url(path)) for path in ("/page", "/header")]

    assert [visit.body for visit in visits] == [b"here"] * 2


async def test_a_page_that_sends_its_reader_on_is_followed_with_its_cookies(site: Sites) -> None:
    gate = '<meta http-equiv="refresh" content="0; url={}">'
    there = site(
        Route("/", 200, (HTML, ("Set-Cookie", "seen=1")), gate.format("/in")),
        Route("/in", cookie="seen=1", body="in"),
        Route("/wall", cookie="through=1", body="through"),
        Route("/wall", 200, (HTML, ("Set-Cookie", "through=1")), gate.format("/wall")),
        Route("/news", body='<meta http-equiv="refresh" content="2">news'),
        Route("/a", body=gate.format("/b")),
        Route("/b", body=gate.format("/a")),
        Route("/inwards", body=gate.format("http://10.0.0.1/")),
    )

    async with fetcher() as web:
        on, wall, news, circle, inwards = [
            await web.fetch(there.url(path)) for path in ("/", "/wall", "/news", "/a", "/inwards")
        ]

    assert (on.body, on.final, [hop.status for hop in on.hops]) == (b"in", there.url("/in"), [200, 200])
    assert wall.body == b"through"
    assert (news.outcome, len(news.hops)) == ("ok", 1)
    assert circle.reason == "redirect_loop"
    assert (inwards.outcome, inwards.reason) == ("refused", "address_refused")


async def test_what_the_operator_sends_to_a_host_goes_nowhere_else_and_is_not_recorded(site: Sites) -> None:
    other = site(Route("/", body="other"))
    home = site(
        Route("/", 200, (HTML, ("Set-Cookie", "a=1")), body="home"),
        redirect("/away", f"http://localhost:{other.port}/"),
    )
    secret = (("Cookie", "session=s3cret"), ("X-Token", "t0ken"), ("User-Agent", "Mine/1"))

    async with fetcher(host_headers=(("127.0.0.1", secret),)) as web:
        visit = await web.fetch(home.url())
        away = await web.fetch(home.url("/away"))

    sent = next(request for request in home.requests if request.path == "/")
    assert (sent.get("cookie"), sent.get("x-token"), sent.get("user-agent")) == ("session=s3cret", "t0ken", "Mine/1")
    assert "s3cret" not in repr(visit)
    assert "t0ken" not in repr(visit) + repr(away)
    assert "X-Token" in [name for name, _ in visit.hops[0].request_headers]
    assert away.body == b"other"
    assert [request.get("x-token") for request in other.requests if request.path == "/"] == [None]
