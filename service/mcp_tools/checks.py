"""The structured and text forms of what the two checking tools answer. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from service.mcp_tools.structures import MAX_SHOWN_URL, Structure, bounded, cut, short, without_nothing
from service.mcp_tools.texts import RECORD

MAX_PASSAGES: Final = 30
"""Passages or citations that are told of: as many as have room beside their words. What raises an alarm comes first."""

MAX_WORDS: Final = 160
"""Characters of a quotation, and of what the page says in its place; the record has all."""


def rechecked(fields: Mapping[str, Any], notes: Sequence[str]) -> Structure:
    """Pages that were visited again."""
    pages = sorted(fields["pages"], key=lambda page: not any(one["alarm"] for one in page["passages"]))
    left, told, hidden = MAX_PASSAGES, [], 0
    for page in pages:
        ordered = sorted(page["passages"], key=lambda one: not one["alarm"])
        shown = ordered[:left]
        hidden += len(ordered) - len(shown)
        left -= len(shown)
        if shown or not ordered:
            told.append(_page(page, shown))
        if len(told) >= MAX_PASSAGES:
            break
    said = list(notes)
    if hidden or len(told) < len(pages):
        said.append(f"{hidden} more passages and {len(pages) - len(told)} more pages are in the records.")
    return {
        "record": fields["record"],
        "holds": fields["holds"],
        "conclusive": fields["conclusive"],
        "checked_at": fields["checked_at"],
        "counts": dict(fields["counts"]),
        "results": told,
        "notes": bounded(said),
        "end_record": fields["record"],
    }


def _page(page: Mapping[str, Any], passages: Sequence[Mapping[str, Any]]) -> Structure:
    new = page.get("new")
    return without_nothing(
        {
            "record": short(page["record"]),
            "url": cut(page["url"], MAX_SHOWN_URL),
            "verdict": page["verdict"],
            "reason": page.get("reason"),
            "capture": short(new["capture"]) if new else None,
            "passages": [_passage(one) for one in passages],
        }
    )


def _passage(one: Mapping[str, Any]) -> Structure:
    matched = one.get("matched")
    return without_nothing(
        {
            "id": short(one["passage"]) if one.get("passage") else None,
            "verdict": one["verdict"],
            "quote": cut(one["quote"], MAX_WORDS),
            "matched": cut(matched, MAX_WORDS) if matched and one["verdict"] == "edited" else None,
            "flags": list(one["flags"]) or None,
        }
    )


def recheck_text(found: Mapping[str, Any]) -> str:
    """The same in words."""
    lines = [
        f"{RECORD} {found['record']}",
        f"Checked at {found['checked_at']}: {'all still stands' if found['holds'] else 'NOT all still stands'}"
        + ("" if found["conclusive"] else "; some pages could not be judged, which proves nothing about them")
        + ".",
        "Verdicts: " + (", ".join(f"{name}: {count}" for name, count in found["counts"].items()) or "none"),
    ]
    for page in found["results"]:
        why = f" ({page['reason']})" if "reason" in page else ""
        lines += ["", page["url"], f"Page: {page['verdict']}{why}. Record {page['record']}."]
        for one in page["passages"]:
            mark = f"[{one['id']}] " if "id" in one else ""
            flags = f" ({', '.join(one['flags'])} changed)" if "flags" in one else ""
            lines.append(f"{mark}{one['verdict']}{flags}: {one['quote']}")
            lines += [f"  now: {one['matched']}"] if "matched" in one else []
    return _closed(lines, found["notes"], f"{RECORD} {found['end_record']}")


def citations(fields: Mapping[str, Any], notes: Sequence[str]) -> Structure:
    """Citations that were held against what is kept."""
    ordered = sorted(fields["citations"], key=lambda one: one["verdict"] in {"supported", "named"})
    said = list(notes)
    if len(ordered) > MAX_PASSAGES:
        said.append(f"{len(ordered) - MAX_PASSAGES} more citations are counted and not listed.")
    if fields["too_short"]:
        said.append(f"Quotations that are too short to be looked for: {fields['too_short']}.")
    if fields["cut"]:
        said.append("The text has more citations than are checked at once; send it in parts.")
    return {
        "holds": fields["holds"],
        "counts": dict(fields["counts"]),
        "citations": [_citation(one) for one in ordered[:MAX_PASSAGES]],
        "notes": bounded(said),
    }


def _citation(one: Mapping[str, Any]) -> Structure:
    support = one.get("support") or (one["elsewhere"][0] if one["elsewhere"] else {})
    matched = support.get("matched")
    where = {"url": cut(support["url"], MAX_SHOWN_URL)} if support else {}
    return without_nothing(
        {
            "line": one["line"],
            "verdict": one["verdict"],
            "quote": cut(one["quote"], MAX_WORDS) if one.get("quote") else None,
            "reason": cut(one["reason"], MAX_WORDS) if one.get("reason") else None,
            "passage": short(support["passage"]) if support.get("passage") else None,
            "matched": cut(matched, MAX_WORDS) if matched and one["verdict"] == "edited" else None,
        }
        | where
    )


def citations_text(found: Mapping[str, Any]) -> str:
    """The same in words."""
    counts = ", ".join(f"{name}: {count}" for name, count in found["counts"].items()) or "none found"
    lines = [
        "Citations: " + ("all are borne out by what is kept." if found["holds"] else "NOT all are borne out."),
        f"Verdicts: {counts}",
    ]
    for one in found["citations"]:
        quote = f': "{one["quote"]}"' if "quote" in one else ""
        lines.append(f"Line {one['line']}: {one['verdict']}{quote}")
        lines += [f"  why: {one['reason']}"] if "reason" in one else []
        lines += [f"  source says: {one['matched']}"] if "matched" in one else []
        where = " ".join(filter(None, (f"[{one['passage']}]" if "passage" in one else "", one.get("url", ""))))
        lines += [f"  source: {where}"] if where else []
    return _closed(lines, found["notes"], "")


def _closed(lines: list[str], notes: Sequence[str], last: str) -> str:
    ending = ["", *(f"Note: {note}" for note in notes)] if notes else []
    return "\n".join([*lines, *ending, *([last] if last else [])])
