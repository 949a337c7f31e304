"""Watches: begun, paused, ended and told. What they find is theirs to say (`watch_book`), when, the round's."""

import hashlib
from collections.abc import Iterable
from typing import Any, Final, Literal

from anyio.to_thread import run_sync

from crawler import parse_address
from service.answering import keep
from service.citing import passages_of
from service.failures import BadRequest, WatchEnded
from service.following import ANSWERS
from service.looking import look
from service.parts import Parts
from service.recheck_targets import Target, Targets, Wanted
from service.requests import Caller
from service.watch_book import WatchBook, Watched
from service.watch_feed import API, feed
from service.watch_requests import WatchRequest
from service.watch_telling import told_alarm, told_watch, told_whole
from service.webhooks import Webhooks, new_secret
from snapshots import Batch, Watch, WatchedSource, Webhook, stamp

Phase = Literal["paused", "resumed", "ended"]

MOST_PASSAGES: Final = 5_000
"""Passages in one watch: they all stand in its record."""
MOST_WATCHES: Final = 2_000
"""Watches that are not ended: all of them are held in memory."""
FED: Final = 100
"""Alarms in a feed."""


class Watches:
    """All that can be asked of watches."""

    def __init__(self, parts: Parts, book: WatchBook, hooks: Webhooks) -> None:
        self._parts = parts
        self._book = book
        self._hooks = hooks
        self._state = parts.keyring.state

    async def add(self, request: WatchRequest, caller: Caller, /) -> dict[str, Any]:
        """Begin a watch. `secret`, by which its webhook's signatures are checked, is shown this once.

        Raises:
            BadRequest: nothing in it can be visited, or it is too much.
            BadAddress, AddressRefused: of the webhook.
            EvidenceError: what is named is not there.
        """
        origin = self._hooks.check(request.webhook) if request.webhook is not None else None
        await run_sync(self._book.follow)
        if sum(one.state != "ended" for one in self._book.all()) >= MOST_WATCHES:
            raise BadRequest(f"there are {MOST_WATCHES} watches already; end some first")
        record = Watch(
            phase="started",
            at=stamp(self._parts.clock()),
            name=request.name,
            sources=await self._sources(request),
            min_seconds=request.min_interval,
            max_seconds=request.max_interval,
            webhook=origin,
            by=caller.key,
        )
        secret = None
        if request.webhook is not None:  # before the record: a webhook without a watch harms nobody
            secret = new_secret()
            await run_sync(self._state.add_webhook, Webhook(record.id, request.webhook, secret))
        await keep(self._parts, Batch(blobs=(), records=(record,)))
        return await self.show(record.id) | {"secret": secret}

    async def _sources(self, request: WatchRequest) -> tuple[WatchedSource, ...]:
        targets = await run_sync(self._targets, request.ids)
        for url in request.urls:
            if not await run_sync(_added, targets, url):
                await self._captured(targets, parse_address(url).href)
        sources = [_source(one) for one in targets.pages.values()]
        if sum(len(one.passages) for one in sources) > MOST_PASSAGES:
            raise BadRequest(f"this means more than {MOST_PASSAGES} passages; make several watches")
        return tuple(sources)

    def _targets(self, ids: Iterable[str]) -> Targets:
        targets = Targets(self._parts.archive)
        for text in ids:
            targets.add_id(text)
        return targets

    async def _captured(self, targets: Targets, url: str) -> None:
        """A page of which nothing is kept yet: what stands there now is what the watch begins with."""
        seen = await look(self._parts, url, robots="follow")
        await keep(self._parts, Batch(blobs=seen.blobs, records=seen.records))
        if seen.capture.page_state not in ANSWERS or seen.document is None:
            why = seen.capture.detail or seen.capture.reason or seen.capture.page_state
            raise BadRequest(f"{url} gave no page that could be watched: {why}")
        target = targets.pages.setdefault(url, Target(url))
        target.wanted.setdefault(seen.capture.id, {})
        for passage in passages_of(seen.capture, seen.document):
            target.add(seen.capture.id, Wanted(passage.text, passage.prefix, passage.suffix, passage))

    async def listed(self) -> dict[str, Any]:
        """All watches, the newest first."""
        await run_sync(self._book.follow)
        return {"watches": [told_watch(one) for one in self._book.all()]}

    async def show(self, watch: str, /) -> dict[str, Any]:
        """A watch with its sources, alarms and deliveries. Raises UnknownWatch, BadId, AmbiguousId."""
        return await run_sync(self._shown, watch)

    def _shown(self, watch: str) -> dict[str, Any]:
        watched = self._found(watch)
        hook = self._state.webhook_of(watched.record.id)
        sent = self._state.deliveries(watched.record.id) if hook is not None else None
        return told_whole(self._parts.archive, watched, sent)

    def _found(self, watch: str) -> Watched:
        self._book.follow()
        return self._book.get(watch)

    async def change(self, watch: str, phase: Phase, caller: Caller, /) -> dict[str, Any]:
        """Pause a watch, let it go on, or end it for good. What it is already, it stays.

        Raises:
            UnknownWatch, BadId, AmbiguousId: there is no such watch.
            WatchEnded: it is over.
        """
        watched = await run_sync(self._found, watch)
        name = watched.record.id
        if watched.state == "ended" and phase != "ended":
            raise WatchEnded(f"the watch {name} has ended")
        if watched.state != {"paused": "paused", "resumed": "active", "ended": "ended"}[phase]:
            record = Watch(phase=phase, watch=name, at=stamp(self._parts.clock()), by=caller.key)
            await keep(self._parts, Batch(blobs=(), records=(record,)))
        if phase == "ended":
            await run_sync(self._state.forget_webhook, name)
        return await self.show(name)

    async def feed(self, watch: str | None, /) -> bytes:
        """The alarms of one watch, or of all, as Atom; the newest hundred. Raises as `show`."""
        return await run_sync(self._feed, watch)

    def _feed(self, watch: str | None) -> bytes:
        archive = self._parts.archive
        if watch is not None:
            one = self._found(watch)
            name = one.record.id
            title = f"Citator: {one.record.name or ', '.join(list(one.sources)[:3])}"
            alarms = [told_alarm(archive, one, alarm) for alarm in reversed(one.alarms)][:FED]
            updated = max([one.changed_at, *(alarm["at"] for alarm in alarms[:1])])
            ident = f"urn:citator:watch:{name.removeprefix('sha256:')}"
            return feed(ident, title, f"{API}/watches/{name}/feed.atom", updated, alarms)
        self._book.follow()
        watches = self._book.all()
        newest = sorted(((alarm, one) for one in watches for alarm in one.alarms), key=_time, reverse=True)[:FED]
        told = [told_alarm(archive, one, alarm) for alarm, one in newest]
        updated = max([*(one.changed_at for one in watches), *(one["at"] for one in told)], default=EPOCH)
        name = hashlib.sha256(self._parts.log.origin.encode()).hexdigest()  # the log keeps its name under another key
        ident = f"urn:citator:watches:{name}"
        return feed(ident, "Citator: sources that changed", f"{API}/watches/feed.atom", updated, told)


EPOCH: Final = "1970-01-01T00:00:00.000Z"
"""When a feed was changed in which nothing was ever."""


def _time(one: tuple[Any, Watched]) -> tuple[str, str]:
    return (one[0].at, one[0].id)


def _added(targets: Targets, url: str) -> bool:
    """Whether something is kept of a page."""
    targets.add_pages((url,))
    return bool(targets.pages[parse_address(url).href].wanted)


def _source(target: Target) -> WatchedSource:
    """What of a page is watched: the passages of the newest capture that is meant, or those that were named."""
    captures = [name for name in target.wanted if name is not None]
    if not target.url.startswith(("http://", "https://")) or not captures:
        raise BadRequest(f"{target.url} has no address that could be visited again")
    refs = [
        wanted.passage.ref for name in captures for wanted in target.wanted[name].values() if wanted.passage is not None
    ]
    return WatchedSource(url=target.url, capture=captures[-1], passages=tuple(refs))
