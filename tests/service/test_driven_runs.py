"""Runs that the server drives with the operator's model: a scripted endpoint, real tools, every step on record."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from service.api import application
from service.gate import Rules
from service.mcp_tools.calling import ToolsHere
from service.own_tools import ToolsForModels
from service.requests import KeyRequest, Scope
from service.sessions.asking import Model
from service.sessions.driving import Driver, Pace
from service.sessions.models import BadAnswer, answer_of, arguments_of, body_of, path_of
from service.sessions.streams import AnswerStream
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


def sse(*events: dict[str, Any]) -> str:
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"


def script(answers: Sequence[str], path: str = "/v1/chat/completions") -> list[Route]:
    last = len(answers)
    return [
        Route(path, 200, (JSON_TYPE,), answer, **({"hit": n} if n < last else {"hit_from": n}))
        for n, answer in enumerate(answers, start=1)
    ]


QUICK = Pace(lease=1.5, beat=0.3, look=0.2)


@asynccontextmanager
async def driven(data: Path, endpoint: Site, *, looks: bool = False, **given: Any) -> AsyncIterator[Talk]:
    options = {"form": "openai", "name": "m", "key": KEY, "seconds": 20.0, "window": 50_000, "steps": 5} | given
    async with opened(data) as actions:
        model = Model(url=endpoint.url("/v1"), **options)
        driver = Driver(actions, ToolsForModels(ToolsHere(actions)), model, "Citator", QUICK if looks else None)
        rules = Rules(hosts=frozenset(), loopback_without_key=False, max_request=8 * 1024 * 1024)
        app = application(actions, rules, driver=driver)
        key = (await actions.keys_create(KeyRequest(name="me", scopes=(Scope.ADMIN,))))["key"]
        looking = [asyncio.create_task(driver.look_after())] if looks else []
        try:
            yield Talk(actions, Asker(app, key))
        finally:
            for task in looking:
                task.cancel()
            await asyncio.gather(*looking, return_exceptions=True)
            await driver.close()


async def until(holds: Callable[[], bool]) -> None:
    for _ in range(1500):
        if holds():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it did not come to that")


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


async def test_a_run_that_a_stopped_server_left_is_gone_on_with_by_the_next_one(tmp_path: Path) -> None:
    call = {"id": "c1", "name": "get_evidence", "input": {"id": "0" * 64}}
    slow = Route("/v1/chat/completions", 200, (JSON_TYPE,), says("Too late."), before=30.0)
    with Site([slow]) as endpoint:
        async with driven(tmp_path, endpoint, looks=True) as talk:
            session = await talk.session()
            await talk.say(session, "Go.")
            run = await talk.post(f"sessions/{session}/runs", {"drive": True})
            await until(lambda: bool(endpoint.requests))
        endpoint.routes = script([says(None, call), says("Done all the same.")])
        endpoint.reset_counts()
        async with driven(tmp_path, endpoint, looks=True) as talk:
            done = await ended(talk, session, run["id"])
            events = (await talk.get(f"sessions/{session}/events"))["events"]

    assert done["state"] == "completed"
    assert [event["type"] for event in events] == [
        "message", "run_started", "run_resumed", "message", "tool_result", "message", "run_completed",
    ]  # fmt: skip
    assert events[-2]["body"]["content"] == "Done all the same."
    assert {event["run"] for event in events[2:]} == {run["id"]}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["openai", "anthropic"])
async def test_an_answer_that_comes_in_pieces_is_told_as_it_comes_and_kept_whole(tmp_path: Path, form: str) -> None:
    streams = ("Content-Type", "text/event-stream; charset=utf-8")
    path = "/v1/chat/completions" if form == "openai" else "/v1/messages"
    routes = [
        Route(path, 200, (streams,), PIECES[form][0], hit=1),
        Route(path, 200, (streams,), PIECES[form][1], hit_from=2, drip=(80, 0.15)),
    ]
    with Site(routes) as endpoint:
        async with driven(tmp_path, endpoint, form=form) as talk:
            session = await talk.session()
            await talk.say(session, "Until when?")
            run = await talk.post(f"sessions/{session}/runs", {"drive": True})
            told = await talk.ask(
                "GET", f"/api/v1/sessions/{session}/runs/{run['id']}", headers={"accept": "text/event-stream"}
            )
            events = (await talk.get(f"sessions/{session}/events"))["events"]

    said = [event["body"] for event in events if event["type"] == "message"]
    assert said[1]["tool_calls"][0]["name"] == "get_evidence"
    assert arguments_of(said[1]["tool_calls"][0]) == {"id": "000000000000"}
    assert said[2]["content"] == "It ends on Friday."
    assert events[-2]["tokens"] == 7
    assert b"event: text" in told.body
    assert b"event: run_completed" in told.body


async def test_an_agents_definition_says_with_what_a_run_is_driven(tmp_path: Path) -> None:
    tools = [{"name": "search"}, {"name": "pay", "description": "Pay.", "input_schema": {"type": "object"}}]
    agent = {"system": "Be a clerk.", "tools": tools, "model": "m-2", "parameters": {"temperature": 0, "model": "x"}}
    with Site(script([says("Yes.")])) as endpoint:
        async with driven(tmp_path, endpoint) as talk:
            session = await talk.session(agent=agent)
            await talk.say(session, "Go.")
            run = await talk.post(f"sessions/{session}/runs", {"drive": True})
            done = await ended(talk, session, run["id"])
        asked = json.loads(endpoint.requests[-1].body)

    assert (done["model"], asked["model"], asked["temperature"]) == ("m-2", "m-2", 0)
    assert [tool["function"]["name"] for tool in asked["tools"]] == ["search", "pay"]
    assert asked["messages"][0] == {"role": "system", "content": "Be a clerk."}


async def test_another_model_than_before_is_refused_or_asked_for_as_wanted(tmp_path: Path) -> None:
    with Site(script([says("Yes.")])) as endpoint:
        async with driven(tmp_path, endpoint) as talk:
            session = await talk.session()
            await talk.say(session, "Before.", "assistant", provider="127.0.0.1", model="older", api_schema="openai")

            refused = await talk.post(f"sessions/{session}/runs", {"drive": True, "mismatch": "refuse"}, status=409)
            run = await talk.post(f"sessions/{session}/runs", {"drive": True, "mismatch": "route"})
            done = await ended(talk, session, run["id"])

    assert refused["changed"] == {"model": ["older", "m"]}
    assert (done["state"], done["model"]) == ("completed", "older")


async def test_a_summary_is_made_by_the_model_and_says_so(tmp_path: Path) -> None:
    with Site(script([says("Six things were said."), '{"choices": []}'])) as endpoint:
        async with driven(tmp_path, endpoint) as talk:
            session = await talk.session()
            for number in range(10):
                await talk.say(session, f"Thing {number}.")
            made = await talk.post(f"sessions/{session}/compactions")
            again = {"supersedes": made["id"], "until": made["details"]["until"]}
            failed = await talk.post(f"sessions/{session}/compactions", again, status=502)
            extract = await talk.post(f"sessions/{session}/compactions", again | {"by": "extract"})
            context = await talk.get(f"sessions/{session}/context")
        asked = json.loads(endpoint.requests[0].body)

    assert (made["body"]["how"], made["body"]["summary"]) == ("m", "Six things were said.")
    assert (made["model"], made["provider"]) == ("m", "127.0.0.1")
    assert asked["messages"][0]["content"] == made["body"]["instructions"]
    assert asked["messages"][1]["content"].count("Thing") == 6
    assert "no summary by m" in failed["detail"]
    assert extract["body"]["how"] == "extractive"
    assert context["compactions"] == [extract["id"]]


async def test_without_a_model_it_says_what_to_set(tmp_path: Path) -> None:
    async with opened(tmp_path) as actions:
        driver = Driver(actions, ToolsForModels(ToolsHere(actions)), None, "Citator")
        rules = Rules(hosts=frozenset(), loopback_without_key=False, max_request=8 * 1024 * 1024)
        key = (await actions.keys_create(KeyRequest(name="me", scopes=(Scope.ADMIN,))))["key"]
        talk = Talk(actions, Asker(application(actions, rules, driver=driver), key))
        session = await talk.session()

        refused = await talk.post(f"sessions/{session}/runs", {"drive": True}, status=422)

    assert "CITATOR_MODEL_URL" in refused["detail"]


CALLED = '{"id": "000000000000"}'
PIECES = {
    "openai": [
        sse({"model": "m-1", "choices": [{"delta": {"tool_calls": [
                {"index": 0, "id": "c1", "function": {"name": "get_evidence", "arguments": ""}}]}}]},
            {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": CALLED[:9]}}]}}]},
            {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": CALLED[9:]}}]}}]},
            {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}),
        sse({"model": "m-1", "choices": [{"delta": {"role": "assistant", "content": "It ends"}}]},
            {"choices": [{"delta": {"content": " on"}}]}, {"choices": [{"delta": {"content": " Friday."}}]},
            {"choices": [{"delta": {}, "finish_reason": "stop"}]},
            {"choices": [], "usage": {"prompt_tokens": 50, "completion_tokens": 7}}),
    ],
    "anthropic": [
        sse({"type": "message_start", "message": {"model": "m-1", "usage": {"input_tokens": 50}}},
            {"type": "content_block_start", "index": 0,
             "content_block": {"type": "tool_use", "id": "c1", "name": "get_evidence", "input": {}}},
            *({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": part}}
              for part in (CALLED[:9], CALLED[9:])),
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 5}}),
        sse({"type": "message_start", "message": {"model": "m-1", "usage": {"input_tokens": 50}}}, {"type": "ping"},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "It ends on"}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": " Friday."}},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}},
            {"type": "message_stop"}),
    ],
}  # fmt: skip
"""A call of a tool and a word, as each API streams them."""


@pytest.mark.parametrize(
    "pieces",
    [b"", b"data: {}x\n\n", b'data: {"error": {"message": "overloaded"}}\n\n', b'data: {"choices": 7}\n\n', b"\n: x\n"],
)
def test_a_stream_that_is_none_is_no_answer(pieces: bytes) -> None:
    def read() -> None:
        stream = AnswerStream("openai", lambda _: None)
        stream.take(pieces)
        stream.whole()

    with pytest.raises(BadAnswer):
        read()


def test_nothing_is_asked_to_be_kept_at_the_other_end() -> None:
    chat = json.loads(body_of("openai", "m", {"messages": []}, []))
    messages = json.loads(body_of("anthropic", "m", {"system": "", "messages": []}, [{"name": "t"}]))

    assert chat == {
        "model": "m", "messages": [], "store": False, "stream": True, "stream_options": {"include_usage": True},
    }  # fmt: skip
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
