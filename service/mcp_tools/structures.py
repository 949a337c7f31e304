"""The structured form of each reply, made of what the API would answer. Pure.

It is written for models: short ids, no scores, nothing twice but the record's id, which stands first and last. The text
form is made of it (`texts`), so both say the same.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

Structure = dict[str, Any]

SHORT: Final = 12
"""Hex digits of a short id: the shortest prefix that is accepted on reading, as in every citation."""

MAX_TITLE: Final = 200
"""Characters of a title; the record leads to the whole."""

MAX_SHOWN_URL: Final = 500
"""Characters of an address in a list of results; the capture has the whole."""

MAX_ECHO: Final = 300
"""Characters of the query that are repeated; the record has the whole."""

MAX_SENTENCE: Final = 500
"""Characters of one note."""

MAX_NOTES: Final = 8
"""Notes in one reply; the rest is counted."""


def short(identity: str) -> str:
    """The id as it is cited: its first hex digits, which every door that reads ids understands."""
    return identity.removeprefix("sha256:")[:SHORT]


def cut(text: str, limit: int) -> str:
    """`text`, or its beginning with a mark that something is missing."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def passage_of(shown: Mapping[str, Any], text: str) -> Structure:
    """A passage of a reply."""
    found = {"id": short(shown["id"]), "start": shown["start"], "end": shown["end"], "text": text}
    return found | {name: shown[name] for name in ("page", "page_end") if name in shown}


def searched(fields: Mapping[str, Any], notes: Sequence[str]) -> Structure:
    """A search."""
    record = fields["record"]
    dropped = Counter(drop["reason"] for drop in fields["dropped"])
    more = fields.get("dropped_total", len(fields["dropped"])) - len(fields["dropped"])
    if more > 0:
        dropped["not_listed"] += more
    said = list(notes)
    if fields.get("relaxed"):
        said.append(f"The query was not taken as it stands: {', '.join(fields['relaxed'])}.")
    if len(fields["query"]) > MAX_ECHO:
        said.append(f"The query has {len(fields['query'])} characters; its beginning is shown.")
    if fields["state"] in ("ok", "no_provider") and any(not one["passages"] for one in fields["results"]):
        said.append("Pages without passages had no room; ask for fewer results or more max_tokens, or fetch them.")
    return without_nothing(
        {
            "record": record,
            "query": cut(fields["query"], MAX_ECHO),
            "state": fields["state"],
            "message": cut(fields.get("message") or "", MAX_ECHO),
            "searched_at": fields["retrieved_at"],
            "results": [_result(one) for one in fields["results"]],
            "dropped": dict(dropped),
            "notes": bounded(said),
            "end_record": record,
        }
    )


def _result(one: Mapping[str, Any]) -> Structure:
    return without_nothing(
        {
            "rank": one["rank"],
            "title": cut(" ".join((one.get("title") or "").split()), MAX_TITLE),
            "url": cut(one["url"], MAX_SHOWN_URL),
            "capture": short(one["capture"]) if one.get("capture") else None,
            "captured_at": one.get("retrieved_at"),
            "published": one.get("published"),
            "flags": list(one.get("flags") or ()) or None,
            "passages": [passage_of(passage, passage["text"]) for passage in one["passages"]],
        }
    )


def page(fields: Mapping[str, Any], notes: Sequence[str]) -> Structure:
    """A page that was fetched, or taken from the store."""
    record, start, end = fields["record"], fields.get("start", 0), fields.get("end", len(fields["text"]))
    total = fields.get("total", end)
    text = fields["text"]
    passages = [
        passage_of(shown, text[shown["start"] - start : shown["end"] - start])
        for shown in fields["passages"]
        if start <= shown["start"] and shown["end"] <= end
    ]
    published = fields.get("published")
    said = [*notes, *_about(fields)]
    if end < total:
        said.append(f"Characters {start} to {end} of {total}; go on with start={end}.")
    return without_nothing(
        {
            "record": record,
            "url": fields["url"],
            "final": fields["final"] if fields["final"] != fields["url"] else None,
            "state": fields["page_state"],
            "title": cut(" ".join((fields.get("title") or "").split()), MAX_TITLE),
            "author": cut(fields.get("author") or "", MAX_TITLE),
            "published": published["value"] if published else None,
            "language": fields.get("language"),
            "capture": short(fields["capture"]),
            "captured_at": fields["retrieved_at"],
            "start": start,
            "end": end,
            "total": total,
            "next_start": end if end < total else None,
            "passages": passages,
            "rest": None if passages else text,
            "notes": bounded(said),
            "end_record": record,
        }
    )


def _about(fields: Mapping[str, Any]) -> list[str]:
    """What a reader should know before believing a page."""
    said = []
    if fields.get("from_store"):
        said.append(f"Not fetched now: this copy is {_age(fields['age_seconds'])} old.")
    if fields["outcome"] != "ok":
        said.append(f"The page did not come whole ({fields['outcome']}): {fields.get('reason') or 'no reason given'}.")
    if fields["page_state"] not in ("ok", "unknown"):
        said.append(f"This is not an ordinary page but one of the state {fields['page_state']}.")
    said += [f"Flag: {flag}." for flag in fields.get("flags") or ()]
    said += list(fields.get("warnings") or ())
    return said


def _age(seconds: int) -> str:
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}"
    return f"{seconds} seconds"


def evidence(
    identity: str, kind: str, media_type: str, view: str, text: str, *, start: int, end: int, notes: Sequence[str]
) -> Structure:
    """What is kept under an id: `text[start:end]` of it."""
    said = list(notes)
    if end < len(text):
        said.append(f"Characters {start} to {end} of {len(text)}; go on with start={end}.")
    return without_nothing(
        {
            "record": identity,
            "kind": kind,
            "media_type": media_type,
            "view": view,
            "start": start,
            "end": end,
            "total": len(text),
            "next_start": end if end < len(text) else None,
            "text": text[start:end],
            "notes": bounded(said),
            "end_record": identity,
        }
    )


def bounded(notes: Sequence[str]) -> list[str]:
    """Notes as they are told: one line each, not too long, not too many."""
    kept = [cut(" ".join(note.split()), MAX_SENTENCE) for note in notes[:MAX_NOTES]]
    return kept + ([f"{len(notes) - MAX_NOTES} more notes are in the record."] if len(notes) > MAX_NOTES else [])


def without_nothing(made: Structure) -> Structure:
    """Without members that have nothing to say."""
    return {name: value for name, value in made.items() if value not in (None, "") or name in _ALWAYS}


_ALWAYS: Final = frozenset({"record", "end_record", "text", "query", "url"})
"""Members that are there also when they are empty: the schemas promise them."""
