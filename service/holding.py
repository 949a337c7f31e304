"""What must not be removed for now: holds, and whether a removal would touch what they hold.

Held is all that a removal of the thing would take: a capture with its text, and the replies in which it was shown. So a
removal of another page that would take such a reply is refused too.
"""

from collections.abc import Sequence
from typing import Any, Final

from anyio.to_thread import run_sync

from service.answering import keep
from service.failures import HeldBack, UnknownHold
from service.parts import Parts
from service.removal_choice import choice
from service.requests import Caller, RemovalRequest
from service.watch_requests import HoldRequest
from snapshots import Archive, Batch, Hold, RemovedId, Selection, UnknownId, stamp

LISTED: Final = 100
"""Held ids that a refusal lists of each hold; it says how many there are."""


class Holds:
    """All that can be asked of holds."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def add(self, request: HoldRequest, caller: Caller, /) -> dict[str, Any]:
        """Hold something. Raises UnknownId, BadId, AmbiguousId, and RemovedId for what is gone already."""
        ids = await run_sync(self._known, request.ids)
        record = Hold(
            phase="held",
            at=stamp(self._parts.clock()),
            ids=ids,
            urls=request.urls,
            patterns=request.patterns,
            reason=request.reason,
            by=caller.key,
        )
        await keep(self._parts, Batch(blobs=(), records=(record,)))
        return _told(record)

    def _known(self, texts: Sequence[str]) -> tuple[str, ...]:
        archive = self._parts.archive
        ids = tuple(archive.resolve(text) for text in texts)
        for one in ids:
            archive.kind_of(one)
        return ids

    async def listed(self) -> dict[str, Any]:
        """The holds in force, the newest first."""
        return {"holds": [_told(one) for one in reversed(await run_sync(in_force, self._parts.archive))]}

    async def release(self, hold: str, caller: Caller, /) -> dict[str, Any]:
        """End a hold. Raises UnknownHold, BadId, AmbiguousId."""
        found = await run_sync(self._found, hold)
        record = Hold(phase="released", hold=found.id, at=stamp(self._parts.clock()), by=caller.key)
        await keep(self._parts, Batch(blobs=(), records=(record,)))
        return _told(found) | {"released_at": record.at}

    def _found(self, text: str) -> Hold:
        try:
            name = self._parts.archive.resolve(text)
        except UnknownId as error:
            raise UnknownHold(f"there is no hold {text}") from error
        for one in in_force(self._parts.archive):
            if one.id == name:
                return one
        raise UnknownHold(f"{name} is no hold in force")


def _told(hold: Hold) -> dict[str, Any]:
    lists = {"ids": list(hold.ids), "urls": list(hold.urls), "patterns": list(hold.patterns)}
    return {"id": hold.id, "held_at": hold.at, "reason": hold.reason} | lists


def in_force(archive: Archive) -> list[Hold]:
    """The holds that were not released, in the order of the log. Those that came with a bundle hold nothing here."""
    held: dict[str, Hold] = {}
    for naming in archive.catalogue.of_kind("hold"):
        record = archive.record(naming.id)
        if not isinstance(record, Hold) or archive.imported(naming.id, naming.position):
            continue
        if record.hold is None:
            held[record.id] = record
        else:
            held.pop(record.hold, None)
    return list(held.values())


def held_among(parts: Parts, selection: Selection) -> list[dict[str, Any]]:
    """What a removal would touch that is held, by hold: `{hold, reason, ids, total}`. Blocking."""
    holds = in_force(parts.archive)
    if not holds:  # as mostly: then the removal is planned only once
        return []
    wanted = {one.id for one in parts.archive.remove(selection, dry_run=True).removed}
    found = []
    planned: dict[tuple[str, ...], set[str]] = {}
    for hold in holds if wanted else ():
        touched = sorted(wanted & _held(parts, hold, planned))
        if touched:
            found.append({"hold": hold.id, "reason": hold.reason, "ids": touched[:LISTED], "total": len(touched)})
    return found


def held_ids(parts: Parts) -> set[str]:
    """All that removals must not touch now. Blocking."""
    planned: dict[tuple[str, ...], set[str]] = {}
    return {name for hold in in_force(parts.archive) for name in _held(parts, hold, planned)}


def refuse_held(held: Sequence[dict[str, Any]]) -> None:
    """Raises HeldBack if anything is held."""
    if held:
        total = sum(one["total"] for one in held)
        names = ", ".join(one["hold"] for one in held[:3])
        raise HeldBack(f"{total} objects of this are held by {names}; nothing was removed", held=held)


def _held(parts: Parts, hold: Hold, planned: dict[tuple[str, ...], set[str]]) -> set[str]:
    """All that a removal of what is held would take. `planned` remembers it: many holds may hold the same."""
    held = set(hold.ids)
    selections = [Selection(ids=(name,)) for name in hold.ids]
    selections += [choice(parts, RemovalRequest(url=url)).selection for url in hold.urls]
    selections += [choice(parts, RemovalRequest(pattern=pattern)).selection for pattern in hold.patterns]
    for selection in selections:
        named = (*selection.ids, "", *selection.pages)
        if named not in planned:
            try:
                removal = parts.archive.remove(selection, dry_run=True)
                planned[named] = {one.id for one in removal.removed}
            except (UnknownId, RemovedId):
                planned[named] = set()  # it has no parts of its own, or was gone before it was held
        held |= planned[named]
    return held
