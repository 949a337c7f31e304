"""Crawls as durable jobs: begun, paused, cancelled, told, and gone on with after whatever happened.

A crawl is a record; its captures name it, and so do its pauses and its end. All the rest follows from these. A lease in
the state lets one process at a time drive it, where several share a bucket and a database: if that one ends, another
goes on from the records.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from platform import node
from typing import Any, Final, Literal

import structlog
from anyio.to_thread import run_sync

from crawler import parse_address
from service.answering import keep
from service.crawl_book import FOLLOWS, CrawlBook, Standing
from service.crawl_calendar import next_round
from service.crawl_leases import RENEW_SECONDS, CrawlLeases
from service.crawl_requests import CrawlRequest
from service.crawl_run import ENDS, PASSING, CrawlRun
from service.crawl_telling import CrawlTally
from service.failures import CrawlOver
from service.parts import Parts
from service.requests import Caller
from snapshots import Batch, Crawl, Crawl2, EvidenceError, moment, stamp

log = structlog.get_logger(__name__)

LOOK_SECONDS: Final = 2.0
"""Between two looks for crawls that others began, paused or gave up, and at the calendar."""

REST_SECONDS: Final = 10.0
"""Before a crawl is tried again that bucket or database interrupted, so that sites are not asked all the while."""

REMEMBERED: Final = 16
"""Crawls that ended whose events are still told one by one: each may hold some megabytes."""

Phase = Literal["paused", "resumed"]


class Crawls:
    """All crawls. Close it before the parts it uses.

    `serves`: this process goes on with whatever is to be gone on with. Otherwise it drives what it began itself.
    """

    def __init__(self, parts: Parts, *, serves: bool = False) -> None:
        self._parts = parts
        self._serves = serves
        self._book = CrawlBook(parts.archive)
        self._running: dict[str, CrawlRun] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._over: OrderedDict[str, CrawlRun] = OrderedDict()
        """Those that ended here, so that whoever listens may come late."""
        self._skipped: set[str] = set()
        self._resting: dict[str, tuple[datetime, str | None]] = {}
        """Until when a crawl is not tried again, and what interrupted it."""
        self._new: set[str] = set()
        """Those that began here and that nobody has driven yet, as far as is known here."""
        self._next: dict[str, tuple[int, datetime]] = {}
        """When the pages of a crawl that rests are walked again, by how many rounds it had."""
        owner = f"{node()}:{parts.settings.data.absolute()}"
        self._leases = CrawlLeases(parts.keyring.state, owner, parts.clock)
        self._filling = asyncio.Lock()
        self._tending: asyncio.Task[None] | None = None
        self._closing = False

    # asking

    async def start(self, request: CrawlRequest, caller: Caller) -> dict[str, Any]:
        """Start a crawl; its record is durable when this returns. It may have to wait for its turn."""
        for seed in request.seeds:
            parse_address(seed)  # a crawl that cannot begin is refused rather than started
        options = request.model_dump(mode="json", exclude_defaults=True, exclude={"url", "urls", "session"})
        record = await self._begin(request.seeds, options | {"max_pages": request.pages, "by": caller.key})
        await self._fill(first=record.id)
        return await self.status(record.id)

    async def status(self, crawl: str) -> dict[str, Any]:
        """The crawl as it stands, from memory or from what is kept. Raises UnknownCrawl, UnknownId, BadId."""
        standing = await run_sync(self._found, crawl)
        running = self._running.get(standing.id) or self._over.get(standing.id)
        if running is None or running.recalling or (standing.end is not None and running.state != standing.state):
            return await run_sync(self._from_archive, standing)
        head = self._head(standing, running.state) | {"detail": running.detail} | running.told()
        return head | {"captures": running.account.captures, "failures": running.account.failures}

    async def listed(self, *, limit: int, before: str | None = None) -> dict[str, Any]:
        """The crawls that began before the crawl `before`, the newest first: heads and counts only."""
        await run_sync(self._book.follow)
        every = [one for one in reversed(self._book.all()) if one.follows is None]
        if before is not None:
            found = await run_sync(self._book.get, before)
            every = every[every.index(found) + 1 :] if found in every else []
        shown = every[:limit]
        told = await run_sync(lambda: [self._in_short(one) for one in shown])
        return {"crawls": told, "next": shown[-1].id if len(every) > limit else None}

    async def events(self, crawl: str, after: int) -> AsyncIterator[dict[str, Any]]:
        """The events of a crawl behind number `after`; ends when the crawl does, or is paused.

        Of one that waits for its turn, or that another process drives, it is told how it stands when that changes,
        under the number `after`: this is none of what happens to it. Of one that was gone on with since, all is told
        that happens from there on, pages from the store included: so nothing is missing.
        """
        told: dict[str, Any] = {}
        crawl = (await run_sync(self._found, crawl)).id
        run: CrawlRun | None = None
        while run is None or (run.goes_on and self._serves and not self._closing):
            if (run := self._running.get(crawl) or self._over.get(crawl)) is not None:
                async for event in run.account.heard_from(after):
                    yield event
                    after = event["event"]
                continue
            try:
                now = await self.status(crawl)
            except PASSING:  # who has listened so far goes on when bucket and database are back
                await asyncio.sleep(LOOK_SECONDS)
                continue
            if now["state"] not in {"queued", "running"}:
                kind = now["state"] if now["state"] in {"paused", "interrupted"} else "finished"
                yield {"event": after, "type": kind} | now
                return
            news = {name: now[name] for name in ("id", "state", "counts", "errors", "left")}
            if news != told:
                told = news
                yield {"event": after, "type": "progress"} | news
            await asyncio.sleep(LOOK_SECONDS / 2)

    async def cancel(self, crawl: str) -> dict[str, Any]:
        """End a crawl for good; what it has captured stays. One whose pages are visited again is not any more."""
        standing = await run_sync(self._found, crawl)
        for one in self._book.rounds_of(standing):
            if (running := self._running.get(one.id)) is not None:
                running.stop("cancelled")
                await asyncio.shield(self._tasks[one.id])
            if one.open or (one is standing and one.interval is not None and one.state != "cancelled"):
                await self._note(self._cancelled(one))
        return await self.status(standing.id)

    async def change(self, crawl: str, phase: Phase, caller: Caller) -> dict[str, Any]:
        """Pause a crawl, or let it go on. What it is already, it stays.

        Raises:
            UnknownCrawl, UnknownId, BadId, AmbiguousId: there is no such crawl.
            CrawlOver: it has ended, and its pages are not visited again.
        """
        standing = await run_sync(self._found, crawl)
        over = standing.imported or standing.state == "cancelled"
        if over or (standing.end is not None and standing.interval is None):
            raise CrawlOver(f"the crawl {standing.id} has ended")
        if (standing.state == "paused") != (phase == "paused"):
            record = Crawl2(phase=phase, crawl=standing.id, at=stamp(self._parts.clock()), by=caller.key)
            await self._note(record)
        if phase == "paused":
            for one in self._book.rounds_of(standing):
                if (running := self._running.get(one.id)) is not None:
                    running.stop("paused")
                    await asyncio.shield(self._tasks[one.id])
        elif self._serves:
            await self._fill(first=standing.id)
        return await self.status(standing.id)

    # driving

    async def serve(self) -> None:
        """Go on with what is to be gone on with, until closed."""
        self._serves = True
        await self._fill()
        self._tend()

    async def close(self) -> None:
        """Stop all crawls where they are; the next start goes on with them."""
        self._closing = True
        tasks = [task for task in (self._tending, *self._tasks.values()) if task is not None and not task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _tend(self) -> None:
        if self._tending is None:
            self._tending = asyncio.create_task(self._look_after(), name="crawls")

    async def _look_after(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self._renew()
                await run_sync(self._book.follow)
                for crawl, running in list(self._running.items()):
                    standing = self._book.known(crawl)
                    first = self._book.known(standing.follows or crawl) if standing else None
                    for one in (standing, first):
                        if one is not None and one.state in {"paused", "cancelled"}:
                            running.stop("lost" if one is standing and one.end is not None else one.state)
                if self._serves:
                    await self._turn_calendar()
                    await self._fill()
            except EvidenceError as error:  # bucket, catalogue or state: others tell of it, and here is time
                log.warning("the crawls cannot be looked after", reason=str(error))
            except Exception:  # a fault of ours must not end all crawls for good
                log.exception("looking after the crawls failed")

    async def _fill(self, first: str | None = None) -> None:
        """Drive what waits, as far as there is room. `first` is what somebody asked for just now."""
        if self._closing or self._parts.log.read_only:
            return
        async with self._filling:
            await run_sync(self._book.follow)
            for standing in list(self._book.waiting()):
                room = len(self._running) < self._parts.settings.crawls_at_once
                if standing.id in self._running or standing.id in self._skipped or self._rests(standing.id):
                    continue
                if not (room if self._serves else standing.id == first):
                    continue
                await self._drive(standing)

    def _rest(self, crawl: str, why: str | None) -> None:
        self._resting[crawl] = (self._parts.clock() + timedelta(seconds=REST_SECONDS), why)

    def _rests(self, crawl: str) -> bool:
        until, _ = self._resting.get(crawl, (None, None))
        return until is not None and self._parts.clock() < until

    def _has_all_it_fetched(self) -> bool:
        """Whether no page waits for the bucket: a crawl would not know of it, and ask for it again. Blocking."""
        self._parts.spool.retry(self._parts.archive, self._parts.follower.notice)
        return not self._parts.spool.waiting

    async def _drive(self, standing: Standing) -> None:
        options = {name: value for name, value in standing.record.options.items() if name not in {"by", FOLLOWS}}
        try:
            request = CrawlRequest(urls=standing.record.seeds, **options)
        except ValueError as error:
            log.warning("a crawl cannot be gone on with", crawl=standing.id, error=str(error))
            self._skipped.add(standing.id)
            return
        if not await run_sync(self._has_all_it_fetched):
            self._rest(standing.id, "what was fetched before waits until the bucket takes it")
            return
        if not await run_sync(self._leases.take, standing.id):
            return
        earlier = await run_sync(self._book.captures, standing.id)
        if not self._book.waits(standing):  # somebody paused it or gave it up in this very moment
            await run_sync(self._leases.give_back, standing.id)
            return
        again = standing.id not in self._new
        running = CrawlRun(self._parts, standing.record, request, earlier, again=again, holds=self._leases.holds)
        self._new.discard(standing.id)
        self._resting.pop(standing.id, None)
        self._running[standing.id] = running
        self._tasks[standing.id] = asyncio.create_task(self._driven(running), name=f"crawl {standing.id[:19]}")
        self._tend()

    async def _driven(self, running: CrawlRun) -> None:
        try:
            await running.drive()
            await run_sync(self._book.follow)
        except asyncio.CancelledError:
            running.state = "interrupted"
            raise
        except EvidenceError as error:  # bucket, catalogue or state are away: it is gone on with when they are back
            log.warning("a crawl is interrupted", crawl=running.id, reason=str(error))
            running.state, running.detail = "interrupted", str(error)
        except Exception:
            log.exception("a crawl failed by a fault of ours", crawl=running.id)
            running.state, running.detail = "failed", "a fault of Citator; its log says more"
            self._skipped.add(running.id)
        finally:
            self._running.pop(running.id, None)
            self._tasks.pop(running.id, None)
            if running.state == "interrupted":
                self._rest(running.id, running.detail)
            if running.state in ENDS:
                self._over[running.id] = running
                if len(self._over) > REMEMBERED:
                    self._over.popitem(last=False)
            await running.ended()
            await asyncio.shield(run_sync(self._leases.give_back, running.id))
        if self._serves:
            try:
                await self._fill()
            except EvidenceError as error:  # it is tried again when the crawls are looked after
                log.warning("no further crawl can be begun for now", reason=str(error))

    async def _renew(self) -> None:
        for crawl, running in list(self._running.items()):
            if not self._leases.fresh(crawl, RENEW_SECONDS) and not await run_sync(self._leases.take, crawl):
                running.stop("lost")

    # the calendar

    async def _turn_calendar(self) -> None:
        """Begin another round of each crawl of which a page is due."""
        for first in list(self._book.resting()):
            when, now = await run_sync(self._next_round, first), self._parts.clock()
            if when is None or when > now or not await run_sync(self._leases.begins_round, first.id):
                continue
            await run_sync(self._book.follow)
            if any(one.open for one in self._book.rounds_of(first)):
                continue  # another process was quicker
            await self._begin(first.record.seeds, {**first.record.options, FOLLOWS: first.id})

    def _next_round(self, first: Standing) -> datetime | None:
        """When the pages of a crawl are walked again; None if they are not. Blocking."""
        rounds = self._book.rounds_of(first)
        last = rounds[-1]
        if first.interval is None or last.end is None or first.state == "cancelled" or first.imported:
            return None
        known = self._next.get(first.id)
        if known is None or known[0] != len(rounds):
            urls = [row.asked for one in rounds for row in self._book.captures(one.id)]
            when = next_round(self._parts.archive, urls, first.interval, moment(last.end.at))
            known = self._next[first.id] = (len(rounds), when)
        return known[1]

    # records

    async def _begin(self, seeds: tuple[str, ...], options: dict[str, Any]) -> Crawl:
        record = Crawl(phase="started", seeds=seeds, options=options, at=stamp(self._parts.clock()), state="running")
        self._new.add(record.id)
        await self._note(record)
        return record

    def _cancelled(self, standing: Standing) -> Crawl:
        counts = standing.end.counts if standing.end else None
        return Crawl(
            phase="finished",
            crawl=standing.id,
            seeds=standing.record.seeds,
            at=stamp(self._parts.clock()),
            counts=counts,
            state="cancelled",
        )

    async def _note(self, record: Crawl | Crawl2) -> None:
        await keep(self._parts, Batch(blobs=(), records=(record,)))
        await run_sync(self._book.follow)

    # telling

    def _found(self, crawl: str) -> Standing:
        self._book.follow()
        return self._book.get(crawl)

    def _head(self, standing: Standing, state: str) -> dict[str, Any]:
        when = self._next_round(standing) if standing.follows is None else None
        return {
            "id": standing.id,
            "state": state,
            "detail": None,
            "started_at": standing.record.at,
            "seeds": list(standing.record.seeds),
            "follows": standing.follows,
            "rounds": list(standing.rounds),
            "next_round": stamp(when) if when is not None and standing.state != "paused" else None,
        }

    def _state_of(self, standing: Standing) -> tuple[str, str | None]:
        """State and detail of a crawl that is not driven here. Blocking."""
        if standing.state != "waiting":
            return standing.state, standing.detail
        if standing.imported:
            return "interrupted", "it was begun elsewhere"
        if standing.id in self._running:
            return "running", None
        if self._leases.driven_elsewhere(standing.id):
            return "running", "another process drives it"
        if not self._serves:
            return "interrupted", "the next start of the server goes on with it"
        _, interrupted_by = self._resting.get(standing.id, (None, None))
        return "queued", interrupted_by

    def _in_short(self, standing: Standing) -> dict[str, Any]:
        running = self._running.get(standing.id)
        if running is not None and not running.recalling:
            return self._head(standing, running.state) | running.told()
        state, detail = self._state_of(standing)
        counts = standing.end.counts if standing.end else None
        if counts is None:
            counts = self._book.counts(standing.id)
        return self._head(standing, state) | {"detail": detail, "counts": counts}

    def _from_archive(self, standing: Standing) -> dict[str, Any]:
        tally = CrawlTally()
        for row in self._book.captures(standing.id):
            tally.enter(row.asked, self._parts.archive.capture(row.id))
        left = None if standing.end is None else {"pages": 0, "seconds": 0}
        found = {"errors": dict(tally.errors.most_common()), "left": left}
        return self._in_short(standing) | found | {"captures": tally.captures, "failures": tally.failures}
