"""Sessions: one order, one writer at a time, nothing rewritten, everything taken along."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from service.build import build
from service.requests import CaptureRequest
from tests.acceptance.traces import traces
from tests.service.opened import HARBOUR, ME, ReadersHere, captured, searched, settings_for
from tests.service.talking import Talk, talking
from tests.sites import Site

SECRET = "sk-ant-" + "a1B2c3D4" * 6


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with talking(tmp_path / "data") as found:
        yield found


async def test_a_session_begins_idle_and_its_messages_form_a_chain(talk: Talk) -> None:
    session = await talk.session(title="Bridges", system="Answer briefly.")

    first = await talk.say(session, "Is there a toll?")
    second = await talk.say(session, "There is.", "assistant")
    found = await talk.get(f"sessions/{session}")
    events = (await talk.get(f"sessions/{session}/events"))["events"]

    assert found["state"] == "idle"
    assert found["head"] == second
    assert found["messages"] == 2
    assert [event["previous"] for event in events] == [None, first]
    assert events[0]["body"] == {"role": "user", "content": "Is there a toll?"}


async def test_a_session_that_is_not_stored_leaves_nothing(talk: Talk) -> None:
    told = await talk.post("sessions", {"store": False, "title": "Gone"})

    assert told["stored"] is False
    assert told["records"][0]["title"] == "Gone"
    await talk.get(f"sessions/{told['id']}", status=404)


async def test_a_run_holds_the_lock_until_it_ends(talk: Talk) -> None:
    session = await talk.session()
    await talk.say(session, "Go.")

    run = await talk.post(f"sessions/{session}/runs")
    refused = await talk.post(f"sessions/{session}/messages", {"content": "Me too."}, status=409)
    other = await talk.post(f"sessions/{session}/runs", status=409)
    mine = await talk.post(f"sessions/{session}/messages", {"content": "Done.", "role": "assistant", "run": run["id"]})
    done = await talk.patch(f"sessions/{session}/runs/{run['id']}", {"action": "complete"})
    await talk.say(session, "Thank you.")

    assert run["lease"]["until"] > run["started_at"]
    assert refused["locked_by"] == other["locked_by"] == run["id"]
    assert mine["state"] == "running"
    assert done["state"] == "completed"
    assert await talk.texts(session) == ["Go.", "Done.", "Thank you."]


async def test_a_write_may_wait_for_the_lock(talk: Talk) -> None:
    session = await talk.session()
    run = await talk.post(f"sessions/{session}/runs")

    waiting = asyncio.create_task(talk.post(f"sessions/{session}/messages", {"content": "After you.", "wait": 20}))
    await asyncio.sleep(0.2)
    await talk.patch(f"sessions/{session}/runs/{run['id']}", {"action": "cancel"})

    assert (await waiting)["type"] == "message"
    assert (await talk.get(f"sessions/{session}/runs/{run['id']}"))["state"] == "cancelled"


async def test_a_lock_whose_holder_died_is_free_after_its_lease(tmp_path: Path) -> None:
    now = [datetime(2026, 11, 29, 12, tzinfo=UTC)]
    async with build(settings_for(tmp_path / "data"), readers=ReadersHere(), clock=lambda: now[0]) as actions:
        from service.sessions.asked import MessageRequest, RunRequest, SessionRequest

        sessions = actions.sessions
        ident = (await sessions.begin(SessionRequest(), ME))["id"]
        run = await sessions.start(ident, RunRequest(lease_seconds=30), ME)

        now[0] += timedelta(seconds=31)
        told = await sessions.look(ident)
        await sessions.say(ident, MessageRequest(content="Anybody there?"), ME)
        after = await sessions.run(ident, run["id"])

        assert told["state"] == "failed"
        assert told["lease_expired"] is True
        assert after["state"] == "failed"
        assert after["reason"] == "lease_expired"


async def test_a_run_renews_its_lease_and_is_refused_once_it_is_over(talk: Talk) -> None:
    session = await talk.session()
    run = await talk.post(f"sessions/{session}/runs", {"lease_seconds": 5})

    renewed = await talk.patch(f"sessions/{session}/runs/{run['id']}", {"action": "renew", "lease_seconds": 500})
    await talk.patch(f"sessions/{session}/runs/{run['id']}", {"action": "fail", "reason": "no answer"})
    late = await talk.post(f"sessions/{session}/messages", {"content": "x", "run": run["id"]}, status=422)
    found = await talk.get(f"sessions/{session}")

    assert renewed["lease"]["until"] > run["lease"]["until"]
    assert "is over" in late["detail"]
    assert found["state"] == "failed"


async def test_tool_calls_wait_for_their_results(talk: Talk) -> None:
    session = await talk.session()
    calls = [{"id": "c1", "name": "search", "arguments": {"query": "toll"}}, {"id": "c2", "name": "fetch"}]

    asked = await talk.post(f"sessions/{session}/messages", {"role": "assistant", "tool_calls": calls})
    one = await talk.post(f"sessions/{session}/tool-results", {"results": [{"call": "c1", "content": "found"}]})
    wrong = await talk.post(f"sessions/{session}/tool-results", {"results": [{"call": "c9"}]}, status=422)
    both = await talk.post(f"sessions/{session}/tool-results", {"results": [{"call": "c2", "content": {"n": 1}}]})

    assert asked["state"] == one["state"] == "awaiting_tool"
    assert "c9" in wrong["detail"]
    assert both["state"] == "idle"


async def test_a_run_may_ask_a_person(talk: Talk) -> None:
    session = await talk.session()
    run = await talk.post(f"sessions/{session}/runs")

    asked = await talk.patch(f"sessions/{session}/runs/{run['id']}", {"action": "request_approval", "reason": "pay?"})
    approved = await talk.post(f"sessions/{session}/approve", {"comment": "yes"})
    again = await talk.post(f"sessions/{session}/deny", status=422)

    assert asked["state"] == "awaiting_approval"
    assert approved["state"] == "running"
    assert "nothing waits" in again["detail"]


async def test_a_fork_shares_what_came_before_and_goes_its_own_way(talk: Talk) -> None:
    session = await talk.session(title="One")
    await talk.say(session, "First.")
    second = await talk.say(session, "Second.")
    await talk.say(session, "Third.")

    before = talk.actions.parts.log.size
    fork = await talk.post(f"sessions/{session}/fork?at_message={second}&title=Other")
    written = [record async for record in _records(talk, before)]
    await talk.say(fork["id"], "Instead.")
    await talk.say(session, "Fourth.")

    assert await talk.texts(fork["id"]) == ["First.", "Second.", "Instead."]
    assert await talk.texts(session) == ["First.", "Second.", "Third.", "Fourth."]
    assert fork["forked_at"] == second
    assert sum(map(len, written)) < 2000


async def _records(talk: Talk, first: int) -> AsyncIterator[bytes]:
    for entry in talk.actions.parts.archive.catalogue.entries(first, 100):
        yield talk.actions.parts.archive.get(entry.id)


async def test_going_back_leaves_what_was_gone_back_on_readable(talk: Talk) -> None:
    session = await talk.session()
    await talk.say(session, "Kept.")
    await talk.post(f"sessions/{session}/checkpoint", {"name": "here"})
    await talk.say(session, "A wrong turn.")

    await talk.post(f"sessions/{session}/rollback", {"to": "here"})
    await talk.say(session, "Better.")

    assert await talk.texts(session) == ["Kept.", "Better."]
    assert await talk.texts(session, "&whole=true") == ["Kept.", "A wrong turn.", "Better."]
    assert (await talk.get(f"sessions/{session}"))["checkpoints"][0]["name"] == "here"


async def test_a_head_that_was_moved_on_from_is_told(talk: Talk) -> None:
    session = await talk.session()
    first = await talk.say(session, "First.")
    second = await talk.say(session, "Second.")

    stale = await talk.post(f"sessions/{session}/messages", {"content": "x"}, status=412, If_Match=f'"{first}"')
    await talk.post(f"sessions/{session}/messages", {"content": "Third."}, If_Match=f'"{second}"')

    assert stale["head"] == second


async def test_a_write_that_is_sent_twice_is_done_once(talk: Talk) -> None:
    session = await talk.session()

    first = await talk.post(f"sessions/{session}/messages", {"content": "Once."}, Idempotency_Key="k1")
    again = await talk.post(f"sessions/{session}/messages", {"content": "Once."}, status=200, Idempotency_Key="k1")
    other = await talk.post(f"sessions/{session}/messages", {"content": "Twice."}, status=409, Idempotency_Key="k1")

    assert again == first
    assert other["type"].endswith("key-reused")
    assert await talk.texts(session) == ["Once."]


async def test_evidence_must_be_there_and_is_found_in_what_is_said(talk: Talk) -> None:
    with Site(HARBOUR) as site:
        await captured(talk.actions, site.url("/bridge"))
    found = await searched(talk.actions, "toll")
    passage = found["results"][0]["passages"][0]["id"]
    session = await talk.session()

    said = await talk.post(
        f"sessions/{session}/messages", {"content": f"It ends on Friday [{passage}].", "role": "assistant"}
    )
    named = await talk.post(f"sessions/{session}/messages", {"content": "See.", "evidence": [passage[7:19]]})
    await talk.post(f"sessions/{session}/messages", {"content": "See.", "evidence": ["0" * 64]}, status=404)
    unknown = await talk.post(f"sessions/{session}/messages", {"content": "sha256:" + "0" * 64})

    assert said["evidence"] == named["evidence"] == [passage]
    assert unknown["evidence"] == []


async def test_credentials_are_masked_before_anything_is_kept(talk: Talk) -> None:
    session = await talk.session()

    said = await talk.post(f"sessions/{session}/messages", {"content": f"Use {SECRET}, please."})
    refused = await talk.post("agents", {"name": "a", "parameters": {"key": SECRET}}, status=422)
    event = (await talk.get(f"sessions/{session}/events"))["events"][0]

    assert said["masked"] == 1
    assert event["body"]["content"] == "Use [Anthropic key removed], please."
    assert "Anthropic key" in refused["detail"]
    assert SECRET not in refused["detail"]


async def test_credentials_are_masked_in_titles_names_and_reasons_too(talk: Talk, tmp_path: Path) -> None:
    session = await talk.session(title=f"With {SECRET}", labels={"key": SECRET})
    run = await talk.post(f"sessions/{session}/runs")
    await talk.post(f"sessions/{session}/checkpoint", {"name": f"at {SECRET}", "run": run["id"]})
    reason = {"action": "fail", "reason": f"{SECRET} was refused"}
    failed = await talk.patch(f"sessions/{session}/runs/{run['id']}", reason)
    await talk.post(f"sessions/{session}/fork?title={SECRET}")
    event = (await talk.get(f"sessions/{session}/events"))["events"][1]

    assert (event["name"], event["masked"]) == ("at [Anthropic key removed]", 1)
    assert failed["reason"] == "[Anthropic key removed] was refused"
    assert traces([SECRET.encode()], tmp_path / "data") == {}


async def test_an_agents_definition_is_kept_apart_and_given_back_whole(talk: Talk) -> None:
    tools = [{"name": "search", "input_schema": {"type": "object"}}]
    session = await talk.post(
        "sessions", {"agent": {"name": "clerk", "system": "Be exact.", "tools": tools, "model": "m"}}
    )

    agent = await talk.get(f"sessions/{session['id']}/agents/{session['agent']}")

    assert agent["system"] == "Be exact."
    assert agent["tools"] == tools
    assert agent["model"] == "m"


async def test_parameters_may_have_any_number(talk: Talk) -> None:
    parameters = {"temperature": 0.7, "top_k": 40, "stop": ["x", 1.5], "none": None, "deep": {"p": -1e-07}}

    made = await talk.post("agents", {"parameters": parameters})

    assert made["parameters"] == parameters


@pytest.mark.parametrize("value", [10**30, -(2**63) - 1, float("nan"), float("inf"), "\ud800"])
async def test_what_json_has_no_place_for_is_refused_and_not_changed(talk: Talk, value: Any) -> None:
    session = await talk.session()
    call = {"id": "c1", "name": "n", "arguments": {"x": value}}

    said = await talk.post(f"sessions/{session}/messages", {"content": [{"x": value}]}, status=422)
    await talk.post(f"sessions/{session}/messages", {"role": "assistant", "tool_calls": [call]}, status=422)
    await talk.post("agents", {"tools": [{"name": "n", "x": value}]}, status=422)

    assert said["detail"]
    assert (await talk.get(f"sessions/{session}"))["events"] == 0


async def test_another_model_than_before_is_noted(talk: Talk) -> None:
    session = await talk.session()
    await talk.say(session, "One.", "assistant", provider="p", model="m1", api_schema="v1")

    await talk.say(session, "Two.", "assistant", provider="p", model="m2", api_schema="v1")
    events = (await talk.get(f"sessions/{session}/events"))["events"]

    assert [event["type"] for event in events] == ["message", "schema_changed", "message"]
    assert events[1]["details"] == {"changed": {"model": ["m1", "m2"]}}


async def test_a_deleted_session_takes_nothing_and_can_be_brought_back(talk: Talk) -> None:
    session = await talk.session(title="Plans")
    deleted = await talk.ask("DELETE", f"/api/v1/sessions/{session}")

    refused = await talk.post(f"sessions/{session}/messages", {"content": "x"}, status=410)
    hidden = await talk.get("sessions?q=plans")
    shown = await talk.get("sessions?q=plans&deleted=true")
    await talk.ask("DELETE", f"/api/v1/sessions/{session}?restore=true")
    await talk.say(session, "Back.")

    assert deleted.json["deleted_at"]
    assert "deleted" in refused["detail"]
    assert hidden["sessions"] == []
    assert [one["id"] for one in shown["sessions"]] == [session]


async def test_a_session_is_found_by_title_however_far_back_it_is(talk: Talk) -> None:
    ids = [
        await talk.session(title=f"Plan {number}", labels={"of": "Tolls"} if number == 0 else {}) for number in range(5)
    ]

    found = await talk.get("sessions?q=plan%200&limit=1")
    labelled = await talk.get("sessions?q=tolls&limit=2")
    first = await talk.get("sessions?q=plan&limit=3")
    rest = await talk.get(f"sessions?q=plan&limit=3&before={first['next']}")

    assert [one["id"] for one in found["sessions"]] == [one["id"] for one in labelled["sessions"]] == ids[:1]
    assert labelled["next"] is None
    assert [one["id"] for one in first["sessions"] + rest["sessions"]] == ids[::-1]


async def test_an_artefact_is_kept_byte_for_byte(talk: Talk) -> None:
    session = await talk.session()

    made = await talk.post(
        f"sessions/{session}/artifacts", {"name": "r.bin", "media_type": "application/x", "base64": "AAEC"}
    )
    event = (await talk.get(f"sessions/{session}/events"))["events"][0]

    assert made["type"] == "artifact"
    for wrong in ("AAE", "ÄÄÄÄ"):
        refused = await talk.post(f"sessions/{session}/artifacts", {"name": "r.bin", "base64": wrong}, status=422)
        assert "is not base64" in refused["detail"]
    assert talk.actions.parts.archive.get(event["content"]) == b"\x00\x01\x02"


async def test_a_run_is_followed_to_its_end(talk: Talk) -> None:
    session = await talk.session()
    run = await talk.post(f"sessions/{session}/runs")
    await talk.post(f"sessions/{session}/messages", {"content": "Hm.", "role": "assistant", "run": run["id"]})
    await talk.patch(f"sessions/{session}/runs/{run['id']}", {"action": "complete"})

    answer = await talk.ask(
        "GET", f"/api/v1/sessions/{session}/runs/{run['id']}", headers={"accept": "text/event-stream"}
    )

    assert b"event: message" in answer.body
    assert b"event: run_completed" in answer.body
    assert answer.body.rstrip().split(b"\n")[-2] == b"event: run"


@pytest.mark.slow
async def test_a_hundred_messages_sent_at_once_all_stand_in_one_chain(talk: Talk) -> None:
    session = await talk.session()

    ids = await asyncio.gather(*(talk.say(session, f"m{number}") for number in range(100)))
    events = (await talk.get(f"sessions/{session}/events?limit=1000"))["events"]

    assert len(events) == 100
    assert {event["id"] for event in events} == set(ids)
    assert [event["previous"] for event in events[1:]] == [event["id"] for event in events[:-1]]


async def test_searches_made_in_a_session_are_linked_by_its_id(talk: Talk) -> None:
    session = await talk.session()
    with Site(HARBOUR) as site:
        reply = await talk.actions.capture(CaptureRequest(url=site.url("/ferry"), session=session), ME)

    assert reply.record is not None


async def test_what_is_nested_without_end_is_refused(talk: Talk) -> None:
    session = await talk.session()
    deep: list[Any] = []
    for _ in range(300):
        deep = [deep]

    for value in ({"content": deep}, {"content": "x", "sent": {"a": deep}}):
        refused = await talk.post(f"sessions/{session}/messages", value, status=422)
        assert "nested deeper" in refused["detail"]
