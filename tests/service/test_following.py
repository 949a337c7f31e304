"""The index follows the log: it is told what is new, and nothing of visits that found a page as it was."""

from pathlib import Path

import pytest

from tests.service.opened import BRIDGE, FERRY, captured, opened, searched
from tests.sites import Route, Site, robots

OPEN = robots("User-agent: *\nAllow: /\n")


@pytest.mark.parametrize("rebuilt", [False, True], ids=["followed", "rebuilt"])
async def test_a_page_that_is_as_it_once_was_is_found_again(tmp_path: Path, *, rebuilt: bool) -> None:
    routes = [OPEN, Route("/", body=FERRY, hit=1), Route("/", body=BRIDGE, hit=2), Route("/", body=FERRY)]
    with Site(routes) as site:
        async with opened(tmp_path) as actions:
            seen = [await captured(actions, site.url("/"), max_age=0) for _ in range(4)]
            if rebuilt:
                await actions.rebuild(lambda *_: None)
            ferry = await searched(actions, "ferry northern pier", fetch="never")
            toll = await searched(actions, "toll swing bridge", fetch="never")
            versions = actions.parts.follower.index.passages

    assert [one["capture"] for one in ferry["results"]] == [seen[2]["capture"]]
    assert toll["results"] == []
    assert versions == sum(len(one["passages"]) for one in seen[:3])
