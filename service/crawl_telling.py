"""How crawls and their pages are told. Pure."""

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


def _head(capture: Capture, url: str) -> dict[str, Any]:
    status = capture.hops[-1].status if capture.hops else None
    return {
        "url": url,
        "capture": capture.id,
        "outcome": capture.outcome,
        "page_state": capture.page_state,
        "status": status,
    }
