"""The report of an audit as one HTML page that needs nothing else. Whatever comes from a transcript stays text."""

import html
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

_STYLE: Final = """
body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b;background:#fff}
table{border-collapse:collapse;width:100%;margin:1rem 0}caption{text-align:left;font-weight:600}
th,td{border-bottom:1px solid #d0d0d0;padding:.3rem .6rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}
.wide{overflow-x:auto}code{font-size:.85em}.summary{font-size:1.25rem}
.holds,.exact,.exact_after_client_wrapper{color:#0b6b2e}.fails,.altered,.unknown_hash{color:#a4001d;font-weight:600}
.partly,.partial,.spilled,.unreferenced,.sealed,.hosted_url_only,.later_removed,.removed{color:#7a4b00}
@media(prefers-color-scheme:dark){body{background:#151515;color:#e8e8e8}th,td{border-color:#444}
.holds,.exact,.exact_after_client_wrapper{color:#7fd99b}.fails,.altered,.unknown_hash{color:#ff8b98}
.partly,.partial,.spilled,.unreferenced,.sealed,.hosted_url_only,.later_removed,.removed{color:#f0c27a}}
"""

POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'"


def audit_page(report: dict[str, Any]) -> Iterator[str]:
    """The page, piece by piece."""
    name = report["file"].get("name") or "a transcript"
    yield (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_text(POLICY)}">'
        '<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">'
        f"<title>Audit of {_text(name)}</title><style>{_STYLE}</style></head><body><main>"
        f'<h1>Audit of {_text(name)}</h1><p class="summary">{_text(report["summary"])}</p>'
        f"<p>{_text(report['file']['format'])}, {report['file']['bytes']} bytes, "
        f"<code>{_text(report['file']['sha256'])}</code></p>"
    )
    yield _table("Five tests", ("Test", "Result", "What it means", "Found"), map(_test, report["tests"]))
    if report["results"]:
        yield _table("What tools gave the model", ("Line", "Tool", "Verdict", "Why"), map(_result, report["results"]))
    if report["copies"]:
        yield _table(
            "Copies elsewhere", ("Provider", "What", "Id", "Kept", "Deleted by", "Lines"), map(_copy, report["copies"])
        )
    if report["sealed"]:
        rows = (
            (one["what"], _code(one["where"]), str(one["count"]), str(one["characters"]), _lines(one["lines"]))
            for one in report["sealed"]
        )
        yield _table("Sealed", ("Kind", "Where", "Items", "Characters", "Lines"), rows)
    if report["unread"]:
        unread = ((str(one["line"]), _text(one["why"]), str(one["bytes"])) for one in report["unread"])
        yield _table("Not read", ("Line", "Why", "Bytes"), unread)
    yield "".join(f"<p>{_text(note)}</p>" for note in report["notes"])
    yield "</main></body></html>\n"


def _text(value: object) -> str:
    return html.escape(_CONTROL.sub("\ufffd", str(value)))


def _code(value: object) -> str:
    return f"<code>{_text(value)}</code>"


def _lines(lines: list[int]) -> str:
    shown = ", ".join(map(str, lines[:20]))
    return shown + (" …" if len(lines) > 20 else "")  # noqa: PLR2004 - a row of twenty is as much as is read


def _test(test: dict[str, Any]) -> tuple[str, ...]:
    found = "<br>".join(
        f"{one['count']} {_text(one['what'])}" + (f" (line {_lines(one['lines'])})" if one["lines"] else "")
        for one in test["findings"]
    )
    return _text(test["test"]), _marked(test["result"]), _text(test["detail"]), found


def _result(one: dict[str, Any]) -> tuple[str, ...]:
    why = _text(one["reason"])
    if one["record"]:
        why += f"<br>{_code(one['record'])}"
    if "removed_by" in one:
        why += f"<br>taken out of sight at line {one['removed_by']['line']} ({_text(one['removed_by']['how'])})"
    if "passages" in one:
        parts = one["passages"]
        why += f"<br>{len(parts['whole'])} passages stand in it whole, {len(parts['lost'])} do not"
    if "spill" in one:
        read = one["spill"]["read_at_line"]
        why += f"<br>{_code(one['spill']['file'])} was {f'named again at line {read}' if read else 'not read later'}"
    return str(one["line"]), _text(one["tool"]), _marked(one["verdict"]), why


def _copy(one: dict[str, Any]) -> tuple[str, ...]:
    told = f"{_text(one['kept'])} (as of {_text(one['as_of'])})"
    return (
        _text(one["provider"]), _text(one["what"]), _code(one["id"]), told, _code(one["delete"]), _lines(one["lines"]),
    )  # fmt: skip


def _marked(word: str) -> str:
    return f'<span class="{_text(word)}">{_text(word.replace("_", " "))}</span>'


def _table(caption: str, head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    top = "".join(f'<th scope="col">{one}</th>' for one in head)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return (
        f'<div class="wide"><table><caption>{caption}</caption><thead><tr>{top}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )
