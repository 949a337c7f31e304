"""Finds the evidence for each source that a file cites, and captures pages of which nothing is kept."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import orjson

from service.attaching.asked import MAX_CAPTURES
from service.attaching.gathering import Cited
from service.doors import Citator
from service.errors import problem_of
from service.following import ANSWERS
from service.requests import Caller, CaptureRequest

MAX_LOOKED: Final = 100
"""Captures of one address that are looked at, newest first."""

Standing = str
_BY_STATE: Final = {
    "not_found": "gone",
    "blocked": "walled",
    "login": "walled",
    "consent": "walled",
    "paywall": "walled",
}


@dataclass
class Sourced:
    """A source with what is known of it.

    `standing`: `kept`, `captured_later`, `not_kept`, `gone`, `walled`, `failed`, `refused`, `removed`, `unknown`.
    `later` is how many seconds after it was cited the page was captured.
    """

    cited: Cited
    standing: Standing
    ids: tuple[str, ...] = ()
    capture: str | None = None
    retrieved_at: str | None = None
    later: int | None = None
    final: str | None = None
    title: str | None = None
    reason: str = ""

    def told(self) -> dict[str, Any]:
        """As replies tell it."""
        return {
            "source": self.cited.name,
            "line": self.cited.line,
            "cited_at": self.cited.at,
            "hosted": self.cited.hosted,
            "redirect": self.cited.redirect,
            "standing": self.standing,
            "capture": self.capture,
            "retrieved_at": self.retrieved_at,
            "captured_later_seconds": self.later,
            "final": self.final,
            "title": self.title,
            "reason": self.reason,
        }


@dataclass
class Sourcing:
    """Finds evidence by asking a Citator. `written_at` stands in for times that are not known."""

    citator: Citator
    caller: Caller
    written_at: str | None
    capture_missing: bool
    captured: int = 0
    notes: list[str] = field(default_factory=list)

    async def source(self, cited: Cited) -> Sourced:
        """What is known of one source."""
        if "://" not in cited.name:
            return await self._id(cited)
        kept = await self._kept(cited, cited.name)
        if kept is not None:
            return kept
        if not self.capture_missing:
            return Sourced(cited, "not_kept", reason="nothing good is kept of this address")
        if self.captured >= MAX_CAPTURES:
            return Sourced(cited, "not_kept", reason=f"only {MAX_CAPTURES} pages are captured for one file")
        return await self._capture(cited)

    async def _id(self, cited: Cited) -> Sourced:
        try:
            found = await self.citator.evidence(cited.name)
        except Exception as error:
            problem = problem_of(error)
            if problem.slug == "removed":
                return Sourced(cited, "removed", reason=problem.detail)
            if problem.slug in ("unknown-id", "ambiguous-id", "bad-id"):
                return Sourced(cited, "unknown", reason=problem.detail)
            raise
        fields = _members(found.body)
        at = fields.get("retrieved_at")
        url = fields.get("final") or fields.get("url")
        return Sourced(
            cited, "kept", (found.id,), fields.get("capture") if found.kind == "passage" else None,
            at if isinstance(at, str) else None, final=url if isinstance(url, str) else None,
            reason=f"a {found.kind} of this id is kept",
        )  # fmt: skip

    async def _kept(self, cited: Cited, url: str) -> Sourced | None:
        """The capture that stood nearest before the citation, else the first after it."""
        try:
            told = await self.citator.captures(url, limit=MAX_LOOKED, before=None, caller=self.caller)
        except Exception as error:
            if problem_of(error).slug in ("bad-address", "bad-request"):
                return Sourced(cited, "unknown", reason=problem_of(error).detail)
            raise
        good = [one for one in told["captures"] if one["outcome"] == "ok" and one["page_state"] in ANSWERS]
        if not good:
            return None
        at = _moment(cited.at or self.written_at)
        before = [one for one in good if at is None or (_moment(one["retrieved_at"]) or at) <= at]
        chosen = max(before, key=lambda one: str(one["retrieved_at"])) if before else good[-1]
        return self._of(cited, chosen["capture"], chosen["retrieved_at"], chosen["final"])

    def _of(self, cited: Cited, capture: str, retrieved_at: str, final: str | None) -> Sourced:
        at, then = _moment(cited.at or self.written_at), _moment(retrieved_at)
        later = round((then - at).total_seconds()) if at and then and then > at else None
        standing = "captured_later" if later is not None else "kept"
        reason = f"captured {told_span(later)} after it was cited" if later is not None else ""
        return Sourced(cited, standing, (capture,), capture, retrieved_at, later, final, reason=reason)

    async def _capture(self, cited: Cited) -> Sourced:
        self.captured += 1
        try:
            reply = await self.citator.capture(CaptureRequest(url=cited.name, max_tokens=0), self.caller)
        except Exception as error:
            problem = problem_of(error)
            if problem.slug == "internal" or problem.status >= 503:  # noqa: PLR2004 - what is wrong here, not there
                raise
            return Sourced(cited, "refused", reason=problem.detail)
        fields = _members(reply.body)
        outcome, state = fields.get("outcome"), str(fields.get("page_state"))
        capture, at, final = fields.get("capture"), fields.get("retrieved_at"), fields.get("final")
        if outcome == "ok" and state in ANSWERS and isinstance(capture, str) and isinstance(at, str):
            found = self._of(cited, capture, at, final if isinstance(final, str) else None)
            found.standing, found.title = "captured_later", fields.get("title")
            found.reason = found.reason or "captured now; when it was cited is not known"
            return found
        standing = _BY_STATE.get(state) or ("refused" if outcome in ("refused", "robots") else "failed")
        reason = fields.get("detail") or f"outcome {outcome}, page state {state}"
        evidence = (capture,) if isinstance(capture, str) else ()
        return Sourced(cited, standing, evidence, capture, at, None, final, reason=str(reason))


def told_span(seconds: int) -> str:
    """A span of time for a person."""
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}"
    return f"{seconds} seconds"


def _moment(text: str | None) -> datetime | None:
    try:
        found = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return found if found is not None and found.tzinfo is not None else None


def _members(body: bytes) -> dict[str, Any]:
    try:
        found = orjson.loads(body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
