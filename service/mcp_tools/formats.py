"""The definitions of the tools in the formats in which models are handed tools. Pure, and light to import."""

from typing import Any, Final

from service.mcp_tools.definitions import TOOLS, Option, Schema, Tool

FORMATS: Final = ("openai", "anthropic", "gemini", "mcp")


def defined(form: str) -> list[dict[str, Any]]:
    """All tools in one of `FORMATS`."""
    match form:
        case "openai":
            return [_openai(tool) for tool in TOOLS]
        case "anthropic":
            return [{"name": tool.name, "description": tool.description, "input_schema": tool.input} for tool in TOOLS]
        case "gemini":
            return [_gemini(tool) for tool in TOOLS]
        case "mcp":
            return [_mcp(tool) for tool in TOOLS]
        case _:
            raise ValueError(f"no such format: {form}")


def _openai(tool: Tool) -> dict[str, Any]:
    """A function for the Responses API, strict: every argument is named, and null stands for none."""
    parameters = {
        "type": "object",
        "properties": {option.name: _nullable(option) for option in tool.options},
        "required": [option.name for option in tool.options],
        "additionalProperties": False,
    }
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "strict": True,
        "parameters": parameters,
    }


def _nullable(option: Option) -> Schema:
    schema = dict(option.schema)
    if not option.required:
        schema["type"] = [schema["type"], "null"]
        if "enum" in schema:
            schema["enum"] = [*schema["enum"], None]
    return schema


def _gemini(tool: Tool) -> dict[str, Any]:
    """A function declaration: the part of OpenAPI's schemas that Gemini reads, with its names of types."""
    properties = {}
    for option in tool.options:
        schema = dict(option.schema) | {"type": str(option.schema["type"]).upper()}
        if "items" in schema:
            schema["items"] = {"type": "STRING"}
        properties[option.name] = schema | ({} if option.required else {"nullable": True})
    required = [option.name for option in tool.options if option.required]
    parameters = {"type": "OBJECT", "properties": properties, "required": required}
    return {"name": tool.name, "description": tool.description, "parameters": parameters}


def _mcp(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input,
        "outputSchema": tool.output,
        "annotations": {
            "title": tool.title,
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": not tool.open_world,
            "openWorldHint": tool.open_world,
        },
    }
