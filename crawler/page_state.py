"""What a page is, besides whether it was got: a first answer, from the status and from having no text.

Soft errors, challenges, log-ins and paywalls have their place here too; each state comes with its evidence.
"""

from http import HTTPStatus

from crawler.reading import PageState


def judge_page(*, status: int | None, text: str, consent_only: bool) -> tuple[PageState, tuple[str, ...]]:
    """The state of a page and what shows it. STATUS is None where there was no HTTP reply (a file of the user's)."""
    if status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
        return "not_found", (f"status {status}",)
    if status is not None and status >= HTTPStatus.BAD_REQUEST:
        return "error", (f"status {status}",)
    if consent_only:
        return "consent", ("the only text is a consent notice",)
    if not text:
        return "empty", ("no text",)
    return "ok", ()
