from collections.abc import Callable

import pytest

from crawler import parse_address
from crawler.cookies import MAX_COOKIE, MAX_COOKIES, Jar
from crawler.trip import MAX_ALIKE
from tests.crawler.fetching import fetcher
from tests.crawler.reading_pages import AT
from tests.network import ScriptedResolver
from tests.sites import HTML, Route, Site, redirect

Sites = Callable[..., Site]


async def test_a_cookie_wall_that_redirects_to_itself_is_passed_and_each_fetch_starts_without_cookies(
    site: Sites,
) -> None:
    wall = site(
        Route("/notice", cookie="seen=1", body="<p>The toll ends on Friday.</p>"),
        redirect("/notice", "/notice", 302, ("Set-Cookie", "seen=1; Path=/")),
    )

    async with fetcher() as web:
        first = await web.fetch(wall.url("/notice"))
        second = await web.fetch(wall.url("/notice"))

    assert first.outcome == second.outcome == "ok"
    assert first.body == b"<p>The toll ends on Friday.</p>"
    assert first.final == first.asked == wall.url("/notice")
    assert [hop.status for hop in first.hops] == [302, 200]
    assert ("Set-Cookie", "seen=1; Path=/") in first.hops[0].response_headers
    assert wall.asked("/notice") == 4
    assert [request.get("cookie") for request in wall.requests if request.path == "/notice"] == [None, "seen=1"] * 2


async def test_a_wall_that_counts_its_cookie_up_is_passed(site: Sites) -> None:
    wall = site(
        Route("/", cookie="step=3", body="in"),
        redirect("/", "/", 302, ("Set-Cookie", "step=3"), cookie="step=2"),
        redirect("/", "/", 303, ("Set-Cookie", "step=2"), cookie="step=1"),
        redirect("/", "/", 307, ("Set-Cookie", "step=1")),
    )

    async with fetcher() as web:
        visit = await web.fetch(wall.url())

    assert (visit.outcome, visit.body) == ("ok", b"in")
    assert [hop.status for hop in visit.hops] == [307, 303, 302, 200]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_loop_without_a_change_of_state_is_told_as_one(site: Sites, status: int) -> None:
    loop = site(redirect("/a", "/b", status), redirect("/b", "/a", status))

    async with fetcher() as web:
        visit = await web.fetch(loop.url("/a"))

    assert (visit.outcome, visit.reason) == ("error", "redirect_loop")
    assert loop.asked("/a") == loop.asked("/b") == MAX_ALIKE
    assert [hop.error for hop in visit.hops] == [None] * 2 * MAX_ALIKE + ["redirect_loop"]


async def test_a_loop_whose_cookie_never_changes_the_answer_ends_as_well(site: Sites) -> None:
    loop = site(redirect("/", "/", 302, ("Set-Cookie", "a=1")))

    async with fetcher() as web:
        visit = await web.fetch(loop.url())

    assert visit.reason == "redirect_loop"
    assert loop.asked("/") == 1 + MAX_ALIKE


async def test_a_site_that_remembers_its_visitor_without_a_cookie_is_passed(site: Sites) -> None:
    wall = site(redirect("/", "/welcome", hit=1), redirect("/welcome", "/"), Route("/", body="in"))

    async with fetcher() as web:
        visit = await web.fetch(wall.url())

    assert (visit.outcome, visit.body) == ("ok", b"in")
    assert [hop.status for hop in visit.hops] == [302, 302, 200]


async def test_a_cookie_beyond_ascii_is_sent_back_byte_for_byte(site: Sites) -> None:
    place = "город=Москва".encode().decode("latin-1")
    wall = site(
        Route("/", cookie=place, body="in"),
        Route("/", 302, (("Location", "/"),), raw_headers=(b"Set-Cookie: " + place.encode("latin-1"),)),
    )

    async with fetcher() as web:
        visit = await web.fetch(wall.url())

    assert (visit.outcome, visit.body) == ("ok", b"in")


async def test_an_endless_chain_ends_at_the_limit(site: Sites) -> None:
    chain = site(*(redirect(f"/{step}", f"/{step + 1}") for step in range(40)))

    async with fetcher() as web:
        visit = await web.fetch(chain.url("/0"))

    assert (visit.outcome, visit.reason) == ("error", "too_many_redirects")
    assert len([request for request in chain.requests if request.path != "/robots.txt"]) == 21


async def test_a_redirect_may_be_relative_absolute_or_in_another_alphabet(site: Sites) -> None:
    target = site(
        Route("/caf%C3%A9?q=%C3%BC", body="here"), Route("/d/caf%E9", body="there"), Route("/x/y", body="far")
    )
    start = site(
        redirect("/utf8", target.url("/café?q=ü")),
        Route("/latin", 302, (HTML,), raw_headers=[b"Location: " + target.url("/d/caf").encode() + b"\xe9"]),
        redirect("/a/b/relative", "../../x/y#part"),
        Route("/x/y", body="near"),
    )

    async with fetcher() as web:
        utf8 = await web.fetch(start.url("/utf8"))
        latin = await web.fetch(start.url("/latin"))
        relative = await web.fetch(start.url("/a/b/relative"))

    assert (utf8.body, utf8.final) == (b"here", target.url("/caf%C3%A9?q=%C3%BC"))
    assert latin.body == b"there"
    assert (relative.body, relative.final) == (b"near", start.url("/x/y"))


@pytest.mark.parametrize(
    ("to", "outcome", "reason"),
    [
        ("file:///etc/passwd", "refused", "scheme"),
        ("ftp://example.com/", "refused", "scheme"),
        ("data:text/html,hello", "refused", "scheme"),
        ("javascript:alert(1)", "refused", "scheme"),
        ("http://", "refused", "bad_address"),
        ("http://exa mple/", "refused", "bad_address"),
    ],
)
async def test_a_redirect_to_what_cannot_be_asked_is_refused_and_named(
    site: Sites, to: str, outcome: str, reason: str
) -> None:
    start = site(redirect("/", to))

    async with fetcher() as web:
        visit = await web.fetch(start.url())

    assert (visit.outcome, visit.reason) == (outcome, reason)
    assert [hop.error for hop in visit.hops] == [None, reason]


async def test_a_redirect_status_without_location_is_a_page(site: Sites) -> None:
    start = site(Route("/", 302, body="Moved somewhere"))

    async with fetcher() as web:
        visit = await web.fetch(start.url())

    assert (visit.outcome, visit.status, visit.body) == ("ok", 302, b"Moved somewhere")


async def test_credentials_in_a_redirect_are_neither_sent_nor_kept(site: Sites) -> None:
    start = site(Route("/in", body="in"))
    start.routes = [*start.routes, redirect("/", f"http://user:secret@127.0.0.1:{start.port}/in")]

    async with fetcher() as web:
        visit = await web.fetch(start.url())

    assert (visit.outcome, visit.final) == ("ok", start.url("/in"))
    assert start.requests[-1].get("authorization") is None
    assert visit.warnings[0].startswith("credentials_dropped")


PLAIN, SECURE = "http://a.home.test/d/e/p", "https://a.home.test/d/e/p"


@pytest.mark.parametrize(
    ("lines", "sent"),
    [
        (["a=1; Expires=Thu Jan 01 1970 00:00:00 GMT+0000 (UTC)"], None),
        (["a=1; expires=Thu, 01-Jan-70 00:00:01 GMT"], None),
        (["a=1; Expires=Jan 1 1970 0:0:0"], None),
        (["a=1; Expires=1970-01-01T00:00:00Z"], "a=1"),
        (["a=1; Expires=Tue, 01 Jan 69 00:00:00 GMT"], "a=1"),
        (["a=1; Expires=Thu, 01 Jan 1500 00:00:00 GMT"], "a=1"),
        (["a=1; Expires=Mon, 30 Feb 1970 00:00:00 GMT"], "a=1"),
        (["a=1; Expires=Thu, 01 Jan 1970 25:00:00 GMT"], "a=1"),
        (["a=1; Expires=0"], "a=1"),
        (["a=1; Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], "a=1"),
        (["a=1; Max-Age=abc; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], None),
        (["a=1; Max-Age=--0"], "a=1"),
        (["a=1; Max-Age=-1"], None),
        (["a=1; SameSite=Strict; HttpOnly; Partitioned"], "a=1"),
        (["a=1; Domain=; Path=x"], "a=1"),
        (["a=1; Domain=b.home.test"], None),
        (["a=1; Domain=evil.test; Domain=home.test"], "a=1"),
        (["a=1; Path=/d/ep"], None),
        (["a=1; Path=/", "b=2; Path=/d/e", "c=3; Path=/d"], "b=2; c=3; a=1"),
        (["a=1", "b=2", "a=3"], "a=3; b=2"),
        (["__Secure-a=1; Secure"], "__Secure-a=1"),
        (["__Secure-a=1"], None),
        (["__host-a=1; Secure"], None),
        (["__Host-a=1; Secure; Path=/; Domain=a.home.test"], None),
        (["__Host-a=1; Secure; Path=/"], "__Host-a=1"),
        (["=__Secure-a=1"], None),
    ],
)
def test_a_cookie_is_what_the_standard_says(lines: list[str], sent: str | None) -> None:
    jar = Jar()

    jar.take(parse_address(SECURE), lines, AT)

    assert jar.header(parse_address(SECURE)) == sent


@pytest.mark.parametrize(
    "line", ["a=2; Path=/", "a=; Path=/; Max-Age=0", "a=2; Path=/d", "a=2; Domain=home.test; Path=/"]
)
def test_a_cookie_of_an_encrypted_connection_is_not_covered_by_a_plain_one(line: str) -> None:
    jar = Jar()

    jar.take(parse_address(SECURE), ["a=1; Secure; Path=/"], AT)
    jar.take(parse_address(PLAIN), [line], AT)

    assert jar.header(parse_address(SECURE)) == "a=1"


async def test_cookies_go_only_where_they_belong(site: Sites) -> None:
    other = site(Route("/", body="other"))
    home = site()
    home.routes = [
        redirect(
            "/",
            f"http://sub.home.test:{home.port}/deep/page",
            302,
            ("Set-Cookie", "host=1; Path=/"),
            ("Set-Cookie", "wide=1; Domain=home.test; Path=/"),
            ("Set-Cookie", "deep=1; Domain=.home.test; Path=/deep"),
            ("Set-Cookie", "far=1; Domain=other.test; Path=/"),
            ("Set-Cookie", "suffix=1; Domain=test; Path=/"),
            ("Set-Cookie", "secure=1; Domain=home.test; Secure"),
            ("Set-Cookie", "gone=1; Domain=home.test; Path=/; Max-Age=0"),
            ("Set-Cookie", "old=1; Domain=home.test; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT"),
        ),
        redirect("/deep/page", f"http://other.test:{other.port}/"),
    ]
    names = ScriptedResolver({name: [["127.0.0.1"]] for name in ("home.test", "sub.home.test", "other.test")})

    async with fetcher(resolver=names) as web:
        visit = await web.fetch(home.url(host="home.test"))

    assert visit.body == b"other"
    assert home.requests[-1].get("cookie") == "deep=1; wide=1"
    assert other.requests[-1].get("cookie") is None


@pytest.mark.parametrize("location", ["", " \t"])
async def test_a_redirect_to_nothing_leads_to_where_it_is(site: Sites, location: str) -> None:
    place = site(Route("/", 302, (HTML, ("Location", location)), body="whole"))

    async with fetcher() as web:
        visit = await web.fetch(place.url("/"))

    assert (visit.outcome, visit.reason, place.asked("/")) == ("error", "redirect_loop", MAX_ALIKE)


async def test_cookies_beyond_the_limits_are_left_out_and_that_is_told(site: Sites) -> None:
    many = [("Set-Cookie", f"c{n}=1; Path=/") for n in range(MAX_COOKIES + 5)]
    place = site(
        redirect("/many", "/end", 302, *many), redirect("/long", "/end", 302, ("Set-Cookie", "a=" + "b" * MAX_COOKIE)),
        Route("/end", body="end"),
    )  # fmt: skip

    async with fetcher() as web:
        visits = [await web.fetch(place.url(path)) for path in ("/many", "/long", "/end")]

    told = "cookies_left_out: 127.0.0.1 sets {} that are too many or too long"
    assert [visit.warnings for visit in visits] == [(told.format(5),), (told.format(1),), ()]
    assert [(request.get("cookie") or "").count("=") for request in place.requests if request.path == "/end"] == [
        MAX_COOKIES, 0, 0,
    ]  # fmt: skip
