"""A proxy by setting: what is fetched, rendered and searched goes through it, and nothing that is kept says which."""

import json
from pathlib import Path

import pytest

from crawler import Fetcher, FetchSettings, Proxies, Proxy
from crawler.forwarding import Forwarding
from service.failures import BadSetting
from service.outgoing import proxies_of
from tests.proxies import ProxyServer
from tests.service.opened import HARBOUR, TOLL, captured, opened, searched, settings_for
from tests.sites import Route, Site

FOUND = json.dumps({"results": []})


def all_of(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


async def test_pages_and_providers_are_asked_through_the_proxy_and_records_say_that_there_was_one(
    tmp_path: Path,
) -> None:
    provider = Route("/search*", 200, (("Content-Type", "application/json"),), FOUND)
    with Site(HARBOUR) as site, Site([provider]) as searxng, ProxyServer(login=("tide", "sEcr3t")) as proxy:
        given = {"proxy": proxy.url("tide:sEcr3t"), "proxy_bypass": "", "searxng_url": searxng.url("")}
        async with opened(tmp_path, **given) as actions:
            said = await captured(actions, site.url("/bridge"))
            capture = (await actions.evidence(said["capture"])).body
            found = await searched(actions, "toll bridge")

    assert TOLL in said["text"]
    assert set(proxy.asked) == {("127.0.0.1", site.port), ("127.0.0.1", searxng.port)}
    assert json.loads(capture)["settings"]["proxy"] == "via proxy"
    assert [one["state"] for one in found["providers"] if one["name"] == "searxng"] == ["ok"]
    assert b"sEcr3t" not in all_of(tmp_path)
    assert f":{proxy.port}".encode() not in capture


async def test_a_bypass_of_this_machine_is_the_default(tmp_path: Path) -> None:
    with Site(HARBOUR) as site, ProxyServer(status=403) as proxy:
        async with opened(tmp_path, proxy=proxy.url()) as actions:
            said = await captured(actions, site.url("/bridge"))

    assert TOLL in said["text"]
    assert proxy.asked == []


async def test_a_proxy_that_refuses_is_a_capture_that_says_so(tmp_path: Path) -> None:
    with Site(HARBOUR) as site, ProxyServer(status=403) as proxy:
        async with opened(tmp_path, proxy=proxy.url("tide:sEcr3t"), proxy_bypass="") as actions:
            said = await captured(actions, site.url("/bridge"))

    assert (said["outcome"], said["reason"]) == ("error", "proxy_refused")
    assert "status 403" in said["detail"]


async def test_what_a_browser_asks_for_goes_through_the_proxy_too() -> None:
    with Site([Route("/", body="hello")]) as site, ProxyServer() as proxy:
        settings = FetchSettings(allow_addresses=("127.0.0.0/8",), proxies=Proxies(Proxy.of(proxy.url())))
        async with (
            Fetcher(settings) as web,
            Forwarding(web.dialler, 10_000).running() as listening,
            Fetcher(FetchSettings(allow_addresses=("127.0.0.0/8",), proxies=Proxies(Proxy.of(listening)))) as browser,
        ):
            visit = await browser.fetch(site.url(), robots="ignore")

    assert visit.body == b"hello"
    assert proxy.asked == [("127.0.0.1", site.port)]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"proxy": "ftp://tide:sEcr3t@proxy"}, "CITATOR_PROXY: a proxy is written like"),
        ({"proxy": "http://tide:sEcr3t@proxy:none"}, "CITATOR_PROXY: the address"),
        ({"proxy_bypass": "http://inner"}, "CITATOR_PROXY_BYPASS: 'http://inner' is neither"),
    ],
)
def test_settings_that_cannot_be_used_are_told_without_the_secret(
    tmp_path: Path, given: dict[str, str], said: str
) -> None:
    with pytest.raises(BadSetting, match=said) as refused:
        proxies_of(settings_for(tmp_path, **given))

    assert "sEcr3t" not in str(refused.value)


def test_a_socks_proxy_that_looks_names_up_is_one_by_its_name_or_by_the_setting(tmp_path: Path) -> None:
    by_name = proxies_of(settings_for(tmp_path, proxy="socks5h://proxy"))
    by_setting = proxies_of(settings_for(tmp_path, proxy="socks5://proxy", proxy_looks_up=True))

    assert by_name == by_setting
    assert by_name.proxy is not None
    assert by_name.proxy.looks_up
