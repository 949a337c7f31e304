from collections.abc import Callable

import pytest

from crawler import parse_address
from crawler.robots import MAX_ROBOTS, RobotsAnswer, product_token, read_robots
from tests.crawler.fetching import fetcher
from tests.network import ScriptedResolver, TurnedClock
from tests.sites import HTML, Route, Site, redirect, robots

Sites = Callable[..., Site]
PAGE = Route("/page", body="page")
CLOSED = "User-agent: *\nDisallow: /\n"


async def test_an_error_page_in_place_of_robots_txt_forbids_everything_for_a_short_while(site: Sites) -> None:
    clock = TurnedClock()
    place = site(
        Route("/robots.txt", 503, body="<html><h1>Service unavailable</h1></html>", hit=1), robots("no", 404), PAGE
    )

    async with fetcher(clock=clock) as web:
        first = await web.fetch(place.url("/page"))
        again = await web.fetch(place.url("/page"))
        asked_meanwhile = place.asked("/robots.txt")
        clock.turn(61)
        later = await web.fetch(place.url("/page"))

    assert [(visit.outcome, visit.reason) for visit in (first, again)] == [("refused", "robots_unreachable")] * 2
    assert first.robots is not None
    assert (first.robots.decision, first.robots.source) == ("unreachable", place.url("/robots.txt"))
    assert [hop.error for hop in first.hops] == ["robots_unreachable"]
    assert asked_meanwhile == 1
    assert later.outcome == "ok"
    assert place.asked("/page") == 1


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("wish", "closed", "open_again"), [("600", 590, 610), ("5", 50, 70), ("999999", 3500, 3700), ("soon", 50, 70)]
)
async def test_a_robots_txt_that_asks_to_be_left_alone_is_left_alone(
    site: Sites, status: int, wish: str, closed: float, open_again: float
) -> None:
    clock = TurnedClock()
    busy = Route("/robots.txt", status, (("Content-Type", "text/plain"), ("Retry-After", wish)), hit=1)
    place = site(busy, robots(""), PAGE)

    async with fetcher(clock=clock) as web:
        first = await web.fetch(place.url("/page"))
        clock.turn(closed)
        meanwhile = await web.fetch(place.url("/page"))
        clock.turn(open_again - closed)
        later = await web.fetch(place.url("/page"))

    assert (first.reason, meanwhile.reason, later.outcome) == ("robots_unreachable", "robots_unreachable", "ok")
    assert place.asked("/robots.txt") == 2


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 599, 304, 600])
async def test_what_is_no_answer_about_rules_forbids_everything(site: Sites, status: int) -> None:
    place = site(robots("User-agent: *\nAllow: /\n", status), PAGE)

    async with fetcher() as web:
        visit = await web.fetch(place.url("/page"))

    assert (visit.outcome, visit.reason) == ("refused", "robots_unreachable")
    assert place.asked("/page") == 0


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 418, 451])
async def test_a_site_without_robots_txt_has_no_rules(site: Sites, status: int) -> None:
    place = site(robots(CLOSED, status), PAGE)

    async with fetcher() as web:
        visit = await web.fetch(place.url("/page"))

    assert visit.outcome == "ok"
    assert visit.robots is not None
    assert (visit.robots.decision, visit.robots.overridden) == ("no_rules", False)


@pytest.mark.parametrize(
    "answer",
    [
        Route("/robots.txt", body=CLOSED, declared=1000, framing="as-is", then="close"),
        Route("/robots.txt", body=CLOSED, framing="chunked", then="reset"),
        Route("/robots.txt", raw=b"nonsense\r\n\r\n"),
        Route("/robots.txt", before=3.0),
    ],
)
async def test_a_robots_txt_that_does_not_come_whole_forbids_everything(site: Sites, answer: Route) -> None:
    place = site(answer, PAGE)

    async with fetcher(read_timeout=0.3) as web:
        visit = await web.fetch(place.url("/page"))

    assert (visit.outcome, visit.reason) == ("refused", "robots_unreachable")
    assert place.asked("/page") == 0


async def test_redirects_of_robots_txt_are_followed_five_times_even_to_other_hosts(site: Sites) -> None:
    far = site(Route("/rules", body="User-agent: *\nDisallow: /private\n"))
    names = ScriptedResolver({"far.test": [["127.0.0.1"]], "near.test": [["127.0.0.1"]]})
    place = site(
        redirect("/robots.txt", "/1"),
        *(redirect(f"/{n}", f"/{n + 1}", 301) for n in range(1, 4)),
        redirect("/4", far.url("/rules", "far.test")),
        Route("/private/x", body="x"),
        Route("/open", body="x"),
    )

    async with fetcher(resolver=names) as web:
        private = await web.fetch(place.url("/private/x", "near.test"))
        opened = await web.fetch(place.url("/open", "near.test"))

    assert (private.outcome, private.reason) == ("refused", "robots_disallowed")
    assert private.robots is not None
    assert private.robots.source == far.url("/rules", "far.test")
    assert opened.outcome == "ok"


async def test_a_page_in_place_of_robots_txt_is_not_followed_where_it_sends_its_reader(site: Sites) -> None:
    place = site(
        Route("/robots.txt", body='<meta http-equiv="refresh" content="0; url=/closed">'), Route("/closed", 503), PAGE
    )

    async with fetcher() as web:
        visit = await web.fetch(place.url("/page"))

    assert visit.outcome == "ok"
    assert place.asked("/closed") == 0


@pytest.mark.parametrize("way", ["chain", "circle"])
async def test_a_robots_txt_lost_among_redirects_means_no_rules(site: Sites, way: str) -> None:
    place = site(
        redirect("/robots.txt", "/0"),
        *(redirect(f"/{n}", f"/{n + 1}" if way == "chain" else "/0") for n in range(10)),
        PAGE,
    )

    async with fetcher() as web:
        visit = await web.fetch(place.url("/page"))

    assert visit.outcome == "ok"
    assert len([request for request in place.requests if request.path != "/page"]) <= 6


async def test_a_robots_txt_that_leads_inward_is_one_that_cannot_be_had(site: Sites) -> None:
    inner = site(robots("User-agent: *\nAllow: /"), address="127.0.0.2")
    place = site(redirect("/robots.txt", inner.url("/robots.txt")), PAGE)

    async with fetcher(allow_addresses=("127.0.0.1/32",)) as web:
        visit = await web.fetch(place.url("/page"))

    assert (visit.outcome, visit.reason) == ("refused", "robots_unreachable")
    assert inner.requests == []
    assert place.asked("/page") == 0


async def test_what_is_forbidden_is_not_asked_for(site: Sites) -> None:
    place = site(
        robots("User-agent: *\nDisallow: /private\nUser-agent: Tester\nDisallow: /page\n"), Route("*", body="x")
    )

    async with fetcher(user_agent="Tester/1.0 (+https://example.org)") as web:
        page = await web.fetch(place.url("/page"))
        private = await web.fetch(place.url("/private"))

    assert (page.outcome, page.reason) == ("refused", "robots_disallowed")
    assert private.outcome == "ok"
    assert [request.path for request in place.requests] == ["/robots.txt", "/private"]


async def test_an_override_is_recorded(site: Sites) -> None:
    place = site(robots(CLOSED), PAGE)
    broken = site(robots("", 500), PAGE)
    free = site(robots(""), PAGE)

    async with fetcher() as web:
        recorded = await web.fetch(place.url("/page"), robots="record")
        unreachable = await web.fetch(broken.url("/page"), robots="record")
        allowed = await web.fetch(free.url("/page"), robots="record")
        ignored = await web.fetch(site(PAGE).url("/page"), robots="ignore")

    rulings = [visit.robots for visit in (recorded, unreachable, allowed, ignored)]
    assert [visit.outcome for visit in (recorded, unreachable, allowed, ignored)] == ["ok"] * 4
    assert [(ruling.decision, ruling.overridden) for ruling in rulings if ruling] == [
        ("disallowed", True),
        ("unreachable", True),
        ("allowed", False),
        ("not_asked", True),
    ]
    assert recorded.settings["robots"] == "record"


async def test_each_host_of_a_chain_is_asked_for_its_own_rules(site: Sites) -> None:
    closed = site(robots(CLOSED), PAGE)
    start = site(redirect("/", closed.url("/page")))

    async with fetcher() as web:
        visit = await web.fetch(start.url())

    assert (visit.outcome, visit.reason) == ("refused", "robots_disallowed")
    assert [hop.error for hop in visit.hops] == [None, "robots_disallowed"]
    assert closed.asked("/page") == 0


@pytest.mark.parametrize(
    ("cache_control", "seconds", "asked"),
    [
        (None, 3500, 1),
        (None, 3700, 2),
        ("max-age=86400", 80_000, 1),
        ("max-age=99999999", 86_500, 2),
        ("no-cache, max-age=0", 200, 1),
        ("max-age=0", 400, 2),
    ],
)
async def test_rules_are_kept_for_a_while_and_a_day_at_most(
    site: Sites, cache_control: str | None, seconds: float, asked: int
) -> None:
    clock = TurnedClock()
    headers = (HTML,) if cache_control is None else (HTML, ("Cache-Control", cache_control))
    place = site(Route("/robots.txt", headers=headers, body=""), PAGE)

    async with fetcher(clock=clock) as web:
        await web.fetch(place.url("/page"))
        clock.turn(seconds)
        await web.fetch(place.url("/page"))

    assert place.asked("/robots.txt") == asked


async def test_many_pages_at_once_ask_for_the_rules_once(site: Sites) -> None:
    import asyncio

    place = site(robots("", before=0.2), Route("*", body="x"))

    async with fetcher() as web:
        visits = await asyncio.gather(*(web.fetch(place.url(f"/{n}")) for n in range(10)))

    assert {visit.outcome for visit in visits} == {"ok"}
    assert place.asked("/robots.txt") == 1


async def test_of_a_large_robots_txt_the_first_part_counts_up_to_a_whole_line(site: Sites) -> None:
    filler = "# nothing to see here\n" * (MAX_ROBOTS // 22 - 1)
    rest = "Disallow: /behind\n" * 2000
    place = site(robots("User-agent: *\nDisallow: /before\n" + filler + rest), Route("*", body="x"))

    async with fetcher() as web:
        before = await web.fetch(place.url("/before"))
        beside = await web.fetch(place.url("/b"))

    assert (before.reason, beside.outcome) == ("robots_disallowed", "ok")


@pytest.mark.parametrize("declared", [None, 10**9, 10**15])
async def test_a_robots_txt_larger_than_a_page_may_be_is_read_all_the_same(site: Sites, declared: int | None) -> None:
    text = "User-agent: *\nDisallow: /before\n" + "# nothing to see here\n" * (MAX_ROBOTS // 22 + 1)
    place = site(robots(text, declared=declared), Route("*", body="x"))

    async with fetcher(max_body=10_000, max_wire=10_000) as web:
        before = await web.fetch(place.url("/before"))
        beside = await web.fetch(place.url("/b"))

    assert (before.reason, beside.outcome) == ("robots_disallowed", "ok")


def decision(text: str | bytes, path: str, token: str = "FooBot") -> bool:
    body = text if isinstance(text, bytes) else text.encode()
    rules, _ = read_robots(RobotsAnswer("answered", "http://foo.bar/robots.txt", 200, body), token)
    return rules.ruling(parse_address(f"http://foo.bar{path}"), token).decision == "allowed"


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        ("", "/x", True),
        ("user-agent: FooBot\ndisallow: /\n", "/x", False),
        ("USER-AGENT: foobot\nDISALLOW: /\n", "/x", False),
        ("user-agent: FooBot\ndisallow: /\n", "/robots.txt", True),
        ("user-agent: BarBot\ndisallow: /\n", "/x", True),
        ("user-agent: BarBot\nuser-agent: FooBot\ndisallow: /x\n", "/x", False),
        ("user-agent: *\ndisallow: /\nuser-agent: FooBot\nallow: /\n", "/x", True),
        ("user-agent: FooBot\ndisallow:\n", "/x", True),
        ("disallow: /\nuser-agent: FooBot\n", "/x", True),
        ("user-agent: FooBot\nallow: /x/page\ndisallow: /x/\n", "/x/page.html", True),
        ("user-agent: FooBot\ndisallow: /x/page.html\nallow: /x/\n", "/x/page.html", False),
        ("user-agent: FooBot\nallow: /x\ndisallow: /x\n", "/x", True),
        ("user-agent: FooBot\ndisallow: /*.php$\n", "/a/b.php", False),
        ("user-agent: FooBot\ndisallow: /*.php$\n", "/a/b.php?x", True),
        ("user-agent: FooBot\ndisallow: /x*y\n", "/x/1/y/2", False),
        ("user-agent: FooBot\ndisallow: /X\n", "/x", True),
        ("user-agent: FooBot\ndisallow: /ü\n", "/%C3%BC", False),
        ("user-agent: FooBot\ndisallow: /%C3%BC\n", "/ü", False),
        ("user-agent: FooBot # comment\ndisallow: /x # comment\n", "/x", False),
        ("\ufeffuser-agent: FooBot\ndisallow: /x\n", "/x", False),
        (b"\xff\xfe\x00user-agent: FooBot\ndisallow: /x\n", "/x", True),
        ("user-agent: FooBot\ndisallow: /x\n".encode("utf-16"), "/x", False),
        ("\ufeffuser-agent: FooBot\ndisallow: /x\n".encode("utf-16-be"), "/x", False),
        ("user-agent: FooBot\rdisallow: /x\r", "/x", False),
        ("user-agent: FooBot\r\ndisallow: /x?a\r\n", "/x?a=1", False),
        ("<html><body>user-agent: *\n<p>disallow: /</p></body></html>", "/x", True),
        ("user-agent: FooBot/1.0\ndisallow: /x\n", "/x", False),
        ("user-agent: FOOBOT crawler, please\ndisallow: /x\n", "/x", False),
        ("user-agent: FooBot*\ndisallow: /x\n", "/x", False),
        ("user-agent: Foo\ndisallow: /x\n", "/x", True),
        ("user-agent: Bot\ndisallow: /x\n", "/x", True),
        ("user-agent: FooBotNews\ndisallow: /x\n", "/x", True),
        ("user agent : FooBot\ndisallow : /x\n", "/x", False),
        ("user-agent FooBot\ndisallow /x\n", "/x", False),
        ("user-agent: FooBot\nnoindex: /y\nuser-agent: *\ndisallow: /x\n", "/x", False),
        ("user-agent: FooBot\ndissallow: /x\n", "/x", False),
        ("user-agent: FooBot\ndisallow: /foo/%62%61%7A\n", "/foo/baz", False),
        ("user-agent: *\nuser-agent: Other\ndisallow: /x\n", "/x", False),
        ("user-agent: FooBot\n\n\ncrawl-delay: 3\n\ndisallow: /x\n", "/x", False),
    ],
)
def test_rules_mean_what_the_standard_says(text: str | bytes, path: str, allowed: bool) -> None:  # noqa: FBT001 - a table
    assert decision(text, path) is allowed


def test_sitemaps_and_crawl_delay_are_read() -> None:
    text = b"Sitemap: http://foo.bar/a.xml\nUser-agent: *\nCrawl-delay: 2.5\nSitemap: /b.xml\nSitemap: javascript:1\n"

    rules, _ = read_robots(RobotsAnswer("answered", "http://foo.bar/robots.txt", 200, text), "FooBot")

    assert rules.sitemaps == ("http://foo.bar/a.xml", "http://foo.bar/b.xml")
    assert rules.crawl_delay == 2.5


@pytest.mark.parametrize(
    ("agent", "token"),
    [("Citator/0.1 (+x)", "Citator"), ("My Bot/2", "My"), ("plain", "plain"), ("", "*"), ("  x/1", "x")],
)
def test_the_product_token_stands_in_front(agent: str, token: str) -> None:
    assert product_token(agent) == token


async def test_rules_that_are_followed_only_in_part_are_named_in_the_record(site: Sites) -> None:
    slow = site(robots("User-agent: *\nCrawl-delay: 3600\n"), PAGE)
    steady = site(robots("User-agent: *\nCrawl-delay: 30\n"), PAGE)
    long = site(robots("User-agent: *\nDisallow: /x\n" + "# nothing\n" * (MAX_ROBOTS // 10)), PAGE)

    visits = []
    for one in (slow, steady, long):
        async with fetcher() as web:
            visits.append(await web.fetch(one.url("/page")))

    assert [visit.outcome for visit in visits] == ["ok"] * 3
    assert visits[0].warnings == ("crawl_delay: 127.0.0.1 asks for 3600 seconds between two requests, and gets 30",)
    assert visits[1].warnings == ()
    assert [warning.partition(":")[0] for warning in visits[2].warnings] == ["robots_cut"]
