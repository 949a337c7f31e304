"""Runs a session again with another definition of its agent: in a fork, with what its tools gave before.

The questions of people are asked again, one after the other. Tools give what the records say they gave for the same
call; a call that was not made before is answered so, or, if that is wanted, by our own tool.
"""

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from service.failures import BadRequest
from service.requests import Caller
from service.sessions import telling
from service.sessions.asked import MessageRequest, RerunRequest, RunRequest
from service.sessions.context import text_of
from service.sessions.driving import Behind, Called, Driver, OwnTools
from service.sessions.history import History
from service.sessions.models import ModelForm, arguments_of
from service.sessions.talking import Told
from snapshots import Event

LACKING: Final = "There is no record of this call: in the session that is run again it was not made. Go on without it."


@dataclass(frozen=True)
class Given:
    """What a tool gave in the session that is run again."""

    text: str
    is_error: bool
    evidence: tuple[str, ...]


@dataclass
class Recorded:
    """Tools that give what they gave before. `live` calls ours where nothing is on record."""

    own: OwnTools
    given: dict[str, list[Given]]
    live: bool
    counts: dict[str, int] = field(default_factory=lambda: {"recorded": 0, "live": 0, "lacking": 0})

    def offered(self, form: ModelForm) -> list[dict[str, Any]]:
        """Ours, as always."""
        return self.own.offered(form)

    def knows(self, _name: str) -> bool:
        """All: what is not on record is said to be lacking."""
        return True

    async def call(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Called:
        """What it gave for the same call before; of several the next one, and the last one again."""
        found = self.given.get(_key(name, arguments))
        if found:
            self.counts["recorded"] += 1
            given = found.pop(0) if len(found) > 1 else found[0]
            return Called(given.text, given.is_error, None, given.evidence)
        if self.live and self.own.knows(name):
            self.counts["live"] += 1
            return await self.own.call(name, arguments, caller)
        self.counts["lacking"] += 1
        return Called(LACKING, is_error=True, record=None)


async def rerun(behind: Behind, driver: Driver, session: str, asked: RerunRequest, caller: Caller) -> Told:
    """Run a session again from an event on: `{session, original, at, agent, steps, tools, same}`.

    Each step holds the question, and under `before` and `now` what was answered and which tools were called for it.

    Raises:
        BadRequest: no model is set up here, or nobody asked anything from there on.
    """
    _ = driver.model
    sessions = behind.sessions
    history = await sessions.book.history(session)
    told = await telling.with_contents(sessions.book.parts.archive, history.path)
    at = sessions.book.event_of(history, asked.at) if asked.at is not None else _first_question(history)
    start = next((place for place, event in enumerate(history.path) if event.id == at.id), None)
    if start is None:
        raise BadRequest(f"{at.id} is not on the path of the session: it was gone back on")
    questions = [place for place in range(start, len(told)) if _is_question(history.path[place])]
    if not questions:
        raise BadRequest("nobody asks anything from there on: there is nothing to run again")

    agent = asked.agent if isinstance(asked.agent, str) else (await sessions.agent_create(asked.agent, caller))["id"]
    fork = (await sessions.fork(session, at.id, caller, agent=agent))["id"]
    tools = Recorded(driver.tools, _given(told), asked.live)
    steps: list[Told] = []
    for number, place in enumerate(questions):
        if place != start:
            await sessions.say(fork, _again(told[place]), caller)
        run = RunRequest(drive=True, max_steps=asked.max_steps)
        begun, job = await driver.begin(fork, run, caller, tools, durable=False)
        if job is not None:
            await driver.drive(job)
        end = questions[number + 1] if number + 1 < len(questions) else len(told)
        done = await sessions.run(fork, begun["id"])
        steps.append(await _step(behind, fork, begun["id"], told[place], told[place + 1 : end], done))
        if done["state"] != "completed":
            break
    return {
        "session": fork,
        "original": history.session.id,
        "at": at.id,
        "agent": agent,
        "agent_before": history.session.agent,
        "steps": steps,
        "left": len(questions) - len(steps),
        "tools": tools.counts,
        "same": len(steps) == len(questions) and all(step["same"] for step in steps),
    }


async def _step(behind: Behind, fork: str, run: str, question: Told, before: Sequence[Told], done: Told) -> Told:
    """What became of one question, then and now."""
    listed = await behind.sessions.events(fork, after=run, limit=1_000_000, whole=False)
    then, now = _answered(before), _answered([one for one in listed["events"] if one["run"] == run])
    lines = difflib.unified_diff(then["text"].splitlines(), now["text"].splitlines(), "before", "now", lineterm="")
    return {
        "question": {"event": question["id"], "content": question["body"].get("content")},
        "before": then,
        "now": now,
        "same": then == now and done["state"] == "completed",
        "diff": list(lines),
        "state": done["state"],
        "reason": done["reason"],
    }


def _answered(events: Sequence[Told]) -> Told:
    """What was said and called, without the ids, which differ always."""
    said = [one["body"] for one in events if one["type"] == "message" and one["author"] != "user"]
    bodies = [body for body in said if isinstance(body, dict)]
    calls = [(call["name"], arguments_of(call)) for body in bodies for call in body.get("tool_calls", ())]
    return {
        "text": "\n\n".join(filter(None, (text_of(body.get("content")) for body in bodies))),
        "calls": [{"name": name, "arguments": _without_nulls(arguments)} for name, arguments in calls],
    }


def _given(told: Sequence[Told]) -> dict[str, list[Given]]:
    """The results on a path, by what was called."""
    asked: dict[str, str] = {}
    found: dict[str, list[Given]] = {}
    for one in told:
        body = one["body"] if isinstance(one["body"], dict) else {}
        for call in body.get("tool_calls", ()):
            asked[str(call["id"])] = _key(str(call["name"]), arguments_of(call))
        if one["type"] == "tool_result" and one["call"] in asked and "removed" not in body:
            given = Given(text_of(body.get("content")), bool(body.get("is_error")), tuple(one["evidence"]))
            found.setdefault(asked[one["call"]], []).append(given)
    return found


def _key(name: str, arguments: Mapping[str, Any]) -> str:
    return json.dumps([name, _without_nulls(arguments)], sort_keys=True)


def _without_nulls(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments without those that say nothing: some APIs have each named, and null for none."""
    return {name: value for name, value in arguments.items() if value is not None}


def _again(question: Told) -> MessageRequest:
    body = question["body"] if isinstance(question["body"], dict) else {}
    content = body.get("content")
    if content is None:
        raise BadRequest(f"what {question['id']} asked was removed: it cannot be asked again")
    return MessageRequest(
        content=content, pinned=question["pinned"], author=question["author"], evidence=tuple(question["evidence"])
    )


def _is_question(event: Event) -> bool:
    return event.type == "message" and event.author == "user"


def _first_question(history: History) -> Event:
    found = next((event for event in history.path if _is_question(event)), None)
    if found is None:
        raise BadRequest("nobody asks anything in this session: there is nothing to run again")
    return found
