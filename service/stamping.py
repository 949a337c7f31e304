"""Has the log's checkpoints stamped by authorities outside, in the background: nobody ever waits for it.

A token over a checkpoint covers every entry of its tree, so one now and then is enough. Tokens are renewed before the
certificate that signed them ends: by a token over a later checkpoint, or, where the log has not grown, over the same.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import structlog
from anyio.to_thread import run_sync

from crawler import BadAddress, CrawlError, Endpoint, Resolver
from service.clock import Clock
from service.failures import BadSetting
from service.outgoing import proxies_of
from service.settings import Settings
from snapshots import BadStamp, EvidenceError, Log, Post, Stamps, Token, checked_token, moment, new_request, read_roots

log = structlog.get_logger(__name__)

MAX_ANSWER: Final = 64 * 1024
"""Bytes of an authority's answer; with a long chain it has some 8,000."""
ANSWER_SECONDS: Final = 20.0
"""An authority answers in a second or two."""
FIRST_SECONDS: Final = 1.0
"""After the start, so that it does not stand in the way of the first requests."""
LOOK_SECONDS: Final = 30.0
"""Between looks at whether something is due."""
RETRY_SECONDS: Final = 60.0
"""After a failure; twice as long after each further one."""
RETRY_MOST: Final = 6 * 3600.0
RENEW_BEFORE: Final = timedelta(days=30)
"""Before its certificate ends a token is renewed: long enough to notice an authority that has gone."""
RENEW_APART: Final = timedelta(days=7)
"""An authority that still signs with the same certificate is not asked more often for that reason."""
QUERY: Final = "application/timestamp-query"


@dataclass
class Asked:
    """How it stands with one authority."""

    failures: int = 0
    failure: str | None = None
    not_before: float = 0.0
    """On the loop's clock: when it may be asked again after a failure."""


@dataclass(frozen=True)
class Stamped:
    """What came of one authority: `stamped`, `current` (it had covered everything) or `failed`."""

    authority: str
    result: str
    detail: str


class Stamper:
    """Stamps one log with the authorities of the settings. One per process."""

    def __init__(
        self, settings: Settings, opened: Log, stamps: Stamps, clock: Clock, post: Post, roots: Sequence[Any]
    ) -> None:
        self.stamps = stamps
        self._settings = settings
        self._log = opened
        self._clock = clock
        self._post = post
        self._roots = roots
        self._asked = {authority: Asked() for authority in settings.tsa_urls}
        self._turn = asyncio.Lock()

    async def run(self) -> None:
        """Stamp whenever it is due, until cancelled."""
        if not self._asked:
            return
        await asyncio.sleep(FIRST_SECONDS)
        while True:
            try:
                await run_sync(self.stamps.refresh)
                await self.stamp(due=True)
            except EvidenceError as error:  # the bucket: others will tell of it, and here is time to try again
                log.warning("the time stamps cannot be looked after", reason=str(error))
            await asyncio.sleep(min(LOOK_SECONDS, self._settings.tsa_interval))

    async def stamp(self, *, due: bool = False) -> list[Stamped]:
        """Ask every authority that has not covered the whole log; with `due` only those whose time it is.

        Never raises for an authority: what it did not do is told.
        """
        async with self._turn:
            wanted = [one for one in self._asked if not due or await self._is_due(one)]
            return list(await asyncio.gather(*(self._one(authority) for authority in wanted)))

    def tokens_for(self, size: int, *, within: int | None = None) -> tuple[Token, ...]:
        """The tokens that a bundle over the first `size` entries takes along; see `Stamps.tokens_for`. Blocking."""
        return self.stamps.tokens_for(size, within=within)

    def missing(self) -> list[str]:
        """What stands in the way of time stamps, in sentences: for the doctor, health, and the notes of a bundle."""
        if not self._asked:
            return ["no time-stamping authority is set (CITATOR_TSA_URLS): nobody outside says when this log stood"]
        told = []
        if self._settings.tsa_ca_file is None:
            told.append("CITATOR_TSA_CA_FILE is not set: tokens are kept without a check of whose signature they bear")
        told += [
            f"{name} failed {one.failures} times: {one.failure}" for name, one in self._asked.items() if one.failure
        ]
        return told

    def state(self) -> list[dict[str, Any]]:
        """How it stands with each authority. Blocking."""
        told = []
        for authority, asked in self._asked.items():
            newest = self.stamps.newest(authority)
            told.append(
                {
                    "authority": authority,
                    "newest": newest.time if newest else None,
                    "covers": newest.size if newest else 0,
                    "behind": max(0, self._log.size - (newest.size if newest else 0)),
                    "checked": newest.checked if newest else None,
                    "certificate_ends": newest.ends if newest else None,
                    "failures": asked.failures,
                    "failure": asked.failure,
                }
            )
        return told

    async def _is_due(self, authority: str) -> bool:
        if asyncio.get_running_loop().time() < self._asked[authority].not_before:
            return False
        newest = await run_sync(self.stamps.newest, authority)
        if newest is None:
            return self._log.size > 0
        now, last = self._clock(), moment(newest.time)
        if renewal_due(newest, now):
            return True
        return newest.size < self._log.size and now - last >= timedelta(seconds=self._settings.tsa_interval)

    async def _one(self, authority: str) -> Stamped:
        asked = self._asked[authority]
        try:
            token = await self._token(authority)
        except EvidenceError as error:
            asked.failures += 1
            asked.failure = str(error)
            pause = min(RETRY_SECONDS * 2 ** (asked.failures - 1), RETRY_MOST)
            asked.not_before = asyncio.get_running_loop().time() + pause
            log.warning("no time stamp", authority=authority, reason=str(error), again_in=pause)
            return Stamped(authority, "failed", str(error))
        asked.failures, asked.failure, asked.not_before = 0, None, 0.0
        if token is None:
            return Stamped(authority, "current", "its last token covers the whole log")
        log.info("stamped", authority=authority, size=token.size, time=token.time, checked=token.checked)
        return Stamped(authority, "stamped", f"{token.size} entries at {token.time}")

    async def _token(self, authority: str) -> Token | None:
        """A new token, kept; None if the newest one covers everything and is good for long enough."""
        await run_sync(self._log.publish)
        checkpoint, size = self._log.checkpoint, self._log.size
        newest = await run_sync(self.stamps.newest, authority)
        if size == 0 or (newest is not None and newest.size >= size and not renewal_due(newest, self._clock())):
            return None
        request = new_request(checkpoint)
        response = await self._post(authority, request.encoded)
        token = checked_token(request, response, authority=authority, roots=self._roots, now=self._clock())
        await run_sync(self.stamps.keep, token)
        return token


def renewal_due(token: Token, now: datetime) -> bool:
    """Whether a token's certificate ends so soon that another one should stand beside it."""
    if token.ends is None or moment(token.ends) - now > RENEW_BEFORE:
        return False
    return now - moment(token.time) >= RENEW_APART or moment(token.ends) <= now


class Posting:
    """Posts to the authorities of the settings and to nobody else."""

    def __init__(self, endpoints: Mapping[str, Endpoint]) -> None:
        self._endpoints = endpoints

    async def __call__(self, authority: str, request: bytes) -> bytes:
        """The authority's answer. Raises BadStamp."""
        try:
            answered = await self._endpoints[authority].post(
                request, media_type=QUERY, limit=MAX_ANSWER, seconds=ANSWER_SECONDS
            )
        except CrawlError as error:
            raise BadStamp(str(error)) from error
        if answered.status != 200:  # noqa: PLR2004 - HTTP's OK
            raise BadStamp(f"it answers with status {answered.status}")
        return answered.body

    def close(self) -> None:
        """Give back what resolving names took."""
        for endpoint in self._endpoints.values():
            endpoint.close()


def posting(settings: Settings, resolver: Resolver | None) -> Posting:
    """The way to the authorities. Raises BadSetting."""
    try:
        agent, proxies = settings.user_agent, proxies_of(settings)
        return Posting(Endpoint.all(settings.tsa_urls, user_agent=agent, resolver=resolver, proxies=proxies))
    except BadAddress as error:
        raise BadSetting(f"CITATOR_TSA_URLS: {error}") from error


def roots_of(path: Path | None) -> Sequence[Any]:
    """The certificates of those who vouch for authorities. Raises BadSetting."""
    if path is None:
        return ()
    try:
        return read_roots(path.read_bytes())
    except OSError as error:
        raise BadSetting(f"CITATOR_TSA_CA_FILE: {path} cannot be read: {error.strerror}") from error
    except BadStamp as error:
        raise BadSetting(f"CITATOR_TSA_CA_FILE: {path}: {error}") from error
