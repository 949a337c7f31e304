"""What LangChain's MCP adapters make of the tools. Run apart, with the libraries that they need.

Arguments: the address of `/mcp`, a key, the address of a page, the address of an empty one. Prints one JSON document.
"""

import asyncio
import json
import sys
from typing import Any

from langchain_core.tools import ToolException
from langchain_mcp_adapters.client import MultiServerMCPClient


async def main(url: str, key: str, page: str, empty: str) -> dict[str, Any]:
    connection = {"transport": "streamable_http", "url": url, "headers": {"Authorization": f"Bearer {key}"}}
    tools = {tool.name: tool for tool in await MultiServerMCPClient({"citator": connection}).get_tools()}

    async def call(name: str, **arguments: Any) -> Any:
        return await tools[name].ainvoke({"name": name, "args": arguments, "id": "call-1", "type": "tool_call"})

    found = await call("search", query="toll swing bridge")
    read = await call("fetch", url=page)
    try:
        failing = str((await call("fetch", url=empty)).content)
    except ToolException as error:
        failing = str(error)
    return {
        "tools": list(tools),
        "found": str(found.content),
        "artifact": found.artifact["structured_content"]["record"],
        "read": str(read.content),
        "failing": failing,
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(*sys.argv[1:]))))
