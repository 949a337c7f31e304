"""Reads a tool's arguments as models write them: a number as text, null for what is not wanted, one for several. Pure.

What has one plain meaning is taken; everything that was changed or left aside is noted. What has none is refused in
words that say what would do.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from service.failures import BadRequest
from service.mcp_tools.definitions import Option, Tool

MAX_ARGUMENT: Final = 65_536
"""Characters of one text; people and models paste whole pages."""

MAX_NAMED: Final = 10
"""Unknown arguments that a note names; a reply is no place for more."""

_NOTHING: Final = frozenset({"", "null", "none", "undefined"})

# Names that models use for what is called otherwise here.
_ALIASES: Final[Mapping[str, Mapping[str, str]]] = {
    "search": {"q": "query", "limit": "max_results", "count": "max_results", "num_results": "max_results"},
    "fetch": {"uri": "url", "link": "url", "address": "url", "offset": "start"},
    "get_evidence": {"record": "id", "record_id": "id", "evidence_id": "id", "offset": "start"},
}

_WHOLE: Final = re.compile(r"[+-]?\d{1,15}(\.0*)?")


@dataclass
class Arguments:
    """What was understood, by option, and what has to be said about it."""

    given: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)


def understand(tool: Tool, arguments: Mapping[str, Any]) -> Arguments:
    """The arguments of a call.

    Raises:
        BadRequest: one is missing or has no plain meaning; the message says which and what would do.
    """
    found = Arguments()
    options = {option.name: option for option in tool.options}
    aliases = _ALIASES.get(tool.name, {})
    named = {name: value for name, value in arguments.items() if name in options}
    for name, value in arguments.items():
        if name in options:
            continue
        if (meant := aliases.get(name)) is not None and named.get(meant) is None:
            named[meant] = value
        else:
            found.ignored.append(name)
    for name, value in named.items():
        read = _read(options[name], value, found.notes)
        if read is not None:
            found.given[name] = read
    missing = [name for name, option in options.items() if option.required and name not in found.given]
    if missing:
        raise BadRequest(f"{tool.name} needs {' and '.join(missing)}: {options[missing[0]].description}")
    if found.ignored:
        shown = ", ".join(name[:40] for name in found.ignored[:MAX_NAMED])
        found.notes.append(f"{tool.name} has no {shown}: left aside.")
    return found


def _read(option: Option, value: Any, notes: list[str]) -> Any:
    """One argument; None if it says nothing."""
    if value is None or (not option.required and isinstance(value, str) and value.strip().lower() in _NOTHING):
        return None
    match option.kind:
        case "integer":
            return _bounded(option, _number(option, value), notes)
        case "strings":
            return _several(option, value) or None
        case "string":
            return _chosen(option, _words(option, value))


def _number(option: Option, value: Any) -> int:
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        return int(value.strip().partition(".")[0])
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise BadRequest(f"{option.name} is a whole number, not {_told(value)}. {option.description}")


def _bounded(option: Option, number: int, notes: list[str]) -> int:
    least = option.least if option.least is not None else number
    most = option.most if option.most is not None else number
    bounded = min(max(number, least), most)
    if bounded != number:
        notes.append(f"{option.name} was {number} and was taken as {bounded}.")
    return bounded


def _words(option: Option, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise BadRequest(f"{option.name} is a text, not {_told(value)}. {option.description}")
    text = value if isinstance(value, str) else str(value)
    if len(text) > MAX_ARGUMENT:
        raise BadRequest(f"{option.name} has {len(text)} characters; at most {MAX_ARGUMENT} are read")
    return text


def _chosen(option: Option, text: str) -> str:
    if not option.choices:
        return text
    plain = text.strip().lower()
    if plain not in option.choices:
        raise BadRequest(f"{option.name} is one of {', '.join(option.choices)}, not {_told(text)}")
    return plain


def _several(option: Option, value: Any) -> list[str]:
    """A list, one text, texts with commas between them, or a list written as JSON."""
    if isinstance(value, str):
        stripped = value.strip()
        if stripped.startswith("["):
            try:
                value = orjson.loads(stripped)
            except orjson.JSONDecodeError:
                value = None
        else:
            value = stripped.split(",")
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise BadRequest(f"{option.name} is a list of texts. {option.description}")
    return [one.strip() for one in value if one.strip()]


def _told(value: Any) -> str:
    """A value as an error names it: not more of it than is needed to find it."""
    return repr(value)[:60]
