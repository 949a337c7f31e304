"""The gate before the HTTP application: who may come in, and with how much. Pure ASGI, one object, no stack of layers.

For each request, in this order: the name it is addressed to; the page it comes from; the key it carries; the size of
its body, which is read whole here, so that nothing behind the gate waits for a slow sender. Afterwards it counts and
logs the answer. Requests over the data directory's own socket need no key: the file system guards that socket.
"""

import asyncio
import ipaddress
import time
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import quote, urlsplit

import structlog

from service.claims import claims_of, session_of
from service.error_shapes import is_imitated, shaped
from service.errors import (
    ForeignHost,
    ForeignOrigin,
    KeyMissing,
    Problem,
    RequestTooLarge,
    RequestTooSlow,
    problem_of,
)
from service.failures import ServiceError
from service.key_places import MAX_KEYED, in_body, may_be_in_body, only_searching, placed, shown
from service.keys import masked
from service.limits import Limits
from service.metrics import Metrics
from service.requests import Caller, Scope
from snapshots import EvidenceError

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]
Authenticate = Callable[[str], Awaitable[Caller | None]]

CALLER: Final = "citator.caller"
"""Where the application behind the gate finds the `Caller` in the ASGI scope."""

MAX_JSON: Final = 4 * 1024 * 1024
"""Bytes of a JSON request: a crawl of 10,000 usual addresses is 1 MB."""

BODY_SECONDS: Final = 300.0
"""Seconds for a whole body to arrive: 64 MB over a slow line take four minutes."""

API: Final = "/api/v1"
UPLOADS: Final = API + "/uploads"
_FILES: Final = (
    "archives", "attachments", "audits", "bundles/import", "bundles/verify", "rechecks", "sessions/import", "uploads",
)  # fmt: skip
LARGE: Final = frozenset(f"{API}/{path}" for path in _FILES)
"""What takes files, and so bodies as large as CITATOR_MAX_REQUEST allows."""

SIGN_IN: Final = "/sign-in"
STATIC: Final = "/static/"
OPEN_PATHS: Final = frozenset(
    {"/healthz", "/readyz", "/openapi.json", "/searxng/healthz", "/v0/health/liveness", "/v0/health/readiness", SIGN_IN}
)
"""Answered without a key, as is what lies below STATIC; none tells what is kept."""

WELL_KNOWN: Final = "/.well-known/"
"""Nothing lies below it, and that is told without a key: MCP clients look there for a way to sign in."""

_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_CUT_OFF: Final = frozenset({408, 413})
_ADDED: Final = [(b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer")]

NO_KEY: Final = "send a key as `Authorization: Bearer KEY` or `x-api-key: KEY`"

LOCAL: Final = Caller(key=None, name="local socket", scopes=frozenset({Scope.ADMIN}), surface="cli")
LOOPBACK: Final = Caller(
    key=None, name="loopback", scopes=frozenset({Scope.SEARCH, Scope.FETCH, Scope.READ}), surface="http"
)

log = structlog.get_logger()


@dataclass(frozen=True)
class Rules:
    """What the gate goes by. `hosts`: names this server answers to besides addresses and `localhost`; `*` is any."""

    hosts: frozenset[str]
    loopback_without_key: bool
    max_request: int
    key_rate: int = 0
    key_concurrency: int = 0


class Gate:
    """ASGI middleware; see the module. `app` finds the caller in `scope[CALLER]`."""

    def __init__(self, app: App, *, authenticate: Authenticate, rules: Rules, metrics: Metrics) -> None:
        self._app = app
        self._authenticate = authenticate
        self._rules = rules
        self._metrics = metrics
        self._limits = Limits(rules.key_rate, rules.key_concurrency)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return  # web sockets: nothing here speaks them, and uvicorn refuses what is not accepted
        started = time.perf_counter()
        path = scope["path"]
        status = 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                given = list(message.get("headers", ()))
                named = {name for name, _ in given}
                message["headers"] = given + [one for one in _ADDED if one[0] not in named]
            await send(message)

        self._metrics.running.inc()
        try:
            if not await self._answer(path, scope, receive, sending):
                status = 499  # hung up while sending; logged as others log it
        except Exception:
            log.exception("unexpected", path=masked(shown(path)))
            if status:
                raise  # half an answer is out: the server must break the connection, so that it is not taken for whole
            await _refuse(path, problem_of(RuntimeError()), sending)
        finally:
            self._metrics.running.dec()
            self._note(scope, path, status, time.perf_counter() - started)

    async def _answer(self, path: str, scope: Message, receive: Receive, send: Send) -> bool:
        """Let a request in and have it answered, or refuse it. False if the sender hung up before it was whole."""
        counted: Caller | None = None
        try:
            try:
                body = await self._let_in(scope, dict(scope["headers"]), receive)
                if body is not None and _is_counted(scope):
                    self._limits.enter(scope[CALLER])
                    counted = scope[CALLER]
            except ServiceError as error:
                await _turn_away(path, scope, error, send)
                return True
            except EvidenceError as error:  # who asks cannot be found out while the state is out of reach
                log.error("nobody can be let in", error=str(error))  # noqa: TRY400 - it is not a fault of ours
                await _refuse(path, problem_of(error), send)
                return True
            if body is not None:
                await self._app(scope, body, send)
            return body is not None
        finally:
            if counted is not None:
                self._limits.leave(counted)

    async def _let_in(self, scope: Message, headers: dict[bytes, bytes], receive: Receive) -> Receive | None:
        """Find out who asks, and read what they send: a `receive` that gives it whole; None if they hung up."""
        local = _is_local_socket(scope)
        if not local:
            self._check_host(headers)
        _check_origin(scope["method"], headers)
        keyed = placed(scope["path"], headers)
        if keyed.path != scope["path"]:
            scope["path"], scope["raw_path"] = keyed.path, keyed.path.encode()
        key, body = None if local else keyed.key, None
        if key is None and not local and may_be_in_body(scope["path"]):
            body = await self._body(headers, receive, limit=MAX_KEYED)
            if body is None:
                return None
            message = await body()
            key = in_body(message.get("body", b""))
            body = _replaying(message, receive)
        caller: Caller | None
        if local:
            caller = LOCAL
        elif key is not None:
            caller = await self._authenticate(key)
        elif (
            self._rules.loopback_without_key and _is_loopback(scope, headers) and not _is_browser_write(scope, headers)
        ):
            caller = LOOPBACK
        else:
            caller = None
        if caller is None and not _is_open(scope["path"]):
            raise KeyMissing(NO_KEY if key is None else "this key is unknown or has been revoked")
        if caller is not None:
            caller = only_searching(caller) if keyed.in_path and not local else caller
            surface = "cli" if local else "http"
            scope[CALLER] = replace(caller, surface=surface, session=session_of(headers), claims=claims_of(headers))
        return body or await self._body(headers, receive, limit=self._limit(scope["path"]))

    def _limit(self, path: str) -> int:
        return self._rules.max_request if path in LARGE else min(self._rules.max_request, MAX_JSON)

    def _check_host(self, headers: dict[bytes, bytes]) -> None:
        host = headers.get(b"host", b"").decode("latin-1").lower()
        name = _host_of("//" + host)[0]
        if not name:
            raise ForeignHost("the request names no host")
        hosts = self._rules.hosts
        if name == "localhost" or name in hosts or "*" in hosts:
            return
        try:
            ipaddress.ip_address(name)  # an address cannot be pointed here by someone else's name server
        except ValueError:
            raise ForeignHost(f"{name!r} is not among the names in CITATOR_HOSTS") from None

    async def _body(self, headers: dict[bytes, bytes], receive: Receive, *, limit: int) -> Receive | None:
        """A `receive` that gives the whole body at once; None if the sender hung up."""
        told = headers.get(b"content-length")
        if told is None and b"transfer-encoding" not in headers:
            return receive
        too_large = RequestTooLarge(f"at most {limit} bytes are taken here")
        if told is not None and told.isdigit() and int(told) > limit:
            raise too_large
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(BODY_SECONDS):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    part = message.get("body", b"")
                    size += len(part)
                    if size > limit:
                        raise too_large
                    parts.append(part)
                    if not message.get("more_body", False):
                        break
        except TimeoutError:
            raise RequestTooSlow(f"the body did not arrive within {BODY_SECONDS:.0f} seconds") from None
        return _replaying({"type": "http.request", "body": b"".join(parts), "more_body": False}, receive)

    def _note(self, scope: Message, path: str, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "other")
        if scope["path"].startswith(API) and not route.startswith(API) and route != "other":
            route = API + route  # FastAPI knows the paths of included routers without their prefix
        method = scope["method"] if scope["method"] in {*_SAFE_METHODS, "POST", "DELETE"} else "other"
        self._metrics.answered(method=method, route=route, status=status, seconds=seconds)
        caller: Caller | None = scope.get(CALLER)
        tell = log.debug if scope["path"] in OPEN_PATHS else log.info
        tell(
            "request",
            method=scope["method"],
            path=masked(shown(path)),
            status=status,
            ms=round(seconds * 1000, 1),
            key=caller.key if caller else None,
        )


def _replaying(message: Message, receive: Receive) -> Receive:
    """A `receive` that gives `message`, and then what comes."""
    whole = [message]

    async def replay() -> Message:
        return whole.pop() if whole else await receive()

    return replay


def _is_counted(scope: Message) -> bool:
    """Whether a request counts for its key's limits: not what is open, and not MCP's stream of nothing but news."""
    return CALLER in scope and scope["path"] not in OPEN_PATHS and not (scope["method"] == "GET" and _is_mcp(scope))


def _is_mcp(scope: Message) -> bool:
    return bool(scope["path"] == "/mcp" or scope["path"].startswith("/mcp/"))


async def _refuse(path: str, problem: Problem, send: Send) -> None:
    status, headers, body = shaped(path, problem)
    if problem.status in _CUT_OFF:
        headers.append((b"connection", b"close"))  # the rest of the body is not waited for
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _turn_away(path: str, scope: Message, error: ServiceError, send: Send) -> None:
    """Refuse; but send a person without a key to where one can be given, and from there back to what was asked for."""
    if not isinstance(error, KeyMissing) or not is_page(scope):
        return await _refuse(path, problem_of(error), send)
    asked = scope["path"] + ("?" + scope["query_string"].decode("latin-1") if scope["query_string"] else "")
    back = f"?next={quote(asked, safe='')}" if scope["method"] == "GET" and asked != "/" else ""
    headers = [(b"location", (SIGN_IN + back).encode()), (b"cache-control", b"no-store"), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    return await send({"type": "http.response.body", "body": b""})


def is_page(scope: Message) -> bool:
    """Whether a person's browser asks for one of the web pages."""
    path = scope["path"]
    wants = b"text/html" in dict(scope["headers"]).get(b"accept", b"")
    return wants and not path.startswith("/api/") and not is_imitated(path)


def _is_open(path: str) -> bool:
    return path in OPEN_PATHS or path.startswith((STATIC, WELL_KNOWN))


def _host_of(address: str) -> tuple[str, str]:
    """Host name, and host with port, in lower case; empty where the address is none."""
    try:
        parts = urlsplit(address.lower())
    except ValueError:
        return "", ""
    return parts.hostname or "", parts.netloc


def _is_local_socket(scope: Message) -> bool:
    """Whether the connection came over a socket of the file system: then its own address is a path without a port."""
    server = scope.get("server")
    return server is not None and server[1] is None


def _is_loopback(scope: Message, headers: dict[bytes, bytes]) -> bool:
    """Whether the other end is this machine itself, and not a proxy on it speaking for someone else."""
    client = scope.get("client")
    if client is None or b"x-forwarded-for" in headers or b"forwarded" in headers:
        return False
    try:
        return ipaddress.ip_address(client[0]).is_loopback
    except ValueError:
        return False


def _check_origin(method: str, headers: dict[bytes, bytes]) -> None:
    """Refuse writes that a page of another origin started, whatever key they carry."""
    if method in _SAFE_METHODS:
        return
    origin = headers.get(b"origin")
    site = headers.get(b"sec-fetch-site")
    if origin is not None:
        own = headers.get(b"host", b"").lower()
        if not own or _host_of(origin.decode("latin-1"))[1].encode("latin-1") != own:
            raise ForeignOrigin("writes are taken only from this server's own pages")
    elif site is not None and site not in {b"same-origin", b"none"}:
        raise ForeignOrigin("writes are taken only from this server's own pages")


def _is_browser_write(scope: Message, headers: dict[bytes, bytes]) -> bool:
    """Whether a browser is asking to change something, or a page of another site is asking anything at all.

    Such requests never get the keyless access of this machine: the person at it did not type them.
    """
    site = headers.get(b"sec-fetch-site")
    if scope["method"] in _SAFE_METHODS:
        return site not in {None, b"same-origin", b"none"} or b"origin" in headers
    return site is not None or b"origin" in headers
