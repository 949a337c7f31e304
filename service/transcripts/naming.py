"""Finds the ids of evidence in texts: those that say which record a reply is of, and those that are only mentioned."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

MAX_NAMED: Final = 200
"""Ids taken from one text; a reply of a search has some hundred, a page that lists hashes any number."""

# The API, tools and the imitated APIs each name it in their own way; in a text within JSON quotes are escaped.
_RECORD: Final = re.compile(
    r'\\{0,4}"(?:record|end_record|request_id)\\{0,4}"\s*:\s*\\{0,4}"(sha256:[0-9a-f]{64})\\{0,4}"'
    r"|Citator record (sha256:[0-9a-f]{64})|keeps this reply as record (sha256:[0-9a-f]{64})"
)
_FULL: Final = re.compile(r"(?<![0-9a-zA-Z])sha256[:-]([0-9a-f]{64})(?![0-9a-f])")
_SHORT: Final = re.compile(r"\[([0-9a-f]{12,64})\]")
_SPEAKING: Final = re.compile(r"record|serving|evidence|citator", re.IGNORECASE)
_CAPTURE: Final = re.compile(r"capture", re.IGNORECASE)
_CITE: Final = re.compile(r"retrieved \d{4}-\d\d-\d\d \[([0-9a-f]{12,64})\]")


def records_named(text: str) -> tuple[str, ...]:
    """The records that a text says it is the reply of, each once."""
    if "sha256:" not in text:
        return ()
    found = (match[match.lastindex or 0] for match in _RECORD.finditer(text))
    return tuple(dict.fromkeys(found))[:MAX_NAMED]


def records_in(meta: Mapping[str, Any]) -> tuple[str, ...]:
    """The records named by what came beside a result: ids under a name that speaks of evidence, however deep."""
    return _ids_under(meta, _SPEAKING)


def captures_in(meta: Mapping[str, Any]) -> tuple[str, ...]:
    """The captures named by what came beside a result."""
    return _ids_under(meta, _CAPTURE)


def _ids_under(meta: Mapping[str, Any], names: re.Pattern[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    waiting: list[tuple[bool, Any]] = [(False, meta)]
    while waiting and len(found) < MAX_NAMED:
        speaking, one = waiting.pop()
        if isinstance(one, Mapping):
            waiting.extend((speaking or names.search(str(key)) is not None, inner) for key, inner in one.items())
        elif isinstance(one, list):
            waiting.extend((speaking, inner) for inner in one)
        elif speaking and isinstance(one, str) and _FULL.fullmatch(one):
            found[one] = None
    return tuple(found)


def mentioned(text: str) -> Iterator[tuple[str, bool]]:
    """Each id in a text, and whether it stands in a citation in Citator's own form, which nothing else has."""
    seen: set[str] = set()
    for match in _CITE.finditer(text):
        if match.group(1) not in seen:
            seen.add(match.group(1))
            yield match.group(1), True
    for match in _FULL.finditer(text):
        if match.group(1) not in seen:
            seen.add(match.group(1))
            yield f"sha256:{match.group(1)}", False
    for match in _SHORT.finditer(text):
        if match.group(1) not in seen:
            seen.add(match.group(1))
            yield match.group(1), False
