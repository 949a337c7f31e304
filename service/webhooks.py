"""Alarms sent to an address, signed, and tried again for some time."""

import hashlib
import hmac
import secrets
from datetime import datetime, timedelta
from typing import Any, Final

import orjson

from crawler import Answered, BadAddress, CrawlError, Endpoint, Guard, Resolver, parse_address
from service.failures import BadSetting
from service.outgoing import proxies_of
from service.settings import Settings
from snapshots import Delivery, Webhook, stamp

SECRET_BYTES: Final = 32
PREFIX: Final = "whsec_"
"""So that scanners for secrets that went where they should not know one."""
MAX_ANSWER: Final = 64 * 1024
"""Bytes read of an answer; only its status matters."""
ANSWER_SECONDS: Final = 15.0
BACKOFF: Final = (30, 120, 600, 3_600, 21_600, 86_400)
"""Seconds until the next try: a receiver that is down for a day misses nothing, one that has gone is left alone."""
GONE: Final = 410
"""By this status a receiver says that it wants no more of it."""
MAX_DETAIL: Final = 300
"""Characters that are kept of why an alarm did not arrive."""


def new_secret() -> str:
    """A fresh secret; its characters are the key of the HMAC."""
    return PREFIX + secrets.token_urlsafe(SECRET_BYTES)


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """What says that a body is ours and of this time: HMAC-SHA256 of the timestamp, a dot, and the body."""
    return "sha256=" + hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


class Webhooks:
    """Posts to where alarms go. Every dial is checked, but for the origins in the operator's settings."""

    def __init__(self, settings: Settings, resolver: Resolver | None) -> None:
        self._settings = settings
        self._resolver = resolver
        self._proxies = proxies_of(settings)
        try:
            self._guard = Guard.of(settings.allow_addresses, settings.webhook_origins)
        except (ValueError, BadAddress) as error:
            raise BadSetting(f"CITATOR_WEBHOOK_ORIGINS: {error}") from error

    def check(self, address: str) -> str:
        """The origin of an address, if alarms may be sent there as far as can be told without a look-up.

        Raises:
            BadAddress, AddressRefused: they may not.
        """
        parsed = parse_address(address)
        self._guard.check_asked(parsed)
        return parsed.origin

    async def send(self, hook: Webhook, delivery: Delivery, alarm: dict[str, Any], now: datetime) -> Delivery:
        """Try to deliver an alarm once, and say how it stands with it now. Raises nothing."""
        body = orjson.dumps(alarm)
        timestamp = str(int(now.timestamp()))
        headers = (
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            ("X-Citator-Alarm", delivery.alarm),
            ("X-Citator-Attempt", str(delivery.attempts + 1)),
            ("X-Citator-Timestamp", timestamp),
            ("X-Citator-Signature", signature(hook.secret, timestamp, body)),
        )
        try:
            answered = await self._post(hook.address, headers, body)
        except CrawlError as error:
            return _tried(delivery, now, None, str(error))
        return _tried(delivery, now, answered.status, f"answered with status {answered.status}")

    async def _post(self, address: str, headers: tuple[tuple[str, str], ...], body: bytes) -> Answered:
        agent = self._settings.user_agent
        endpoint = Endpoint(
            address, user_agent=agent, resolver=self._resolver, guard=self._guard, proxies=self._proxies
        )
        try:
            return await endpoint.ask(endpoint.address, headers, body=body, limit=MAX_ANSWER, seconds=ANSWER_SECONDS)
        finally:
            endpoint.close()


def _tried(delivery: Delivery, now: datetime, status: int | None, detail: str) -> Delivery:
    """How it stands with a delivery after one more try."""
    attempts = delivery.attempts + 1
    told = detail[:MAX_DETAIL]
    if status is not None and status // 100 == 2:  # noqa: PLR2004 - HTTP's successes
        return Delivery(delivery.watch, delivery.alarm, attempts, "delivered", stamp(now), told)
    if status == GONE or attempts > len(BACKOFF):
        return Delivery(delivery.watch, delivery.alarm, attempts, "given_up", stamp(now), told)
    again = now + timedelta(seconds=BACKOFF[attempts - 1])
    return Delivery(delivery.watch, delivery.alarm, attempts, "waiting", stamp(again), told)
