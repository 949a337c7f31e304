"""A session is run again with another definition: in a fork, with what its tools gave before."""

import asyncio
import json
from pathlib import Path

from tests.service.opened import HARBOUR, TOLL, captured
from tests.service.running import Shell
from tests.service.test_driven_runs import driven, ended, says, script
from tests.sites import Route, Site

SEARCH = {"id": "c1", "name": "search", "input": {"query": "swing bridge toll"}}
OTHER = {"id": "c2", "name": "search", "input": {"query": "what nobody asked before"}}


async def test_the_questions_are_asked_again_and_what_differs_is_told(tmp_path: Path) -> None:
    with Site(HARBOUR) as pages, Site(script([says(None, SEARCH), says("Until Friday.")])) as endpoint:
        async with driven(tmp_path, endpoint) as talk:
            await captured(talk.actions, pages.url("/bridge"))
            session = await talk.session(title="Tolls", system="Be brief.")
            await talk.say(session, "Until when is there a toll?")
            await ended(talk, session, (await talk.post(f"sessions/{session}/runs", {"drive": True}))["id"])
            second = await talk.say(session, "Thank you.")
            await talk.say(session, "Not at all.", "assistant")
            before = (await talk.get(f"sessions/{session}"))["head"]

            endpoint.routes = script(
                [says(None, SEARCH | {"id": "d1"}), says(None, OTHER), says("It ends\nsoon."), says("Not at all.")]
            )
            endpoint.reset_counts()
            told = await talk.post(f"sessions/{session}/rerun", {"agent": {"system": "Be vague.", "model": "m-2"}})
            later = await talk.post(f"sessions/{session}/rerun", {"agent": told["agent"], "at": second})
            fork = await talk.get(f"sessions/{told['session']}/events?limit=100")
            after = (await talk.get(f"sessions/{session}"))["head"]
            asked = [json.loads(request.body) for request in endpoint.requests]

    assert after == before
    assert told["tools"] == {"recorded": 1, "live": 0, "lacking": 1}
    assert [step["same"] for step in told["steps"]] == [False, True]
    first = told["steps"][0]
    assert (first["before"]["text"], first["now"]["text"]) == ("Until Friday.", "It ends\nsoon.")
    assert [one["name"] for one in first["now"]["calls"]] == ["search", "search"]
    assert {"-Until Friday.", "+It ends", "+soon."} <= set(first["diff"])
    results = [one["body"] for one in fork["events"] if one["type"] == "tool_result"]
    assert TOLL in results[0]["content"]
    assert "no record of this call" in results[1]["content"]
    assert fork["events"][0]["body"]["content"] == "Until when is there a toll?"
    assert {one["model"] for one in asked} == {"m-2"}
    assert asked[0]["messages"][0] == {"role": "system", "content": "Be vague."}
    assert (later["same"], [step["now"]["text"] for step in later["steps"]]) == (True, ["Not at all."])


async def test_what_cannot_be_run_again_is_said(tmp_path: Path) -> None:
    with Site([Route("/v1/chat/completions", 500, body="no")]) as endpoint:
        async with driven(tmp_path, endpoint) as talk:
            session = await talk.session()
            nothing = await talk.post(f"sessions/{session}/rerun", {"agent": {"system": "x"}}, status=422)
            await talk.say(session, "Go.")
            secret = {"system": "sk-ant-" + "a1B2c3D4" * 6}
            refused = await talk.post(f"sessions/{session}/rerun", {"agent": secret}, status=422)
            failed = await talk.post(f"sessions/{session}/rerun", {"agent": {"system": "x"}})

    assert "nothing to run again" in nothing["detail"]
    assert "credential" in refused["detail"]
    assert (failed["same"], failed["steps"][0]["state"], failed["left"]) == (False, "failed", 0)


def test_the_command_runs_it_again_with_the_operators_model(tmp_path: Path) -> None:
    with Site(script([says("Yes."), says("No.")])) as endpoint:
        shell = Shell(tmp_path / "data", {"CITATOR_MODEL_URL": endpoint.url("/v1"), "CITATOR_MODEL_NAME": "m"})

        async def begun() -> str:
            async with driven(tmp_path / "data", endpoint) as talk:
                session = await talk.session()
                await talk.say(session, "Is it so?")
                await ended(talk, session, (await talk.post(f"sessions/{session}/runs", {"drive": True}))["id"])
                return session

        session = asyncio.run(begun())
        (tmp_path / "agent.json").write_text('{"system": "Contradict."}')
        (tmp_path / "broken.json").write_text("{")

        told = shell("sessions", "rerun", session, "--agent", str(tmp_path / "agent.json"))
        broken = shell("sessions", "rerun", session, "--agent", str(tmp_path / "broken.json"))

    assert (told.status, broken.status) == (0, 2)
    assert b"-Yes." in told.stdout
    assert b"+No." in told.stdout
