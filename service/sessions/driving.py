"""Runs that are driven here: the model is asked, its calls of our tools are answered, until it has said its word.

Every step is kept before the next one is taken, so whatever happens, the session shows how far it came. A server that
dies leaves a run whose lease runs out; the next write notes that it failed.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

import structlog

from crawler import CrawlError, Endpoint, parse_address
from service.failures import BadRequest, ServiceError
from service.requests import Caller
from service.sessions.asked import (
    ContextRequest,
    MessageRequest,
    RunChange,
    RunRequest,
    ToolCall,
    ToolResult,
    ToolResultsRequest,
)
from service.sessions.models import Answer, BadAnswer, ModelForm, answer_of, arguments_of, body_of, headers_of, path_of
from service.sessions.reading import Reading
from service.sessions.talking import Sessions, Told
from snapshots import EvidenceError

MAX_ANSWER: Final = 16 * 1024 * 1024
"""Bytes of a model's answer."""
SPARE_SECONDS: Final = 60
"""What a lease has beyond the time that one answer of the model may take."""
SAID: Final = 300
"""Characters of a refusal that stand in the session."""

log = structlog.get_logger()


@dataclass(frozen=True)
class Model:
    """The operator's model. `window` is its context in tokens."""

    url: str
    form: ModelForm
    name: str
    key: str | None
    seconds: float
    window: int
    steps: int


@dataclass(frozen=True)
class Called:
    """What a tool gave back: its text, whether it failed, and the record of it."""

    text: str
    is_error: bool
    record: str | None


class OwnTools(Protocol):
    """The tools of this installation, as they are offered to a model."""

    def offered(self, form: ModelForm) -> list[dict[str, Any]]:
        """Their definitions in the form of an API."""
        ...

    def knows(self, name: str) -> bool:
        """Whether this is one of them."""
        ...

    async def call(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Called:
        """Call one. What goes wrong is told in words."""
        ...


class Behind(Protocol):
    """Where the sessions are."""

    @property
    def sessions(self) -> Sessions:
        """What is done with them."""
        ...

    @property
    def session_reading(self) -> Reading:
        """What is read out of them."""
        ...


class _Stopped(Exception):
    pass


class Driver:
    """Drives runs of one installation. Close it before the parts it uses."""

    def __init__(self, behind: Behind, tools: OwnTools, model: Model | None, agent: str) -> None:
        self._behind = behind
        self._tools = tools
        self._model = model
        self._endpoint = Endpoint(model.url, user_agent=agent) if model else None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, session: str, asked: RunRequest, caller: Caller) -> Told:
        """Begin a run and go on with it in the background.

        Raises:
            BadRequest: no model is set up here.
            SessionLocked: another run holds the session.
        """
        if self._model is None:
            raise BadRequest(
                "no model is set up here: set CITATOR_MODEL_URL and CITATOR_MODEL_NAME, or drive the run yourself"
            )
        lease = round(self._model.seconds) + SPARE_SECONDS
        named = {
            "provider": parse_address(self._model.url).host,
            "model": self._model.name,
            "api_schema": self._model.form,
        }
        begun = asked.model_copy(update={"lease_seconds": lease} | named)
        run = await self._behind.sessions.start(session, begun, caller)
        task = asyncio.create_task(self._drive(run["session"], run["id"], asked, caller), name=f"run {run['id']}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return run

    async def close(self) -> None:
        """Stop what is running; it is noted as failed."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._endpoint is not None:
            self._endpoint.close()

    async def _drive(self, session: str, run: str, asked: RunRequest, caller: Caller) -> None:
        try:
            await self._steps(session, run, asked, caller)
        except _Stopped as stopped:
            await self._end(session, run, caller, str(stopped))
        except asyncio.CancelledError:
            await asyncio.shield(self._end(session, run, caller, "the server was stopped"))
            raise
        except (ServiceError, EvidenceError, CrawlError) as error:
            await self._end(session, run, caller, str(error))
        except Exception:
            log.exception("a run broke off", session=session, run=run)
            await self._end(session, run, caller, "a fault in Citator itself; its log says more")

    async def _end(self, session: str, run: str, caller: Caller, reason: str) -> None:
        try:
            await self._behind.sessions.change(session, run, RunChange(action="fail", reason=reason[:2000]), caller)
        except (ServiceError, EvidenceError) as error:
            log.warning("the end of a run is not on record", session=session, run=run, error=str(error))

    async def _steps(self, session: str, run: str, asked: RunRequest, caller: Caller) -> None:
        assert self._model is not None, "a run was begun"
        for _ in range(min(asked.max_steps or self._model.steps, self._model.steps)):
            answer, shown = await self._ask(session)
            made = MessageRequest(
                role="assistant",
                content=answer.text if answer.text or not answer.calls else None,
                tool_calls=tuple(ToolCall.model_validate(call) for call in answer.calls),
                run=run,
                tokens=answer.tokens_out,
                provider=parse_address(self._model.url).host,
                model=self._model.name,
                api_schema=self._model.form,
                sent=shown,
            )
            await self._behind.sessions.say(session, made, caller)
            if not answer.calls:
                await self._behind.sessions.change(
                    session, run, RunChange(action="complete", reason=answer.stopped), caller
                )
                return
            if not all(self._tools.knows(call["name"]) for call in answer.calls):
                return  # somebody else's tools: whoever has them gives the results, and starts a run to go on
            await self._answer_calls(session, run, answer, caller)
            lease = round(self._model.seconds) + SPARE_SECONDS
            await self._behind.sessions.change(session, run, RunChange(action="renew", lease_seconds=lease), caller)
        raise _Stopped("the model called tools again and again: the limit of steps was reached")

    async def _answer_calls(self, session: str, run: str, answer: Answer, caller: Caller) -> None:
        asking = replace(caller, session=session, surface="session")
        called = await asyncio.gather(
            *(self._tools.call(call["name"], arguments_of(call), asking) for call in answer.calls)
        )
        results = tuple(
            ToolResult(
                call=call["id"],
                name=call["name"],
                content=told.text,
                is_error=told.is_error,
                evidence=(told.record,) if told.record else (),
            )
            for call, told in zip(answer.calls, called, strict=True)
        )
        await self._behind.sessions.results(session, ToolResultsRequest(run=run, results=results), caller)

    async def _ask(self, session: str) -> tuple[Answer, dict[str, Any]]:
        """The model's next word, and which events it was shown and which not."""
        model, endpoint = self._model, self._endpoint
        assert model is not None, "a run was begun"
        assert endpoint is not None, "a model has an address"
        wanted = ContextRequest(form=model.form, budget=model.window, provider=endpoint.address.host, model=model.name)
        found = await self._behind.session_reading.context(session, wanted)
        body = body_of(model.form, model.name, found["request"], self._tools.offered(model.form))
        address = parse_address(endpoint.address.origin + path_of(model.form, endpoint.address.path.rstrip("/")))
        headers = (
            ("Accept", "application/json"),
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            *headers_of(model.form, model.key),
        )
        answered = await endpoint.ask(address, headers, body=body, limit=MAX_ANSWER, seconds=model.seconds)
        if answered.status != 200:  # noqa: PLR2004 - the status that means an answer
            said = answered.body[:SAID].decode("utf-8", "replace").replace(model.key or "\0", "…")
            raise _Stopped(f"the model's endpoint answered with status {answered.status}: {said}")
        try:
            answer = answer_of(model.form, answered.body)
        except BadAnswer as error:
            raise _Stopped(str(error)) from error
        left = [one["event"] for one in found["left_out"]]
        sent = {"at": found["at"], "left_out": left, "tokens": answer.tokens_in, "answered_by": answer.model}
        return answer, sent
