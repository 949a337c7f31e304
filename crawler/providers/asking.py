"""How every provider is asked: one request to the operator's endpoint, one JSON reply, failures by name."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol
from urllib.parse import urlencode

import orjson

from crawler.addresses import parse_address
from crawler.endpoint import Answered, Endpoint
from crawler.errors import CrawlError, TimedOut, TooLarge
from crawler.providers.contract import Found, ProviderFailed, ProviderReply, Query

MAX_REPLY: Final = 8 * 1024 * 1024
"""Bytes of a reply. Twenty results with long snippets have some hundred thousand."""
MAX_FOUND: Final = 200
"""Candidates read from one reply: as many as a record holds."""
MAX_TITLE: Final = 1_000  # characters of a title, which providers do not write; a page may call a novel its title
MAX_SITES: Final = 8  # domains written into a query: engines take some hundred characters
MAX_SNIPPET: Final = 5_000  # characters of a snippet: the longest that providers give have some 2,000

_REFUSED: Final = frozenset({400, 401, 403, 404, 405, 422})
_QUOTA: Final = frozenset({402, 429, 432, 433})
_BUSY: Final = frozenset({429, 503})
_OK: Final = 200
LONGEST_REST: Final = 3600.0
"""Seconds that a provider is left alone at most, whatever it asks for: a day of silence is a mistake of theirs."""

Json = Any


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent: a path with its query, headers, and a JSON body where it is a POST."""

    target: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """What was read out of a reply."""

    found: tuple[Found, ...]
    notes: tuple[str, ...] = ()


class Form(Protocol):
    """One provider's way of being asked and of answering. Pure."""

    honours: frozenset[str]
    """The kinds of limits that it is asked to keep to (`LANGUAGE`, `TIME`, `DOMAINS`)."""

    def request(self, query: Query, path: str) -> Request:
        """What to send; `path` is that of the operator's address, without a slash at its end."""
        ...

    def parse(self, raw: bytes) -> Json:
        """A reply as values.

        Raises:
            ValueError: it is no such thing.
        """
        ...

    def read(self, reply: Json) -> Read:
        """The candidates in a reply.

        Raises:
            KeyError, TypeError, ValueError, AttributeError, IndexError: it has another shape.
        """
        ...

    def refusal(self, status: int, answer: Answered) -> str | None:
        """What a refusal means, where this provider has a way of its own to say it."""
        ...


class InJson:
    """A form whose replies are JSON."""

    def parse(self, raw: bytes) -> Json:
        """The reply's values. Raises ValueError."""
        return orjson.loads(raw)


class Turns:
    """When a provider may be asked: so many times a second, and not before it said."""

    def __init__(self, rate: float) -> None:
        self._apart = 1 / rate if rate else 0.0
        self._next = 0.0

    async def wait(self, seconds: float) -> None:
        """Wait for the next turn.

        Raises:
            ProviderFailed: it does not come within `seconds`.
        """
        now = asyncio.get_running_loop().time()
        turn = max(now, self._next)
        if turn - now > seconds:
            raise ProviderFailed("quota", f"it may be asked again in {turn - now:.0f} seconds")
        self._next = turn + self._apart
        await asyncio.sleep(turn - now)

    def rest(self, seconds: float) -> None:
        """Ask nothing for so long: it said so."""
        self._next = max(self._next, asyncio.get_running_loop().time() + seconds)


class HttpProvider:
    """A provider over HTTP, asked at most `rate` times a second (0: no limit). `secrets` are struck out of all."""

    def __init__(
        self, name: str, form: Form, endpoint: Endpoint, *, secrets: tuple[str, ...] = (), rate: float = 0.0
    ) -> None:
        self._name = name
        self._form = form
        self._endpoint = endpoint
        self._secrets = secrets
        self._turns = Turns(rate)

    @property
    def name(self) -> str:
        """The name under which records speak of it."""
        return self._name

    def close(self) -> None:
        """Give back what the endpoint holds."""
        self._endpoint.close()

    async def search(self, query: Query, *, seconds: float) -> ProviderReply:
        """Ask, within `seconds`. See `Provider`."""
        path = self._endpoint.address.path.rstrip("/")
        request = self._form.request(query, path)
        ends = asyncio.get_running_loop().time() + seconds
        await self._turns.wait(seconds)
        try:
            answer = await self._ask(request, max(0.001, ends - asyncio.get_running_loop().time()))
        except TimedOut as error:
            raise ProviderFailed("timeout", self._clean(str(error))) from error
        except TooLarge as error:
            raise ProviderFailed("bad_reply", self._clean(str(error))) from error
        except CrawlError as error:
            raise ProviderFailed("unreachable", self._clean(str(error))) from error
        if answer.status != _OK:
            raise self._refused(answer)
        return self._read(answer, query)

    async def _ask(self, request: Request, seconds: float) -> Answered:
        headers = (("Accept", "application/json"), *request.headers)
        if request.body is None:
            return await self._endpoint.get(request.target, headers, limit=MAX_REPLY, seconds=seconds)
        headers += (("Content-Type", "application/json"), ("Content-Length", str(len(request.body))))
        address = parse_address(self._endpoint.address.origin + request.target)
        return await self._endpoint.ask(address, headers, body=request.body, limit=MAX_REPLY, seconds=seconds)

    def _refused(self, answer: Answered) -> ProviderFailed:
        status = answer.status
        said = self._form.refusal(status, answer) or f"it answered with status {status}"
        if status in _BUSY:
            self._turns.rest(_retry_after(answer))
        reason = "quota" if status in _QUOTA else "refused" if status in _REFUSED else "unreachable"
        return ProviderFailed(reason, self._clean(said), self._bytes(answer.body))

    def _read(self, answer: Answered, query: Query) -> ProviderReply:
        raw = self._bytes(answer.body)
        media_type = next((value for name, value in answer.headers if name.lower() == "content-type"), "")
        try:
            values = self._form.parse(raw)
        except ValueError:
            kind = media_type.partition(";")[0] or "something without a type"
            raise ProviderFailed("bad_reply", f"it answered {kind}, which cannot be read", raw) from None
        try:
            read = self._form.read(values)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise ProviderFailed("bad_reply", "its reply has another shape than it is known for", raw) from error
        ignored = sorted(query.limits - self._form.honours)
        notes = (*read.notes, *((f"it knows no {', no '.join(ignored)}",) if ignored else ()))
        return ProviderReply(raw, media_type.partition(";")[0].strip() or "application/json", read.found, notes)

    def _clean(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "…")
        return text

    def _bytes(self, body: bytes) -> bytes:
        """A reply as it is kept: some services repeat the key that they were asked with."""
        for secret in self._secrets:
            body = body.replace(secret.encode(), b"[key removed]")
        return body


def _retry_after(answer: Answered) -> float:
    """The seconds that an answer asks for; a date, or nothing, is read as a second."""
    said = next((value for name, value in answer.headers if name.lower() == "retry-after"), "").strip()
    return min(float(said), LONGEST_REST) if said.isascii() and said.isdecimal() else 1.0


def within(query: Query) -> str:
    """The query with its domains as engines take them: `site:` and `-site:`."""
    sites = " OR ".join(f"site:{site}" for site in query.include_domains[:MAX_SITES])
    others = [f"-site:{site}" for site in query.exclude_domains[:MAX_SITES]]
    return " ".join(part for part in (query.text, sites, *others) if part)


def target(path: str, options: Mapping[str, object]) -> str:
    """A path with its query; options that are None are left out."""
    return f"{path}?{urlencode({name: value for name, value in options.items() if value is not None})}"


def listed(items: object, read: Callable[[Mapping[str, Any], int], Found | None]) -> tuple[Found, ...]:
    """The candidates of a list of objects, in its order; what `read` gives None for holds no place."""
    if not isinstance(items, list):
        raise TypeError("a list was expected")
    found: list[Found] = []
    for item in items:
        one = read(item, len(found) + 1) if isinstance(item, Mapping) else None
        if one is not None:
            found.append(one)
        if len(found) == MAX_FOUND:
            break
    return tuple(found)


def text(value: object, most: int) -> str | None:
    """A text of a reply, cut to a length that makes sense; None for anything else, and for an empty one."""
    if not isinstance(value, str) or not value.strip():
        return None
    whole = value.encode("utf-8", "replace").decode()
    return whole if len(whole) <= most else whole[:most] + "…"


def found(item: Mapping[str, Any], rank: int, *, url: str = "url", title: str = "title", snippet: str = "content",
          published: object = None) -> Found | None:  # fmt: skip
    """A candidate from the usual members; None without an address."""
    address = item.get(url)
    if not isinstance(address, str) or not address.strip():
        return None
    return Found(
        address.strip(), rank, text(item.get(title), MAX_TITLE), text(item.get(snippet), MAX_SNIPPET), day(published)
    )


def day(value: object) -> str | None:
    """The day in a date or time as providers write them (ISO 8601); None for anything else."""
    if not isinstance(value, str) or len(value) < len("2026-01-01"):
        return None
    head = value[:10]
    parts = head.split("-")
    return head if len(parts) == 3 and all(part.isdecimal() for part in parts) else None  # noqa: PLR2004 - year, month, day
