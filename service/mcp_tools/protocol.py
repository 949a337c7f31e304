"""The tools over MCP: one protocol server for both transports, which differ only in who is asking.

The protocol's own server is used, not its decorators: schemas, texts and structured replies are exactly those of
`definitions` and `replies`.
"""

import asyncio
import base64
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

import orjson
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    BlobResourceContents,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)
from mcp.types import Tool as ToolTold

from service.doors import Citator
from service.errors import problem_of
from service.mcp_tools.calling import Tools
from service.mcp_tools.definitions import INSTRUCTIONS, MAX_REPLY, TOOLS, Tool
from service.mcp_tools.replies import ToolReply
from service.mcp_tools.structures import MAX_SHOWN_URL, cut
from service.mending import MENDED
from service.requests import MAX_SESSION, Caller, Scope
from service.versions import citator_version

Context = Any
"""What the protocol's server hands to its handlers; its class is generic over things that are not used here."""

SURFACE: Final = "mcp"
SCHEME: Final = "evidence://"
PULSE_SECONDS: Final = 1.0
"""How often a running call tells that it runs: hosts give up on silence after a minute or less."""

SHOWN_CHARACTERS: Final = 4 * MAX_REPLY
"""Claude Code shows a reply up to this length, where it would otherwise put it into a file."""

OFF: Final = frozenset({"0", "off", "false", "no"})

RECORD_META: Final = "citator/record"
SERVING_META: Final = "citator/serving"


def protocol_server(
    tools: Tools,
    citator: Callable[[], Awaitable[Citator]],
    caller: Callable[[Context], Caller],
    *,
    listed: Sequence[Tool] = TOOLS,
    structured: bool = True,
) -> Server[Any]:
    """A protocol server. `caller` tells who asks; `structured` says whether replies have their second form."""
    door = _Door(tools, citator, caller, listed, structured=structured)
    return Server(
        "citator",
        version=citator_version(),
        title="Citator",
        description="Search and fetch with receipts.",
        instructions=INSTRUCTIONS,
        on_list_tools=door.list_tools,
        on_call_tool=door.call_tool,
        on_list_resources=door.list_resources,
        on_list_resource_templates=door.list_templates,
        on_read_resource=door.read_resource,
    )


class _Door:
    def __init__(
        self,
        tools: Tools,
        citator: Callable[[], Awaitable[Citator]],
        caller: Callable[[Context], Caller],
        listed: Sequence[Tool],
        *,
        structured: bool,
    ) -> None:
        self._tools = tools
        self._citator = citator
        self._caller = caller
        self._listed = listed
        self._structured = structured

    def _two_forms(self, context: Context) -> bool:
        """Whether replies have their structured form: as set, or as the address of the request says."""
        asked = getattr(context.request, "query_params", {}).get("structured")
        return self._structured if asked is None else asked.lower() not in OFF

    async def list_tools(self, context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        """All tools, always in the same order."""
        two = self._two_forms(context)
        return ListToolsResult(tools=[_told(tool, two_forms=two) for tool in self._listed])

    async def call_tool(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        """Call one; while it runs, say so."""
        caller = self._claimed(context)
        stage = Stage(f"{params.name} is running")
        caller = replace(caller, told=stage.hear)
        pulse = asyncio.ensure_future(_pulse(context, stage))
        try:
            reply = await self._tools.call(
                params.name, params.arguments or {}, caller, structured=self._two_forms(context)
            )
        finally:
            pulse.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.shield(asyncio.gather(pulse, return_exceptions=True))
        return _result(reply)

    def _claimed(self, context: Context) -> Caller:
        """Who asks, with what the protocol says of where the call comes from."""
        caller = self._caller(context)
        meta = dict(context.meta or {})
        claims = dict(caller.claims)
        for name in ("traceparent", "tracestate"):
            if isinstance(told := meta.get(name), str):
                claims.setdefault(name, told[:MAX_SESSION])
        client = getattr(context.session.client_params, "client_info", None)
        if client is not None:
            claims["mcp-client"] = f"{client.name} {client.version}".strip()[:MAX_SESSION]
        trace = claims.get("traceparent", "").split("-")
        session = caller.session or (trace[1] if len(trace) == 4 else None)  # noqa: PLR2004 - the parts of a traceparent
        noted = dict(caller.noted) | ({"mended": True} if meta.get(MENDED) else {})
        return replace(caller, surface=SURFACE, claims=claims, session=session, noted=noted)

    async def list_resources(self, _context: Context, _params: PaginatedRequestParams | None) -> ListResourcesResult:
        """None are listed: there are as many as ids, and each is named by a reply."""
        return ListResourcesResult(resources=[])

    async def list_templates(
        self, _context: Context, _params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        """How ids become addresses."""
        template = ResourceTemplate(
            name="evidence",
            title="Evidence by id",
            uri_template=SCHEME + "{id}",
            description="The exact bytes of an id: a record, a passage, a page. A unique prefix of 12 digits will do.",
        )
        return ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(self, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        """The exact bytes of an id."""
        uri = str(params.uri)
        if not uri.startswith(SCHEME):
            raise MCPError(INVALID_PARAMS, f"addresses of resources begin with {SCHEME}", {"uri": uri})
        if not self._caller(context).may(Scope.READ):
            raise MCPError(INVALID_PARAMS, "this key may not read: it needs the scope read", {"uri": uri})
        named = uri.removeprefix(SCHEME).rstrip("/").rpartition("/")[2].replace("sha256-", "sha256:")
        try:
            found = await (await self._citator()).evidence(named)
        except Exception as error:
            problem = problem_of(error)
            raise MCPError(INVALID_PARAMS, f"{problem.title} {problem.detail}", {"uri": uri}) from error
        try:
            text = TextResourceContents(uri=uri, text=found.body.decode(), mime_type=found.media_type)
        except UnicodeDecodeError:
            blob = base64.b64encode(found.body).decode()
            return ReadResourceResult(contents=[BlobResourceContents(uri=uri, blob=blob, mime_type=found.media_type)])
        return ReadResourceResult(contents=[text])


def _told(tool: Tool, *, two_forms: bool) -> ToolTold:
    return ToolTold(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input,
        output_schema=tool.output if two_forms and tool.output else None,
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=not tool.open_world,
            open_world_hint=tool.open_world,
        ),
        _meta={"anthropic/maxResultSizeChars": SHOWN_CHARACTERS},
    )


def _result(reply: ToolReply) -> CallToolResult:
    meta = {RECORD_META: reply.record, SERVING_META: reply.serving}
    return CallToolResult(
        content=[TextContent(text=reply.text)],
        structured_content=orjson.loads(orjson.dumps(reply.structured)) if reply.structured is not None else None,
        is_error=reply.is_error,
        _meta={name: told for name, told in meta.items() if told is not None} or None,
    )


class Stage:
    """How far a call is, in words."""

    def __init__(self, words: str) -> None:
        self.words = words
        self._pages = 0

    def hear(self, event: dict[str, Any]) -> None:
        """Take note of what happens in a search."""
        if event["type"] == "asked":
            self.words = f"asking {', '.join([*event['providers'], 'the own index'])}"
        elif event["type"] == "candidates":
            self.words = f"reading the best of {event['candidates']} pages"
        elif event["type"] == "page":
            self._pages += 1
            self.words = f"{self._pages} pages looked at, last {cut(event['url'], MAX_SHOWN_URL)}: {event['state']}"


async def _pulse(context: Context, stage: Stage) -> None:
    """Tell for how many seconds a call has been running, and what it does. Whoever asked for no progress gets none."""
    seconds = 0
    while True:
        with suppress(Exception):  # the client is gone, or does not listen: the call itself will notice
            await context.session.report_progress(seconds, None, stage.words)
        await asyncio.sleep(PULSE_SECONDS)
        seconds += 1
