"""Tells the outcome: as JSON, and in words, with the limits of what can be shown at all."""

import json
import textwrap
from collections.abc import Iterator
from typing import Any

from snapshots.verify.claims import FAILS, HOLDS, MAX_FAILURES, Claim, Verification

WIDTH = 100
"""Columns of the report in words."""

QUESTIONS = {
    "container": "Does every reader find the same members in the file?",
    "members": "Is every member listed, with its size and hash?",
    "statement": "Do the members have the hashes that were signed?",
    "signer": "Who signed it?",
    "wacz-signature": "Does the signature hold that WACZ tools look for?",
    "records": "Are the records whole and in their one form?",
    "closure": "Is everything there that something in it names?",
    "blobs": "Are bodies, pictures, certificates and replies the ones that are named?",
    "passages": "Do the cited passages stand in the pages' texts?",
    "log": "Are the records in the log?",
    "time": "Since when have they been there?",
    "text": "Do the pages' texts follow from their bytes?",
    "replay": "Do web archive, index and list of pages agree, headers and bodies too?",
}
"""What each claim answers."""

LIMITS = (
    "What this cannot show: that the web server sent these bytes. A connection to a web site leaves no proof of that "
    "for others; whoever made the capture could have made it up then. What is shown is that these bytes were in the "
    "hands of the holder of the log's key by the time of the time stamps, and that nothing was changed since. Nor does "
    "it show that what a page says is true, or that the page was the same for other visitors."
)


def told_as_json(report: Verification) -> dict[str, Any]:
    """The outcome as one JSON object."""
    return {
        "holds": report.holds,
        "file": report.file,
        "claims": [_claim_json(claim, required=claim.claim in report.required) for claim in report.claims],
        "limits": LIMITS,
    }


def _claim_json(claim: Claim, *, required: bool) -> dict[str, Any]:
    told: dict[str, Any] = {
        "claim": claim.claim,
        "result": claim.result,
        "detail": claim.detail,
        "trust": claim.trust,
        "failures": [
            {"reason": failure.reason, "where": failure.where, "detail": failure.detail} for failure in claim.failures
        ],
    }
    if claim.unlisted:
        told["unlisted_failures"] = claim.unlisted
    if required:
        told["required"] = True
    return told


def json_text(report: Verification, *, indent: int | None) -> str:
    """The outcome as JSON text; characters that a terminal could obey are escaped."""
    return json.dumps(told_as_json(report), indent=indent)


def told_in_words(report: Verification) -> str:
    """The outcome for a person."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Verification) -> Iterator[str]:
    yield report.file
    yield _summary(report)
    for claim in report.claims:
        yield ""
        yield f"{claim.result.upper():14} {claim.claim}: {QUESTIONS[claim.claim]}"
        if claim.detail and not claim.failures:
            yield from _wrapped(claim.detail)
        if claim.result == HOLDS and claim.trust:
            yield from _wrapped(f"Rests on: {claim.trust}.")
        if claim.result != HOLDS and claim.claim in report.required:
            yield from _wrapped("This was required.")
        for failure in claim.failures:
            yield from _wrapped(f"{failure.reason}: {failure.where}: {failure.detail}")
        if claim.unlisted:
            yield from _wrapped(f"… and {claim.unlisted} more; {MAX_FAILURES} are listed.")
    yield ""
    yield from textwrap.wrap(LIMITS, WIDTH)


def _summary(report: Verification) -> str:
    if report.holds:
        left = sum(claim.result != HOLDS for claim in report.claims)
        return f"HOLDS: no claim fails; {left} of {len(report.claims)} could not be checked."
    failing = [claim.claim for claim in report.claims if claim.result == FAILS]
    lacking = [
        claim.claim for claim in report.claims if claim.claim in report.required and claim.result not in {HOLDS, FAILS}
    ]
    told = [f"these claims fail: {', '.join(failing)}"] if failing else []
    told += [f"these had to be checked and could not be: {', '.join(lacking)}"] if lacking else []
    return f"DOES NOT HOLD: {'; '.join(told)}."


def _wrapped(text: str) -> list[str]:
    indent = " " * 15
    return textwrap.wrap(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
