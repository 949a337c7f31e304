"""The structured forms of the tools' replies, as JSON Schema. Members with nothing to say are left out, never null."""

from typing import Any, Final

Schema = dict[str, Any]


def _text(description: str) -> Schema:
    return {"type": "string", "description": description}


def _count(description: str) -> Schema:
    return {"type": "integer", "description": description}


def _list(items: Schema, description: str) -> Schema:
    return {"type": "array", "items": items, "description": description}


def _object(required: tuple[str, ...], properties: dict[str, Schema]) -> Schema:
    return {"type": "object", "properties": properties, "required": list(required)}


_RECORD: Final = _text("The id of the record of this reply.")
_AGAIN: Final = _text("The same id once more, so that a reply that was cut in the middle still has it.")
_NOTES: Final = _list({"type": "string"}, "What else is to be known of this reply.")
_PASSAGE: Final = _object(
    ("id", "start", "end", "text"),
    {
        "id": _text("The passage's short id: the beginning of its SHA-256. Cite it in brackets."),
        "start": _count("Where it begins in the page's text, in code points."),
        "end": _count("Where it ends."),
        "page": _count("The page of a PDF that it begins on."),
        "page_end": _count("The page that it ends on, if that is another."),
        "text": _text("The passage, word for word."),
    },
)
_NEXT: Final = _count("Give this as `start` to go on; missing at the end.")

SEARCHED: Final = _object(
    ("record", "query", "state", "searched_at", "results", "dropped", "notes", "end_record"),
    {
        "record": _RECORD,
        "query": _text("What was looked for."),
        "state": _text("How the search ended."),
        "message": _text("A sentence on it."),
        "searched_at": _text("When."),
        "results": _list(
            _object(
                ("rank", "url", "passages"),
                {
                    "rank": _count("Place among the results."),
                    "title": _text("The page's title."),
                    "url": _text("The page."),
                    "capture": _text("Short id of what was seen of the page."),
                    "captured_at": _text("When it was seen."),
                    "published": _text("When it was published, if that is known for certain."),
                    "flags": _list(
                        {"type": "string"},
                        "What to beware of: hidden_text, zero_width, bidi_controls, addresses_model.",
                    ),
                    "passages": _list(_PASSAGE, "Its passages that had room."),
                },
            ),
            "The pages, best first.",
        ),
        "dropped": {
            "type": "object",
            "description": "How many pages were considered and not shown, by reason.",
            "additionalProperties": {"type": "integer"},
        },
        "notes": _NOTES,
        "end_record": _AGAIN,
    },
)

PAGE: Final = _object(
    ("record", "url", "state", "captured_at", "start", "end", "total", "passages", "notes", "end_record"),
    {
        "record": _RECORD,
        "url": _text("The address that was asked for."),
        "final": _text("The address that answered, if it is another."),
        "state": _text("What the page is: ok, not_found, blocked, login, consent, paywall, error."),
        "title": _text("The page's title."),
        "author": _text("Who wrote it, if it says so."),
        "published": _text("When it was published, if it says so."),
        "language": _text("Its language."),
        "capture": _text("Short id of what was seen of the page."),
        "captured_at": _text("When it was seen."),
        "start": _count("Where in the page's text this reply begins, in code points."),
        "end": _count("Where it ends."),
        "total": _count("How long the text is."),
        "next_start": _NEXT,
        "passages": _list(_PASSAGE, "The text, passage by passage."),
        "rest": _text("Text of a passage that is too long for one reply."),
        "notes": _NOTES,
        "end_record": _AGAIN,
    },
)

EVIDENCE: Final = _object(
    ("record", "kind", "media_type", "view", "start", "end", "total", "text", "notes", "end_record"),
    {
        "record": _text("The id whose bytes these are."),
        "kind": _text("What it is: passage, capture, search, fetch, serving, document, blob …"),
        "media_type": _text("Of which type it is."),
        "view": _text("What is shown of it; bytes: exactly what the id names."),
        "start": _count("Where in it this reply begins, in characters."),
        "end": _count("Where it ends."),
        "total": _count("How long it is."),
        "next_start": _NEXT,
        "text": _text("What is kept."),
        "notes": _NOTES,
        "end_record": _AGAIN,
    },
)

RECHECKED: Final = _object(
    ("record", "holds", "conclusive", "checked_at", "counts", "results", "notes", "end_record"),
    {
        "record": _RECORD,
        "holds": {"type": "boolean", "description": "False: a page no longer says what was cited of it."},
        "conclusive": {"type": "boolean", "description": "False: some page could not be judged (a wall, an error)."},
        "checked_at": _text("When."),
        "counts": {
            "type": "object",
            "description": "How many passages have each verdict.",
            "additionalProperties": {"type": "integer"},
        },
        "results": _list(
            _object(
                ("record", "url", "verdict", "passages"),
                {
                    "record": _text("Short id of the record of this page's check."),
                    "url": _text("The page."),
                    "verdict": _text("What became of the page."),
                    "reason": _text("Why."),
                    "capture": _text("Short id of what was seen now."),
                    "passages": _list(
                        _object(
                            ("verdict", "quote"),
                            {
                                "id": _text("The passage's short id."),
                                "verdict": _text("exact, typography, moved, edited, ambiguous, absent, inconclusive …"),
                                "quote": _text("What was cited; its beginning."),
                                "matched": _text("What the page says there now, if it differs."),
                                "flags": _list({"type": "string"}, "What kind of words changed: number, negation …"),
                            },
                        ),
                        "What was cited of the page.",
                    ),
                },
            ),
            "The pages; those that raise an alarm first.",
        ),
        "notes": _NOTES,
        "end_record": _AGAIN,
    },
)

CITATIONS: Final = _object(
    ("holds", "counts", "citations", "notes"),
    {
        "holds": {"type": "boolean", "description": "Whether every citation is borne out by what is kept."},
        "counts": {
            "type": "object",
            "description": "How many citations have each verdict.",
            "additionalProperties": {"type": "integer"},
        },
        "citations": _list(
            _object(
                ("line", "verdict"),
                {
                    "line": _count("Where in the text it stands."),
                    "verdict": _text("supported, edited, misattributed, not_in_evidence, named"),
                    "quote": _text("The quotation; its beginning."),
                    "reason": _text("Why."),
                    "passage": _text("Short id of the passage that bears it out."),
                    "url": _text("The page that does, or that says something else."),
                    "matched": _text("What that page says."),
                },
            ),
            "The citations; those that are not borne out first.",
        ),
        "notes": _NOTES,
    },
)
