"""One crawl under way in this process: its pages captured one after another, within limits, told as they happen.

What has to survive is in the log: the crawl's record, and captures that name it. A crawl that was interrupted is walked
again from its seeds, and pages that it has captured already are read from the store instead of the web.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, Literal

import structlog
from anyio.to_thread import run_sync

from crawler import BadSitemap, CrawlError, SiteCrawl, Step, is_sitemap, parse_address, read_sitemap
from service.answering import keep
from service.capturing import Page, from_store, look_again, reopen
from service.crawl_book import DETAIL
from service.crawl_calendar import due
from service.crawl_requests import CrawlRequest
from service.crawl_telling import failure_of, line_of
from service.looking import Wish
from service.parts import Parts
from service.spool import KeptForRetry
from snapshots import Batch, CatalogueBusy, Crawl, EvidenceError, StoreUnreachable, digest, moment, stamp

log = structlog.get_logger(__name__)

ATTEMPTS_PER_PAGE: Final = 4
"""A site of dead links must end: a crawl asks for at most this many addresses for each page it may capture, …"""
SPARE_ATTEMPTS: Final = 100
"""… and this many more, so that a small crawl survives a bad start."""
LIMITS: Final = ("trap", "full", "elsewhere")
"""Why addresses were left out that nobody wished to be: how many it were is told."""
FOUND: Final = 200
CLIENT_ERRORS: Final = range(400, 500)
DISALLOWED: Final = "robots_disallowed"
MICROSECONDS: Final = 1_000_000
MANY_EVENTS: Final = 1_000_000_000
"""More than any crawl has, and less than any number of a crawl that was gone on with."""
GRACE: Final = 5.0
"""Seconds that pages under way have when a crawl is stopped. Those that are cut off are asked for when it goes on."""
MOMENT: Final = 0.1
"""Seconds after its end in which a crawl that has nothing under way is looked at: then the end is past by any clock."""
FEED: Final = ("main-text", "feed")
"""How a document says that it was read from a feed."""

ENDS: Final = frozenset({"done", "cancelled", "failed"})
"""States in which a crawl ends for good."""
PASSING: Final = (CatalogueBusy, StoreUnreachable)
"""What interrupts a crawl and does not end it: database or bucket are away, and come back."""

Stop = Literal["cancelled", "paused", "lost"]
"""Why a crawl ends early: somebody wishes it, or another process has it now."""


class CrawlRun:
    """A crawl under way. `changed` is notified of all that happens to it.

    `already` maps addresses to the captures that an interrupted run has made of them; `again`: there was one. `holds`
    says whether the crawl is still this process's; what it gets once it is another's is not kept.
    """

    def __init__(
        self,
        parts: Parts,
        record: Crawl,
        request: CrawlRequest,
        already: dict[str, str],
        *,
        again: bool,
        holds: Callable[[str], Awaitable[bool]],
    ) -> None:
        self.id = record.id
        self.record = record
        self.request = request
        self.site = SiteCrawl(
            request.seeds,
            max_pages=request.pages,
            max_depth=request.max_depth,
            scope=request.scope,
            include=request.include,
            exclude=request.exclude,
        )
        self.state = "running"
        self.detail: str | None = None
        self.counts: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.captures: list[dict[str, Any]] = []
        self.failures: list[dict[str, Any]] = []
        self.happened: list[dict[str, Any]] = []
        self.changed = asyncio.Condition()
        self.over = False
        self._parts = parts
        self._already = already
        self._holds = holds
        self._stop: Stop | None = None
        self._stopping = asyncio.Event()
        self._hurrying = asyncio.Event()
        self._under_way: Counter[str] = Counter()
        """By host."""
        self._depths: dict[str, Counter[int]] = {}
        self._sitemaps = 0
        self._guessed: set[str] = set()
        """Sitemaps that nobody named."""
        self._asked = 0
        self._began = parts.clock()
        self._numbered_from = int((self._began - _EPOCH).total_seconds() * MICROSECONDS) if again else 0
        """Each run has numbers of its own, higher than those of earlier ones wherever they were: it tells its events
        in an order of its own, so that a number of an earlier run says nothing about what was heard of this one."""
        self._ends = moment(record.at) + timedelta(seconds=request.max_seconds) if request.max_seconds else None

    def stop(self, why: Stop) -> None:
        """End it after the pages under way, or without those that take too long; asked again, without any of them."""
        if self._stop is not None:
            self._hurrying.set()
        self._stop = self._stop or why
        self._stopping.set()

    def told(self) -> dict[str, Any]:
        """How it stands, in numbers."""
        left_out = {f"left_out_{reason}": self.site.dropped[reason] for reason in LIMITS if self.site.dropped[reason]}
        return {
            "counts": {"captured": 0, "failed": 0, "waiting": self.site.waiting} | dict(self.counts) | left_out,
            "errors": dict(self.errors.most_common()),
            "left": self._left(),
        }

    def _left(self) -> dict[str, Any]:
        """What is probably left: more pages may be found, and how long they take is told by those that came."""
        if self.state in ENDS:
            return {"pages": 0, "seconds": 0}
        pages = self.site.left + self._under_way.total()
        passed = (self._parts.clock() - self._began).total_seconds()
        seconds = round(passed / self._asked * pages) if self._asked and pages else None if pages else 0
        return {"pages": pages, "seconds": seconds}

    async def tell(self, kind: str, **fields: Any) -> None:
        """Add an event and wake who listens."""
        async with self.changed:
            number = self._numbered_from + len(self.happened) + 1
            self.happened.append({"event": number, "type": kind} | fields | self.told())
            self.changed.notify_all()

    def heard(self, after: int) -> int:
        """How many of its events somebody has heard, or wishes to pass over, who names the number `after`.

        None of them, if that is a number of another run.
        """
        heard = after - self._numbered_from
        return heard if 0 <= heard <= (len(self.happened) if self._numbered_from else MANY_EVENTS) else 0

    # driving

    async def drive(self) -> None:
        """Walk to the end, and keep how it ended. Pauses and losses are no ends."""
        outcome: str
        try:
            if self.request.sitemap and self.request.max_depth != 0:
                await self._find_sitemaps()
            await self._walk()
            outcome = self._stop or "done"
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
        kind = "finished" if self.state in ENDS else self.state
        fields = {"id": self.id, "state": self.state, "detail": self.detail, "seeds": list(self.request.seeds)}
        self.over = True
        await self.tell(kind, **fields, captures=self.captures, failures=self.failures)

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
        except EvidenceError as error:
            self.detail = str(error)
            return "interrupted" if _passes(error) else "failed"
        return outcome

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
                async with self.changed:
                    self.changed.notify_all()
                await asyncio.wait({walking, hurrying}, timeout=GRACE, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
            hurrying.cancel()
            if not walking.done():
                walking.cancel()
                with suppress(asyncio.CancelledError):
                    await walking
                self._is_over()
        if not walking.cancelled():
            walking.result()

    async def _work_together(self) -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(self._parts.settings.crawl_concurrency):
                group.create_task(self._work())

    async def _work(self) -> None:
        """Take steps until there are none and nobody is going to add any."""
        while True:
            async with self.changed:
                step = self._take()
                while step is None and (self._under_way.total() or self._sitemaps) and not self._stop:
                    await self.changed.wait()
                    step = self._take()
                if step is None:
                    self.changed.notify_all()
                    return
                host = parse_address(step.url).host
                self._begin(step, host)
            try:
                await (self._read_sitemap if step.kind == "sitemap" else self._visit)(step)
            finally:
                async with self.changed:
                    self._end(step, host)
                    self.changed.notify_all()

    def _take(self) -> Step | None:
        attempts = self.counts["captured"] + self.counts["failed"] + self._under_way.total()
        if self._stop:
            return None
        if attempts >= self.request.pages * ATTEMPTS_PER_PAGE + SPARE_ATTEMPTS:
            self.detail = f"it ended after {attempts} addresses, too many of which gave no page"
            return None
        return None if self._is_over() else self.site.next(self._may)

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
        if self._sitemaps and depth > 0:
            return False
        if self._under_way[host] >= self._parts.settings.host_concurrency:
            return False
        return min((near for near, number in self._depths.get(host, {}).items() if number), default=depth) >= depth

    def _begin(self, step: Step, host: str) -> None:
        if step.kind == "sitemap":
            self._sitemaps += 1
            return
        self._under_way[host] += 1
        self._depths.setdefault(host, Counter())[step.depth] += 1

    def _end(self, step: Step, host: str) -> None:
        if step.kind == "sitemap":
            self._sitemaps -= 1
            return
        self._under_way[host] -= 1
        self._depths[host][step.depth] -= 1
        if not self._under_way[host]:
            del self._under_way[host], self._depths[host]

    # what is read

    async def _find_sitemaps(self) -> None:
        """Have the sitemaps read that robots.txt names, or the one that lies in the usual place."""
        for seed in dict.fromkeys(parse_address(seed).origin for seed in self.request.seeds):
            rules = await self._parts.fetcher.rules(seed)
            if not rules.sitemaps:
                self._guessed.add(seed + "/sitemap.xml")
            self.site.add_sitemaps(rules.sitemaps or [seed + "/sitemap.xml"])

    async def _read_sitemap(self, step: Step) -> None:
        """Take the addresses of a sitemap. Where nobody named one it is no fault that there is none."""
        visit = await self._parts.fetcher.fetch(step.url, robots="follow", patient=True)
        if visit.status == FOUND and visit.body:
            await self._take_in(step, visit.body, whole=visit.outcome == "ok")
        elif step.url not in self._guessed or not (visit.status in CLIENT_ERRORS or visit.reason == DISALLOWED):
            why = visit.detail or ("there is nothing in it" if visit.status == FOUND else f"it answers {visit.status}")
            await self._tell_bad_sitemap(step, why)

    async def _take_in(self, step: Step, body: bytes, *, whole: bool = True) -> None:
        try:
            found = await run_sync(partial(read_sitemap, body, step.url, whole=whole))
        except BadSitemap as error:
            await self._tell_bad_sitemap(step, str(error))
            return
        self.counts["from_sitemaps"] += self.site.sitemap_read(step, found)
        if found.cut:
            taken = len(found.pages) + len(found.sitemaps)
            await self._tell_bad_sitemap(step, f"it is damaged or too long; {taken} addresses in it could be read")

    async def _tell_bad_sitemap(self, step: Step, why: str) -> None:
        self.counts["bad_sitemaps"] += 1
        await self.tell("bad_sitemap", url=step.url, detail=why)

    async def _visit(self, step: Step) -> None:
        page = await self._page(step)
        if page is None:
            self.site.give_back()
            return
        self._asked += 1
        capture, document = page.capture, page.document
        failure = failure_of(capture, step.url)
        if failure is not None:
            self.site.give_back()
            self.counts["failed"] += 1
            self.errors[failure["reason"]] += 1
            self.failures.append(failure)
            await self.tell("failed", **failure)
            return
        line = line_of(capture, step.url)
        self.counts["captured"] += 1
        self.captures.append(line)
        read_as = [(one.name, one.version) for one in document.extractors] if document else []
        feed = step.depth == 0 and FEED in read_as
        links = [link.url for link in document.links] if document else []
        follow = document is None or "nofollow" not in document.flags
        new = self.site.page_read(step, final=capture.final, links=links, follow=follow, anywhere=feed)
        if feed:
            self.counts["from_feeds"] += new
        await self.tell("captured", **line)

    async def _page(self, step: Step) -> Page | None:
        """The page of a step: as this crawl has captured it already, or fresh enough from the store, or from the web.

        None if it is a sitemap that the crawl starts from, which is read like any other and not kept; or if the crawl
        is another process's by now, which asks for the page itself.
        """
        kept = self._already.get(step.url)
        if kept is not None:
            return await run_sync(reopen, self._parts, kept)
        if (found := await self._fresh(step.url)) is not None:
            return found
        page = await look_again(
            self._parts, step.url, Wish(self.request.render), robots="follow", crawl=self.id, patient=True
        )
        assert page.fresh is not None, "it was looked at just now"
        if step.depth == 0:
            body = next((blob for blob in page.fresh.blobs if digest(blob) == page.capture.body), b"")
            if await run_sync(is_sitemap, body):
                await self._take_in(step, body, whole=page.capture.outcome == "ok")
                return None
        if not await self._holds(self.id):
            self.stop("lost")
            return None
        await keep(self._parts, Batch(blobs=page.fresh.blobs, records=page.fresh.records))
        return page

    async def _fresh(self, url: str) -> Page | None:
        """What the store has of a page, if that is new enough for this crawl."""
        if self.request.max_age and (found := await from_store(self._parts, url, self.request.max_age)) is not None:
            return found
        if self.record.options.get("follows") and self.request.min_interval and self.request.max_interval:
            interval = (self.request.min_interval, self.request.max_interval)
            when = await run_sync(due, self._parts.archive, url, interval)
            if when is not None and when > self._parts.clock():
                age = int((self._parts.clock() - _EPOCH).total_seconds())
                return await from_store(self._parts, url, age)
        return None


def _passes(error: Exception) -> bool:
    return isinstance(error.means if isinstance(error, KeptForRetry) else error, PASSING)


_EPOCH: Final = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
