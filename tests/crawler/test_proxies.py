"""Connections go through the operator's proxy, to numbers that were checked here, and no secret of it is told."""

import ssl
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from crawler import Bypass, Endpoint, Fetcher, Proxies, Proxy, parse_address
from crawler.dialling import Dialler
from crawler.guard import Guard
from crawler.tls import TlsClient
from tests.crawler.fetching import LOOPBACK, fetcher
from tests.network import Authority, ScriptedResolver
from tests.proxies import ProxyServer
from tests.sites import Route, Site, redirect, robots

Sites = Callable[..., Site]
NAMES = {"page.test": [["127.0.0.1"]], "other.test": [["127.0.0.1"]]}
PAGE = "<p>The harbour is open.</p>"


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture(params=["http", "socks5"])
def proxy(request: pytest.FixtureRequest) -> Iterator[ProxyServer]:
    with ProxyServer(request.param) as server:
        yield server


def through(url: str, *, bypass: tuple[str, ...] = (), looks_up: bool = False, **settings: Any) -> Fetcher:
    names = settings.pop("resolver", None) or ScriptedResolver(NAMES)
    return fetcher(
        resolver=names,
        proxies=Proxies(Proxy.of(url, looks_up=looks_up), Bypass.of(bypass), settings.pop("trusted", ())),
        **settings,
    )


async def test_a_page_comes_through_the_proxy_which_is_told_the_number_that_was_checked(
    site: Sites, proxy: ProxyServer
) -> None:
    place = site(robots(), redirect("/", "/there"), Route("/there", body=PAGE))

    async with through(proxy.url()) as web:
        visit = await web.fetch(place.url("/", "page.test"))

    assert (visit.outcome, visit.body) == ("ok", PAGE.encode())
    assert set(proxy.asked) == {("127.0.0.1", place.port)}
    assert place.requests[-1].get("host") == f"page.test:{place.port}"
    assert {hop.remote for hop in visit.hops} == {f"127.0.0.1:{place.port}"}
    assert visit.settings["proxy"] == "via proxy"


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_encryption_is_with_the_site_itself(
    site: Sites, proxy: ProxyServer, authority: Authority, version: ssl.TLSVersion
) -> None:
    context = authority.server("page.test")
    context.maximum_version = version
    place = site(Route("/", body=PAGE * 10_000), tls=context)
    wrong = site(Route("/", body=PAGE), tls=authority.server("other.test"))

    async with through(proxy.url(), certificate_authorities=(str(authority.file),)) as web:
        visit = await web.fetch(place.url("/", "page.test"))
        refused = await web.fetch(wrong.url("/", "page.test"))
        taken = await web.fetch(wrong.url("/", "page.test"), accept_bad_certificate=True)

    tls = visit.hops[0].tls
    assert (visit.outcome, len(visit.body or b"")) == ("ok", 10_000 * len(PAGE))
    assert tls is not None
    assert tls.verified
    assert (refused.outcome, refused.reason) == ("error", "tls_certificate")
    assert refused.hops[0].remote == f"127.0.0.1:{wrong.port}"
    assert (taken.outcome, taken.settings["proxy"]) == ("ok", "via proxy")


async def test_a_proxy_may_itself_be_spoken_to_in_tls(site: Sites, authority: Authority) -> None:
    place = site(Route("/", body=PAGE), tls=authority.server("page.test"))
    trusted = (str(authority.file),)

    with ProxyServer(tls=authority.server("127.0.0.1")) as good, ProxyServer(tls=authority.server("9.9.9.9")) as bad:
        async with through(good.url(), trusted=trusted, certificate_authorities=trusted) as web:
            visit = await web.fetch(place.url("/", "page.test"))
        async with through(bad.url(), trusted=trusted, certificate_authorities=trusted) as web:
            refused = await web.fetch(place.url("/", "page.test"))

    assert (visit.outcome, visit.body) == ("ok", PAGE.encode())
    assert (refused.outcome, refused.reason) == ("error", "proxy_unreachable")
    assert bad.asked == []


async def test_name_and_password_are_sent_to_the_proxy_and_stand_nowhere_else(site: Sites) -> None:
    place = site(Route("/", body=PAGE))

    for kind in ("http", "socks5"):
        with ProxyServer(kind, login=("tide", "sea/cret:word")) as proxy:
            async with through(proxy.url("tide:sea%2Fcret%3Aword")) as web:
                visit = await web.fetch(place.url("/", "page.test"))

            assert visit.outcome == "ok"
            assert set(proxy.logins) == {("tide", "sea/cret:word")}
            told = repr(asdict(visit)) + repr(web.settings) + repr(place.requests)
            assert not [secret for secret in ("sea/cret", "sea%2Fcret", "dGlkZT") if secret in told]
            assert f":{proxy.port}" not in repr(visit)


@pytest.mark.parametrize(
    ("given", "reason", "said"),
    [
        ({"login": ("tide", "other")}, "proxy_login", "name and password"),
        ({"status": 403}, "proxy_refused", "status 403"),
        ({"status": 502}, "proxy_refused", "status 502"),
        ({"fault": "cut"}, "proxy_failed", "ended the connection"),
        ({"fault": "garbage"}, "proxy_failed", "does not answer in HTTP"),
        ({"fault": "endless"}, "proxy_failed", "does not answer in HTTP"),
        ({"kind": "socks5", "login": ("tide", "other")}, "proxy_login", "does not take"),
        ({"kind": "socks5", "code": 2}, "proxy_refused", "does not allow"),
        ({"kind": "socks5", "code": 4}, "proxy_refused", "does not reach the host"),
        ({"kind": "socks5", "code": 99}, "proxy_refused", "answers 99"),
        ({"kind": "socks5", "fault": "cut"}, "proxy_failed", "ended the connection"),
        ({"kind": "socks5", "fault": "garbage"}, "proxy_failed", "does not speak SOCKS5"),
    ],
)
async def test_a_proxy_that_makes_no_connection_is_told_and_nothing_reaches_the_site(
    site: Sites, given: dict[str, Any], reason: str, said: str
) -> None:
    place = site(Route("/", body=PAGE))

    with ProxyServer(**given) as proxy:
        async with through(proxy.url("tide:secret"), retries=0) as web:
            visit = await web.fetch(place.url("/", "page.test"))

    assert (visit.outcome, visit.reason) == ("error", reason)
    assert said in str(visit.detail)
    assert f":{proxy.port}" not in repr(visit)
    assert place.connections == 0


@pytest.mark.parametrize("kind", ["http", "socks5"])
async def test_a_proxy_that_keeps_silent_is_given_up_in_time(site: Sites, kind: Any) -> None:
    place = site(Route("/", body=PAGE))

    with ProxyServer(kind, fault="silent") as proxy:
        async with through(proxy.url(), connect_timeout=0.5) as web:
            visit = await web.fetch(place.url("/", "page.test"))

    assert (visit.outcome, visit.reason) == ("timeout", "connect_timeout")
    assert place.connections == 0


async def test_without_name_and_password_a_proxy_that_wants_them_is_told(site: Sites) -> None:
    place = site(Route("/", body=PAGE))

    for kind in ("http", "socks5"):
        with ProxyServer(kind, login=("tide", "secret")) as proxy:
            async with through(proxy.url()) as web:
                visit = await web.fetch(place.url("/", "page.test"))

        assert visit.reason == "proxy_login"


async def test_a_proxy_that_is_not_there_is_told(site: Sites) -> None:
    place = site(Route("/", body=PAGE))
    with ProxyServer() as proxy:
        pass

    async with through(proxy.url()) as web:
        visit = await web.fetch(place.url("/", "page.test"))

    assert (visit.outcome, visit.reason, visit.detail) == ("error", "proxy_unreachable", "the proxy is not reached")


@pytest.mark.parametrize("refusal", [{"status": 504}, {"kind": "socks5", "code": 5}])
async def test_the_next_number_of_a_host_is_tried_where_one_is_not_reached(
    site: Sites, refusal: dict[str, Any]
) -> None:
    place = site(Route("/", body=PAGE))
    names = ScriptedResolver({"page.test": [["127.0.0.2", "127.0.0.1"]]})

    with ProxyServer(**refusal, hosts=frozenset({"127.0.0.2"})) as proxy:
        async with through(proxy.url(), resolver=names) as web:
            visit = await web.fetch(place.url("/", "page.test"), robots="ignore")

    assert visit.outcome == "ok"
    assert [host for host, _ in proxy.asked] == ["127.0.0.2", "127.0.0.1"]
    assert visit.hops[0].remote == f"127.0.0.1:{place.port}"


async def test_the_guard_refuses_inner_numbers_before_the_proxy_hears_of_them(proxy: ProxyServer, site: Sites) -> None:
    place = site(redirect("/", "http://inner.test/"))
    names = ScriptedResolver(
        {"page.test": [["127.0.0.1"]], "inner.test": [["10.0.0.1"]], "mixed.test": [["127.0.0.1", "10.0.0.1"]]}
    )

    async with through(proxy.url(), resolver=names) as web:
        visits = [
            await web.fetch(url, robots="ignore")
            for url in ("http://inner.test/", "http://10.0.0.1/", "http://mixed.test/", place.url("/", "page.test"))
        ]

    assert [(visit.outcome, visit.reason) for visit in visits] == [("refused", "address_refused")] * 4
    assert set(proxy.asked) == {("127.0.0.1", place.port)}


async def test_a_name_that_changes_between_two_look_ups_gains_nothing(proxy: ProxyServer, site: Sites) -> None:
    place = site(Route("/", body=PAGE))
    names = ScriptedResolver({"page.test": [["127.0.0.1"], ["10.0.0.1"]]})

    async with through(proxy.url(), resolver=names) as web:
        first = await web.fetch(place.url("/", "page.test"), robots="ignore")
        await web._guarded.close()
        second = await web.fetch(place.url("/", "page.test"), robots="ignore")

    assert (first.outcome, second.reason) == ("ok", "address_refused")
    assert proxy.asked == [("127.0.0.1", place.port)]


@pytest.mark.parametrize("kind", ["http", "socks5"])
async def test_a_proxy_that_looks_names_up_is_told_names_and_numbers_are_checked_all_the_same(
    site: Sites, kind: Any
) -> None:
    place = site(Route("/", body=PAGE))
    names = ScriptedResolver({})

    with ProxyServer(kind, names={"page.test": "127.0.0.1"}) as proxy:
        async with through(proxy.url(), looks_up=True, resolver=names) as web:
            visit = await web.fetch(place.url("/", "page.test"), robots="ignore")
            number = await web.fetch(place.url("/"), robots="ignore")
            refused = [
                await web.fetch(url, robots="ignore")
                for url in (
                    "http://10.0.0.1/",
                    "http://[::ffff:10.0.0.1]/",
                    "http://localhost/",
                    "http://app.localhost/",
                    "http://intranet/",
                    "http://printer.local./",
                    "http://page.test:25/",
                )
            ]

    assert (visit.outcome, visit.hops[0].remote) == ("ok", None)
    assert visit.settings["proxy"] == "via proxy, which looks up names"
    assert (number.outcome, number.settings["proxy"]) == ("ok", "via proxy")
    assert [one.reason for one in refused] == ["address_refused"] * 7
    assert proxy.asked == [("page.test", place.port), ("127.0.0.1", place.port)]
    assert names.asked == []


async def test_what_the_bypass_names_is_reached_directly(site: Sites, proxy: ProxyServer) -> None:
    place = site(Route("/", body=PAGE))
    names = ScriptedResolver(
        {"page.test": [["127.0.0.1"]], "a.inner.test": [["127.0.0.1"]], "far.test": [["127.0.0.1"]]}
    )

    async with through(proxy.url(), bypass=("page.test", ".inner.test"), resolver=names) as web:
        direct = [await web.fetch(place.url("/", host), robots="ignore") for host in ("page.test", "a.inner.test")]
        far = await web.fetch(place.url("/", "far.test"), robots="ignore")
    before = len(proxy.asked)
    async with through(proxy.url(), bypass=("127.0.0.0/8",), resolver=names) as web:
        by_number = [await web.fetch(place.url("/", host), robots="ignore") for host in ("127.0.0.1", "far.test")]

    assert ["proxy" in visit.settings for visit in (*direct, far, *by_number)] == [False, False, True, False, False]
    assert [visit.outcome for visit in (*direct, far, *by_number)] == ["ok"] * 5
    assert before == len(proxy.asked) == 1


async def test_endpoints_of_the_operator_go_the_same_way(site: Sites, proxy: ProxyServer) -> None:
    place = site(Route("/api", body="{}"))
    names = ScriptedResolver(NAMES)

    proxies = Proxies(Proxy.of(proxy.url()))
    endpoint = Endpoint(place.url("/api", "page.test"), user_agent="Citator", resolver=names, proxies=proxies)
    answered = await endpoint.get("/api", (), limit=1000, seconds=10)

    assert answered.body == b"{}"
    assert proxy.asked == [("127.0.0.1", place.port)]


async def test_a_server_that_speaks_first_loses_no_byte(site: Sites, proxy: ProxyServer) -> None:
    place = site(greeting=b"220 mail.test ESMTP\r\n")
    guard, client = Guard.of(LOOPBACK), TlsClient()

    dialler = Dialler(guard, ScriptedResolver(NAMES), client, 5.0, proxies=Proxies(Proxy.of(proxy.url())))
    stream = await dialler.dial(parse_address(f"http://page.test:{place.port}/"))
    said = await stream.read(100)
    await stream.aclose()

    assert said.startswith(b"220 mail.test")


@pytest.mark.parametrize(
    "text",
    [
        "", "proxy", "proxy:8080", "ftp://proxy", "http://", "http://proxy:port", "http://proxy:99999", "http://proxy/path",
        "http://[::1", f"http://{'n' * 256}:secret@proxy", "http://na%3Ame:secret@proxy", "http://n:secret%0d%0a@proxy",
        "socks4://proxy", "http://proxy?secret",
    ],
)  # fmt: skip
def test_what_is_no_proxy_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(ValueError, match="proxy") as refused:
        Proxy.of(text)

    assert "secret" not in str(refused.value)


def test_addresses_of_proxies_are_read_as_they_are_written_everywhere() -> None:
    assert Proxy.of("http://proxy.test") == Proxy("http", "proxy.test", 8080)
    assert Proxy.of("https://proxy.test/") == Proxy("https", "proxy.test", 443)
    assert Proxy.of("socks5://[::1]:9050") == Proxy("socks5", "::1", 9050)
    assert Proxy.of("socks5h://proxy.test") == Proxy("socks5", "proxy.test", 1080, looks_up=True)
    assert Proxy.of("http://n:p%40ss@proxy.test:3128").login == ("n", "p@ss")
    assert "p@ss" not in repr(Proxy.of("http://n:p%40ss@proxy.test:3128"))


@pytest.mark.parametrize("entry", ["*", ".", "http://host", "host:80", "a*b", "10.0.0.0/99"])
def test_what_is_no_entry_of_a_bypass_is_refused(entry: str) -> None:
    with pytest.raises(ValueError, match="neither"):
        Bypass.of([entry])


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("http://a.test/", True),
        ("http://b.a.test/", True),
        ("http://ba.test/", False),
        ("http://host/", True),
        ("http://sub.host/", False),
        ("http://10.1.2.3/", True),
        ("http://11.1.2.3/", False),
        ("http://[fd00::7]/", True),
        ("http://HOST./", True),
    ],
)
def test_a_bypass_names_hosts_domains_and_numbers(url: str, *, named: bool) -> None:
    bypass = Bypass.of(["*.a.test", "Host", "10.0.0.0/8", "fd00::/8"])

    assert bypass.names(parse_address(url)) is named
