"""From a walk and how it ended to the visit that is told about it."""

from datetime import datetime
from typing import Final

from crawler.addresses import Address
from crawler.errors import (
    AddressRefused,
    BadAddress,
    CrawlError,
    CutShort,
    PaceHeld,
    RobotsRefused,
    TimedOut,
    TooLarge,
)
from crawler.kinds import content_type
from crawler.pace import retry_after
from crawler.trip import Trip
from crawler.visit import Outcome, RobotsRuling, Visit

TOO_MANY_REQUESTS: Final = 429
UNAVAILABLE: Final = 503
NOT_MODIFIED: Final = 304
PARTIAL_CONTENT: Final = 206

OUTCOMES: Final[tuple[tuple[type[CrawlError], Outcome], ...]] = (
    (AddressRefused, "refused"),
    (BadAddress, "refused"),
    (RobotsRefused, "refused"),
    (PaceHeld, "rate_limited"),
    (TimedOut, "timeout"),
    (TooLarge, "too_large"),
    (CutShort, "incomplete"),
)
"""What an error makes of a visit; every other one makes it an `error`."""


def visit_of(
    asked: Address,
    trip: Trip,
    failure: CrawlError | None,
    *,
    ruling: RobotsRuling | None,
    settings: dict[str, str | int | bool | None],
    started_at: datetime,
    now: datetime,
) -> Visit:
    """Tell what came of asking for `asked`: `trip` as it stands, ended by `failure` or by itself."""
    outcome, reason, detail = _judged(trip, failure)
    intake = trip.intake
    media_type, charset = content_type(_header(trip, "content-type"))
    return Visit(
        asked=asked.href,
        final=trip.address.href,
        hops=tuple(trip.hops),
        body=None if intake is None or outcome == "too_large" or _not_modified(trip) else intake.body,
        wire_length=None if intake is None else intake.wire_length,
        wire_sha256=None if intake is None else intake.wire_sha256,
        media_type=media_type,
        charset_header=charset,
        outcome=outcome,
        reason=reason,
        detail=detail,
        warnings=(*trip.warnings, *(intake.warnings if intake else ())),
        robots=ruling,
        user_agent=trip.settings.user_agent,
        settings=settings,
        started_at=started_at,
        retrieved_at=now,
        cookies=trip.cookies,
        retry_after=failure.seconds if isinstance(failure, PaceHeld) else asked_to_wait(trip, now),
    )


def _judged(trip: Trip, failure: CrawlError | None) -> tuple[Outcome, str | None, str | None]:
    if failure is not None:
        return _outcome(failure), failure.reason, str(failure)
    status = trip.head.status if trip.head else None
    if status == TOO_MANY_REQUESTS:
        return "rate_limited", "status_429", "the site asks for fewer requests"
    if status == PARTIAL_CONTENT:
        return "incomplete", "partial_content", "the site sent a part of the page, though the whole was asked for"
    if status == NOT_MODIFIED and not _asked_for_news(trip):
        return "error", "bad_response", "the site says that nothing changed, though it was asked for the page"
    if trip.intake is not None and trip.intake.undecodable is not None:
        label = trip.intake.undecodable
        return "error", "content_encoding_unsupported", f"the body is coded as {label}, which was not offered"
    return "ok", None, None


def _outcome(failure: CrawlError) -> Outcome:
    return next((outcome for kind, outcome in OUTCOMES if isinstance(failure, kind)), "error")


def _not_modified(trip: Trip) -> bool:
    """Whether the site said that nothing changed since: such an answer has no body, not an empty one."""
    return trip.head is not None and trip.head.status == NOT_MODIFIED


def _asked_for_news(trip: Trip) -> bool:
    """Whether the last request was a conditional one."""
    like = trip.like
    return like is not None and like.url == trip.address.href and bool(like.conditions)


def asked_to_wait(trip: Trip, now: datetime) -> float | None:
    """Read Retry-After (seconds) where it means that we should stay away."""
    status = trip.head.status if trip.head else None
    return retry_after(_header(trip, "retry-after"), now) if status in {TOO_MANY_REQUESTS, UNAVAILABLE} else None


def _header(trip: Trip, name: str) -> str | None:
    """Give the last header of that name in the final answer, as browsers take it."""
    values = [value for key, value in trip.head.headers if key.lower() == name] if trip.head else []
    return values[-1] if values else None
