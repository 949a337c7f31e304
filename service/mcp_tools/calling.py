"""Calls a tool: reads its arguments, asks the actions, gives the reply in both forms, kept before it is given."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

import anyio
import structlog
from anyio import get_cancelled_exc_class
from pydantic import ValidationError

from service.check_requests import CitationsRequest, RecheckRequest
from service.doors import Actions
from service.errors import Problem, problem_of
from service.failures import BadRequest
from service.forms import Served
from service.mcp_tools import checks, structures, texts
from service.mcp_tools.arguments import Arguments, understand
from service.mcp_tools.definitions import CHECK_CITATIONS, DEFAULT_TOKENS, FETCH, RECHECK, SEARCH, TOOLS, Tool
from service.mcp_tools.replies import HEAD, TEXT, ToolForm, ToolReply, written
from service.mistakes import mistaken
from service.requests import MAX_AGE, Caller, CaptureRequest, SearchRequest
from service.tokens import fit

BYTES: Final = "bytes"
"""The view that is none: what the id names, as it is."""

GRACE_SECONDS: Final = 10.0
"""Seconds in which a call that was called off writes that down; the bucket takes much less."""

JSON_SHARE: Final = 0.9
"""How much of a budget a text may take that is cut before it is known how long it gets in JSON."""

log = structlog.get_logger()


class Tools(Protocol):
    """Whoever can call the tools: this process, or a server."""

    async def call(
        self, name: str, arguments: Mapping[str, Any], caller: Caller, /, *, structured: bool = True
    ) -> ToolReply:
        """Call a tool. What goes wrong is a reply, in words; only being cancelled is raised."""
        ...


class ToolsHere:
    """The tools over the actions of this process."""

    def __init__(self, actions: Actions) -> None:
        self._actions = actions

    async def call(
        self, name: str, arguments: Mapping[str, Any], caller: Caller, /, *, structured: bool = True
    ) -> ToolReply:
        """Call a tool."""
        try:
            tool = chosen(TOOLS, name, caller)
            understood = understand(tool, arguments)
            if caller.noted.get("mended"):
                understood.notes.append("Half of a surrogate pair in the arguments was read as U+FFFD.")
            session = understood.given.pop("session", None) or caller.session
            noted = dict(caller.noted) | {"tool": tool.name}
            noted |= {"ignored": understood.ignored[:20]} if understood.ignored else {}
            asking = replace(caller, session=session, noted=noted)
            if tool is SEARCH:
                return await self._search(understood, asking, structured=structured)
            if tool is FETCH:
                return await self._fetch(understood, asking, structured=structured)
            if tool is RECHECK:
                return await self._recheck(understood, asking, structured=structured)
            if tool is CHECK_CITATIONS:
                return await self._citations(understood, structured=structured)
            return await self._evidence(understood, asking, structured=structured)
        except Exception as error:  # noqa: BLE001 - the door: whatever happened behind it, the model gets words
            return failed(error)

    async def _search(self, understood: Arguments, caller: Caller, *, structured: bool) -> ToolReply:
        given = dict(understood.given)
        budget = given.pop("max_tokens", DEFAULT_TOKENS)
        for name in ("include_domains", "exclude_domains"):
            if name in given:
                given[name] = [_host(one) for one in given[name]]
        request = SearchRequest.model_validate(given | {"max_tokens": budget})
        form = ToolForm(
            structures.searched,
            texts.search_text,
            budget,
            understood.notes,
            subject=structures.cut(request.query, structures.MAX_ECHO),
            structured=structured,
        )
        return await self._asked(request, form, caller)

    async def _fetch(self, understood: Arguments, caller: Caller, *, structured: bool) -> ToolReply:
        given = dict(understood.given)
        budget = given.pop("max_tokens", DEFAULT_TOKENS)
        if given.get("start") and "max_age" not in given:
            given["max_age"] = MAX_AGE  # going on means going on in the same text
        request = CaptureRequest.model_validate(given | {"max_tokens": budget, "whole": True})
        form = ToolForm(
            structures.page, texts.page_text, budget, understood.notes, subject=request.url, structured=structured
        )
        return await self._asked(request, form, caller)

    async def _asked(self, request: SearchRequest | CaptureRequest, form: ToolForm, caller: Caller) -> ToolReply:
        """Ask in this form. A call that is called off leaves a record of that."""
        asking = replace(caller, form=form)
        begun = time.monotonic()
        try:
            if isinstance(request, SearchRequest):
                reply = await self._actions.search(request, asking)
            else:
                reply = await self._actions.capture(request, asking)
        except get_cancelled_exc_class():
            with anyio.move_on_after(GRACE_SECONDS, shield=True):
                await self._call_off(request, caller, round((time.monotonic() - begun) * 1000))
            raise
        assert form.reply is not None, "a reply that came back was written"
        return replace(form.reply, serving=reply.serving)

    async def _call_off(self, request: SearchRequest | CaptureRequest, caller: Caller, after_ms: int) -> None:
        try:
            record = await self._actions.cancelled(request, caller, after_ms)
        except Exception as error:  # noqa: BLE001 - nobody waits for the answer; the log is told
            log.warning("a call that was called off is not on record", error=str(error))
        else:
            log.info("called off", record=record, ms=after_ms)

    async def _recheck(self, understood: Arguments, caller: Caller, *, structured: bool) -> ToolReply:
        request = RecheckRequest.model_validate(understood.given)
        form = ToolForm(checks.rechecked, checks.recheck_text, DEFAULT_TOKENS, understood.notes, structured=structured)
        reply = await self._actions.recheck(request, replace(caller, form=form))
        assert form.reply is not None, "a reply that came back was written"
        return replace(form.reply, serving=reply.serving)

    async def _citations(self, understood: Arguments, *, structured: bool) -> ToolReply:
        found = await self._actions.check_citations(CitationsRequest.model_validate(understood.given))
        made = checks.citations(found, understood.notes)
        return ToolReply(checks.citations_text(made), made if structured else None)

    async def _evidence(self, understood: Arguments, caller: Caller, *, structured: bool) -> ToolReply:
        given = understood.given
        view = given.get("view", BYTES)
        found = await self._actions.evidence(given["id"].strip(), view=None if view == BYTES else view)
        budget = given.get("max_tokens", DEFAULT_TOKENS)
        try:
            text = found.body.decode()
        except UnicodeDecodeError:
            where = f"/api/v1/evidence/{found.id}"
            raise BadRequest(
                f"{found.id} is no text but {len(found.body)} bytes of {found.media_type}; GET {where} gives them"
            ) from None
        start = min(given.get("start", 0), len(text))
        end = start + _fitting(text[start:], budget)
        made = structures.evidence(
            found.id, found.kind, found.media_type, view, text, start=start, end=end, notes=understood.notes
        )
        told = texts.evidence_text(made)
        served = Served(told.encode(), TEXT, structured=written(made) if structured else None)
        serving = await self._actions.serve([found.id], served, caller)
        return ToolReply(told, made if structured else None, record=found.id, serving=serving)


def chosen(tools: Sequence[Tool], name: str, caller: Caller) -> Tool:
    """The tool of this name.

    Raises:
        BadRequest: there is none, or the caller's key does not reach to it.
    """
    tool = next((tool for tool in tools if tool.name == name), None)
    if tool is None:
        raise BadRequest(f"there is no tool {name[:60]!r}; there are {', '.join(tool.name for tool in tools)}")
    if not caller.may(tool.scope):
        raise BadRequest(f"this key may not use {tool.name}: it needs the scope {tool.scope}")
    return tool


def _host(domain: str) -> str:
    """A domain, also where an address was given for it."""
    return domain.partition("://")[2].partition("/")[0] if "://" in domain else domain.partition("/")[0]


def _fitting(text: str, budget: int) -> int:
    """How much of a text has room, in characters: in tokens as it is, and as JSON."""
    room = max(0, budget - HEAD // 4)
    fitting = fit(text, room)
    while fitting and len(written({"text": text[:fitting]})) > room * 4:
        fitting = int(fitting * JSON_SHARE)
    return fitting


def failed(error: Exception) -> ToolReply:
    """An error in words."""
    problem: Problem = mistaken(error.errors()) if isinstance(error, ValidationError) else problem_of(error)
    if problem.slug == "internal":
        log.error("failed", problem=problem.slug, error=str(error), exc_info=error)
    detail = problem.detail if problem.detail != problem.title else ""
    deletion = problem.members.get("deletion")
    removed = f" Its removal is on record as {deletion}." if isinstance(deletion, str) else ""
    return ToolReply(" ".join(part for part in (problem.title, detail) if part) + removed, None, is_error=True)
