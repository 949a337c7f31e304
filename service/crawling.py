"""Crawls: a site's pages captured one after another, within limits, told as they happen.

A crawl is a record; its captures name it. That is all that has to survive: a crawl that was interrupted is walked again
from its seeds, and pages that it has captured already are read from the store instead of the web.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import structlog
from anyio.to_thread import run_sync

from crawler import BadSitemap, CrawlError, SiteCrawl, Step, parse_address
from service.answering import keep
from service.capturing import Page, from_store, reopen
from service.failures import UnknownCrawl
from service.looking import look
from service.parts import Parts
from service.requests import Caller, CrawlRequest
from snapshots import Batch, Capture, CaptureRow, Crawl, EvidenceError, stamp

log = structlog.get_logger(__name__)

ATTEMPTS_PER_PAGE = 4
"""A site of dead links must end: a crawl asks for at most this many addresses for each page it may capture, …"""
SPARE_ATTEMPTS = 100
"""… and this many more, so that a small crawl survives a bad start."""
FOUND = 200
FIRST_ERROR = 400
"""HTTP statuses from here on are answers without a page."""


@dataclass
class Running:
    """A crawl under way in this process."""

    id: str
    request: CrawlRequest
    site: SiteCrawl
    already: dict[str, str]
    """Asked address to capture id, of what an interrupted run has captured."""
    state: str = "running"
    counts: Counter[str] = field(default_factory=Counter)
    captures: list[dict[str, Any]] = field(default_factory=list)
    failures: list[dict[str, Any]] = field(default_factory=list)
    happened: list[dict[str, Any]] = field(default_factory=list)
    under_way: int = 0
    depths: Counter[int] = field(default_factory=Counter)
    """Pages under way by their depth."""
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    task: asyncio.Task[None] | None = None
    cancelled: bool = False
    detail: str | None = None

    @property
    def may_ask(self) -> bool:
        """Whether another page may be asked for."""
        attempts = self.counts["captured"] + self.counts["failed"] + self.under_way
        return not self.cancelled and attempts < self.request.max_pages * ATTEMPTS_PER_PAGE + SPARE_ATTEMPTS

    def take(self) -> Step | None:
        """The next step. No page is taken while one nearer to the seeds is under way: its links may come before."""
        depth = self.site.next_depth
        if not self.may_ask or (depth is not None and any(n for near, n in self.depths.items() if near < depth)):
            return None
        return self.site.next()

    @property
    def over(self) -> bool:
        """Whether nothing more is going to happen."""
        return self.task is not None and self.task.done()

    async def tell(self, kind: str, **fields: Any) -> None:
        """Add an event and wake who listens."""
        async with self.changed:
            self.happened.append(
                {"event": len(self.happened) + 1, "type": kind} | fields | {"counts": dict(self.counts)}
            )
            self.changed.notify_all()

    def as_told(self) -> dict[str, Any]:
        """The crawl as it stands."""
        return {
            "id": self.id,
            "state": self.state,
            "detail": self.detail,
            "seeds": list(self.request.seeds),
            "counts": {"captured": 0, "failed": 0, "waiting": self.site.waiting} | dict(self.counts),
            "captures": self.captures,
            "failures": self.failures,
        }


class Crawls:
    """All crawls. Close it before the parts it uses."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._running: dict[str, Running] = {}

    async def start(self, request: CrawlRequest, caller: Caller) -> dict[str, Any]:
        """Start a crawl; its record is durable when this returns."""
        for seed in request.seeds:
            parse_address(seed)  # a crawl that cannot begin is refused rather than started
        options = request.model_dump(mode="json", exclude_defaults=True, exclude={"url", "urls", "session"})
        record = Crawl(
            phase="started",
            seeds=request.seeds,
            options=options | {"by": caller.key},
            at=stamp(self._parts.clock()),
            state="running",
        )
        await keep(self._parts, Batch(blobs=(), records=(record,)))
        return self._launch(record.id, request, {}).as_told()

    async def resume(self) -> int:
        """Go on with crawls that an earlier process did not finish. Returns how many."""
        open_crawls = await run_sync(self._unfinished)
        for crawl in open_crawls:
            options = {name: value for name, value in crawl.options.items() if name != "by"}
            try:
                request = CrawlRequest(urls=crawl.seeds, **options)
            except ValueError as error:
                log.warning("a crawl cannot be resumed", crawl=crawl.id, error=str(error))
                continue
            rows = await run_sync(self._captures_of, crawl.id)
            self._launch(crawl.id, request, {row.asked: row.id for row in rows})
        return len(open_crawls)

    async def status(self, crawl: str) -> dict[str, Any]:
        """The crawl as it stands, from memory or from what is kept."""
        running = self._running.get(crawl)
        if running is not None:
            return running.as_told()
        return await run_sync(self._from_archive, crawl)

    async def events(self, crawl: str, after: int) -> AsyncIterator[dict[str, Any]]:
        """The events of a crawl from number `after` + 1 on; ends when the crawl does."""
        running = self._running.get(crawl)
        if running is None:
            yield {"event": after + 1, "type": "finished"} | await self.status(crawl)
            return
        while True:
            async with running.changed:
                while len(running.happened) <= after and not running.over:
                    await running.changed.wait()
            news = running.happened[after:]
            if not news:
                return
            for event in news:
                yield event
            after += len(news)
            if news[-1]["type"] == "finished":
                return

    async def cancel(self, crawl: str) -> dict[str, Any]:
        """Stop a crawl after the pages under way."""
        running = self._running.get(crawl)
        if running is None:
            return await self.status(crawl)
        running.cancelled = True
        async with running.changed:
            running.changed.notify_all()
        if running.task is not None:
            await asyncio.shield(running.task)
        return running.as_told()

    async def close(self) -> None:
        """Stop all crawls where they are; the next start goes on with them."""
        tasks = [running.task for running in self._running.values() if running.task and not running.task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _launch(self, crawl: str, request: CrawlRequest, already: dict[str, str]) -> Running:
        running = Running(
            id=crawl,
            request=request,
            site=SiteCrawl(request.seeds, max_pages=request.max_pages, max_depth=request.max_depth),
            already=already,
        )
        self._running[crawl] = running
        running.task = asyncio.create_task(self._drive(running), name=f"crawl {crawl[:19]}")
        return running

    async def _drive(self, running: Running) -> None:
        try:
            if running.request.sitemap:
                await self._find_sitemaps(running)
            async with asyncio.TaskGroup() as group:
                for _ in range(self._parts.settings.crawl_concurrency):
                    group.create_task(self._work(running))
            running.state = "cancelled" if running.cancelled else "done"
        except* (EvidenceError, CrawlError) as errors:
            running.state, running.detail = "failed", "; ".join(str(error) for error in errors.exceptions)
            log.warning("a crawl failed", crawl=running.id, error=running.detail)
        await self._finish(running)

    async def _finish(self, running: Running) -> None:
        record = Crawl(
            phase="finished",
            crawl=running.id,
            seeds=running.request.seeds,
            at=stamp(self._parts.clock()),
            counts=dict(running.counts),
            state=running.state,  # type: ignore[arg-type]  # one of the finished states by now
        )
        try:
            await keep(self._parts, Batch(blobs=(), records=(record,)))
        except EvidenceError as error:
            running.state, running.detail = "failed", str(error)
        await running.tell("finished", **running.as_told())

    async def _find_sitemaps(self, running: Running) -> None:
        """Have the sitemaps read that robots.txt names, or the one that lies in the usual place."""
        for seed in dict.fromkeys(parse_address(seed).origin for seed in running.request.seeds):
            rules = await self._parts.fetcher.rules(seed)
            running.site.add_sitemaps(rules.sitemaps or [seed + "/sitemap.xml"])

    async def _work(self, running: Running) -> None:
        """Take steps until there are none and nobody is going to add any."""
        while True:
            async with running.changed:
                step = running.take()
                while step is None and running.under_way and not running.cancelled:
                    await running.changed.wait()
                    step = running.take()
                if step is None:
                    running.changed.notify_all()
                    return
                running.under_way += 1
                running.depths[step.depth] += 1
            try:
                await (self._read_sitemap if step.kind == "sitemap" else self._visit)(running, step)
            finally:
                async with running.changed:
                    running.under_way -= 1
                    running.depths[step.depth] -= 1
                    running.changed.notify_all()

    async def _read_sitemap(self, running: Running, step: Step) -> None:
        """Take the addresses of a sitemap. One that is not there is no failure: most sites have none."""
        visit = await self._parts.fetcher.fetch(step.url, robots="follow", patient=True)
        if visit.outcome != "ok" or visit.status != FOUND or not visit.body:
            return
        try:
            running.counts["from_sitemaps"] += running.site.sitemap_read(step, visit.body)
        except BadSitemap as error:
            await running.tell("bad_sitemap", url=step.url, detail=str(error))

    async def _visit(self, running: Running, step: Step) -> None:
        page, follow = await self._page(running, step)
        capture, document = page.capture, page.document
        line, failure = _judged(capture, step.url)
        links = [link.url for link in document.links] if document else []
        if failure is None:
            running.counts["captured"] += 1
            running.captures.append(line)
            running.site.page_read(step, final=capture.final, links=links, follow=follow)
            await running.tell("captured", **line)
        else:
            running.site.give_back()
            running.counts["failed"] += 1
            running.failures.append(failure)
            await running.tell("failed", **failure)

    async def _page(self, running: Running, step: Step) -> tuple[Page, bool]:
        """The page of a step, and whether its links may be followed.

        It is taken as this crawl has captured it already, or fresh enough from the store, or from the web.
        """
        kept = running.already.get(step.url)
        if kept is not None:
            return await run_sync(reopen, self._parts, kept), True
        if running.request.max_age:
            found = await from_store(self._parts, step.url, running.request.max_age)
            if found is not None:
                return found, True
        seen = await look(self._parts, step.url, robots="follow", crawl=running.id, patient=True)
        await keep(self._parts, Batch(blobs=seen.blobs, records=seen.records))
        return Page(seen.capture, seen.document, seen), not (seen.reading and seen.reading.robots_meta.nofollow)

    def _from_archive(self, crawl: str) -> dict[str, Any]:
        found = self._parts.archive.resolve(crawl)
        record = self._parts.archive.record(found)
        if not isinstance(record, Crawl):
            raise UnknownCrawl(f"{found} is no crawl")
        finished = self._end_of(found)
        captures: list[dict[str, Any]] = []
        failures: list[dict[str, Any]] = []
        for row in self._captures_of(found):
            line, failure = _judged(self._parts.archive.capture(row.id), row.asked)
            if failure is None:
                captures.append(line)
            else:
                failures.append(failure)
        return {
            "id": found,
            "state": finished.state if finished else "interrupted",
            "detail": None if finished else "the next start of the server goes on with it",
            "seeds": list(record.seeds),
            "counts": finished.counts if finished else {"captured": len(captures), "failed": len(failures)},
            "captures": captures,
            "failures": failures,
        }

    def _unfinished(self) -> list[Crawl]:
        """Crawls that were started and not finished, in the order of the log."""
        started: dict[str, Crawl] = {}
        for naming in self._parts.archive.catalogue.of_kind("crawl"):
            record = self._parts.archive.record(naming.id)
            if not isinstance(record, Crawl):
                continue
            if record.crawl is None:
                # One that came with a bundle was somebody else's to finish.
                if not self._parts.archive.imported(record.id, naming.position):
                    started[record.id] = record
            else:
                started.pop(record.crawl, None)
        return list(started.values())

    def _end_of(self, crawl: str) -> Crawl | None:
        """The record with which a crawl ended."""
        for naming in self._parts.archive.catalogue.naming(crawl):
            record = self._parts.archive.record(naming.id) if naming.kind == "crawl" else None
            if isinstance(record, Crawl):
                return record
        return None

    def _captures_of(self, crawl: str) -> list[CaptureRow]:
        """All captures of a crawl, in the order of the log."""
        rows: list[CaptureRow] = []
        while found := self._parts.archive.catalogue.of_crawl(crawl, after=rows[-1].position if rows else -1):
            rows += found
        return rows


def _judged(capture: Capture, url: str) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """A capture as a crawl tells it, and if it is no page, why."""
    status = capture.hops[-1].status if capture.hops else None
    line = {"url": url, "capture": capture.id, "outcome": capture.outcome, "status": status}
    if capture.outcome == "ok" and (status is None or status < FIRST_ERROR):
        return line | {"document": capture.document, "retrieved_at": capture.retrieved_at}, None
    reason = capture.reason or (f"http_{status}" if status else capture.outcome)
    return line, line | {"reason": reason, "detail": capture.detail}
