"""Gemini: `generateContent` with `contents` and `candidates`, and interactions with `steps`."""

from collections.abc import Iterator
from typing import Any, Final

from service.transcripts.blocks import cited, json_bytes, json_text, listed, members, name, strings, texts
from service.transcripts.documents import Path
from service.transcripts.events import (
    Called,
    Citation,
    Event,
    HostedSearch,
    Origin,
    Resulted,
    Role,
    Said,
    ServerHeld,
    Step,
    Unknown,
)
from service.transcripts.lines import Piece
from service.transcripts.opaque import opaque

_LISTS: Final = frozenset({"contents", "candidates", "steps", "outputs", "input", "history"})
_AROUND: Final = frozenset({"request", "response", "body", "interaction"})
_ROLES: Final[dict[str, Role]] = {"user": "user", "model": "assistant", "system": "system", "function": "tool"}
_QUIET: Final = frozenset({"thought", "image", "audio", "video", "document", "function_call_delta"})


class GeminiReader:
    """Reads requests, responses and interactions, or one of them a line."""

    def __init__(self) -> None:
        self._id: tuple[int, str] | None = None
        self._stored = True

    @staticmethod
    def opens(path: Path) -> bool:
        """Into requests and responses, and their lists."""
        names = [step for step in path if isinstance(step, str)]
        if path and not names:
            return False  # an entry of a list is looked at whole, to tell what it is
        inner = bool(names) and names[-1] in _LISTS and isinstance(path[-1], int)
        return not inner and all(step in _LISTS | _AROUND for step in names)

    @staticmethod
    def whole(value: dict[str, Any]) -> bool:
        """Whether this is one content, candidate or step."""
        return not (_LISTS | _AROUND) & value.keys() - {"input"}

    def events(self, piece: Piece) -> Iterator[Event]:
        """The events of one piece."""
        value, line = piece.value, piece.line
        last = piece.path[-1] if piece.path else 0
        if isinstance(last, int) and isinstance(value, dict):
            yield Step(line, name(value.get("id")), at=name(value.get("timestamp")))
            if "type" in value:
                yield from _step(value, line)
            else:
                yield from _content(members(value.get("content")) or value, line)
                yield from _grounding(value, line)
            yield from opaque(value, line)
            return
        match last:
            case "input" | "systemInstruction" | "system_instruction":
                yield Said(line, "user" if last == "input" else "system", texts(members(value).get("parts", value)))
            case "model" | "modelVersion" | "model_version" if isinstance(value, str):
                yield Origin(line, "google", value)
            case "id" if isinstance(value, str) and len(piece.path) <= 2:  # noqa: PLR2004 - of the interaction itself
                self._id = (line, value)
            case "store":
                self._stored = value is not False
            case "steps" | "outputs" | "contents" | "candidates":
                return
            case int():
                yield Unknown(line, "an entry that is no content")
            case _:
                yield from opaque({last: value, "model": "", "contents": "", "steps": ""}, line)

    def end(self) -> Iterator[Event]:
        """Whether the provider keeps the interaction."""
        if self._id is not None and self._stored:
            yield ServerHeld(self._id[0], "interaction.id", self._id[1])


def _content(content: dict[str, Any], line: int) -> Iterator[Event]:
    said = []
    for part in listed(content.get("parts")):
        one = members(part)
        call = members(one.get("functionCall", one.get("function_call")))
        result = members(one.get("functionResponse", one.get("function_response")))
        if call:
            yield Called(line, name(call.get("id")), str(call.get("name"))[:300], json_text(call.get("args")))
        elif result:
            yield _given(name(result.get("id")), name(result.get("name")), result.get("response"), line)
        elif isinstance(one.get("text"), str) and not one.get("thought"):
            said.append(one["text"])
    if said:
        yield Said(line, _ROLES.get(str(content.get("role", "model")), "other"), tuple(said))


def _given(call: str | None, tool: str | None, response: Any, line: int) -> Resulted:
    """What a function gave. Clients put the text under `result`, `output` or `content`, MCP's whole result as it is."""
    answer = members(response)
    inner = next((answer[key] for key in ("result", "output", "content") if key in answer), response)
    if isinstance(inner, dict):
        inner, answer = inner.get("content", inner), answer | inner
    if isinstance(inner, dict):  # what a tool gave, as an object: none of its members is the whole of it
        return Resulted(line, call, tool, (json_text(inner),), error=bool(answer.get("error", False)))
    structured = json_bytes(answer.get("structuredContent", answer.get("structured_content")))
    blocks = texts(inner) or ((json_text(inner),) if inner is not None else ())
    error = bool(answer.get("isError", answer.get("error", False)))
    return Resulted(line, call, tool, blocks, structured, error=error)


def _grounding(candidate: dict[str, Any], line: int) -> Iterator[Event]:
    """Searches by Google: addresses that are redirects and expire, and no page text."""
    grounding = members(candidate.get("groundingMetadata", candidate.get("grounding_metadata")))
    chunks = listed(grounding.get("groundingChunks", grounding.get("grounding_chunks")))
    webs = [members(members(one).get("web")) for one in chunks]
    queries = strings(grounding.get("webSearchQueries", grounding.get("web_search_queries")))
    urls = strings([one.get("uri") for one in webs])
    held = any("retrievedContext" in members(one) for one in chunks)
    if urls or queries:
        yield HostedSearch(line, "groundingChunks", queries, tuple(dict.fromkeys(urls)), text=held)
        yield Said(
            line,
            "other",
            (),
            tuple(Citation(one["uri"], name(one.get("title"))) for one in webs if name(one.get("uri"))),
        )
    context = members(candidate.get("urlContextMetadata", candidate.get("url_context_metadata")))
    fetched = listed(context.get("urlMetadata", context.get("url_metadata")))
    urls = strings([members(one).get("retrievedUrl", members(one).get("retrieved_url")) for one in fetched])
    if urls:
        yield HostedSearch(line, "urlContextMetadata", urls=urls)


def _step(step: dict[str, Any], line: int) -> Iterator[Event]:
    kind = str(step.get("type"))
    arguments = members(step.get("arguments"))
    call = name(step.get("call_id")) or name(step.get("id"))
    match kind:
        case "text" | "user_input" | "model_output" | "message":
            content = listed(step.get("content")) or [step]
            role: Role = "user" if kind == "user_input" else "assistant"
            sources = tuple(one for part in content for one in cited(members(part).get("annotations")))
            yield Said(line, role, texts(content) or texts(step.get("text")), sources)
        case "function_call":
            yield Called(line, call, str(step.get("name"))[:300], json_text(step.get("arguments")))
        case "function_result":
            given = _given(call, name(step.get("name")), step.get("result"), line)
            blocks = texts(step.get("result")) or given.blocks
            yield Resulted(line, call, given.tool, blocks, given.structured, error=bool(step.get("is_error")))
        case "google_search_call":
            yield HostedSearch(line, kind, strings(arguments.get("queries")), call=call)
        case "google_search_result":
            urls = strings([members(one).get("url") for one in listed(step.get("result"))])
            yield HostedSearch(line, kind, urls=urls, sealed="signature" in step, call=call)
        case "url_context_call":
            yield HostedSearch(line, kind, urls=strings(arguments.get("urls")), call=call)
        case "url_context_result":
            urls = strings([members(one).get("url") for one in listed(step.get("result"))])
            yield HostedSearch(line, kind, urls=urls, call=call)
        case _ if kind in _QUIET:
            return
        case _:
            yield Unknown(line, kind[:100])
