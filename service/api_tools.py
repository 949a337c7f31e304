"""`/tools`: the definitions of the tools for own code, and calls of them as a model made them."""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from service.api_answers import Route, actions, allowed, answered
from service.api_documents import told
from service.mcp_tools.calling import ToolsHere
from service.mcp_tools.formats import FORMATS, defined
from service.mcp_tools.replies import ToolReply
from service.replies import Told
from service.requests import Scope, Session

router = APIRouter(route_class=Route, tags=["tools"])


class CallRequest(BaseModel):
    """A call as a model made it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    arguments: dict[str, Any] = Field(default={}, description="The arguments, as the model wrote them.")
    structured: bool = Field(default=True, description="Give the structured form beside the text.")
    session: Session | None = Field(default=None, description="Your name for the conversation; kept as a claim.")
    surface: Literal["tools", "mcp"] = Field(default="tools", description="`mcp` is for relays that speak MCP.")
    claims: dict[str, Annotated[str, Field(max_length=256)]] = Field(
        default={}, max_length=20, description="What a relay was told of where the call comes from; kept as claims."
    )
    noted: dict[str, bool] = Field(default={}, max_length=5, description="What a relay did to the arguments.")


class CalledTold(Told):
    """What the model is told. `text` and `structured` say the same; give it one of them, as it is."""

    record: str | None = Field(description="What this reply can be shown by later.")
    serving: str | None = None
    is_error: bool
    text: str
    structured: dict[str, Any] | None = None


class ToolsTold(Told):
    """Definitions of all tools, in the format that was asked for."""

    format: str
    tools: list[dict[str, Any]]


async def _unless_gone(request: Request, work: Coroutine[Any, Any, ToolReply]) -> ToolReply:
    """Do `work`; call it off if whoever asked hangs up, so that it leaves a record of that and nothing running."""
    working = asyncio.ensure_future(work)
    listening = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({working, listening}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)
            return ToolReply("called off", None, is_error=True)  # nobody reads it
        return working.result()
    finally:
        listening.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


@router.get("/tools", responses=told(ToolsTold))
async def tools(
    request: Request,
    format: Annotated[Literal["openai", "anthropic", "gemini", "mcp"], Query(description="Whose format.")] = "mcp",  # noqa: A002 - the query parameter's name
) -> Response:
    """Give the definitions of the tools, ready to be handed to a model."""
    allowed(request, Scope.SEARCH, Scope.FETCH, Scope.READ)
    assert format in FORMATS
    return answered({"format": format, "tools": defined(format)})


@router.post("/tools/{name}", responses=told(CalledTold, description="What the model is told."))
async def call(
    request: Request,
    name: Annotated[str, Path(max_length=64, description="The tool's name.")],
    asked: CallRequest,
) -> Response:
    """Call a tool and get what the model is told: errors too are words, with `is_error`."""
    caller = allowed(request, Scope.SEARCH, Scope.FETCH, Scope.READ, session=asked.session)
    claims = {**caller.claims, **asked.claims}
    caller = replace(caller, surface=asked.surface, claims=claims, noted={**caller.noted, **asked.noted})
    calling = ToolsHere(actions(request)).call(name, asked.arguments, caller, structured=asked.structured)
    reply = await _unless_gone(request, calling)
    return answered(
        {
            "record": reply.record,
            "serving": reply.serving,
            "is_error": reply.is_error,
            "text": reply.text,
            "structured": reply.structured,
        }
    )
