"""`evidence/bundle.json`: what a bundle says of itself. Nothing in it is believed until something else agrees."""

import re
from dataclasses import dataclass
from typing import Any, Final

from snapshots.errors import Unsound
from snapshots.verify.forms import (
    Form,
    first_wrong,
    is_count,
    is_id_text,
    is_loose,
    is_text,
    list_of,
    maybe,
    object_of,
    one_of,
)
from snapshots.verify.members import Members
from snapshots.verify.strict_json import MAX_LINE, read_canonical

CONTENTS = "evidence/bundle.json"

LISTS: Final = {"evidence/blobs.jsonl": "blobs", "evidence/passages.jsonl": "passages"}
"""Members that a bundle has only if there is something to list, and what counts that."""

_SECONDS = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{3})?Z", re.ASCII)


def _is_time(value: Any) -> bool:
    return type(value) is str and _SECONDS.fullmatch(value) is not None


_TOKEN_MEMBERS = ("token", "checkpoint", "consistency", "chain")
_HEAD_FORM: Final[dict[str, Form]] = {
    "kind": one_of("bundle"),
    "version": one_of(1),
    "created": is_text,
    "origin": is_text,
    "size": is_count,
    "root": is_text,
    "roots": list_of(is_id_text),
    "selection": is_loose,
    "counts": object_of(records=is_count, passages=is_count, blobs=is_count, pages=is_count, missing=is_count),
    "missing": list_of(object_of(id=is_id_text, why=one_of("removed", "not-kept"), deletion=maybe(is_id_text))),
    "tokens": list_of(
        object_of(
            authority=is_text,
            time=_is_time,
            size=is_count,
            members=object_of(**dict.fromkeys(_TOKEN_MEMBERS, is_text)),
        )
    ),
    "notes": list_of(is_text),
    "software": object_of(name=is_text, version=is_text),
}


@dataclass(frozen=True)
class Absent:
    """An id that the bundle says it does not hold, and why."""

    id: str
    why: str
    deletion: str | None


@dataclass(frozen=True)
class TokenNamed:
    """A time-stamp token as the contents name it."""

    authority: str
    time: str
    size: int
    token: str
    checkpoint: str
    consistency: str
    chain: str


@dataclass(frozen=True)
class Contents:
    """What `evidence/bundle.json` says."""

    created: str
    origin: str
    size: int
    root: str
    roots: tuple[str, ...]
    counts: dict[str, int]
    missing: tuple[Absent, ...]
    tokens: tuple[TokenNamed, ...]
    notes: tuple[str, ...]
    software: str


def left_out(members: Members, contents: Contents | None) -> frozenset[str]:
    """The lists that are not there because they would have no line: validators of web archives refuse empty ones."""
    if contents is None:
        return frozenset()
    return frozenset(name for name, what in LISTS.items() if name not in members and contents.counts[what] == 0)


def read_contents(members: Members) -> Contents:
    """The contents. Raises Unsound(bundle-malformed)."""
    try:
        value = read_canonical(members.whole(CONTENTS, MAX_LINE))
        wrong = first_wrong(value, _HEAD_FORM) if type(value) is dict else "is no object"
    except Unsound as problem:
        raise Unsound("bundle-malformed", str(problem)) from None
    if wrong is not None:
        raise Unsound("bundle-malformed", f"it {wrong}")
    return Contents(
        value["created"],
        value["origin"],
        value["size"],
        value["root"],
        tuple(value["roots"]),
        value["counts"],
        tuple(Absent(each["id"], each["why"], each["deletion"]) for each in value["missing"]),
        tuple(
            TokenNamed(
                each["authority"], each["time"], each["size"], *(each["members"][name] for name in _TOKEN_MEMBERS)
            )
            for each in value["tokens"]
        ),
        tuple(value["notes"]),
        f"{value['software']['name']} {value['software']['version']}",
    )
