"""A Citator behind a server, with the same methods as the actions of this process."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, urlencode

from pydantic import BaseModel

from service.check_requests import CitationsRequest, RecheckRequest
from service.crawl_requests import CrawlRequest
from service.doors import Json, Progress
from service.errors import ServerUnreachable
from service.exchange import Exchange, Told, hang_up, named, problem_in
from service.failures import BadRequest
from service.remote_bundles import RemoteBundles
from service.remote_crawls import RemoteCrawls
from service.remote_sessions import RemoteSessions
from service.remote_watches import RemoteHolds, RemoteRetention, RemoteWatches
from service.requests import (
    ArchiveRequest,
    BundleImport,
    Caller,
    CaptureRequest,
    Evidence,
    KeyRequest,
    RemovalRequest,
    Reply,
    SearchRequest,
    UploadRequest,
)

API = "/api/v1"
JSON = {"Content-Type": "application/json"}
BYTES = {"Content-Type": "application/octet-stream"}


def _body(request: BaseModel | Json) -> bytes:
    """What was asked, without what nobody set: an older server need not know an option that is not used."""
    if not isinstance(request, BaseModel):
        return json.dumps(request).encode()
    return request.model_dump_json(exclude_defaults=True).encode()


class Remote(RemoteBundles, RemoteSessions):
    """The `Citator` protocol over an exchange. Callers are known to the server by their key, not by what they say."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self.crawls = RemoteCrawls(self)
        self.watches = RemoteWatches(self)
        self.holds = RemoteHolds(self)
        self.retention = RemoteRetention(self)

    async def _ask(
        self, method: str, target: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Told:
        return await self._exchange.told(method, API + target, body=body, headers=headers)

    async def ask_good(self, method: str, target: str, request: BaseModel | Json | None = None) -> Told:
        """An answer that is no refusal."""
        body = _body(request) if request is not None else None
        told = await self._ask(method, target, body, JSON if body is not None else None)
        if told.status >= 400:  # noqa: PLR2004 - where HTTP's refusals begin
            raise problem_in(told)
        return told

    async def ask_json(self, method: str, target: str, request: BaseModel | Json | None = None) -> Json:
        """The JSON of such an answer."""
        return _json_in(await self.ask_good(method, target, request))

    @staticmethod
    def _reply(told: Told) -> Reply:
        """A kept reply. A page that gave nothing is one too: its problem names an outcome."""
        if told.status >= 400 and "outcome" not in _members(told):  # noqa: PLR2004 - as above
            raise problem_in(told)
        return Reply(
            body=told.body,
            record=told.headers.get("x-evidence-record"),
            serving=told.headers.get("x-evidence-serving"),
            media_type=told.headers.get("content-type", "application/json"),
            status=told.status,
        )

    async def search(self, request: SearchRequest, _caller: Caller, /) -> Reply:
        """Answer a query."""
        return self._reply(await self._ask("POST", "/search", _body(request), JSON))

    async def capture(self, request: CaptureRequest, _caller: Caller, /) -> Reply:
        """Fetch a page."""
        return self._reply(await self._ask("POST", "/captures", _body(request), JSON))

    async def upload(self, request: UploadRequest, _caller: Caller, /) -> Reply:
        """Keep the user's bytes."""
        options = request.model_dump(mode="json", exclude={"body"}, exclude_defaults=True)
        query = urlencode({name: str(value).lower() if value is False else value for name, value in options.items()})
        headers = {"Content-Type": "application/x-www-form-urlencoded"}  # "no type told", as the server reads it
        return self._reply(await self._ask("POST", f"/uploads?{query}", request.body, headers))

    async def add_archive(self, path: Path, request: ArchiveRequest, _caller: Caller, progress: Progress, /) -> Json:
        """Keep the captures in a file of others: by its path on this machine, by its bytes elsewhere."""
        return await self._file("/archives", path, request, progress)

    async def import_bundle(self, path: Path, request: BundleImport, _caller: Caller, progress: Progress, /) -> Json:
        """Take in a bundle."""
        return await self._file("/bundles/import", path, request, progress)

    async def _file(self, target: str, path: Path, request: BaseModel, progress: Progress) -> Json:
        if isinstance(self._exchange.where, Path):
            value = request.model_dump(mode="json", exclude_defaults=True) | _place(path)
            return await self._work(f"/maintenance{target}", progress, value)
        try:
            body = await asyncio.to_thread(path.read_bytes)
        except OSError as error:
            raise BadRequest(f"{path} cannot be read: {error.strerror}") from error
        options = {"name": path.name} | request.model_dump(mode="json", exclude_defaults=True)
        told = await self._ask("POST", f"{target}?{urlencode(options, doseq=True)}", body, BYTES)
        if told.status >= 400:  # noqa: PLR2004 - as above
            raise problem_in(told)
        return _json_in(told)

    async def captures(self, url: str, /, *, limit: int, before: str | None, caller: Caller) -> Json:  # noqa: ARG002 - the protocol's
        """Captures of an address."""
        options = {"url": url, "limit": limit} | ({"before": before} if before else {})
        return await self.ask_json("GET", f"/captures?{urlencode(options)}")

    async def crawl_start(self, request: CrawlRequest, _caller: Caller, /) -> Json:
        """Start a crawl."""
        return await self.ask_json("POST", "/crawls", request)

    async def crawl(self, crawl: str, /) -> Json:
        """A crawl as it stands."""
        return await self.ask_json("GET", f"/crawls/{named(crawl)}")

    async def crawl_events(self, crawl: str, /, *, after: int = 0) -> AsyncIterator[Json]:
        """The crawl's events."""
        async for event in self._events("GET", f"/crawls/{named(crawl)}/events?after={after}"):
            yield event

    async def crawl_cancel(self, crawl: str, /) -> Json:
        """Stop a crawl."""
        return await self.ask_json("DELETE", f"/crawls/{named(crawl)}")

    async def recheck(self, request: RecheckRequest, _caller: Caller, /) -> Reply:
        """Check again what was cited."""
        return self._reply(await self._ask("POST", "/rechecks", _body(request), JSON))

    async def check_citations(self, request: CitationsRequest, /) -> Json:
        """What bears out each citation of a text."""
        return await self.ask_json("POST", "/citations/check", request)

    async def evidence(self, text: str, /, *, view: str | None = None) -> Evidence:
        """The exact bytes of an id."""
        query = f"?{urlencode({'view': view})}" if view else ""
        told = await self.ask_good("GET", f"/evidence/{named(text)}{query}")
        head = told.headers
        try:
            return Evidence(
                body=told.body,
                media_type=head["x-evidence-media-type"],
                id=head["x-evidence-id"],
                kind=head["x-evidence-kind"],
            )
        except KeyError as error:
            raise ServerUnreachable(f"the server's answer has no {error}: is it Citator?") from error

    async def proof(self, text: str, /) -> Json:
        """The log's proof."""
        return await self.ask_json("GET", f"/evidence/{named(text)}/proof")

    async def dependents(self, text: str, /) -> Json:
        """The records that name an id."""
        return await self.ask_json("GET", f"/evidence/{named(text)}/dependents")

    async def recent(self, kinds: Sequence[str], /, *, limit: int, before: int | None) -> Json:
        """Records of some kinds, newest first."""
        options = [("kind", kind) for kind in kinds] + [("limit", str(limit))]
        return await self.ask_json(
            "GET", f"/records?{urlencode(options + ([('before', str(before))] if before else []))}"
        )

    async def remove(self, request: RemovalRequest, _caller: Caller, /) -> Json:
        """Remove, or list."""
        return await self.ask_json("POST", "/removals", request)

    async def checkpoint(self) -> bytes:
        """The log's checkpoint."""
        return (await self.ask_good("GET", "/log/checkpoint")).body

    async def log_file(self, path: str, /) -> bytes | None:
        """A tile."""
        told = await self._ask("GET", f"/log/{quote(path)}")
        if told.status == 404:  # noqa: PLR2004 - no such tile
            return None
        if told.status >= 400:  # noqa: PLR2004 - as above
            raise problem_in(told)
        return told.body

    async def keys_list(self) -> Json:
        """All keys."""
        return await self.ask_json("GET", "/keys")

    async def keys_create(self, request: KeyRequest, /) -> Json:
        """A new key."""
        return await self.ask_json("POST", "/keys", request)

    async def keys_rotate(self, key: str, /) -> Json:
        """A new key in place of an old one."""
        return await self.ask_json("POST", f"/keys/{named(key)}/rotate")

    async def keys_revoke(self, key: str, /) -> Json:
        """Refuse a key."""
        return await self.ask_json("DELETE", f"/keys/{named(key)}")

    async def tool(self, name: str, arguments: Json, caller: Caller, /, *, structured: bool) -> Json:
        """Call a tool there, in the name of a caller here: what the model is told, in both forms."""
        asked = {
            "arguments": arguments,
            "structured": structured,
            "session": caller.session,
            "surface": caller.surface,
            "claims": dict(caller.claims),
            "noted": dict(caller.noted),
        }
        told = await self._ask("POST", f"/tools/{quote(name[:60], safe='')}", json.dumps(asked).encode(), JSON)
        if told.status >= 400:  # noqa: PLR2004 - as above
            raise problem_in(told)
        return _json_in(told)

    async def rebuild(self, progress: Progress, /) -> Json:
        """Make catalogue and index anew."""
        return await self._work("/maintenance/rebuild", progress)

    async def backup(self, path: Path, progress: Progress, /) -> Json:
        """Write a backup where the server runs."""
        return await self._work("/maintenance/backup", progress, _place(path))

    async def doctor(self, *, deep: bool, progress: Progress) -> Json:
        """Check the installation."""
        return await self._work(f"/maintenance/doctor?deep={str(deep).lower()}", progress)

    async def log_key_show(self) -> Json:
        """The log's public key."""
        return await self.ask_json("GET", "/log-key")

    async def log_key_backup(self, path: Path, /) -> Json:
        """Copy the log's private key where the server runs."""
        told = await self._ask("POST", "/log-key/backup", json.dumps(_place(path)).encode(), JSON)
        if told.status >= 400:  # noqa: PLR2004 - as above
            raise problem_in(told)
        return _json_in(told)

    async def log_key_rotate(self) -> Json:
        """Sign with a new key."""
        return await self.ask_json("POST", "/log-key/rotate")

    async def health(self) -> Json:
        """How the server is."""
        told = await self._exchange.told("GET", "/healthz")
        return _json_in(told)

    async def _work(self, target: str, progress: Progress, value: Json | None = None) -> Json:
        async for event in self._events("POST", target, value):
            if event.get("type") == "result":
                result: Json = event["result"]
                return result
            progress(str(event.get("what")), int(event.get("done", 0)), event.get("total"))
        raise ServerUnreachable("the server stopped before the work was done")

    async def _events(self, method: str, target: str, value: Json | None = None) -> AsyncIterator[Json]:
        """Events read by a thread of their own, so that the loop stays free; leaving early hangs up."""
        body = json.dumps(value).encode() if value is not None else None
        connection = self._exchange.connection()
        queue: asyncio.Queue[Json | Exception | None] = asyncio.Queue()
        reading = _Reading(asyncio.get_running_loop(), queue)
        events = self._exchange.follow(connection, method, API + target, body=body)
        threading.Thread(target=reading.all, args=(events,), daemon=True, name="citator-events").start()
        try:
            while (item := await queue.get()) is not None:
                if isinstance(item, Exception):
                    raise item
                yield item
        finally:
            hang_up(connection)


class _Reading:
    """Moves events from a blocking iterator into a queue of the event loop; an error or None comes last."""

    def __init__(self, loop: asyncio.AbstractEventLoop, queue: "asyncio.Queue[Json | Exception | None]") -> None:
        self._loop = loop
        self._queue = queue

    def all(self, events: Iterator[Json]) -> None:
        """Read to the end."""
        try:
            for event in events:
                self._put(event)
        except Exception as error:  # noqa: BLE001 - handed to the one who reads the events
            self._put(error)
        else:
            self._put(None)

    def _put(self, item: Json | Exception | None) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(self._queue.put_nowait, item)


def _place(path: Path) -> Json:
    """A path as the server is told it: it may have been started in another folder."""
    return {"path": str(path.absolute())}


def _members(told: Told) -> Json:
    try:
        found = json.loads(told.body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _json_in(told: Told) -> Json:
    try:
        found: Json = json.loads(told.body)
    except ValueError as error:
        raise ServerUnreachable("the server's answer is no JSON: is it Citator?") from error
    return found
