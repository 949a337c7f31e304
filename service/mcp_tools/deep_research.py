"""The two tools in the form that ChatGPT's deep research takes: `search(query)` and `fetch(id)`, JSON in one text.

That form has no room for passages, options or notes. Its ids are those of captures, so what is fetched is exactly what
was found; the records are the same as everywhere else.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import orjson

from service.doors import Actions
from service.forms import Served, Written
from service.mcp_tools.arguments import understand
from service.mcp_tools.calling import chosen, failed
from service.mcp_tools.definitions import Option, Tool
from service.mcp_tools.replies import ToolReply
from service.requests import Caller, CaptureRequest, Scope, SearchRequest
from service.tokens import fit

MAX_TEXT_TOKENS: Final = 50_000
"""Tokens of one document: there is no option to go on with, and past this a model reads no more of it."""

RESULTS: Final = 20

_JSON: Final = "application/json"

SEARCH: Final = Tool(
    name="search",
    title="Search with receipts",
    description="Search web pages. Gives ids to fetch; everything found is kept under the record that is named.",
    options=(Option("query", "string", "What is looked for, in plain words.", required=True),),
    output={},
    scope=Scope.SEARCH,
    open_world=True,
)
FETCH: Final = Tool(
    name="fetch",
    title="Read what was found",
    description="Give the whole text of a page that search has found, word for word as it was kept.",
    options=(Option("id", "string", "An id from search, or an address.", required=True),),
    output={},
    scope=Scope.FETCH,
    open_world=True,
)
TOOLS: Final = (SEARCH, FETCH)


class DeepTools:
    """These tools over the actions of this process."""

    def __init__(self, actions: Actions) -> None:
        self._actions = actions

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        caller: Caller,
        /,
        *,
        structured: bool = True,  # noqa: ARG002 - the protocol's; this form has one side
    ) -> ToolReply:
        """Call a tool."""
        try:
            tool = chosen(TOOLS, name, caller)
            asked = understand(tool, arguments).given
            asking = replace(caller, noted=dict(caller.noted) | {"tool": f"deep_research.{name}"})
            if tool is SEARCH:
                return await self._search(asked["query"], asking)
            return await self._fetch(asked["id"].strip(), asking)
        except Exception as error:  # noqa: BLE001 - the door: whatever happened behind it, the model gets words
            return failed(error)

    async def _search(self, query: str, caller: Caller) -> ToolReply:
        request = SearchRequest(query=query, max_results=RESULTS)
        reply = await self._actions.search(request, replace(caller, form=Written(_found)))
        return ToolReply(reply.body.decode(), None, record=reply.record, serving=reply.serving)

    async def _fetch(self, asked: str, caller: Caller) -> ToolReply:
        if "://" in asked:
            request = CaptureRequest(url=asked, max_tokens=MAX_TEXT_TOKENS)
            reply = await self._actions.capture(request, replace(caller, form=Written(_page)))
            failing = reply.status >= 400  # noqa: PLR2004 - where HTTP's refusals begin
            return ToolReply(reply.body.decode(), None, failing, reply.record, reply.serving)
        kept = await self._actions.evidence(asked)
        text = (await self._actions.evidence(asked, view="text")).body.decode()
        fields = orjson.loads(kept.body)
        end = fit(text, MAX_TEXT_TOKENS)
        metadata = {"record": kept.id, "kind": kept.kind, "retrieved_at": fields.get("retrieved_at")}
        metadata |= {"cut": f"{end} of {len(text)} characters"} if end < len(text) else {}
        url = fields.get("final") or fields.get("url") or ""
        title = text.partition("\n")[0][:200]
        body = orjson.dumps(
            {"id": kept.id, "title": title or url, "text": text[:end], "url": url, "metadata": metadata}
        )
        serving = await self._actions.serve([kept.id], Served(body, _JSON), caller)
        return ToolReply(body.decode(), None, record=kept.id, serving=serving)


def _found(fields: dict[str, Any]) -> Served:
    results = [
        {"id": one.get("capture") or one["url"], "title": one.get("title") or one["url"], "url": one["url"]}
        for one in fields["results"]
    ]
    told = {"results": results, "record": fields["record"], "state": fields["state"], "message": fields.get("message")}
    return Served(orjson.dumps(told), _JSON)


def _page(fields: dict[str, Any]) -> Served:
    if "type" in fields and "status" in fields:
        words = f"{fields['title']} {fields['detail']} Citator record {fields['record']}"
        return Served(words.encode(), "text/plain; charset=utf-8", status=fields["status"])
    metadata = {"record": fields["record"], "kind": "fetch", "retrieved_at": fields["retrieved_at"]}
    metadata |= {"cut": f"{fields['end']} of {fields['total']} characters"} if fields["end"] < fields["total"] else {}
    told = {
        "id": fields["capture"],
        "title": fields["title"] or fields["url"],
        "text": fields["text"],
        "url": fields["final"],
        "metadata": metadata,
    }
    return Served(orjson.dumps(told), _JSON)
