"""What a page's state does to a verdict: that a quotation is missing means something only on the page itself."""

from typing import Final, Literal

from snapshots.quotes.verdict import Judgement

State = Literal["ok", "not_found", "blocked", "login", "consent", "paywall", "empty", "error", "unknown", "unrendered"]

PRESENT: Final = frozenset({"exact", "typography", "moved"})
"""Verdicts that say that the page still says so."""
WALLS: Final = frozenset({"blocked", "login", "consent", "paywall", "unknown"})
"""The page is behind something, or was not understood: it may say so or not."""
PASSING: Final = frozenset({"empty", "error"})
"""On a visit these come and go; a page that was kept in this state holds nothing."""

_WHY: Final[dict[str, str]] = {
    "not_found": "the page is missing",
    "blocked": "the site showed a challenge or a block instead of the page",
    "login": "the site asked to log in instead of showing the page",
    "consent": "the site showed a consent notice instead of the page",
    "paywall": "the page is behind a paywall",
    "empty": "the page has no text",
    "error": "the page is an error message",
    "unknown": "the page could not be read",
    "unrendered": "the page seems to get text from scripts, and was read without running them",
}


def settle(found: Judgement, state: State, *, visited: bool, redirected: str | None = None) -> Judgement:
    """The verdict with the page's state taken into account.

    What stands there stands there, whatever the page was taken for. Otherwise a missing page is `page_gone`, a page
    elsewhere (`redirected`: its address) is `redirected`, and behind a wall nothing can be concluded. A `visited` page
    without text, or with an error, may be itself again tomorrow; one that was kept so is gone.
    """
    if found.verdict in PRESENT:
        return found
    if state == "ok":
        if redirected is None:
            return found
        return Judgement("redirected", reason=f"the address now leads to {redirected}, which does not say this")
    if state == "not_found" or (state in PASSING and not visited):
        return Judgement("page_gone", reason=_WHY[state])
    return Judgement("inconclusive", reason=_WHY[state])
