"""The rounds of the watches, in the background of a server: visits that are due, and alarms that wait to be sent.

One process of all that share a state goes round at a time: it holds a lease. What it found is in the records, so that
another one goes on from there.
"""

import asyncio
from dataclasses import replace
from datetime import timedelta
from platform import node
from typing import Final

import structlog
from anyio.to_thread import run_sync

from service.answering import keep
from service.parts import Parts
from service.recheck_reply import record_of
from service.recheck_targets import Target, Wanted
from service.rechecking import Checked, check, seen
from service.revisiting import version_kept
from service.watch_book import Source, WatchBook, Watched
from service.watch_telling import told_alarm
from service.webhooks import Webhooks
from snapshots import Batch, Delivery, EvidenceError, Recheck, RemovedId, UnknownId, stamp

log = structlog.get_logger(__name__)

LOOK_SECONDS: Final = 15.0
"""Between looks at whether something is due."""
FIRST_SECONDS: Final = 2.0
"""After the start, so that it does not stand in the way of the first requests."""
AT_ONCE: Final = 4
"""Pages under way at a time: nobody waits for them, and people who ask come first."""
LEASE: Final = "watches"
LEASE_SECONDS: Final = 180
"""Longer than a visit may take, with its second look and a browser."""
AGAIN_SECONDS: Final = 300
"""After something of our own failed (the bucket, say), a visit is tried again."""
SENT_AT_ONCE: Final = 50
"""Alarms sent in one round; the rest waits for the next."""

Due = list[tuple[Watched, Source]]


class WatchRounds:
    """Goes round. One per process."""

    def __init__(self, parts: Parts, book: WatchBook, hooks: Webhooks) -> None:
        # Watches ask by themselves, as crawls do: robots.txt is followed, whatever is set for what people ask for.
        self._parts = replace(parts, settings=parts.settings.model_copy(update={"robots": "follow"}))
        self._book = book
        self._hooks = hooks
        self._state = parts.keyring.state
        self._owner = f"{node()}:{parts.settings.data.absolute()}"

    async def run(self) -> None:
        """Go round until cancelled."""
        await asyncio.sleep(FIRST_SECONDS)
        while True:
            try:
                await self.go_round()
            except EvidenceError as error:  # bucket, catalogue or state: others tell of it, and here is time
                log.warning("the watches cannot be looked after", reason=str(error))
            except Exception:  # a fault of ours must not end all watches for good
                log.exception("a round of the watches failed")
            await asyncio.sleep(LOOK_SECONDS)

    async def go_round(self) -> bool:
        """Make the visits that are due and send what waits. False if another process does it."""
        if not await run_sync(self._leased):
            return False
        await run_sync(self._book.follow)
        turn = asyncio.Semaphore(AT_ONCE)
        await asyncio.gather(*(self._in_turn(turn, url, due) for url, due in self._due().items()))
        await run_sync(self._book.follow)
        await run_sync(self._expect)
        await self._send()
        return True

    def _leased(self) -> bool:
        now = self._parts.clock()
        until = now + timedelta(seconds=LEASE_SECONDS)
        return self._state.take_lease(LEASE, self._owner, now=stamp(now), until=stamp(until)) is not None

    def _due(self) -> dict[str, Due]:
        """By address, who is to be told of it: a page is visited once for all watches whose bounds allow it."""
        now = self._parts.clock()
        active = list(self._book.active())
        urls = {source.watched.url for _, source in active if source.due <= now}
        due: dict[str, Due] = {url: [] for url in sorted(urls)}
        for watched, source in active:
            url = source.watched.url
            if url in due and (source.due <= now or source.pace.joins(source.last, now)):
                due[url].append((watched, source))
        return due

    async def _in_turn(self, turn: asyncio.Semaphore, url: str, due: Due) -> None:
        async with turn:
            await run_sync(self._leased)
            try:
                await self._visit(url, due)
            except EvidenceError as error:
                log.warning("a watched page could not be visited", url=url, reason=str(error))
                for _, source in due:
                    source.not_before = self._parts.clock() + timedelta(seconds=AGAIN_SECONDS)

    async def _visit(self, url: str, due: Due) -> None:
        """One check of a page, and a record of it for each watch."""
        target = Target(url)
        await run_sync(self._want, target, due)
        if not target.wanted:
            return
        checked = await check(self._parts, target)
        at = stamp(self._parts.clock())
        records = [
            one for watched, source in due if source.trouble is None for one in _records(checked, watched, source, at)
        ]
        batch = seen(checked.visits)
        await keep(self._parts, Batch(blobs=batch.blobs, records=(*batch.records, *records)))

    def _want(self, target: Target, due: Due) -> None:
        """Look for all that is watched of a page. What was removed here is no longer looked for."""
        for _, source in due:
            try:
                self._parts.archive.capture(source.watched.capture)
                passages = [self._parts.archive.passage(ref) for ref in source.watched.passages]
            except (RemovedId, UnknownId) as error:
                source.trouble = f"what the watch began with is not here any more: {error}"
                continue
            target.wanted.setdefault(source.watched.capture, {})
            for one in passages:
                target.add(one.capture, Wanted(one.text, one.prefix, one.suffix, one))
        for name in target.wanted:
            if name is not None:
                target.befores[name] = version_kept(self._parts.archive, self._parts.archive.capture(name))

    # alarms

    def _expect(self) -> None:
        """Note what is to be sent. Only what no note is of: after a restart nothing is sent twice."""
        for watched in self._book.all():
            if watched.record.webhook is None or not watched.alarms or watched.state == "ended":
                continue
            name = watched.record.id
            if self._state.webhook_of(name) is None:
                continue  # the state was lost, and the secret with it
            known = {one.alarm for one in self._state.deliveries(name)}
            for alarm in list(watched.alarms):
                if alarm.id not in known:
                    at = stamp(self._parts.clock())
                    self._state.note_delivery(Delivery(name, alarm.id, 0, "waiting", at))

    async def _send(self) -> None:
        now = self._parts.clock()
        waiting = await run_sync(self._state.waiting_deliveries, stamp(now), SENT_AT_ONCE)
        turn = asyncio.Semaphore(AT_ONCE)
        await asyncio.gather(*(self._deliver(turn, one) for one in waiting))

    async def _deliver(self, turn: asyncio.Semaphore, delivery: Delivery) -> None:
        async with turn:
            hook = await run_sync(self._state.webhook_of, delivery.watch)
            watched = self._book.get(delivery.watch)
            alarm = next((one for one in watched.alarms if one.id == delivery.alarm), None)
            if hook is None or alarm is None:
                now = stamp(self._parts.clock())
                detail = "the alarm is older than those that are remembered" if hook else "there is no webhook any more"
                after = replace(delivery, state="given_up", at=now, detail=detail)
            else:
                told = await run_sync(told_alarm, self._parts.archive, watched, alarm)
                after = await self._hooks.send(hook, delivery, told, self._parts.clock())
            await run_sync(self._state.note_delivery, after)
            if after.state != "delivered":
                log.warning("an alarm did not arrive", watch=after.watch, state=after.state, reason=after.detail)


def _records(checked: Checked, watched: Watched, source: Source, at: str) -> list[Recheck]:
    """What one watch has to be told of a page: of its own passages only, in one record."""
    own = {ref.id for ref in source.watched.passages}
    captures = {source.watched.capture, *(ref.capture for ref in source.watched.passages)}
    pages = [page for page in checked.pages if page.before is not None and page.before.capture.id in captures]
    mine = [
        replace(
            page, passages=tuple(one for one in page.passages if one.wanted.passage and one.wanted.passage.id in own)
        )
        for page in pages
    ]
    told = [page for page in mine if page.passages] or mine[-1:]
    return [record_of(page, checked.visits, at, watched.record.id) for page in told]
