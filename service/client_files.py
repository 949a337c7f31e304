"""Puts what a client needs into its files, beside what is there already. Pure: texts in, texts out.

Nothing that somebody else wrote is lost: a file that cannot be read with certainty is refused, and what was made is
read back and compared before it is used.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any, Final

from service.client_plans import FilePlan
from service.failures import BadRequest

_LINE: Final = re.compile(r"^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=")


def filled(plan: FilePlan, before: str | None) -> str:
    """The file as it has to be. `before` is what it holds; None if there is none.

    Raises:
        BadRequest: what it holds cannot be read; the message says what to do.
    """
    if isinstance(plan.content, str):
        return plan.content
    match plan.form:
        case "json":
            return _json(plan.path, plan.content, before)
        case "toml":
            return _toml(plan.path, plan.content, before or "")
        case _:
            return _env(plan.content, before or "")


def _json(path: str, content: Mapping[str, Any], before: str | None) -> str:
    try:
        found = json.loads(before) if before and before.strip() else {}
    except ValueError as error:
        raise BadRequest(f"{path} is no plain JSON ({error}): add what is shown by hand") from None
    if not isinstance(found, dict):
        raise BadRequest(f"{path} holds no JSON object: add what is shown by hand")
    return json.dumps(_merged(found, content), indent=2, ensure_ascii=False) + "\n"


def _merged(found: Any, wanted: Any) -> Any:
    """Objects are merged, lists get what they lack, anything else is replaced. A server that is ours is ours whole."""
    if isinstance(found, dict) and isinstance(wanted, Mapping):
        whole = "command" in wanted or "url" in wanted
        base = {} if whole else found
        return base | {name: _merged(base.get(name), value) for name, value in wanted.items()}
    if isinstance(found, list) and isinstance(wanted, list):
        return found + [one for one in wanted if one not in found]
    return wanted


def _toml(path: str, content: Mapping[str, Any], before: str) -> str:
    """Lines before the first table for plain values, a table of its own for each server; all else stays as it is."""
    try:
        kept = tomllib.loads(before)
    except tomllib.TOMLDecodeError as error:
        raise BadRequest(f"{path} is no TOML ({error}): add what is shown by hand") from None
    text = before
    for name, value in content.items():
        if not isinstance(value, Mapping):
            text = _with_line(text, name, f"{name} = {json.dumps(value)}")
    for group, tables in content.items():
        if isinstance(tables, Mapping):
            for name, table in tables.items():
                text = _with_table(text, f"{group}.{name}", table)
    made = tomllib.loads(text)
    if made != _merged(kept, content):
        raise BadRequest(f"{path} is written in a way that cannot be changed safely: add what is shown by hand")
    return text


def _with_line(text: str, name: str, line: str) -> str:
    head, mark, tables = _split(text)
    pattern = re.compile(rf"^{re.escape(name)}\s*=.*$", re.MULTILINE)
    if pattern.search(head):
        return pattern.sub(lambda _: line, head, count=1) + mark + tables
    return (head.rstrip("\n") + "\n" if head.strip() else "") + line + "\n" + ("\n" if mark else "") + mark + tables


def _split(text: str) -> tuple[str, str, str]:
    """What stands before the first table, and the rest."""
    first = re.search(r"^\[", text, re.MULTILINE)
    return (text, "", "") if first is None else (text[: first.start()], text[first.start()], text[first.end() :])


def _with_table(text: str, name: str, table: Mapping[str, Any]) -> str:
    written = "\n".join([f"[{name}]", *(f"{key} = {_value(value)}" for key, value in table.items())]) + "\n"
    ours = re.compile(rf"^\[{re.escape(name)}(?:\.[^\]]*)?\][^\n]*\n(?:(?!\[)[^\n]*\n?)*", re.MULTILINE)
    rest = ours.sub("", text)
    return (rest.rstrip("\n") + "\n\n" if rest.strip() else "") + written


def _value(value: Any) -> str:
    """A value as TOML; JSON writes texts, numbers and lists of texts in the same way."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_value(one)}" for key, one in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def _env(content: Mapping[str, Any], before: str) -> str:
    lines, waiting = [], dict(content)
    for line in before.splitlines():
        found = _LINE.match(line)
        lines.append(f"{found[1]}={waiting.pop(found[1])}" if found and found[1] in waiting else line)
    return "\n".join([*lines, *(f"{name}={value}" for name, value in waiting.items())]) + "\n"
