"""One crawl under way in this process: its pages captured one after another, within limits, told as they happen.

What has to survive is in the log: the crawl's record, and captures that name it. A crawl that was interrupted begins
with these, and is walked again from its seeds: the links of pages that it has are read from the store.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final, Literal

import structlog
from anyio.to_thread import run_sync

from crawler import CrawlError, SiteCrawl, Step, parse_address
from service.answering import keep
from service.capturing import Page, reopen
from service.crawl_account import CrawlAccount
from service.crawl_book import DETAIL
from service.crawl_pages import fresh_enough, from_web, sitemap_in
from service.crawl_requests import CrawlRequest
from service.crawl_sitemaps import CrawlSitemaps
from service.parts import Parts
from service.spool import KeptForRetry
from snapshots import (
    Batch,
    Capture,
    CaptureRow,
    CatalogueBusy,
    Crawl,
    EvidenceError,
    StoreFull,
    StoreUnreachable,
    moment,
    stamp,
)

log = structlog.get_logger(__name__)

ATTEMPTS_PER_PAGE: Final = 4
"""A site of dead links must end: a crawl asks for at most this many addresses for each page it may capture, …"""
SPARE_ATTEMPTS: Final = 100
"""… and this many more, so that a small crawl survives a bad start."""
LIMITS: Final = ("trap", "full", "elsewhere")
"""Why addresses were left out that nobody wished to be: how many it were is told."""
GRACE: Final = 5.0
"""Seconds that pages under way have when a crawl is stopped. Those that are cut off are asked for when it goes on."""
MOMENT: Final = 0.1
"""Seconds after its end in which a crawl that has nothing under way is looked at: then the end is past by any clock."""
FEED: Final = ("main-text", "feed")
"""How a document says that it was read from a feed."""

ENDS: Final = frozenset({"done", "cancelled", "failed"})
"""States in which a crawl ends for good."""
PASSING: Final = (CatalogueBusy, StoreFull, StoreUnreachable)
"""What interrupts a crawl and does not end it: database or bucket are away, or full, and come back."""

Stop = Literal["cancelled", "paused", "lost"]
"""Why a crawl ends early: somebody wishes it, or another process has it now."""


class CrawlRun:
    """A crawl under way, and its account.

    `earlier` are the captures that an interrupted run has made; `again`: there was one. `holds` says whether the crawl
    is still this process's; what it gets once it is another's is not kept.
    """

    def __init__(
        self,
        parts: Parts,
        record: Crawl,
        request: CrawlRequest,
        earlier: Sequence[CaptureRow],
        *,
        again: bool,
        holds: Callable[[str], Awaitable[bool]],
    ) -> None:
        self.id = record.id
        self.record = record
        self.request = request
        self.state = "running"
        self.detail: str | None = None
        self.account = CrawlAccount(parts.clock(), again=again)
        self.recalling = bool(earlier)
        """Whether the account lacks what earlier runs have captured."""
        self._parts = parts
        self._earlier = earlier
        self._already: dict[str, str] = {}
        """The captures of pages that are there from earlier runs, by address."""
        self._site = self._site_with()
        self._sitemaps = CrawlSitemaps(parts, self._site, self._tell_bad_sitemap)
        self._holds = holds
        self._stop: Stop | None = None
        self._stopping = asyncio.Event()
        self._hurrying = asyncio.Event()
        self._under_way: Counter[str] = Counter()
        """By host."""
        self._rereading = 0
        """How many of them are there from earlier runs."""
        self._reading_sitemaps = 0
        self._entering: set[asyncio.Task[None]] = set()
        """Pages that are being kept."""
        self._depths: dict[str, Counter[int]] = {}
        self._asked = 0
        self._began = parts.clock()
        self._ends = moment(record.at) + timedelta(seconds=request.max_seconds) if request.max_seconds else None

    @property
    def goes_on(self) -> bool:
        """Whether another run takes it up by itself: here when bucket and database are back, or at another process."""
        return self.state not in {*ENDS, "paused"}

    def stop(self, why: Stop) -> None:
        """End it after the pages under way, or without those that take too long; asked again, without any of them."""
        if self._stop is not None:
            self._hurrying.set()
        self._stop = self._stop or why
        self._stopping.set()

    def told(self) -> dict[str, Any]:
        """How it stands, in numbers."""
        counts = {"captured": 0, "failed": 0, "waiting": self._site.waiting} | dict(self.account.counts)
        counts |= {"from_sitemaps": self._sitemaps.pages} if self._sitemaps.pages else {}
        counts |= {f"left_out_{why}": self._site.dropped[why] for why in LIMITS if self._site.dropped[why]}
        return {"counts": counts, "errors": dict(self.account.errors.most_common()), "left": self._left()}

    def _left(self) -> dict[str, Any]:
        """What is probably left: more pages may be found, and how long they take is told by those that came."""
        if self.state in ENDS:
            return {"pages": 0, "seconds": 0}
        pages = self._site.left + self._asking
        passed = (self._parts.clock() - self._began).total_seconds()
        seconds = round(passed / self._asked * pages) if self._asked and pages else None if pages else 0
        return {"pages": pages, "seconds": seconds}

    @property
    def _asking(self) -> int:
        """Pages that are being asked for."""
        return self._under_way.total() - self._rereading

    async def _tell(self, kind: str, fields: dict[str, Any]) -> None:
        async with self.account.changed:
            self.account.add(kind, fields | self.told())
            self.account.changed.notify_all()

    async def _tell_bad_sitemap(self, url: str, why: str) -> None:
        self.account.counts["bad_sitemaps"] += 1
        await self._tell("bad_sitemap", {"url": url, "detail": why})

    # driving

    async def drive(self) -> None:
        """Walk to the end, and keep how it ended. Pauses and losses are no ends."""
        outcome: str
        try:
            await self._recall()
            if self.request.sitemap and self.request.max_depth != 0:
                self._site.look_for_sitemaps()
            await self._walk()
            await self._sitemaps.settle(line["url"] for line in self.account.captures)
            outcome = self._stop or "done"
            if outcome == "done" and self.detail is None and self._site.waiting:
                self.detail = f"it ended as max_pages is {self.request.pages}; further addresses are known"
        except* (EvidenceError, CrawlError) as errors:
            passing = all(_passes(error) for error in errors.exceptions)
            outcome, self.detail = "interrupted" if passing else "failed", "; ".join(map(str, errors.exceptions))
            log.warning("a crawl does not go on", crawl=self.id, outcome=outcome, reason=self.detail)
        if outcome in ENDS and not await self._holds(self.id):
            outcome = "lost"
        # It is running until its end is kept: nobody is told of an end that a crash could take back.
        self.state = await self._finish(outcome) if outcome in ENDS else outcome

    async def ended(self) -> None:
        """Tell that nothing more is going to happen here."""
        state = "interrupted" if self.goes_on else self.state
        kind = "finished" if state in ENDS else state
        told = {"id": self.id, "state": state, "detail": self.detail, "seeds": list(self.request.seeds)}
        self.account.over = True
        await self._tell(kind, told | {"captures": self.account.captures, "failures": self.account.failures})

    async def _finish(self, outcome: str) -> str:
        record = Crawl(
            phase="finished",
            crawl=self.id,
            seeds=self.request.seeds,
            options={} if self.detail is None else {DETAIL: self.detail},
            at=stamp(self._parts.clock()),
            counts=self.told()["counts"],
            state=outcome,  # type: ignore[arg-type]  # one of `ENDS`
        )
        try:
            await keep(self._parts, Batch(blobs=(), records=(record,)))
        except EvidenceError as error:  # an end that is not kept is none: the crawl is tried again
            self.detail = str(error)
            return "interrupted"
        return outcome

    async def _recall(self) -> None:
        """Begin where earlier runs ended: with their captures. They are told of again, all at once."""
        if not self.recalling:
            return
        earlier = await run_sync(self._captures_of, self._earlier)
        async with self.account.changed:
            events = [(row, *self.account.enter(row.asked, capture)) for row, capture in earlier]
            self._already = {row.asked: row.id for row, kind, _ in events if kind == "captured"}
            vain = [row.asked for row, kind, _ in events if kind == "failed"]
            self._site = self._site_with(had=self._already, vain=vain)
            self._sitemaps = CrawlSitemaps(self._parts, self._site, self._tell_bad_sitemap)
            for _, kind, fields in events:
                self.account.add(kind, fields | self.told())
            self.recalling = False
            self.account.changed.notify_all()

    def _captures_of(self, rows: Iterable[CaptureRow]) -> list[tuple[CaptureRow, Capture]]:
        return [(row, self._parts.archive.capture(row.id)) for row in rows]

    def _site_with(self, had: Iterable[str] = (), vain: Iterable[str] = ()) -> SiteCrawl:
        """The site to be walked, of which some is there already."""
        return SiteCrawl(
            self.request.seeds,
            max_pages=self.request.pages,
            max_depth=self.request.max_depth,
            scope=self.request.scope,
            include=self.request.include,
            exclude=self.request.exclude,
            had=had,
            vain=vain,
        )

    async def _walk(self) -> None:
        """Let so many work at it; once it is to stop, they have a moment for what they are at."""
        walking = asyncio.create_task(self._work_together())
        stopping = asyncio.create_task(self._stopping.wait())
        hurrying = asyncio.create_task(self._hurrying.wait())
        if self._ends is not None:  # a page may be waited for longer, where its site asks for patience
            left = (self._ends - self._parts.clock()).total_seconds()
            asyncio.get_running_loop().call_later(max(left, 0) + MOMENT, self._stopping.set)
        try:
            await asyncio.wait({walking, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not walking.done():
                async with self.account.changed:
                    self.account.changed.notify_all()
                await asyncio.wait({walking, hurrying}, timeout=GRACE, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
            hurrying.cancel()
            if not walking.done():
                walking.cancel()
                with suppress(asyncio.CancelledError):
                    await walking
                self._is_over()
            # What is being kept belongs to the crawl, and counts.
            entered = await asyncio.gather(*self._entering, return_exceptions=True)
        if not walking.cancelled():
            walking.result()
        for error in filter(None, entered):
            raise error

    async def _work_together(self) -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(self._parts.settings.crawl_concurrency):
                group.create_task(self._work())

    async def _work(self) -> None:
        """Take steps until there are none and nobody is going to add any."""
        changed = self.account.changed
        while True:
            async with changed:
                step = self._take()
                while step is None and (self._under_way.total() or self._reading_sitemaps) and not self._stop:
                    await changed.wait()
                    step = self._take()
                if step is None:
                    changed.notify_all()
                    return
                host = parse_address(step.url).host
                self._begin(step, host)
            try:
                await self._do(step)
            finally:
                async with changed:
                    self._end(step, host)
                    changed.notify_all()

    def _take(self) -> Step | None:
        attempts = self.account.asked + self._asking
        if self._stop:
            return None
        if attempts >= self.request.pages * ATTEMPTS_PER_PAGE + SPARE_ATTEMPTS:
            self.detail = f"it ended after {attempts} addresses, too many of which gave no page"
            return None
        return None if self._is_over() else self._site.next(self._may)

    def _is_over(self) -> bool:
        """Whether it has had the seconds that were given to it."""
        over = self._ends is not None and self._parts.clock() >= self._ends
        if over:
            self.detail = f"it ended after {self.request.max_seconds} seconds, as asked"
        return over

    def _may(self, host: str, depth: int) -> bool:
        """Whether a page is taken now: each host is a queue of its own, in which the nearest pages come first.

        No page is taken while one nearer to the seeds is under way at its host: that one's links may come before.
        """
        if self._reading_sitemaps and depth > 0:
            return False
        if self._under_way[host] >= self._parts.settings.host_concurrency:
            return False
        return min((near for near, number in self._depths.get(host, {}).items() if number), default=depth) >= depth

    def _begin(self, step: Step, host: str) -> None:
        if step.kind != "page":
            self._reading_sitemaps += 1
            return
        self._under_way[host] += 1
        self._rereading += step.url in self._already
        self._depths.setdefault(host, Counter())[step.depth] += 1

    def _end(self, step: Step, host: str) -> None:
        if step.kind != "page":
            self._reading_sitemaps -= 1
            return
        self._under_way[host] -= 1
        self._rereading -= step.url in self._already
        self._depths[host][step.depth] -= 1
        if not self._under_way[host]:
            del self._under_way[host], self._depths[host]

    # what is read

    async def _do(self, step: Step) -> None:
        match step.kind:
            case "robots":
                await self._sitemaps.find(step)
            case "sitemap":
                await self._sitemaps.read(step)
            case "page":
                await self._visit(step)

    async def _visit(self, step: Step) -> None:
        """Take the links of a page, and the page itself if it is not there from an earlier run."""
        if (kept := self._already.get(step.url)) is not None:
            self._follow(step, await run_sync(reopen, self._parts, kept))
            return
        page = await fresh_enough(self._parts, self.record, self.request, step.url)
        if page is None:
            page = await from_web(self._parts, self.record, self.request, step.url)
            if step.depth == 0 and (sitemap := await sitemap_in(page)) is not None:
                self._site.give_back()
                await self._sitemaps.take_in(step, sitemap, whole=page.capture.outcome == "ok")
                return
        entering = asyncio.create_task(self._enter(step, page))
        self._entering.add(entering)
        await asyncio.shield(entering)
        self._entering.discard(entering)

    async def _enter(self, step: Step, page: Page) -> None:
        """Keep a page and count it. Nothing comes in between: a crawl has no captures that it does not count."""
        if page.fresh is None:
            self.account.counts["from_store"] += 1
        elif await self._holds(self.id):
            await keep(self._parts, Batch(blobs=page.fresh.blobs, records=page.fresh.records))
        else:  # another process has the crawl by now, and asks for the page itself
            self._site.give_back()
            self.stop("lost")
            return
        self._asked += 1
        kind, fields = self.account.enter(step.url, page.capture)
        if kind == "captured":
            self._follow(step, page)
        else:
            self._site.give_back()
        await self._tell(kind, fields)

    def _follow(self, step: Step, page: Page) -> None:
        """Take the links of a page."""
        capture, document = page.capture, page.document
        read_as = [(one.name, one.version) for one in document.extractors] if document else []
        feed = step.depth == 0 and FEED in read_as
        links = [link.url for link in document.links] if document else []
        follow = document is None or "nofollow" not in document.flags
        new = self._site.page_read(step, final=capture.final, links=links, follow=follow, anywhere=feed)
        if feed:
            self.account.counts["from_feeds"] += new


def _passes(error: Exception) -> bool:
    return isinstance(error.means if isinstance(error, KeptForRetry) else error, PASSING)
