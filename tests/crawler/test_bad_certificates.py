"""A certificate that does not hold is taken where that is asked for, on record as what it is, and nowhere else."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crawler.fetching import fetcher
from tests.network import Authority, ScriptedResolver
from tests.sites import Route, Site, redirect, robots

Sites = Callable[..., Site]


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.mark.parametrize(
    ("fault", "said"), [("expired", "expired"), ("other name", "page.test"), ("alone", "self-signed")]
)
async def test_the_page_is_taken_with_the_chain_and_why_it_does_not_hold(
    site: Sites, authority: Authority, fault: str, said: str
) -> None:
    context = {
        "expired": lambda: authority.server("page.test", days=(-30, -1)),
        "other name": lambda: authority.server("other.test"),
        "alone": lambda: authority.server("page.test", alone=True),
    }[fault]()
    place = site(Route("/", body="the page"), tls=context)
    names = ScriptedResolver({"page.test": [["127.0.0.1"], ["10.0.0.1"]]})

    async with fetcher(resolver=names, certificate_authorities=(str(authority.file),)) as web:
        visit = await web.fetch(place.url("/", "page.test"), robots="ignore", accept_bad_certificate=True)

    tls = visit.hops[0].tls
    assert (visit.outcome, visit.body) == ("ok", b"the page")
    assert tls is not None
    assert (tls.verified, len(tls.chain)) == (False, 1)
    assert said in str(tls.error)
    assert next(warning for warning in visit.warnings if said in warning).startswith("bad_certificate: page.test: ")
    assert visit.settings["accept_bad_certificate"] is True
    assert names.asked == ["page.test"]  # the second connection goes to the number that was checked


async def test_who_did_not_ask_for_it_gets_no_connection_that_was_taken_unchecked(
    site: Sites, authority: Authority
) -> None:
    place = site(Route("/", body="the page"), tls=authority.server("127.0.0.1", alone=True))

    async with fetcher() as web:
        taken = await web.fetch(place.url(), accept_bad_certificate=True)
        refused = await web.fetch(place.url())
        again = await web.fetch(place.url(), accept_bad_certificate=True)

    assert [visit.outcome for visit in (taken, refused, again)] == ["ok", "error", "ok"]
    assert refused.reason == "tls_certificate"
    assert "accept_bad_certificate" not in refused.settings
    assert [request.path for request in place.requests] == ["/robots.txt", "/", "/"]


async def test_its_robots_txt_is_asked_for_in_the_same_way_and_followed(site: Sites, authority: Authority) -> None:
    place = site(
        robots("User-agent: *\nDisallow: /private\n"),
        Route("/private", body="no"),
        tls=authority.server("127.0.0.1", alone=True),
    )

    async with fetcher() as web:
        visit = await web.fetch(place.url("/private"), accept_bad_certificate=True)

    assert (visit.outcome, visit.reason) == ("refused", "robots_disallowed")
    assert [request.path for request in place.requests] == ["/robots.txt"]


async def test_a_good_certificate_is_checked_and_told_as_before(site: Sites, authority: Authority) -> None:
    good = site(Route("/", body="good"), tls=authority.server("127.0.0.1"))
    bad = site(redirect("/", good.url()), tls=authority.server("127.0.0.1", alone=True))

    async with fetcher(certificate_authorities=(str(authority.file),)) as web:
        visit = await web.fetch(bad.url(), accept_bad_certificate=True)

    assert visit.body == b"good"
    assert [hop.tls.verified for hop in visit.hops if hop.tls] == [False, True]
    assert len([warning for warning in visit.warnings if warning.startswith("bad_certificate")]) == 1


async def test_headers_of_the_operator_go_to_nobody_whose_certificate_does_not_hold(
    site: Sites, authority: Authority
) -> None:
    bad = site(Route("/", body="page"), tls=authority.server("127.0.0.1", alone=True))
    good = site(Route("/", body="page"), tls=authority.server("127.0.0.1"))
    own = (("127.0.0.1", (("Authorization", "Bearer tide"), ("Cookie", "a=b"))),)

    async with fetcher(host_headers=own, certificate_authorities=(str(authority.file),)) as web:
        for place in (bad, good):
            await web.fetch(place.url(), accept_bad_certificate=True)

    assert [(request.get("authorization"), request.get("cookie")) for request in bad.requests] == [(None, None)] * 2
    assert good.requests[-1].get("authorization") == "Bearer tide"


async def test_what_speaks_no_tls_is_refused_all_the_same(site: Sites) -> None:
    place = site(greeting=b"220 mail.test ESMTP\r\n")

    async with fetcher() as web:
        visit = await web.fetch(f"https://127.0.0.1:{place.port}/", robots="ignore", accept_bad_certificate=True)

    assert (visit.outcome, visit.reason) == ("error", "tls_failed")
