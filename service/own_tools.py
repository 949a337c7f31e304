"""The tools of this installation as a model gets them that is driven here: the same as over MCP."""

from collections.abc import Mapping
from typing import Any

from service.mcp_tools.calling import ToolsHere
from service.mcp_tools.definitions import BY_NAME
from service.mcp_tools.formats import defined
from service.requests import Caller
from service.sessions.driving import Called
from service.sessions.models import ModelForm


class ToolsForModels:
    """Search, fetch and read evidence, for a model in a session."""

    def __init__(self, tools: ToolsHere) -> None:
        self._tools = tools

    def offered(self, form: ModelForm) -> list[dict[str, Any]]:
        """Their definitions in the form of an API."""
        if form == "anthropic":
            return defined(form)
        # `defined` writes functions as the Responses API takes them; chat completions have them one level deeper.
        return [
            {
                "type": "function",
                "function": {name: tool[name] for name in ("name", "description", "parameters", "strict")},
            }
            for tool in defined(form)
        ]

    def knows(self, name: str) -> bool:
        """Whether this is one of them."""
        return name in BY_NAME

    async def call(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Called:
        """Call one; the reply is kept as it is given to the model."""
        reply = await self._tools.call(name, arguments, caller, structured=False)
        return Called(reply.text, reply.is_error, reply.record)
