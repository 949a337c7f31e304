"""What clients put around a tool's result, and what they cut out of it. Pure.

Each known wrapper is taken off by name, so that what is left can be compared byte for byte with what was served.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import orjson

from service.transcripts.blocks import texts
from service.transcripts.lines import NO_JSON, parsed

MAX_WRAPPED: Final = 3
"""Wrappers around one another: a client's line, around a protocol's object, around text."""


@dataclass(frozen=True)
class View:
    """A way to read a result: its text without the wrappers named in `taken_off`."""

    text: str
    taken_off: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cut:
    """A result of which something was cut out at `marker`: what stands before and after it."""

    head: str
    tail: str
    marker: str


_HEADS: Final = (
    (
        "codex-wall-time",
        re.compile(
            r"\A(?:Chunk ID: [^\n]{0,80}\n)?(?:Exit code: -?\d+\n)?Wall time: [0-9.]+ (?:s|ms|seconds?)\n"
            r"(?:Process exited with code -?\d+\n)?(?:Original token count: \d+\n)?(?:Total output lines: \d+\n)?"
            r"(?:Output:\n|\n)"
        ),
    ),
    ("codex-output", re.compile(r"\AOutput:\n")),
)
_AROUND: Final = (
    (
        "tool-result-element",
        re.compile(r"\A\s*<(tool_result|tool_output|result|output)>\n?(.*?)\n?</\1>\s*\Z", re.DOTALL),
    ),
    ("code-fence", re.compile(r"\A\s*(```)(?:json|text)?\n(.*?)\n```\s*\Z", re.DOTALL)),
)
_REMINDER: Final = re.compile(
    r"(?:(?<!\n)\n*+)?<system-reminder>(?:(?!<system-reminder>).)*?</system-reminder>\s*\Z", re.DOTALL
)

_MARKER: Final = re.compile(
    r"(?:(?<![ \t])[ \t]*+)?\[?\(?(?:\.\.\.|…)?[ ]?\[?(?:output )?(?:~|about )?[\d,.]{1,20}[kKmM]? ?(?:more )?"
    r"(?:chars|characters|tokens|lines|bytes|KB)(?: (?:were|was))?"
    r" (?:truncated|omitted|elided|removed|cut)[^\n\]…]{0,80}?(?:\.\.\.|…)?\]?\)?(?:\.\.\.|…)?[ \t]*"
    r"|\[\.\.\. ?(?:output )?(?:truncated|omitted|middle (?:truncated|omitted))[^\n\]]{0,80}\]"
    r"|<response clipped>(?:<NOTE>.{0,1000}?</NOTE>)?"
    r"|\[(?:Output|Response|Content) truncated[^\n\]]{0,120}\]",
    re.IGNORECASE,
)
_SPILL_PREVIEW: Final = re.compile(
    r"\A\s*<persisted-output>\n(?P<told>.*?)(?:(?<!\n)|(?<=<persisted-output>\n))\n+Preview \(first [^)\n]{1,20}\):\n"
    r"(?P<preview>.*?)\n?(?:\.\.\.|…)?\n?</persisted-output>\s*\Z",
    re.DOTALL,
)
_POINTS_TO_RESOURCE: Final = re.compile(r"\A[^\n]{0,600}\b[a-z][a-z0-9+.-]*://[^\n]{0,600}\Z")
_SPILLED: Final = re.compile(
    r"exceeds maximum allowed tokens|Output too large|<persisted-output>|Output has been saved to"
)


def views(text: str, blocks: tuple[str, ...] = ()) -> Iterator[View]:
    """The text as it is, then without one known wrapper after the other. The first view is the text itself."""
    seen: set[str] = set()
    waiting = [View(text)]
    waiting += [View("".join(blocks), ("blocks-joined",))] if len(blocks) > 1 else []
    told = [block for block in blocks if not _POINTS_TO_RESOURCE.match(block) or "resource" not in block]
    waiting += [View(told[0], ("links-to-resources",))] if len(told) == 1 < len(blocks) else []
    while waiting:
        view = waiting.pop(0)
        if view.text in seen:
            continue
        seen.add(view.text)
        yield view
        if len(view.taken_off) < MAX_WRAPPED:
            waiting += [View(inner, (*view.taken_off, name)) for name, inner in _without(view.text)]


def _without(text: str) -> Iterator[tuple[str, str]]:
    """Each reading of a text without one wrapper."""
    for name, form in _HEADS:
        found = form.match(text)
        if found and found.end():
            yield name, text[found.end() :]
    for name, form in _AROUND:
        found = form.match(text)
        if found:
            yield name, found.group(2)
    found = _REMINDER.search(text)
    if found:
        yield "system-reminder", text[: found.start()]
    if text[:1] in ("{", "[", '"'):
        yield from _from_json(parsed(text))
    if "\r\n" in text:
        yield "line-ends", text.replace("\r\n", "\n")
    if text != text.strip():
        yield "outer-space", text.strip()


def _from_json(value: object) -> Iterator[tuple[str, str]]:
    """The text in a result of the protocol, in a list of its blocks, or in a JSON string."""
    if value is NO_JSON:
        return
    if isinstance(value, str):
        yield "json-string", value
    if isinstance(value, list):
        inner = texts(value)
        if inner and len(inner) == len(value):
            yield "content-blocks", "\n".join(inner)
    if isinstance(value, dict):
        structured = value.get("structuredContent", value.get("structured_content"))
        if structured is not None:
            yield "call-result-structured", orjson.dumps(structured).decode()
        for key in ("content", "output", "result", "text"):
            if key in value and value.keys() <= _RESULT_KEYS:
                inner = texts(value[key])
                if inner:
                    yield "call-result", "\n".join(inner)


_RESULT_KEYS: Final = frozenset(
    {"content", "output", "result", "text", "isError", "is_error", "structuredContent", "structured_content", "_meta",
     "meta", "type", "success", "metadata", "name", "tool_call_id", "annotations"}
)  # fmt: skip


def cuts(text: str) -> Iterator[Cut]:
    """Each place where something may have been cut out of a text."""
    for found in _MARKER.finditer(text):
        if not found.group().strip():
            continue
        yield Cut(text[: found.start()], text[found.end() :], found.group().strip())


def preview(text: str) -> str | None:
    """The preview of a result that was put into a file; empty if there is none; None if it was not put into one."""
    found = _SPILL_PREVIEW.match(text)
    if found:
        return found.group("preview")
    return "" if _SPILLED.search(text[:2000]) else None
