"""Rules about how long captures are kept, and the rounds in which they are applied.

A rule never takes what is held, nor what a watch measures by. What it takes goes like any removal: the deletion is in
the log first, and names the rule.
"""

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from platform import node
from typing import Any, Final

import structlog
from anyio.to_thread import run_sync

from service.answering import keep
from service.failures import UnknownRule
from service.following import ANSWERS
from service.holding import held_among, held_ids
from service.parts import Parts
from service.removal_choice import address_pattern
from service.removing import forget
from service.requests import Caller
from service.retention_requests import RetentionRequest, RetentionRound
from service.watch_book import WatchBook
from snapshots import (
    Archive,
    Batch,
    Capture,
    CaptureRow,
    EvidenceError,
    RemovedId,
    Retention,
    Selection,
    UnknownId,
    moment,
    stamp,
)  # fmt: skip

log = structlog.get_logger(__name__)

STEP: Final = 1_000
"""Captures read from the catalogue at a time."""
TOGETHER: Final = 500
"""Captures that one deletion takes: a removal holds up what is to be kept for as long as it lasts."""
LISTED: Final = 100
"""Captures that stay although a rule would take them, as far as they are listed."""
EVERY_SECONDS: Final = 3_600.0
"""Between two rounds: rules count days."""
FIRST_SECONDS: Final = 60.0
"""After the start."""
LEASE: Final = "retention"
LEASE_SECONDS: Final = 7_200
"""Longer than a round of a large collection may take."""


class Retentions:
    """All that can be asked of rules."""

    def __init__(self, parts: Parts, book: WatchBook) -> None:
        self._parts = parts
        self._book = book
        self._owner = f"{node()}:{parts.settings.data.absolute()}"

    async def add(self, request: RetentionRequest, caller: Caller, /) -> dict[str, Any]:
        """Set a rule; it is applied with the next round."""
        record = Retention(
            phase="set",
            at=stamp(self._parts.clock()),
            patterns=request.patterns,
            keep_seconds=request.keep_seconds,
            keep_last=request.keep_last,
            reason=request.reason,
            by=caller.key,
        )
        await keep(self._parts, Batch(blobs=(), records=(record,)))
        return _told(record)

    async def listed(self) -> dict[str, Any]:
        """The rules in force, the newest first."""
        return {"rules": [_told(one) for one in reversed(await run_sync(rules, self._parts.archive))]}

    async def lift(self, rule: str, caller: Caller, /) -> dict[str, Any]:
        """End a rule. Raises UnknownRule, BadId, AmbiguousId."""
        found = await run_sync(self._found, rule)
        record = Retention(phase="lifted", retention=found.id, at=stamp(self._parts.clock()), by=caller.key)
        await keep(self._parts, Batch(blobs=(), records=(record,)))
        return _told(found) | {"lifted_at": record.at}

    def _found(self, text: str) -> Retention:
        try:
            name = self._parts.archive.resolve(text)
        except UnknownId as error:
            raise UnknownRule(f"there is no rule {text}") from error
        for one in rules(self._parts.archive):
            if one.id == name:
                return one
        raise UnknownRule(f"{name} is no rule in force")

    async def apply(self, request: RetentionRound, /) -> dict[str, Any]:
        """Remove what the rules say, or with `dry_run` count it."""
        return await run_sync(self._apply, request.dry_run)

    async def run(self) -> None:
        """Apply the rules every hour until cancelled; one process of all that share a state does."""
        await asyncio.sleep(FIRST_SECONDS)
        while True:
            try:
                await run_sync(self._round)
            except EvidenceError as error:  # bucket, catalogue or state: others tell of it, and here is time
                log.warning("retention rules cannot be applied", reason=str(error))
            except Exception:  # a fault of ours must not end all rounds for good
                log.exception("a round of retention failed")
            await asyncio.sleep(EVERY_SECONDS)

    def _round(self) -> None:
        if not rules(self._parts.archive):
            return
        now = self._parts.clock()
        until = stamp(now + timedelta(seconds=LEASE_SECONDS))
        if self._parts.keyring.state.take_lease(LEASE, self._owner, now=stamp(now), until=until) is None:
            return
        for one in self._apply(dry_run=False)["rules"]:
            if one["captures"]:
                log.info("a retention rule was applied", rule=one["rule"], captures=one["captures"])

    def _apply(self, dry_run: bool) -> dict[str, Any]:  # noqa: FBT001 - called through a thread runner
        self._parts.spool.retry(self._parts.archive, self._parts.follower.notice)
        self._book.follow()
        watched = self._book.measured_by()
        told = [self._apply_one(rule, watched, dry_run=dry_run) for rule in rules(self._parts.archive)]
        if not dry_run and any(one["deletions"] for one in told):
            forget(self._parts.follower)
        return {"dry_run": dry_run, "rules": told}

    def _apply_one(self, rule: Retention, watched: set[str], *, dry_run: bool) -> dict[str, Any]:
        archive = self._parts.archive
        due = list(due_captures(archive, rule, self._parts.clock()))
        staying = [one for one in due if one in watched]
        held = _held_among(self._parts, [one for one in due if one not in watched])
        counts: Counter[str] = Counter()
        deletions: list[str] = []
        taken = 0
        going = [one for one in due if one not in watched and one not in held]
        for some in (tuple(going[at : at + TOGETHER]) for at in range(0, len(going), TOGETHER)):
            selection = Selection(ids=some, asked={"rule": rule.id})
            if held_among(self._parts, selection):  # together they would take what none of them would alone
                held.update(some)
                continue
            try:
                done = archive.remove(selection, dry_run=dry_run, reason=rule.reason, by=None)
            except (UnknownId, RemovedId):
                continue  # somebody removed one of them a moment ago; the next round takes the others
            counts.update(done.counts)
            deletions += [done.deletion] if done.deletion else []
            taken += len(some)
        return {
            "rule": rule.id,
            "captures": taken,
            "counts": dict(counts),
            "deletions": deletions,
            "held": sorted(held)[:LISTED],
            "held_total": len(held),
            "watched": staying[:LISTED],
            "watched_total": len(staying),
        }


def _told(rule: Retention) -> dict[str, Any]:
    return {
        "id": rule.id,
        "set_at": rule.at,
        "patterns": list(rule.patterns),
        "keep_seconds": rule.keep_seconds,
        "keep_last": rule.keep_last,
        "reason": rule.reason,
    }


def rules(archive: Archive) -> list[Retention]:
    """The rules that were not lifted, in the order of the log. Those that came with a bundle rule nothing here."""
    found: dict[str, Retention] = {}
    for naming in archive.catalogue.of_kind("retention"):
        record = archive.record(naming.id)
        if not isinstance(record, Retention) or archive.imported(naming.id, naming.position):
            continue
        if record.retention is None:
            found[record.id] = record
        else:
            found.pop(record.retention, None)
    return list(found.values())


def due_captures(archive: Archive, rule: Retention, now: datetime) -> Iterator[str]:
    """The captures that a rule takes at a time, in the order of the log. Blocking."""
    fits = [address_pattern(pattern) for pattern in rule.patterns]
    before = None if rule.keep_seconds is None else now - timedelta(seconds=rule.keep_seconds)
    rows = [row for row in _rows(archive) if _fit(fits, row)]
    beyond = set() if rule.keep_last is None else _beyond(rows, rule.keep_last)
    for row in rows:
        if row.id in beyond or (
            before is not None and moment(row.retrieved_at) < before and _kept(archive, row) < before
        ):
            yield row.id


def _rows(archive: Archive) -> Iterator[CaptureRow]:
    after = -1
    while found := archive.catalogue.captures_between(None, None, after=after, limit=STEP):
        after = found[-1].position
        yield from found


def _fit(patterns: Sequence[re.Pattern[str]], row: CaptureRow) -> bool:
    return any(one.fullmatch(row.asked) or one.fullmatch(row.final) for one in patterns)


def _beyond(rows: Sequence[CaptureRow], last: int) -> set[str]:
    """The captures after which so many good ones of the same address were kept."""
    by_address: defaultdict[str, list[CaptureRow]] = defaultdict(list)
    for row in rows:
        by_address[row.asked].append(row)
    found: set[str] = set()
    for mine in by_address.values():
        later = 0
        for row in reversed(mine):
            if later >= last:
                found.add(row.id)
            later += row.outcome == "ok" and row.page_state in ANSWERS
    return found


def _kept(archive: Archive, row: CaptureRow) -> datetime:
    """When a capture was kept here: the time of one that was handed in or imported is somebody's word."""
    naming = archive.catalogue.naming(row.id, kind="import", limit=1)
    if naming and naming[0].position < row.position:
        at = getattr(archive.record(naming[0].id), "at", row.retrieved_at)
        return moment(at)
    if row.method in {"upload", "import"}:
        record = archive.record(row.id)
        return moment(record.started_at) if isinstance(record, Capture) else moment(row.retrieved_at)
    return moment(row.retrieved_at)


def _held_among(parts: Parts, captures: Sequence[str]) -> set[str]:
    """Those of some captures whose removal would touch what is held."""
    held = held_ids(parts)
    if not held:
        return set()
    found = set()
    for one in captures:
        try:
            planned = parts.archive.remove(Selection(ids=(one,)), dry_run=True).removed
        except (UnknownId, RemovedId):
            continue
        if any(gone.id in held for gone in planned):
            found.add(one)
    return found
