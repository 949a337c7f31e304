"""The order of results follows from the record, by what `docs/search.md` says of it and nothing else."""

import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from service.actions import Actions
from tests.service.opened import HARBOUR, captured, opened, page, searched
from tests.service.provider_shapes import finding, settings_of
from tests.sites import Route, Site

K = 60


async def record_of(actions: Actions, reply: dict[str, Any]) -> dict[str, Any]:
    return dict(json.loads((await actions.evidence(reply["record"])).body))


def key(url: str) -> str:
    """What candidates of one page have in common, as the page on searching says."""
    return url.partition("://")[2].removeprefix("www.").rstrip("/")


def fused(record: Mapping[str, Any]) -> list[str]:
    """All candidates in the order that their providers' ranks and weights give."""
    weights = {name: float(weight) for name, weight in record["versions"].get("weights", {}).items()}

    def place(one: Mapping[str, Any]) -> tuple[float, int, str]:
        ranks = {rank["provider"]: rank["rank"] for rank in one["ranks"]}
        score = sum(weights.get(name, 1.0) / (K + rank) for name, rank in sorted(ranks.items()))
        return (-score, min(ranks.values()), key(one["url"]))

    return [one["url"] for one in sorted(record["candidates"], key=place)]


def passages_in_order(record: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Page and ordinal of the passages that were offered, in the order in which they were given room."""
    kept = [one for one in record["candidates"] if one["decision"] == "kept"]
    offered = []
    for page_number, one in enumerate(kept):
        scores = {part["part"]: Decimal(part["value"]) for part in one["scores"] if part["part"].startswith("words.")}
        best = sorted(scores, key=lambda part: (-scores[part], int(part.removeprefix("words."))))
        offered += [(page_number, int(part.removeprefix("words.")), scores[part], n) for n, part in enumerate(best)]
    firsts = [one for one in offered if one[3] == 0]
    rest = sorted((one for one in offered if one[3]), key=lambda one: (-one[2], offered.index(one)))
    return [(page_number, ordinal) for page_number, ordinal, _, _ in firsts + rest]


async def test_the_order_of_a_search_that_asks_around_is_computed_again(tmp_path: Path) -> None:
    routes = [Route(f"/p{n}", body=page(f"Notice {n}", *[f"Toll {n} on the bridge, line {k}. " * 12 for k in range(6)]))
              for n in range(9)]  # fmt: skip
    with Site(routes) as pages, Site([]) as services:
        orders = {"searxng": (4, 1, 7, 0, 2), "brave": (7, 3, 4, 8), "tavily": (5, 2, 4, 6, 1, 3)}
        services.routes = [finding(name, [pages.url(f"/p{n}") for n in order]) for name, order in orders.items()]
        weights = {"brave": 0.5, "tavily": 2.0}
        async with opened(tmp_path, provider_weights=weights, **settings_of(services)) as actions:
            reply = await searched(actions, "toll on the bridge", max_results=4, max_tokens=600)
            record = await record_of(actions, reply)

    order = fused(record)
    kept = {one["url"] for one in record["candidates"] if one["decision"] == "kept"}
    assert record["versions"]["fusion"] == f"rrf-{K}"
    assert order == [one["url"] for one in record["candidates"]]
    assert [one["url"] for one in reply["results"]] == [url for url in order if url in kept]
    shown = {(n, ref["ordinal"]) for n, one in enumerate(record["results"]) for ref in one["passages"]}
    in_order = passages_in_order(record)
    assert 0 < len(shown) < len(in_order)
    assert shown == set(in_order[: len(shown)]), "of passages of one length those are shown that come first"


async def test_the_order_of_a_search_in_the_own_index_is_computed_again(tmp_path: Path) -> None:
    with Site(HARBOUR) as pages:
        async with opened(tmp_path) as actions:
            for path in ("/", "/ferry", "/bridge"):
                await captured(actions, pages.url(path))
            reply = await searched(actions, "ferry bridge toll notices harbour")
            record = await record_of(actions, reply)
            places = {one["capture"]: (await actions.proof(one["capture"]))["index"] for one in record["candidates"]}

    def place(one: Mapping[str, Any]) -> tuple[Decimal, int]:
        return (-sum(Decimal(part["value"]) for part in one["scores"]), -places[one["capture"]])

    assert len(record["candidates"]) == 3
    assert [one["rank"] for one in sorted(record["candidates"], key=place)] == [1, 2, 3]
    assert [one["capture"] for one in reply["results"]] == [
        one["capture"] for one in sorted(record["candidates"], key=place)
    ]
