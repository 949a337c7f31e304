"""Runs that the server drives with the operator's model: a scripted endpoint, real tools, every step on record."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from service.api import application
from service.gate import Rules
from service.mcp_tools.calling import ToolsHere
from service.own_tools import ToolsForModels
from service.requests import KeyRequest, Scope
from service.sessions.driving import Driver, Model
from service.sessions.models import BadAnswer, answer_of, body_of, path_of
from tests.service.asking import Asker
from tests.service.opened import HARBOUR, TOLL, captured, opened
from tests.service.talking import Talk
from tests.sites import Route, Site

JSON_TYPE = ("Content-Type", "application/json")
KEY = "model-secret-key"


def says(content: str | None, *calls: dict[str, Any]) -> str:
    told = [
        {
            "id": call["id"],
            "type": "function",
            "function": {"name": call["name"], "arguments": json.dumps(call["input"])},
        }
        for call in calls
    ]
    message = {"role": "assistant", "content": content} | ({"tool_calls": told} if told else {})
    usage = {"prompt_tokens": 50, "completion_tokens": 7}
    return json.dumps({"model": "m-1", "choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})


def script(answers: Sequence[str], path: str = "/v1/chat/completions") -> list[Route]:
    last = len(answers)
    return [
        Route(path, 200, (JSON_TYPE,), answer, **({"hit": n} if n < last else {"hit_from": n}))
        for n, answer in enumerate(answers, start=1)
    ]


@asynccontextmanager
async def driven(data: Path, endpoint: Site, **given: Any) -> AsyncIterator[Talk]:
    options = {"form": "openai", "name": "m", "key": KEY, "seconds": 20.0, "window": 50_000, "steps": 5} | given
    async with opened(data) as actions:
        model = Model(url=endpoint.url("/v1"), **options)
        driver = Driver(actions, ToolsForModels(ToolsHere(actions)), model, "Citator")
        rules = Rules(hosts=frozenset(), loopback_without_key=False, max_request=8 * 1024 * 1024)
        app = application(actions, rules, driver=driver)
        key = (await actions.keys_create(KeyRequest(name="me", scopes=(Scope.ADMIN,))))["key"]
        try:
            yield Talk(actions, Asker(app, key))
        finally:
            await driver.close()


async def ended(talk: Talk, session: str, run: str) -> Any:
    for _ in range(600):
        found = await talk.get(f"sessions/{session}/runs/{run}")
        if found["ended_at"]:
            return found
        await asyncio.sleep(0.05)
    raise AssertionError("the run did not end")


async def test_a_model_searches_reads_and_answers_and_every_step_is_on_record(tmp_path: Path) -> None:
    call = {"id": "c1", "name": "search", "input": {"query": "swing bridge toll"}}
    with Site(HARBOUR) as pages, Site(script([says(None, call), says("It ends on Friday.")])) as endpoint:
        async with driven(tmp_path, endpoint) as talk:
            await captured(talk.actions, pages.url("/bridge"))
            session = await talk.session(system="Be brief.")
            await talk.say(session, "Until when is there a toll?")

            run = await talk.post(f"sessions/{session}/runs", {"drive": True})
            done = await ended(talk, session, run["id"])
            events = (await talk.get(f"sessions/{session}/events"))["events"]
            state = (await talk.get(f"sessions/{session}"))["state"]
            await talk.say(session, "Thank you.")

    assert done["state"] == "completed"
    assert state == "completed"
    assert [event["type"] for event in events] == [
        "message", "run_started", "message", "tool_result", "message", "run_completed",
    ]  # fmt: skip
    result, answer = events[3], events[4]
    assert TOLL in result["body"]["content"]
    assert result["evidence"]
    assert answer["body"]["content"] == "It ends on Friday."
    assert (answer["model"], answer["tokens"]) == ("m", 7)
    assert answer["details"]["sent"]["answered_by"] == "m-1"
    assert answer["details"]["sent"]["at"] == result["id"]
    assert KEY not in json.dumps(events)


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        (['{"nonsense": 1}'], "another shape"),
        (["<html>", "x"], "another shape"),
        ([says(None, {"id": "c", "name": "search", "input": {"query": "x"}})], "limit of steps"),
    ],
)
async def test_a_run_that_cannot_go_on_fails_and_says_why(tmp_path: Path, answers: list[str], why: str) -> None:
    with Site(script(answers)) as endpoint:
        async with driven(tmp_path, endpoint, steps=2) as talk:
            session = await talk.session()
            await talk.say(session, "Go.")
            run = await talk.post(f"sessions/{session}/runs", {"drive": True})
            done = await ended(talk, session, run["id"])
            await talk.say(session, "Never mind.")

    assert done["state"] == "failed"
    assert why in done["reason"]


async def test_an_endpoint_that_refuses_is_told_without_its_key(tmp_path: Path) -> None:
    with Site([Route("/v1/chat/completions", 401, (JSON_TYPE,), f'{{"error": "bad key {KEY}"}}')]) as endpoint:
        async with driven(tmp_path, endpoint) as talk:
            session = await talk.session()
            await talk.say(session, "Go.")
            run = await talk.post(f"sessions/{session}/runs", {"drive": True})
            done = await ended(talk, session, run["id"])

    assert "status 401" in done["reason"]
    assert KEY not in done["reason"]


async def test_tools_of_others_wait_for_their_results(tmp_path: Path) -> None:
    with Site(script([says(None, {"id": "c1", "name": "pay", "input": {}}), says("Paid.")])) as endpoint:
        async with driven(tmp_path, endpoint) as talk:
            session = await talk.session()
            await talk.say(session, "Pay the toll.")
            run = await talk.post(f"sessions/{session}/runs", {"drive": True})
            for _ in range(200):
                found = await talk.get(f"sessions/{session}")
                if found["pending_calls"]:
                    break
                await asyncio.sleep(0.05)

            results = {"run": run["id"], "results": [{"call": "c1", "content": "4 crowns"}]}
            await talk.post(f"sessions/{session}/tool-results", results)
            await talk.patch(f"sessions/{session}/runs/{run['id']}", {"action": "complete"})
            again = await talk.post(f"sessions/{session}/runs", {"drive": True})
            done = await ended(talk, session, again["id"])

    assert found["state"] == "awaiting_tool"
    assert done["state"] == "completed"


async def test_without_a_model_it_says_what_to_set(tmp_path: Path) -> None:
    async with opened(tmp_path) as actions:
        driver = Driver(actions, ToolsForModels(ToolsHere(actions)), None, "Citator")
        rules = Rules(hosts=frozenset(), loopback_without_key=False, max_request=8 * 1024 * 1024)
        key = (await actions.keys_create(KeyRequest(name="me", scopes=(Scope.ADMIN,))))["key"]
        talk = Talk(actions, Asker(application(actions, rules, driver=driver), key))
        session = await talk.session()

        refused = await talk.post(f"sessions/{session}/runs", {"drive": True}, status=422)

    assert "CITATOR_MODEL_URL" in refused["detail"]


def test_nothing_is_asked_to_be_kept_at_the_other_end() -> None:
    chat = json.loads(body_of("openai", "m", {"messages": []}, []))
    messages = json.loads(body_of("anthropic", "m", {"system": "", "messages": []}, [{"name": "t"}]))

    assert chat == {"model": "m", "messages": [], "store": False}
    assert "store" not in messages
    assert "previous_response_id" not in messages
    assert messages["max_tokens"] > 0


def test_both_apis_answers_are_read_alike() -> None:
    blocks = [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "c1", "name": "search", "input": {"query": "q"}},
    ]
    anthropic = answer_of("anthropic", json.dumps({"content": blocks, "usage": {"output_tokens": 3}}).encode())
    openai = answer_of("openai", says("I look.", {"id": "c1", "name": "search", "input": {"query": "q"}}).encode())

    assert anthropic.text == openai.text == "I look."
    assert anthropic.calls[0]["arguments"] == {"query": "q"}
    assert json.loads(openai.calls[0]["arguments"]) == {"query": "q"}
    with pytest.raises(BadAnswer):
        answer_of("anthropic", b"[]")


@pytest.mark.parametrize(
    ("form", "base", "path"),
    [
        ("openai", "/v1", "/v1/chat/completions"),
        ("openai", "/v1/chat/completions", "/v1/chat/completions"),
        ("anthropic", "", "/v1/messages"),
        ("anthropic", "/v1", "/v1/messages"),
        ("anthropic", "/proxy/v1/messages", "/proxy/v1/messages"),
    ],
)
def test_the_address_may_be_given_whole_or_in_part(form: Any, base: str, path: str) -> None:
    assert path_of(form, base) == path
