"""What a run is driven with: an agent's definition, instantiated over the operator's model and our own tools. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from service.sessions.models import ModelForm

OURS: Final = frozenset(
    {"model", "messages", "system", "tools", "stream", "stream_options", "store", "previous_response_id", "input"}
)
"""Parameters that a definition does not set: what is shown is the session's, and nothing is kept at the other end."""


@dataclass(frozen=True)
class Instance:
    """A model's name, parameters of the request, and tools in the form of its API. `system` replaces the session's."""

    model: str
    tools: Sequence[Mapping[str, Any]]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    system: str | None = None


def instance_of(
    form: ModelForm,
    agent: Mapping[str, Any] | None,
    *,
    model: str,
    host: str,
    own: Sequence[Mapping[str, Any]],
    system: str | None = None,
) -> Instance:
    """An agent's definition over what is here.

    Its model counts where its provider is this one, or none is named. Its tools are those offered: ours in our own
    words, others as they are defined. Without a list all of ours are offered.
    """
    agent = agent or {}
    here = agent.get("provider") in {None, host}
    wanted = agent.get("tools")
    if wanted is None:
        tools = list(own)
    else:
        by_name = {_name(tool): tool for tool in own}
        tools = [by_name.get(_name(tool)) or _converted(form, tool) for tool in wanted if _name(tool)]
    parameters = {name: value for name, value in (agent.get("parameters") or {}).items() if name not in OURS}
    named = agent.get("model") if here else None
    return Instance(model=named or model, tools=tools, parameters=parameters, system=system)


def _name(tool: Mapping[str, Any]) -> str:
    inner = tool.get("function")
    return str((inner if isinstance(inner, dict) else tool).get("name") or "")


def _converted(form: ModelForm, tool: Mapping[str, Any]) -> dict[str, Any]:
    """A tool's definition, of whatever API, in the form of this one."""
    inner = tool.get("function")
    told = inner if isinstance(inner, dict) else tool
    schema = told.get("input_schema") or told.get("parameters") or told.get("inputSchema") or {"type": "object"}
    words = {"name": _name(tool), "description": told.get("description") or ""}
    if form == "anthropic":
        return words | {"input_schema": schema}
    return {"type": "function", "function": words | {"parameters": schema}}
