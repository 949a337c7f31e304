"""A hostile site, captured without and with a browser: each address comes to what it should, and nothing leaks."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from service.build import build
from tests.crawler.test_rendering import children
from tests.network import ScriptedResolver
from tests.service.adversarial_site import LIMIT, Address, addresses
from tests.service.opened import ReadersHere, captured, settings_for
from tests.sites import Route, Site

ROBOTS = Route("/robots.txt", 200, (("Content-Type", "text/plain"),), "User-agent: *\nDisallow: /disallowed\n")
AT_ONCE = {"never": 6, "always": 2}


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["never", "always"])
async def test_each_address_of_a_hostile_site_comes_to_what_it_should(
    tmp_path: Path, mode: Literal["never", "always"]
) -> None:
    before = children()
    with Site([Route("/*", 200, body="secret")], address="127.0.0.2") as canary:
        inner, name = f"http://127.0.0.2:{canary.port}", f"http://inner.test:{canary.port}"
        wanted = addresses(inner, name)
        with Site(_routes(wanted)) as site:
            found = await _captured(
                tmp_path, mode, [site.url(one.path) for one in wanted], f"http://turning.test:{canary.port}/"
            )
        heard = [request.path for request in canary.requests]
    turning = found.pop()

    expected = {one.path: (one.browser or one.http) if mode == "always" else one.http for one in wanted}
    seen = {one.path: (said["outcome"], said["page_state"]) for one, said in zip(wanted, found, strict=True)}

    assert len(wanted) >= 40
    assert {path: (seen[path], expected[path]) for path in seen if seen[path] != expected[path]} == {}
    assert turning["outcome"] in {"refused", "error"}
    assert heard == []
    assert children() <= before
    assert not any("secret" in (said["text"] or "") for said in found)


def _routes(wanted: list[Address]) -> list[Route]:
    own = [replace(one.route, path=one.path) for one in wanted if one.route is not None]
    return [ROBOTS, *own, *(route for one in wanted for route in one.routes)]


async def _captured(
    data: Path, mode: Literal["never", "always"], urls: list[str], turning: str
) -> list[dict[str, Any]]:
    names = ScriptedResolver({"inner.test": [["127.0.0.2"]], "turning.test": [["127.0.0.1"], ["127.0.0.2"]]})
    settings = settings_for(
        data,
        allow_addresses=("127.0.0.1/32",),
        fetch_deadline=6,
        max_body=LIMIT,
        render_deadline=10,
        host_concurrency=16,
    )
    slots = asyncio.Semaphore(AT_ONCE[mode])
    async with build(settings, resolver=names, readers=ReadersHere()) as actions:

        async def one(url: str) -> dict[str, Any]:
            async with slots:
                return await captured(actions, url, render=mode)

        return list(await asyncio.gather(*(one(url) for url in [*urls, turning])))
