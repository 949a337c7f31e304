"""What most formats have in common: texts out of content blocks, JSON text of arguments. Pure, and takes anything."""

from typing import Any, Final

import orjson

from service.transcripts.events import Citation

MAX_NAME: Final = 300
"""Characters of a name, id or kind that are kept; anything longer is none."""

_TEXT_TYPES: Final = frozenset({"text", "input_text", "output_text", "summary_text", "reasoning_text", "refusal"})


def texts(content: Any) -> tuple[str, ...]:
    """The texts of a message's content: a string, a block, or a list of them."""
    if isinstance(content, str):
        return (content,)
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return ()
    found = []
    for block in content:
        if isinstance(block, str):
            found.append(block)
        elif isinstance(block, dict):
            kind = block.get("type")
            if kind in _TEXT_TYPES or (kind is None and isinstance(block.get("text"), str)):
                value = block.get("text", block.get("refusal"))
                found.append(value if isinstance(value, str) else "")
            elif kind == "search_result":
                found += texts(block.get("content"))
            elif kind == "resource" and isinstance(block.get("resource"), dict):
                found += [str(block["resource"]["text"])] if "text" in block["resource"] else []
    return tuple(found)


def name(value: Any) -> str | None:
    """A name or id; None if it is none."""
    return value[:MAX_NAME] if isinstance(value, str) and value else None


def json_text(value: Any) -> str:
    """A value as JSON text; text stays as it is."""
    if isinstance(value, str):
        return value
    return "" if value is None else orjson.dumps(value).decode()


def json_bytes(value: Any) -> bytes | None:
    """Structured content as JSON; None if there is none."""
    return None if value is None else orjson.dumps(value)


def members(value: Any) -> dict[str, Any]:
    """An object; an empty one if it is none."""
    return value if isinstance(value, dict) else {}


def listed(value: Any) -> list[Any]:
    """A list; an empty one if it is none."""
    return value if isinstance(value, list) else []


def strings(value: Any) -> tuple[str, ...]:
    """The strings of a list, or one string."""
    if isinstance(value, str):
        return (value,)
    return tuple(one for one in listed(value) if isinstance(one, str))


def cited(annotations: Any) -> tuple[Citation, ...]:
    """The sources among annotations and citations of any provider."""
    found = []
    for one in listed(annotations):
        if not isinstance(one, dict):
            continue
        inner = members(one.get("url_citation")) or one
        url = inner.get("url") or inner.get("source") or inner.get("uri")
        if isinstance(url, str) and url:
            quoted = name(inner.get("cited_text")) and str(inner["cited_text"])
            found.append(Citation(url, name(inner.get("title")), quoted or None))
    return tuple(found)
