"""Watches and their alarms as they are told: in replies, to webhooks, in feeds. Words are read when asked for."""

from typing import Any, Final

from service.watch_alarms import Alarm, Change
from service.watch_book import Source, Watched, text_found
from snapshots import Archive, Delivery, EvidenceError, Recheck, stamp

SHOWN: Final = 600
"""Characters of a passage in an alarm; the recheck leads to the whole."""
DELIVERIES: Final = 20
"""Deliveries that are shown of a watch, the newest."""


def told_alarm(archive: Archive, watched: Watched, alarm: Alarm) -> dict[str, Any]:
    """An alarm with the words on both sides. Blocking."""
    try:
        found = archive.record(alarm.id)
    except EvidenceError:
        found = None
    record = found if isinstance(found, Recheck) else None
    return {
        "id": alarm.id,
        "event": alarm.turn,
        "watch": alarm.watch,
        "name": watched.record.name,
        "url": alarm.url,
        "at": alarm.at,
        "page": alarm.page,
        "reason": record.reason if record else None,
        "old": record.old if record else None,
        "new": record.new if record else None,
        "passages": [_told_change(archive, record, change) for change in alarm.changes if change.place is not None],
    }


def _told_change(archive: Archive, record: Recheck | None, change: Change) -> dict[str, Any]:
    told: dict[str, Any] = {"passage": change.of, "event": change.turn, "verdict": change.verdict}
    if record is None or change.place is None:
        return told | {"quote": None, "now": None, "flags": []}
    check = record.passages[change.place]
    quote = None
    if check.passage is not None:
        try:
            quote = _cut(archive.passage(check.passage).text)
        except EvidenceError:
            quote = None  # it was removed
    now = text_found(archive, record, check)
    return told | {"quote": quote, "now": None if now is None else _cut(now), "flags": list(check.flags)}


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def told_watch(watched: Watched) -> dict[str, Any]:
    """A watch in a list."""
    record = watched.record
    active = [one for one in watched.sources.values() if one.trouble is None]
    return {
        "id": record.id,
        "name": record.name,
        "state": watched.state,
        "created_at": record.at,
        "changed_at": watched.changed_at,
        "min_interval": record.min_seconds,
        "max_interval": record.max_seconds,
        "webhook": record.webhook,
        "urls": list(watched.sources),
        "alarms": watched.alarms_total,
        "standing": sum(len(one.standing.missed) for one in watched.sources.values()),
        "next_visit": stamp(min(one.due for one in active)) if active and watched.state == "active" else None,
    }


def told_whole(archive: Archive, watched: Watched, deliveries: list[Delivery] | None) -> dict[str, Any]:
    """A watch with its sources, its alarms and what was sent. `deliveries` is None if its secret was lost. Blocking."""
    sent = sorted(deliveries or (), key=lambda one: one.at, reverse=True)[:DELIVERIES]
    return told_watch(watched) | {
        "sources": [_told_source(one, going_on=watched.state == "active") for one in watched.sources.values()],
        "alarms_shown": [told_alarm(archive, watched, one) for one in reversed(watched.alarms)],
        "webhook_lost": watched.record.webhook is not None and watched.state != "ended" and deliveries is None,
        "deliveries": [
            {"alarm": one.alarm, "state": one.state, "attempts": one.attempts, "at": one.at, "detail": one.detail}
            for one in sent
        ],
    }


def _told_source(source: Source, *, going_on: bool) -> dict[str, Any]:
    return {
        "url": source.watched.url,
        "capture": source.watched.capture,
        "passages": len(source.watched.passages),
        "visits": source.visits,
        "last_visit": stamp(source.last) if source.visits else None,
        "next_visit": stamp(source.due) if going_on and source.trouble is None else None,
        "interval": round(source.pace.seconds),
        "verdict": source.verdict,
        "reason": source.reason,
        "recheck": source.recheck,
        "missed": [{"passage": one.of, "verdict": one.verdict} for one in source.standing.missed.values()],
        "trouble": source.trouble,
    }
