"""Writes the sources of a report into a copy of it: as footnotes, or as an appendix. Pure."""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

SHORT: Final = 12
"""Hex digits by which evidence is called: as many as every command takes for an id."""

_FENCE: Final = re.compile(r"^\s*(?:```|~~~)")
_BODY_END: Final = re.compile(r"</body\s*>", re.IGNORECASE)

_SAYS: Final = {
    "supported": "the source says so",
    "named": "named without a quotation",
    "edited": "the source says something else",
    "misattributed": "another source says so",
    "not_in_evidence": "nothing that is kept says so",
}
_STANDS: Final = {
    "kept": "kept",
    "captured_later": "captured later",
    "not_kept": "not kept",
    "gone": "gone when it was looked for",
    "walled": "behind a wall when it was looked for",
    "failed": "could not be captured",
    "refused": "not to be captured",
    "removed": "removed since",
    "unknown": "not known here",
}
_KEPT: Final = ("kept", "captured_later")
_BEGINS: Final = re.compile(r"\s*(?:[-*+>|#]|\d+[.)]\s)")


def with_footnotes(text: str, attachment: Mapping[str, Any]) -> str:
    """A copy of a report in Markdown with a footnote to each citation. Its own lines stay as they are otherwise."""
    lines = text.split("\n")
    fenced = _fenced(lines)
    marks: dict[int, list[str]] = {}
    notes = []
    for number, citation in enumerate(attachment["citations"], 1):
        at = _last_line(lines, citation["line"] - 1)
        if 0 <= at < len(lines) and not fenced[at]:
            marks.setdefault(at, []).append(f"[^citator-{number}]")
            notes.append(f"[^citator-{number}]: {_note(citation, attachment['sources'])}")
    for at, names in marks.items():
        end = " |" if lines[at].rstrip().endswith("|") else ""
        line = lines[at].rstrip().removesuffix("|").rstrip() if end else lines[at].rstrip()
        lines[at] = line + "".join(names) + end
    return "\n".join([*lines, "", *notes, ""]) if notes else text


def with_appendix(text: str, attachment: Mapping[str, Any]) -> str:
    """A copy of a report in Markdown or plain text with its sources at the end."""
    return "\n".join([text.rstrip("\n"), "", *appendix(attachment), ""])


def appendix(attachment: Mapping[str, Any]) -> Iterator[str]:
    """The sources of a report as lines of Markdown."""
    yield "## Evidence"
    yield ""
    yield attachment["summary"]
    yield ""
    for number, citation in enumerate(attachment["citations"], 1):
        quote = f"“{_cut(citation['quote'])}”: " if citation["quote"] else ""
        yield f"{number}. Line {citation['line']}. {quote}{_note(citation, attachment['sources'])}"


def html_with_appendix(page: str, attachment: Mapping[str, Any]) -> str:
    """A copy of a report in HTML with its sources at the end of its body."""
    items = []
    for citation in attachment["citations"]:
        quote = f"<q>{html.escape(_cut(citation['quote']))}</q>: " if citation["quote"] else ""
        items.append(f"<li>{quote}{html.escape(_note(citation, attachment['sources']))}</li>")
    section = (
        f"<section><h2>Evidence</h2><p>{html.escape(attachment['summary'])}</p><ol>{''.join(items)}</ol></section>\n"
    )
    ends = list(_BODY_END.finditer(page))
    at = ends[-1].start() if ends else len(page)
    return page[:at] + section + page[at:]


def _note(citation: Mapping[str, Any], sources: Sequence[Mapping[str, Any]]) -> str:
    """What is to be said of a citation, on one line."""
    told = [f"{_SAYS.get(citation['verdict'], citation['verdict'])}."]
    elsewhere = citation["verdict"] == "misattributed"
    support = citation["elsewhere"][0] if elsewhere else citation["support"]
    if support:
        name = " ".join(str(support["title"] or support["url"]).split())
        short = (support["passage"] or support["capture"]).removeprefix("sha256:")[:SHORT]
        told.append(f"{name}, {support['url']}, retrieved {support['retrieved_at'][:10]} [{short}].")
    for name in citation["sources"]:
        source = next((one for one in sources if one["source"] == name), None)
        if source is not None and elsewhere and source["standing"] in _KEPT:
            told.append(f"{name}, which is named, does not.")
        if source is None or (support and source["standing"] == "kept"):
            continue
        reason = f" ({source['reason']})" if source["reason"] else ""
        hosted = ", found by a search at the provider" if source["hosted"] else ""
        told.append(f"{name} is {_STANDS.get(source['standing'], source['standing'])}{hosted}{reason}.")
    return " ".join(" ".join(told).split())


def _cut(text: str, length: int = 300) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"


def _fenced(lines: Sequence[str]) -> list[bool]:
    """Which lines stand in fenced code."""
    found, inside = [], False
    for line in lines:
        fence = _FENCE.match(line) is not None
        found.append(inside or fence)
        inside ^= fence
    return found


def _last_line(lines: Sequence[str], at: int) -> int:
    """The last line of the paragraph that begins at a line, within its list item or row."""
    if 0 <= at < len(lines) and not _BEGINS.match(lines[at]):
        while at + 1 < len(lines) and lines[at + 1].strip() and not _BEGINS.match(lines[at + 1]):
            at += 1
    return at
