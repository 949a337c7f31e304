"""One site may be reached (127.0.0.1), its neighbour on 127.0.0.2 may not.

Nothing that a page or a name server does may bring a single request, or even a connection, to the neighbour.
"""

from collections.abc import Callable, Iterator

import pytest

from crawler import Fetcher, FetchSettings
from tests.crawler.fetching import fetcher
from tests.network import ScriptedResolver
from tests.sites import Route, Site, redirect, robots

Sites = Callable[..., Site]
OPEN = ("127.0.0.1/32",)

DISGUISES = [
    "127.0.0.2",
    "127.2",
    "127.0.2",
    "2130706434",
    "0x7f000002",
    "0x7f.0x0.0x0.0x2",
    "0177.0.0.2",
    "0177.0.0.02",
    "017700000002",
    "0x7f.2",
    "127.0.0.2.",
    "%31%32%37.0.0.2",
    "127%2E0%2E0%2E2",
    "\uff11\uff12\uff17.\uff10.\uff10.\uff12",
    "\u2460\u2461\u2466.\u24ea.\u24ea.\u2461",
    "127\u30020\u30020\u30022",
    "127\uff0e0\uff0e0\uff0e2",
    "[::ffff:127.0.0.2]",
    "[::ffff:7f00:2]",
    "[0:0:0:0:0:ffff:7f00:0002]",
    "[::127.0.0.2]",
    "[64:ff9b::127.0.0.2]",
    "[64:ff9b:1::127.0.0.2]",
    "[2002:7f00:2::]",
    "0",
    "0.0.0.0",
    "[::]",
    "user@127.0.0.2",
    "127.0.0.1@127.0.0.2",
    "inner.test",
    "\u24d8\u24dd\u24dd\u24d4\u24e1.test",
    "INNER.test.",
]


@pytest.fixture
def canary() -> Iterator[Site]:
    with Site([Route("*", body="inner secret")], address="127.0.0.2") as neighbour:
        yield neighbour


@pytest.mark.parametrize("host", DISGUISES)
async def test_an_inner_address_is_refused_in_any_disguise_when_redirected_to(
    site: Sites, canary: Site, host: str
) -> None:
    start = site(Route("/", 302, raw_headers=[f"Location: http://{host}:{canary.port}/secret".encode()]))
    names = ScriptedResolver({"inner.test": [["127.0.0.2"]], "inner.test.": [["127.0.0.2"]]})

    async with fetcher(resolver=names, allow_addresses=OPEN) as web:
        visit = await web.fetch(start.url())

    assert (visit.outcome, visit.reason) == ("refused", "address_refused")
    assert canary.connections == 0
    assert [hop.error for hop in visit.hops] == [None, "address_refused"]
    assert (visit.hops[1].request_headers, visit.hops[1].remote) == ((), None)
    assert visit.body is None
    assert "secret" not in str(visit.detail)


@pytest.mark.parametrize("host", [host for host in DISGUISES if "@" not in host])
async def test_an_inner_address_is_refused_in_any_disguise_when_asked_for(canary: Site, host: str) -> None:
    names = ScriptedResolver({"inner.test": [["127.0.0.2"]], "inner.test.": [["127.0.0.2"]]})

    async with fetcher(resolver=names, allow_addresses=OPEN) as web:
        visit = await web.fetch(f"http://{host}:{canary.port}/secret")

    assert (visit.outcome, visit.reason) == ("refused", "address_refused")
    assert canary.connections == 0


async def test_a_name_that_turns_inward_between_two_look_ups_is_refused_at_the_second(
    site: Sites, canary: Site
) -> None:
    public = site(robots(framing="close"), Route("/", body="public", framing="close"))
    canary_port = public.port
    names = ScriptedResolver({"rebind.test": [["127.0.0.1"], ["127.0.0.2"]]})

    async with fetcher(resolver=names, allow_addresses=OPEN) as web:
        visit = await web.fetch(f"http://rebind.test:{canary_port}/")

    assert names.asked == ["rebind.test", "rebind.test"]
    assert (visit.outcome, visit.reason) == ("refused", "address_refused")
    assert public.asked("/") == 0
    assert canary.connections == 0


async def test_a_kept_connection_leads_to_the_address_that_was_checked(site: Sites, canary: Site) -> None:
    public = site(Route("/*", body="public"))
    names = ScriptedResolver({"rebind.test": [["127.0.0.1"], ["127.0.0.2"]]})

    async with fetcher(resolver=names, allow_addresses=OPEN) as web:
        visits = [await web.fetch(public.url(path, "rebind.test")) for path in ("/a", "/b", "/c")]

    assert [visit.body for visit in visits] == [b"public"] * 3
    assert {visit.hops[0].remote for visit in visits} == {f"127.0.0.1:{public.port}"}
    assert names.asked == ["rebind.test"]
    assert canary.connections == 0


async def test_a_name_with_one_inner_address_among_public_ones_is_refused(site: Sites, canary: Site) -> None:
    public = site(Route("/", body="public"))
    names = ScriptedResolver({"mixed.test": [["127.0.0.1", "127.0.0.2"]], "mixed6.test": [["127.0.0.1", "fe80::1"]]})

    async with fetcher(resolver=names, allow_addresses=OPEN) as web:
        visits = [await web.fetch(public.url("/", host)) for host in ("mixed.test", "mixed6.test")]

    assert [visit.reason for visit in visits] == ["address_refused"] * 2
    assert [visit.detail and visit.detail[-11:] for visit in visits] == [" (loopback)", "link_local)"]
    assert public.connections == canary.connections == 0


async def test_a_robots_txt_that_redirects_inward_is_not_followed_there(site: Sites, canary: Site) -> None:
    start = site(redirect("/robots.txt", canary.url("/robots.txt")), Route("/", body="page"))

    async with fetcher(allow_addresses=OPEN) as web:
        visit = await web.fetch(start.url())

    assert canary.connections == 0
    assert visit.outcome == "refused"
    assert start.asked("/") == 0


async def test_a_longer_chain_is_refused_at_the_hop_that_turns_inward(site: Sites, canary: Site) -> None:
    start = site(redirect("/", "/second"), redirect("/second", canary.url("/secret")))

    async with fetcher(allow_addresses=OPEN) as web:
        visit = await web.fetch(start.url())

    assert [(hop.url, hop.status, hop.error) for hop in visit.hops] == [
        (start.url("/"), 302, None),
        (start.url("/second"), 302, None),
        (canary.url("/secret"), None, "address_refused"),
    ]
    assert visit.final == canary.url("/secret")
    assert canary.connections == 0


async def test_a_blocked_port_is_refused_even_where_addresses_are_open() -> None:
    async with fetcher() as web:
        visit = await web.fetch("http://127.0.0.1:25/")

    assert (visit.outcome, visit.reason) == ("refused", "address_refused")
    assert "blocked_port" in str(visit.detail)


async def test_nothing_inner_is_open_by_default(site: Sites) -> None:
    inner = site(Route("/", body="inner"))

    async with Fetcher(FetchSettings()) as web:
        visits = [await web.fetch(inner.url("/", host)) for host in ("127.0.0.1", "localhost", "[::1]")]

    assert [visit.reason for visit in visits] == ["address_refused"] * 3
    assert inner.connections == 0


async def test_an_operators_endpoint_is_reached_but_may_not_redirect(site: Sites, canary: Site) -> None:
    endpoint = site(Route("/search", body="{}"), redirect("/away", canary.url("/")))
    page = site(redirect("/", endpoint.url("/search")))
    settings = FetchSettings(allow_origins=(endpoint.url(),))

    async with Fetcher(settings) as web:
        reached = await web.fetch(endpoint.url("/search"))
        away = await web.fetch(endpoint.url("/away"))
    async with fetcher(allow_addresses=(f"{page.address}/32",), allow_origins=(endpoint.url(),)) as web:
        first_hop_only = await web.fetch(page.url())

    assert (reached.outcome, reached.body, reached.robots) == ("ok", b"{}", None)
    assert (away.outcome, away.reason) == ("error", "redirect_refused")
    assert canary.connections == 0
    assert first_hop_only.outcome == "ok"  # by the allowed network, not by the exemption
