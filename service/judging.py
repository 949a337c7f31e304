"""The verdicts on a page that was visited again: on the page as a whole, and on each passage of it. Pure."""

from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlsplit

from service.following import ANSWERS
from service.recheck_targets import Wanted
from service.revisiting import Version, Visited
from snapshots import PRESENT, Judgement, PageVerdict, judge, settle

QUIET: Final = PRESENT | {"inconclusive"}
"""Verdicts that alarm nobody."""
VARIES: Final = "the page differs from visit to visit: it was there a moment before"


@dataclass(frozen=True)
class Judged:
    """A quotation and what became of it."""

    wanted: Wanted
    found: Judgement

    @classmethod
    def unknown(cls, wanted: Wanted, why: str) -> "Judged":
        """A quotation of which nothing can be said."""
        return cls(wanted, Judgement("inconclusive", reason=why))


@dataclass(frozen=True)
class Page:
    """A page and what became of it and of what was cited of it from one capture, `before`.

    `now` is the version that was judged; None if there was no visit. A page that is only `linked` to need not be known
    from before: that it is there is all that is asked.
    """

    url: str
    before: Version | None
    now: Version | None
    verdict: PageVerdict
    reason: str | None
    redirected: str | None
    passages: tuple[Judged, ...]
    linked: bool = False

    @property
    def wanted_of(self) -> str | None:
        """The capture that was cited from."""
        return self.before.capture.id if self.before else None

    @property
    def verdicts(self) -> set[str]:
        """The verdicts on its passages."""
        return {one.found.verdict for one in self.passages}

    @property
    def conclusive(self) -> bool:
        """Whether something can be said of everything that was cited; of the page itself, if nothing was."""
        if self.linked and not self.passages and self.before is None and self.now is not None and self.now.judged:
            return self.now.capture.page_state in ANSWERS
        return "inconclusive" not in (self.verdicts or {self.verdict})

    @property
    def alarming(self) -> bool:
        """Whether something that was cited does not stand there any more."""
        return bool(self.verdicts - QUIET) or (not self.passages and self.verdict in ("gone", "redirected"))


def judged(url: str, before: Version | None, visited: Visited, wanted: tuple[Wanted, ...]) -> Page:
    """What became of a page and of the quotations WANTED from it, by one visit. Takes some milliseconds a passage."""
    now = visited.version
    if not now.judged:
        why = now.capture.detail or f"the page could not be had: {now.capture.reason or now.capture.outcome}"
        return _untold(url, before, now, wanted, why)
    redirected = _elsewhere(before, now) if before is not None or wanted else None
    if now.texts is None:
        return _untold(url, before, now, wanted, now.why or "it could not be read")
    passages = tuple(_look(one, before, now, visited, redirected) for one in wanted)
    verdict, reason = _whole(before, now, visited, redirected, passages)
    if verdict == "inconclusive" and _translated(before, now):
        passages = tuple(
            one if one.found.verdict in PRESENT else Judged.unknown(one.wanted, reason) for one in passages
        )
    return Page(url, before, now, verdict, reason, redirected, passages)


def _untold(url: str, before: Version | None, now: Version, wanted: tuple[Wanted, ...], why: str) -> Page:
    return Page(url, before, now, "inconclusive", why, None, tuple(Judged.unknown(one, why) for one in wanted))


def _look(wanted: Wanted, before: Version | None, now: Version, visited: Visited, redirected: str | None) -> Judged:
    if visited.same is not None and wanted.passage and before and before.capture.document == wanted.passage.document:
        place = wanted.passage
        if now.document is not None and now.document.id == place.document:
            return Judged(
                wanted,
                Judgement("exact", "text", place.start, place.end, place.text, occurrences=1, reason=visited.same),
            )
    assert now.texts is not None, "looked at by the caller"
    old = before.texts if before else None
    found = judge(wanted.text, now.texts, prefix=wanted.prefix, suffix=wanted.suffix, old=old)
    # A page that scripts would add to is not wholly known.
    half_read = now.document is not None and "needs_browser" in now.document.flags
    state = now.capture.page_state
    shown = "unrendered" if half_read and state == "ok" else state
    return Judged(wanted, settle(found, shown, visited=True, redirected=redirected))


def _whole(
    before: Version | None, now: Version, visited: Visited, redirected: str | None, passages: tuple[Judged, ...]
) -> tuple[PageVerdict, str]:
    """The verdict on the page and the sentence that explains it."""
    if visited.same is not None:
        return "unchanged", visited.same
    evidence = "; ".join(now.capture.page_state_evidence)
    there = any(one.found.verdict in PRESENT for one in passages)
    match now.capture.page_state:
        case "not_found":
            return "gone", f"the page is missing: {evidence}"
        case "ok" if redirected is not None and not there:
            return "redirected", f"the address now leads to {redirected}"
        case "ok":
            return _compared(before, now, there=there, looked_for=bool(passages))
        case state:
            return "inconclusive", f"the page is not what was asked for ({state}): {evidence}"


def _compared(before: Version | None, now: Version, *, there: bool, looked_for: bool) -> tuple[PageVerdict, str]:
    """The verdict on a good page beside what was kept of it."""
    if before is None and looked_for:
        return (
            "inconclusive",
            "what is looked for was taken from no kept page, so there is none to compare this one with",
        )
    if before is None:
        return "inconclusive", "no good capture of this page was kept before, so there is nothing to compare it with"
    if before.texts is None or now.texts is None:
        return "inconclusive", "the kept version or this one has no text, so they cannot be compared"
    if _translated(before, now) and not there:
        return "inconclusive", f"the page came in another language ({now.language}, not {before.language})"
    if before.texts.visible.folded.text == now.texts.visible.folded.text:
        return "unchanged", "its text is the same"
    return "changed", "its text differs"


def _translated(before: Version | None, now: Version) -> bool:
    if before is None or not before.language or not now.language:
        return False
    return before.language.partition("-")[0].lower() != now.language.partition("-")[0].lower()


def _elsewhere(before: Version | None, now: Version) -> str | None:
    """Where a page leads now, if that is another place than before (or than was asked for)."""
    final = now.capture.final
    known = (before.capture.final, before.capture.asked) if before else (now.capture.asked,)
    return None if _place(final) in map(_place, known) else final


def _place(url: str) -> tuple[str, str, str]:
    """An address without what moves a page nowhere: the scheme, `www.`, a slash at the end."""
    parts = urlsplit(url)
    return (parts.netloc.lower().removeprefix("www."), parts.path.rstrip("/"), parts.query)


def concluded(first: Page, second: Page) -> Page:
    """What two visits say together: an alarm needs both, and the second is what the record shows."""
    passages = []
    for one, other in zip(first.passages, second.passages, strict=True):
        varies = one.found.verdict in PRESENT and other.found.verdict not in QUIET
        passages.append(Judged.unknown(other.wanted, VARIES) if varies else other)
    return replace(second, passages=tuple(passages))
