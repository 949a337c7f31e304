"""Sessions that leave: exported, taken in elsewhere, bundled, and what goes of them with a page."""

import hashlib
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import orjson
import pytest

from service.sessions.asked import MAX_FORKS
from service.sessions.reading import FORMAT
from snapshots import Event, Session
from tests.acceptance.traces import traces
from tests.service.opened import HARBOUR, TOLL, captured, searched
from tests.service.talking import Talk, talking
from tests.sites import Site

AT: Final = "2026-01-01T00:00:00.000Z"


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with talking(tmp_path / "data") as found:
        yield found


async def test_an_exported_session_goes_on_elsewhere_under_the_same_ids(talk: Talk, tmp_path: Path) -> None:
    session = await talk.session(system="Answer briefly.", agent={"name": "clerk"})
    await talk.say(session, "First.")
    second = await talk.say(session, "Second.", "assistant")
    await talk.say(session, "Wrong.")
    await talk.post(f"sessions/{session}/rollback", {"to": second})
    fork = (await talk.post(f"sessions/{session}/fork"))["id"]
    last = await talk.say(fork, "Third.")
    exported = await talk.get(f"sessions/{fork}/export")

    async with talking(tmp_path / "other") as other:
        await other.post("sessions/import", exported)
        await other.post("sessions/import", taken(exported))
        there = await other.get(f"sessions/{fork}")
        texts = await other.texts(fork)
        await other.say(fork, "Fourth.")
        context = await other.get(f"sessions/{fork}/context")
        await other.actions.rebuild(lambda *_: None)
        rebuilt = await other.texts(fork)

    assert there["head"] == last
    assert texts == ["First.", "Second.", "Third."]
    assert context["system"] == "Answer briefly."
    assert rebuilt == ["First.", "Second.", "Third.", "Fourth."]


async def test_an_import_that_was_tampered_with_is_refused(talk: Talk, tmp_path: Path) -> None:
    session = await talk.session()
    await talk.say(session, "True.")
    exported = await talk.get(f"sessions/{session}/export")
    wanted = {name: exported[name] for name in ("format", "records", "blobs", "session")}
    blob = next(iter(wanted["blobs"]))

    async with talking(tmp_path / "other") as other:
        forged = await other.post("sessions/import", wanted | {"blobs": {blob: "QUJD"}}, status=422)
        elsewhere = wanted["records"][-1] | {"previous": "sha256:" + "0" * 64}
        records = [*wanted["records"][:-1], elsewhere]
        broken = await other.post("sessions/import", wanted | {"records": records}, status=422)

    assert "another hash" in forged["detail"]
    assert "not among the records" in broken["detail"]


async def test_an_import_does_not_go_on_with_a_session_that_is_here(talk: Talk) -> None:
    """Else whoever may import could end another's run, pass over its lock, or delete without being an admin."""
    session = await talk.session()
    last = await talk.say(session, "Mine.")
    exported = await talk.get(f"sessions/{session}/export")
    forged = Event(session=session, previous=last, at=AT, type="deleted", state="idle", by="000000000000")
    wanted = taken(exported) | {"records": [*exported["records"], orjson.loads(forged.encoded)]}

    refused = await talk.post("sessions/import", wanted, status=422)

    assert "which is here already" in refused["detail"]
    assert (await talk.get(f"sessions/{session}"))["head"] == last
    await talk.post("sessions/import", taken(exported))


async def test_forks_of_what_is_not_there_and_forks_without_end_are_refused(talk: Talk) -> None:
    """Either could not be read afterwards, and neither could the list in which it stands."""
    orphan = Session(at=AT, parent="sha256:" + "1" * 64, forked_at="sha256:" + "2" * 64)
    line = [Session(at=AT, title="0")]
    for number in range(MAX_FORKS + 1):
        line.append(Session(at=AT, title=str(number + 1), parent=line[-1].id, forked_at=line[-1].id))

    lone = await talk.post("sessions/import", exported_as(orphan), status=422)
    endless = await talk.post("sessions/import", exported_as(*line), status=422)
    await talk.post("sessions/import", exported_as(*line[:-1]))
    further = await talk.post(f"sessions/{line[-2].id}/fork", status=422)

    assert "not among the records" in lone["detail"]
    assert "fork of a fork" in endless["detail"]
    assert len((await talk.get("sessions?limit=1"))["sessions"]) == 1
    assert further["detail"]


def taken(exported: dict[str, Any]) -> dict[str, Any]:
    return {name: exported[name] for name in ("format", "records", "blobs", "session")}


def exported_as(*sessions: Session) -> dict[str, Any]:
    records = [orjson.loads(one.encoded) for one in sessions]
    return {"format": FORMAT, "records": records, "blobs": {}, "session": sessions[-1].id}


async def test_a_session_is_taken_along_as_a_bundle_with_its_evidence(talk: Talk) -> None:
    session = await talk.session(system="Be brief.")
    with Site(HARBOUR) as site:
        await captured(talk.actions, site.url("/bridge"))
        ferry = await talk.post("captures", {"url": site.url("/ferry"), "session": session[7:23]}, status=200)
    passage = (await searched(talk.actions, "toll"))["results"][0]["passages"][0]["id"]
    said = await talk.say(session, f"It ends on Friday [{passage}].", "assistant")

    exported = await talk.get(f"sessions/{session}/export")
    answer = await talk.ask("GET", f"/api/v1/sessions/{session}/export?format=bundle")

    assert answer.headers["content-type"] == "application/wacz"
    with zipfile.ZipFile(io.BytesIO(answer.body)) as bundle:
        records = bundle.read("evidence/records.jsonl").decode().splitlines()
        passages = bundle.read("evidence/passages.jsonl")
    ids = {"sha256:" + hashlib.sha256(line.encode()).hexdigest() for line in records}
    assert {session, said, ferry["record"], ferry["capture"]} <= ids
    assert {one["id"] for one in exported["evidence"]} == {passage, ferry["record"]}
    assert passage in {"sha256:" + hashlib.sha256(line).hexdigest() for line in passages.splitlines()}


async def test_a_session_in_a_bundle_goes_on_where_it_is_taken_in(talk: Talk, tmp_path: Path) -> None:
    session = await full(talk)
    before = await talk.get(f"sessions/{session}/context")
    bundle = (await talk.ask("GET", f"/api/v1/sessions/{session}/export?format=bundle")).body

    async with talking(tmp_path / "other") as other:
        kind = {"content-type": "application/wacz"}
        made = await other.ask("POST", "/api/v1/sessions/import", body=bundle, headers=kind)
        again = await other.ask("POST", "/api/v1/sessions/import", body=bundle, headers=kind)
        refused = await other.ask("POST", "/api/v1/sessions/import", body=b"PK", headers=kind)
        after = await other.get(f"sessions/{session}/context")
        await other.say(session, "And on.")
        back = await other.get(f"sessions/{session}/export")

    assert (made.status, again.status, refused.status) == (201, 201, 422)
    assert made.json["head"] == again.json["head"] == before["at"]
    assert after == before
    assert len(back["records"]) == len((await talk.get(f"sessions/{session}/export"))["records"]) + 1


async def test_the_script_in_a_bundle_makes_the_same_contexts_without_citator(talk: Talk, tmp_path: Path) -> None:
    session = await full(talk)
    fork = (await talk.post(f"sessions/{session}/fork"))["id"]
    last = await talk.say(fork, "On the fork 🛶.")
    wanted = [
        {},
        *({"format": form} for form in ("openai", "responses", "anthropic", "gemini")),
        {"budget": "120"},
        {"budget": "120", "mode": "relevant", "format": "openai"},
        {"provider": "p", "model": "m", "format": "responses"},
        {"at": last},
    ]

    for one in (session, fork):
        bundle = tmp_path / f"{one[7:19]}.wacz"
        bundle.write_bytes((await talk.ask("GET", f"/api/v1/sessions/{one}/export?format=bundle")).body)
        folder = tmp_path / one[7:19]
        with zipfile.ZipFile(bundle) as members:
            members.extractall(folder)
        script = folder / "session" / "rebuild.py"
        for options in wanted if one == fork else wanted[:1]:
            given = [part for name, value in options.items() for part in (f"--{name}", value)]
            here = await talk.get(f"sessions/{one}/context?{urlencode(options)}")
            assert ran(script, *([bundle] if one == fork else []), *given) == here
        assert run(script, "--check").returncode == 0
        transcript = [json.loads(line) for line in (folder / "session" / "transcript.jsonl").read_bytes().splitlines()]
        told = (await talk.get(f"sessions/{one}/events?limit=1000"))["events"]
        assert [line["id"] for line in transcript] == [event["id"] for event in told]
        assert [line["body"] for line in transcript if line["type"] == "message"] == [
            event["body"] for event in told if event["type"] == "message"
        ]

    context = folder / "session" / "context.json"
    context.write_bytes(context.read_bytes().replace(b"fork", b"fort"))
    assert run(script, "--check").stdout == b"session/context.json\n"
    assert run(script, "--session", "0" * 64).returncode == 3


def run(script: Path, *arguments: object) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-I", "-S", str(script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, env={})


def ran(script: Path, *arguments: object) -> Any:
    done = run(script, *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


async def full(talk: Talk) -> str:
    """A session with something of everything."""
    session = await talk.session(agent={"name": "clerk", "system": "Answer briefly."})
    for number in range(4):
        await talk.say(session, f"Question {number} on the toll of the bridge, which nobody pays. " * 3)
        await talk.say(session, f"Answer {number}.", "assistant", model="m1", pinned=number == 1)
    call = {"id": "c1", "name": "search", "arguments": {"query": "toll", "most": 1.5, "of": ["ä", None]}}
    await talk.post(f"sessions/{session}/messages", {"role": "assistant", "tool_calls": [call]})
    await talk.post(
        f"sessions/{session}/tool-results", {"results": [{"call": "c1", "content": {"found": [1e16, "x"]}}]}
    )
    await talk.post(f"sessions/{session}/messages", {"type": "agent_task", "content": "Look it up.", "author": "chief"})
    sealed = {"type": "sealed", "role": "assistant", "sealed": {"type": "reasoning", "encrypted_content": "gA"}}
    await talk.post(f"sessions/{session}/messages", sealed | {"provider": "p", "model": "m", "handover": "Two dates."})
    await talk.post(f"sessions/{session}/compactions", {"keep_last": 6, "max_tokens": 40})
    await talk.say(session, "To be taken back.")
    head = (await talk.get(f"sessions/{session}"))["head"]
    await talk.say(session, "Gone back on.")
    await talk.post(f"sessions/{session}/rollback", {"to": head})
    await talk.say(session, [{"type": "text", "text": "Which toll?"}, {"type": "image", "source": "…"}])
    return session


async def test_with_a_page_goes_what_sessions_repeat_of_it(talk: Talk) -> None:
    with Site(HARBOUR) as site:
        page = await captured(talk.actions, site.url("/bridge"))
    found = await searched(talk.actions, "toll")
    passage = found["results"][0]["passages"][0]
    session = await talk.session()
    await talk.say(session, "What about the toll?")
    call = {"id": "c1", "name": "search", "arguments": {}}
    await talk.post(f"sessions/{session}/messages", {"role": "assistant", "tool_calls": [call]})
    await talk.post(f"sessions/{session}/tool-results", {"results": [{"call": "c1", "content": found}]})
    await talk.say(session, f"{TOLL} [{passage['id']}]", "assistant")
    await talk.say(session, f"I read it in {passage['id']}.")

    await talk.post("removals", {"ids": [page["capture"]]}, status=200)
    events = (await talk.get(f"sessions/{session}/events"))["events"]
    context = await talk.get(f"sessions/{session}/context")

    removed = [isinstance(event["body"], dict) and "removed" in event["body"] for event in events]
    assert removed == [False, False, True, True, False]
    assert TOLL not in str(events)
    assert [one["why"] for one in context["left_out"]] == ["its content was removed"] * 2


async def test_a_removed_session_is_gone_with_all_that_was_said_and_every_name_in_it(
    talk: Talk, tmp_path: Path
) -> None:
    session = await full(talk)
    await talk.post(f"sessions/{session}/checkpoint", {"name": "a-telling-name"})
    other = await talk.session(title="Stays")
    await talk.say(other, "Answer 1.", "assistant")
    fork = (await talk.post(f"sessions/{session}/fork?title=Sister"))["id"]
    events = [one["id"] for one in (await talk.get(f"sessions/{session}/events?limit=1000&whole=true"))["events"]]
    agent = (await talk.get(f"sessions/{session}"))["agent"]

    refused = await talk.post("removals", {"ids": [session]}, status=409)
    planned = await talk.post("removals", {"ids": [session], "dry_run": True}, status=200)
    done = await talk.post("removals", {"ids": [session], "forks": True}, status=200)

    assert (refused["forks"], planned["forks"]) == ([fork], [fork])
    assert done["counts"]["sessions"] == 2
    assert {session, fork, agent, *events} <= {one["id"] for one in done["removed"]}
    for one in (session, fork):
        gone = await talk.get(f"sessions/{one}", status=410)
        assert gone["deletion"] == done["deletion"]
        await talk.get(f"sessions/{one[7:19]}/context", status=410)
        await talk.post(f"sessions/{one}/messages", {"content": "x"}, status=410)
    await talk.get(f"evidence/{events[0]}", status=410)
    assert await talk.texts(other) == ["Answer 1."]
    assert [one["id"] for one in (await talk.get("sessions"))["sessions"]] == [other]

    await talk.actions.rebuild(lambda *_: None)
    checked = await talk.actions.doctor(deep=True, progress=lambda *_: None)

    assert await talk.texts(other) == ["Answer 1."]
    await talk.get(f"sessions/{session}", status=410)
    assert [one for one in checked["checks"] if one["result"] == "fails"] == []
    words = [b"toll of the bridge", b"a-telling-name", b"Sister", b"Two dates."]
    assert traces(words, tmp_path / "data") == {}
