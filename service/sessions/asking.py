"""One step of a run that is driven here: the model's next word, or the answers to its calls of our tools."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from crawler import Answered, Endpoint, parse_address
from service.requests import Caller
from service.sessions.asked import ContextRequest, MessageRequest, ToolCall, ToolResult, ToolResultsRequest
from service.sessions.instances import Instance
from service.sessions.models import Answer, BadAnswer, ModelForm, answer_of, arguments_of, body_of, headers_of, path_of
from service.sessions.streams import AnswerStream, is_stream

if TYPE_CHECKING:
    from service.sessions.driving import Behind, OwnTools

MAX_ANSWER: Final = 16 * 1024 * 1024
"""Bytes of a model's answer."""
SAID: Final = 300
"""Characters of a refusal that stand in the session."""
GOOD: Final = 200
"""The status that means an answer."""


class Stopped(Exception):
    """A run cannot go on; the reason is for its session."""


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


class Asking:
    """Asks one endpoint for the sessions of one installation."""

    def __init__(self, behind: "Behind", model: Model, endpoint: Endpoint) -> None:
        self._behind = behind
        self._model = model
        self._endpoint = endpoint

    async def next_word(
        self, session: str, run: str, instance: Instance, caller: Caller, said: Callable[[str], None]
    ) -> str | None:
        """Ask the model and keep what it says; `said` is told its text as it comes. Gives why it stopped.

        Raises:
            Stopped: it gave no answer.
        """
        model, host = self._model, self._endpoint.address.host
        wanted = ContextRequest(
            form=model.form, budget=model.window, provider=host, model=instance.model, system=instance.system
        )
        found = await self._behind.session_reading.context(session, wanted)
        answer = await self.ask(instance, found["request"], said)
        left = [one["event"] for one in found["left_out"]]
        shown = {"at": found["at"], "left_out": left, "tokens": answer.tokens_in, "answered_by": answer.model}
        made = MessageRequest(
            role="assistant",
            content=answer.text if answer.text or not answer.calls else None,
            tool_calls=tuple(ToolCall.model_validate(call) for call in answer.calls),
            run=run,
            tokens=answer.tokens_out,
            provider=host,
            model=instance.model,
            api_schema=model.form,
            sent=shown,
        )
        await self._behind.sessions.say(session, made, caller)
        return answer.stopped

    async def answer_calls(
        self, session: str, run: str, calls: Sequence[Mapping[str, Any]], tools: "OwnTools", caller: Caller
    ) -> None:
        """Call our tools and keep what they give."""
        asking = replace(caller, session=session, surface="session")
        called = await asyncio.gather(*(tools.call(str(call["name"]), arguments_of(call), asking) for call in calls))
        results = tuple(
            ToolResult(
                call=str(call["id"]),
                name=str(call["name"]),
                content=told.text,
                is_error=told.is_error,
                evidence=(*((told.record,) if told.record else ()), *told.evidence),
            )
            for call, told in zip(calls, called, strict=True)
        )
        await self._behind.sessions.results(session, ToolResultsRequest(run=run, results=results), caller)

    async def ask(self, instance: Instance, context: Mapping[str, Any], said: Callable[[str], None]) -> Answer:
        """The model's answer to a context.

        Raises:
            Stopped: there is none. CrawlError: the endpoint cannot be asked.
        """
        model, endpoint = self._model, self._endpoint
        body = body_of(model.form, instance.model, context, instance.tools, instance.parameters)
        address = parse_address(endpoint.address.origin + path_of(model.form, endpoint.address.path.rstrip("/")))
        headers = (
            ("Accept", "text/event-stream, application/json"),
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            *headers_of(model.form, model.key),
        )
        stream = AnswerStream(model.form, said)

        def coming(head: Answered, piece: bytes) -> None:
            if _streams(head):
                stream.take(piece)

        try:
            answered = await endpoint.ask(
                address, headers, body=body, limit=MAX_ANSWER, seconds=model.seconds, coming=coming
            )
            if answered.status == GOOD:
                return stream.whole() if _streams(answered) else answer_of(model.form, answered.body)
        except BadAnswer as error:
            raise Stopped(str(error)) from error
        told = answered.body[:SAID].decode("utf-8", "replace").replace(model.key or "\0", "…")
        raise Stopped(f"the model's endpoint answered with status {answered.status}: {told}")


def _streams(head: Answered) -> bool:
    names = {name.lower(): value for name, value in head.headers}
    return head.status == GOOD and is_stream(names)
