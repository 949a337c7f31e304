"""The kinds of records: which members each has, and which ids it names. The page on records says the same in words."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from snapshots.errors import Unsound
from snapshots.ids import is_id
from snapshots.verify.forms import Form, first_wrong, is_integer, is_nonce, is_text
from snapshots.verify.record_tables import KIND_FORMS
from snapshots.verify.strict_json import check_loose

_HEAD: Final[dict[str, Form]] = {"kind": is_text, "version": is_integer}
_FULL_FORMS: Final[dict[tuple[str, int], dict[str, Form]]] = {
    key: _HEAD | ({} if key[0] == "document" else {"nonce": is_nonce}) | form for key, form in KIND_FORMS.items()
}
_TIME_MEMBERS = {"capture": "retrieved_at", "search": "retrieved_at", "fetch": "retrieved_at", "serving": "served_at"}


def check_record(value: Any) -> tuple[str, bool]:
    """Holds a record against the form of its kind; gives the kind, and whether that form is known.

    Raises:
        Unsound: `malformed`; the text says which member is wrong.
    """
    if type(value) is not dict or not is_text(value.get("kind")) or not is_integer(value.get("version")):
        raise Unsound("malformed", "is no record: kind or version is missing")
    kind: str = value["kind"]
    if kind == "passage":
        raise Unsound("malformed", "is a passage, which is no record")
    members = _FULL_FORMS.get((kind, value["version"]))
    if members is None:
        check_loose(value)
        return kind, False
    wrong = first_wrong(value, members) or _contradiction(kind, value)
    if wrong is not None:
        raise Unsound("malformed", f"the {kind} {wrong}")
    return kind, True


def _contradiction(kind: str, value: dict[str, Any]) -> str | None:
    """What no single member shows."""
    find = _CONTRADICTIONS.get(kind)
    return None if find is None else find(value)


def _fetch_contradiction(value: dict[str, Any]) -> str | None:
    return None if value["start"] <= value["end"] <= value["total"] else "shows a range outside the text"


def _document_contradiction(value: dict[str, Any]) -> str | None:
    if value["links_total"] < len(value["links"]):
        return "counts fewer links than it lists"
    before, length = 0, len(value["text"])
    for block in value["blocks"]:
        if not before <= block["start"] <= block["end"] <= length:
            return "has blocks out of order or outside the text"
        before = block["start"]
    return None


def _session_contradiction(value: dict[str, Any]) -> str | None:
    whole = (value["parent"] is None) == (value["forked_at"] is None)
    return None if whole else "is a fork that does not say of what and where"


def _crawl_contradiction(value: dict[str, Any]) -> str | None:
    if "state" not in value:  # a pause, or its end
        return None
    finished = value["phase"] == "finished"
    if finished != (value["crawl"] is not None) or finished == (value["state"] == "running"):
        return "begins and ends at once"
    return None


def _watch_contradiction(value: dict[str, Any]) -> str | None:
    started, least, most = value["phase"] == "started", value["min_seconds"], value["max_seconds"]
    said = (value["watch"] is None, bool(value["sources"]), least is not None, most is not None)
    if any(one != started for one in said):
        return "starts and goes on at once"
    return "has bounds that contradict each other" if started and least > most else None


def _hold_contradiction(value: dict[str, Any]) -> str | None:
    held = value["phase"] == "held"
    if held != (value["hold"] is None) or held != bool(value["ids"] or value["urls"] or value["patterns"]):
        return "holds and releases at once"
    return None


def _retention_contradiction(value: dict[str, Any]) -> str | None:
    begins = value["phase"] == "set"
    limited = value["keep_seconds"] is not None or value["keep_last"] is not None
    if begins != (value["retention"] is None) or begins != bool(value["patterns"]) or begins != limited:
        return "sets a rule and lifts it at once"
    return None


_CONTRADICTIONS: Final[dict[str, Callable[[dict[str, Any]], str | None]]] = {
    "fetch": _fetch_contradiction,
    "document": _document_contradiction,
    "session": _session_contradiction,
    "crawl": _crawl_contradiction,
    "watch": _watch_contradiction,
    "hold": _hold_contradiction,
    "retention": _retention_contradiction,
}


def named_ids(kind: str, value: dict[str, Any], *, known: bool) -> Iterator[str]:
    """Every id that a record names, in any order and possibly more than once."""
    if not known:
        yield from ids_inside(value)
        return
    yield from (name for name in _NAMERS[kind](value) if name is not None)
    for reference in references(kind, value, known=known):
        yield from (reference["id"], reference["capture"])


def _capture_names(value: dict[str, Any]) -> Iterator[str | None]:
    yield from (value[name] for name in ("body", "rendered", "screenshot", "pdf", "document", "crawl"))
    for hop in value["hops"]:
        if hop["tls"] is not None:
            yield from hop["tls"]["chain"]


def _search_names(value: dict[str, Any]) -> Iterator[str | None]:
    yield from (provider["reply"] for provider in value["providers"])
    yield from (candidate["capture"] for candidate in value["candidates"])
    yield from (result["capture"] for result in value["results"])


_NAMERS: Final[dict[str, Callable[[dict[str, Any]], Iterable[str | None]]]] = {
    "capture": _capture_names,
    "document": lambda value: (value["source"],),
    "search": _search_names,
    "fetch": lambda value: (value["capture"],),
    "serving": lambda value: (value["record"], value["body"], value.get("structured")),
    "crawl": lambda value: (value["crawl"],),
    "session": lambda value: [value[name] for name in ("system", "agent", "parent", "forked_at")],
    "event": lambda value: [
        *(value[name] for name in ("session", "previous", "run", "agent", "parent", "content")),
        *value["evidence"],
    ],
    "agent": lambda value: (value["system"], value["tools"]),
    "import": lambda value: [*value["deletions"], *(each["id"] for each in value["members"]), *value["records"]],
    "recheck": lambda value: [value["old"], value["new"], value["watch"], *value["visits"]],
    "watch": lambda value: [value["watch"], *(source["capture"] for source in value["sources"])],
    "hold": lambda value: [value["hold"], *value["ids"]],
    "retention": lambda value: [value["retention"]],
    "deletion": lambda value: (removed["id"] for removed in value["removed"]),
}


def references(kind: str, value: dict[str, Any], *, known: bool) -> list[dict[str, Any]]:
    """The references to passages that a record has."""
    if known and kind == "search":
        return [reference for result in value["results"] for reference in result["passages"]]
    if known and kind == "recheck":
        return [each["passage"] for each in value["passages"] if each["passage"] is not None]
    if known and kind == "watch":
        return [reference for source in value["sources"] for reference in source["passages"]]
    return value["passages"] if known and kind == "fetch" else []


def time_of(kind: str, value: dict[str, Any], *, known: bool) -> str | None:
    """When what a record tells of was over; None for documents and what is not known."""
    if not known or kind == "document":
        return None
    found: str = value[_TIME_MEMBERS.get(kind, "at")]
    return found


def ids_inside(value: Any) -> Iterator[str]:
    """Every string in a JSON value that is an id."""
    if type(value) is str:
        if is_id(value):
            yield value
    elif type(value) is dict:
        for inner in value.values():
            yield from ids_inside(inner)
    elif type(value) is list:
        for inner in value:
            yield from ids_inside(inner)
