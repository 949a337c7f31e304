"""Models that rank passages: what they are asked, what is made of their answers, and what their failures cost."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from service.failures import BadSetting
from service.local_model import load_vectors, pooled
from service.ranking import BY_LIKENESS, Embeddings, Local, NotRanked, Ranker, Reranking, likeness
from tests.service.opened import opened, page, searched
from tests.sites import HTML, Route, Site

JSON_TYPE = ("Content-Type", "application/json")
TEXTS = ["The toll ends on Friday.", "The ferry leaves at six.", "A tram runs at night."]
VECTORS = [[1.0, 0.0], [0.6, 0.8], [1.0, 0.1], [0.0, 1.0]]


def embeddings(site: Site) -> Embeddings:
    return Embeddings(site.url("/v1"), model="small", key="secret-key", seconds=1.0, agent="test")


def reranking(site: Site) -> Reranking:
    return Reranking(site.url("/v2/rerank"), model="cross", key=None, seconds=1.0, agent="test")


def answer(value: Any) -> Route:
    return Route("/*", headers=(JSON_TYPE,), body=json.dumps(value))


async def test_embeddings_are_asked_once_for_all_texts_and_compared_with_the_query() -> None:
    data = [{"index": n, "embedding": vector} for n, vector in enumerate(VECTORS)]
    with Site([answer({"data": data[::-1]})]) as site:
        ranker = embeddings(site)
        judged = await ranker.rank("toll", TEXTS, seconds=5)
        ranker.close()

    assert [round(one, 3) for one in judged] == [0.6, 0.995, 0.0]
    (request,) = site.requests
    assert (request.method, request.path) == ("POST", "/v1/embeddings")
    assert request.get("authorization") == "Bearer secret-key"
    assert (ranker.name, ranker.weight) == ("embeddings:small", BY_LIKENESS)


async def test_a_reranker_judges_by_the_places_that_it_names() -> None:
    results = [{"index": 2, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.2},
               {"index": 1, "relevance_score": 0.1}]  # fmt: skip
    with Site([answer({"results": results})]) as site:
        ranker = reranking(site)
        judged = await ranker.rank("toll", TEXTS, seconds=5)
        ranker.close()

    assert judged == [0.2, 0.1, 0.9]
    assert site.requests[0].path == "/v2/rerank"
    assert (ranker.name, ranker.weight) == ("rerank:cross", None)


@pytest.mark.parametrize(
    "route",
    [
        Route("/*", 500),
        Route("/*", headers=(HTML,), body="<html>"),
        answer([]),
        answer({"data": [], "results": []}),
        answer({"data": [{"index": 0, "embedding": "x"}] * 4, "results": [{"index": 0, "relevance_score": None}]}),
        answer({"data": [{"index": n, "embedding": [0.1] * n} for n in range(4)], "results": [{"index": -1}]}),
        Route("/*", headers=(JSON_TYPE,), body='{"results": [{"index": 0, "relevance_score": 1e999}]}'),
        Route("/*", before=30, then="hold"),
        Route("/*", raw=b""),
    ],
)
async def test_an_answer_that_cannot_be_used_is_a_failure_by_name(route: Route) -> None:
    with Site([route]) as site:
        for ranker in (embeddings(site), reranking(site)):
            with pytest.raises(NotRanked):
                await ranker.rank("toll", TEXTS, seconds=0.5)
            ranker.close()


async def test_a_local_model_ranks_by_the_mean_of_its_tokens(tmp_path: Path) -> None:
    table = np.array([[1, 0], [0, 1], [1, 1]], np.float16)
    ranker: Ranker = Local("toy", lambda texts: pooled(table, [[ord(c) % 3 for c in text] for text in texts]))

    judged = await ranker.rank("c", ["c", "a", ""], seconds=1)

    assert [round(one, 3) for one in judged] == [1.0, 0.0, 0.0]
    assert likeness([0.0, 0.0], [1.0, 0.0]) == 0.0


@pytest.mark.parametrize("named", ["no_such_package_here", "not/a-name", "json"])
def test_a_model_that_is_not_there_is_refused_by_name(named: str) -> None:
    with pytest.raises(BadSetting, match="CITATOR_LOCAL_MODEL"):
        load_vectors(named)


def test_a_matrix_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"\x08\x00\x00\x00\x00\x00\x00\x00notjson!")
    (tmp_path / "tokenizer.json").write_text("{}")

    with pytest.raises(BadSetting, match="no matrix"):
        load_vectors(str(tmp_path))


FIRST, SECOND = "The toll at the bridge is paid at the gate. " * 12, "The keeper takes money for crossing. " * 14


@pytest.mark.parametrize(("fails", "shown"), [(False, SECOND), (True, FIRST)])
async def test_what_a_model_prefers_is_shown_first_and_a_failure_is_told(
    tmp_path: Path, *, fails: bool, shown: str
) -> None:
    judged = [{"index": n, "relevance_score": score} for n, score in enumerate((0.1, 0.9))]
    found = {"results": [], "unresponsive_engines": []}
    with Site([Route("/p", body=page("Notice", FIRST, SECOND))]) as pages, Site([]) as services:
        found["results"] = [{"url": pages.url("/p"), "title": "t", "content": "c"}]
        rerank = (
            Route("/rerank", 503)
            if fails
            else Route("/rerank", headers=(JSON_TYPE,), body=json.dumps({"results": judged}))
        )
        services.routes = [Route("/search*", headers=(JSON_TYPE,), body=json.dumps(found)), rerank]
        settings = {"searxng_url": services.url(""), "rerank_url": services.url(""), "rerank_model": "cross"}
        async with opened(tmp_path, **settings) as actions:
            reply = await searched(actions, "toll bridge", max_tokens=190)
            record = json.loads((await actions.evidence(reply["record"])).body)

    (passage,) = reply["results"][0]["passages"]
    assert shown.split()[1] in passage["text"].split()
    assert record["versions"]["ranker"] == "rerank:cross"
    assert ("ranked by their words alone" in reply["message"]) is fails
    assert any(part["part"].startswith("model.") for part in record["candidates"][0]["scores"]) is not fails
