"""How crawls and their pages are told. Pure."""

from collections import Counter
from typing import Any, Final

from snapshots import Capture

FIRST_ERROR: Final = 400
"""HTTP statuses from here on are answers without a page."""


def line_of(capture: Capture, url: str) -> dict[str, Any]:
    """A page that was captured."""
    return _head(capture, url) | {"document": capture.document, "retrieved_at": capture.retrieved_at}


def failure_of(capture: Capture, url: str) -> dict[str, Any] | None:
    """If a capture is of no page, why."""
    status = capture.hops[-1].status if capture.hops else None
    if capture.outcome == "ok" and (status is None or status < FIRST_ERROR):
        return None
    reason = capture.reason or (f"http_{status}" if status else capture.outcome)
    return _head(capture, url) | {"reason": reason, "detail": capture.detail}


class CrawlTally:
    """What came of the addresses of a crawl: how many gave a page, how many did not for which reason, and which."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.captures: list[dict[str, Any]] = []
        self.failures: list[dict[str, Any]] = []

    @property
    def asked(self) -> int:
        """How many addresses something came of."""
        return self.counts["captured"] + self.counts["failed"]

    def enter(self, url: str, capture: Capture) -> tuple[str, dict[str, Any]]:
        """Count what came of an address, and give the event that tells it: its kind, and what it says."""
        failure = failure_of(capture, url)
        if failure is not None:
            self.counts["failed"] += 1
            self.errors[failure["reason"]] += 1
            self.failures.append(failure)
            return "failed", failure
        line = line_of(capture, url)
        self.counts["captured"] += 1
        self.captures.append(line)
        return "captured", line


def _head(capture: Capture, url: str) -> dict[str, Any]:
    status = capture.hops[-1].status if capture.hops else None
    return {
        "url": url,
        "capture": capture.id,
        "outcome": capture.outcome,
        "page_state": capture.page_state,
        "status": status,
    }
