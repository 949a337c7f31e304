"""Sessions that leave: exported, taken in elsewhere, bundled, and what goes of them with a page."""

import hashlib
import io
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import orjson
import pytest

from service.sessions.asked import MAX_FORKS
from service.sessions.reading import FORMAT
from snapshots import Event, Session
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
        wanted = {name: exported[name] for name in ("format", "records", "blobs", "session")}
        await other.post("sessions/import", wanted)
        await other.post("sessions/import", wanted)
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
    with Site(HARBOUR) as site:
        await captured(talk.actions, site.url("/bridge"))
    passage = (await searched(talk.actions, "toll"))["results"][0]["passages"][0]["id"]
    session = await talk.session(system="Be brief.")
    said = await talk.say(session, f"It ends on Friday [{passage}].", "assistant")

    answer = await talk.ask("GET", f"/api/v1/sessions/{session}/export?format=bundle")

    assert answer.headers["content-type"] == "application/wacz"
    with zipfile.ZipFile(io.BytesIO(answer.body)) as bundle:
        records = bundle.read("evidence/records.jsonl").decode().splitlines()
        passages = bundle.read("evidence/passages.jsonl")
    ids = {"sha256:" + hashlib.sha256(line.encode()).hexdigest() for line in records}
    assert {session, said} <= ids
    assert "sha256:" + hashlib.sha256(passages.splitlines()[0]).hexdigest() == passage


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
