"""Endpoints from the operator's settings: asked with POST, exactly there, and nowhere else."""

from pathlib import Path

import pytest

from crawler import BadAddress, CrawlError, Endpoint, Fetcher, FetchSettings
from tests.authority import Authority, served
from tests.sites import Route, Site


async def post(url: str, body: bytes = b"query", *, limit: int = 1000, seconds: float = 20.0) -> tuple[int, bytes]:
    endpoint = Endpoint(url, user_agent="Citator/test")
    try:
        answered = await endpoint.post(body, media_type="application/timestamp-query", limit=limit, seconds=seconds)
        return answered.status, answered.body
    finally:
        endpoint.close()


async def test_what_is_posted_arrives_and_the_answer_comes_back(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    with served(authority) as url:
        status, body = await post(url, b"\x30\x03\x02\x01\x01", limit=10_000)

    assert status == 200
    assert body
    assert authority.asked == [b"\x30\x03\x02\x01\x01"]


async def test_an_endpoint_may_lie_where_pages_may_not() -> None:
    with Site([Route("/", body="yes")]) as site:
        assert await post(site.url("/")) == (200, b"yes")

        async with Fetcher(FetchSettings()) as fetcher:
            visit = await fetcher.fetch(site.url("/"))
    assert (visit.outcome, visit.reason) == ("refused", "address_refused")


async def test_a_redirect_is_not_followed_even_to_the_same_place() -> None:
    with (
        Site([Route("/", 302, (("Location", "/other"),)), Route("/other", body="never")]) as site,
        pytest.raises(CrawlError, match="redirects"),
    ):
        await post(site.url("/"))

    assert [request.path for request in site.requests] == ["/"]


@pytest.mark.parametrize(
    "route",
    [
        Route("/", body=b"x" * 2000),
        Route("/", body=b"x" * 2000, framing="chunked"),
        Route("/", then="hold", body="x", declared=10),
        Route("/", raw=b"220 mail here\r\n"),
        Route("/", before=30),
    ],
    ids=["large", "large and chunked", "stuck", "no HTTP", "silent"],
)
async def test_an_answer_beyond_the_limits_is_refused(route: Route) -> None:
    with Site([route]) as site, pytest.raises(CrawlError):
        await post(site.url("/"), seconds=1.0)


async def test_nobody_there_is_told() -> None:
    with pytest.raises(CrawlError, match="nobody answers"):
        await post("http://127.0.0.1:9/")


def test_what_is_no_address_is_refused_at_once() -> None:
    with pytest.raises(BadAddress):
        Endpoint("time.harbour.test", user_agent="Citator/test")
