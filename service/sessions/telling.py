"""Sessions and events as callers see them."""

from collections.abc import Iterable
from typing import Any, Final

from anyio.to_thread import run_sync

from service.sessions.book import Book
from service.sessions.context import MESSAGES
from service.sessions.history import RUN_ENDS, History, tokens_of
from service.sessions.paths import parsed
from service.sessions.steps import JSON
from snapshots import Archive, Event, EvidenceError, Lease

MAX_TEXT: Final = 100_000  # bytes of an artefact that are told as text with its event; all of it is under its id

PLAIN: Final = ("text/", "application/json")


async def told(book: Book, history: History) -> dict[str, Any]:
    """A session as it stands."""
    lease = await book.holder(history)
    return about(history, lease)


def about(history: History, lease: Lease | None) -> dict[str, Any]:
    """What is known of a session without reading a content. A run whose lease ran out has failed."""
    session, path = history.session, history.path
    lost = history.open_run is not None and lease is None
    return {
        "id": session.id,
        "title": session.title,
        "state": "failed" if lost else history.state,
        "lease_expired": lost,
        "locked_by": {"run": lease.owner, "until": lease.until} if lease else None,
        "head": history.head.id if history.head else session.id,
        "created_at": session.at,
        "updated_at": history.own[-1].at if history.own else session.at,
        "events": len(path),
        "messages": sum(1 for event in path if event.type in MESSAGES),
        "tokens": tokens_of(path),
        "pending_calls": list(history.pending),
        "system": session.system,
        "agent": session.agent,
        "parent": session.parent,
        "forked_at": session.forked_at,
        "checkpoints": [
            {"name": name, "event": event.id, "at": event.at} for name, event in history.checkpoints().items()
        ],
        "deleted_at": history.deleted.at if history.deleted else None,
        "labels": session.labels,
    }


async def with_contents(archive: Archive, events: Iterable[Event]) -> list[dict[str, Any]]:
    """Events with what they say."""
    return await run_sync(lambda: [event_told(event, content(archive, event)) for event in events])


def event_told(event: Event, said: Any = None) -> dict[str, Any]:
    """An event: its record's members, `body` as it was said."""
    fields = event.model_dump(mode="json", exclude={"kind", "version", "nonce"})
    return {"id": event.id} | fields | {"body": said}


def content(archive: Archive, event: Event) -> Any:
    """What an event says: what was kept, or an artefact's text; a sentence where it was removed. Blocking."""
    if event.content is None:
        return None
    try:
        body = archive.get(event.content)
    except EvidenceError as error:
        return {"removed": str(error)}
    if event.type != "artifact" and event.media_type == JSON:
        return parsed(body)
    if (event.media_type or "").startswith(PLAIN) and len(body) <= MAX_TEXT:
        return body.decode("utf-8", "replace")
    return None


def run_told(history: History, run: str, lease: Lease | None) -> dict[str, Any] | None:
    """A run as it stands; None if there is no such run here."""
    found = history.run(run)
    if found is None:
        return None
    started, ended = found
    held = lease is not None and lease.owner == run
    state = RUN_ENDS[ended.type] if ended else history.state if held else "failed"
    if ended and ended.type == "run_cancelled":
        state = "cancelled"
    return {
        "id": run,
        "session": history.session.id,
        "state": state,
        "started_at": started.at,
        "ended_at": ended.at if ended else None,
        "reason": ended.details.get("reason") if ended else None if held else "lease_expired",
        "lease": {"until": lease.until} if held and lease else None,
        "events": sum(1 for event in history.own if event.run == run),
        "model": started.model,
        "provider": started.provider,
        "api_schema": started.api_schema,
    }
