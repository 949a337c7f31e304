"""A Citator of a few lines, for the doors' tests: real code over dictionaries, with the same names and errors."""

import asyncio
import hashlib
import io
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import orjson

from service.crawl_requests import CrawlRequest
from service.doors import Json, Progress
from service.errors import outcome_problem
from service.failures import BundleRefused, UnknownCrawl, UnknownKey, UnknownSession
from service.forms import Served
from service.keys import new_key
from service.requests import (
    ArchiveRequest,
    BundleImport,
    BundleRequest,
    Caller,
    CaptureRequest,
    Evidence,
    KeyRequest,
    Made,
    RemovalRequest,
    Reply,
    SearchRequest,
    UploadRequest,
)
from snapshots.errors import AmbiguousId, BadId, RemovedId, UnknownId
from tests.service.small_checks import SmallChecks
from tests.service.small_crawls import SmallCrawls
from tests.service.small_watches import SmallHolds, SmallRetention, SmallWatches

TIME = "2026-11-29T19:28:36.123Z"
TILE = b"\x00\x20" + b"\x07" * 32


def id_of(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


class SmallCitator(SmallChecks):
    """Keeps what it is asked in dictionaries. `web` can be fetched; `broken`, if set, is raised by every call."""

    def __init__(self) -> None:
        self.watches = SmallWatches()
        self.holds = SmallHolds()
        self.retention = SmallRetention()
        self.web: dict[str, str] = {"http://site.test/a": "Bread is baked in ovens.", "http://site.test/empty": ""}
        self.outcomes: dict[str, tuple[str, str | None]] = {}
        self.kept: dict[str, tuple[bytes, str, str]] = {}
        self.removed: dict[str, str] = {}
        self.crawled: dict[str, Json] = {}
        self.crawls = SmallCrawls(self.crawled)
        self.events: dict[str, list[Json]] = {}
        self.keys: dict[str, Json] = {}
        self.secrets: dict[str, str] = {}
        self.callers: list[Caller] = []
        self.asked: list[object] = []
        self.called_off: list[object] = []
        self.broken: Exception | None = None
        self.slow = 0.0
        self.closed = False

    async def _called(self, *asked: object) -> None:
        for one in asked:
            (self.callers if isinstance(one, Caller) else self.asked).append(one)
        if self.slow:
            await asyncio.sleep(self.slow)
        if self.broken is not None:
            raise self.broken

    def keep(self, data: bytes, media_type: str = "application/json", kind: str = "blob") -> str:
        self.kept[id_of(data)] = (data, media_type, kind)
        return id_of(data)

    def _find(self, text: str) -> str:
        digits = text.removeprefix("sha256:")
        if len(digits) < 12 or set(digits) - set("0123456789abcdef"):
            raise BadId(text)
        found = [one for one in (*self.kept, *self.removed) if one.startswith("sha256:" + digits)]
        if len(found) > 1:
            raise AmbiguousId(text, found)
        if not found:
            raise UnknownId(text)
        if found[0] in self.removed:
            raise RemovedId(found[0], self.removed[found[0]])
        return found[0]

    def _reply(self, fields: Json, *, store: bool, status: int = 200, media_type: str = "application/json") -> Reply:
        record = self.keep(orjson.dumps(fields), kind="search") if store else None
        form = self.callers[-1].form
        written = form.write({"record": record} | fields) if form else None
        if written is not None:
            return Reply(
                written.body, record, record, written.media_type, status=written.status, structured=written.structured
            )
        body = orjson.dumps({"record": record} | fields)
        serving = self.keep(body + b" served", kind="serving") if store else None
        return Reply(body, record, serving, media_type, status)

    async def search(self, request: SearchRequest, caller: Caller, /) -> Reply:
        await self._called(request, caller)
        found = [url for url, text in self.web.items() if request.query.lower() in text.lower()]
        results = [
            {"rank": rank, "url": url, "title": url, "capture": id_of(url.encode()), "retrieved_at": TIME,
             "passages": [{"id": id_of(self.web[url].encode()), "cite": f"{url} [x]", "text": self.web[url],
                           "start": 0, "end": len(self.web[url])}]}
            for rank, url in enumerate(found, 1)
        ]  # fmt: skip
        fields = {
            "query": request.query,
            "state": "ok" if results else "no_match",
            "retrieved_at": TIME,
            "providers": [],
            "results": results,
            "dropped": [],
            "versions": {},
            "timings": {},
        }
        return self._reply(fields, store=request.store)

    async def capture(self, request: CaptureRequest, caller: Caller, /) -> Reply:
        await self._called(request, caller)
        return self._page(request.url, self.web.get(request.url), store=request.store)

    def _page(self, url: str, text: str | None, *, store: bool) -> Reply:
        outcome, reason = self.outcomes.get(url, ("ok", None) if text is not None else ("error", "name_not_found"))
        state = "unknown" if text is None else "ok" if text else "empty"
        fields: Json = {
            "capture": id_of(url.encode()), "outcome": outcome, "page_state": state, "title": url,
            "text": text or "", "passages": [], "url": url, "final": url, "retrieved_at": TIME,
            "document": self.keep(b'{"links": []}'),
        }  # fmt: skip
        problem = outcome_problem(outcome, reason=reason, page_state=state, detail=f"{url}: {reason}")
        if problem is None:
            return self._reply(fields, store=store)
        kind = "application/problem+json"
        return self._reply(problem.details() | fields, store=store, status=problem.status, media_type=kind)

    async def captures(self, url: str, /, *, limit: int, before: str | None, caller: Caller) -> Json:
        await self._called((url, limit, before), caller)
        return {"url": url, "captures": [{"capture": id_of(url.encode()), "retrieved_at": TIME}][:limit], "next": None}

    async def upload(self, request: UploadRequest, caller: Caller, /) -> Reply:
        await self._called(request, caller)
        self.keep(request.body, request.media_type or "application/octet-stream")
        return self._page(request.url or "urn:upload", request.body.decode("utf-8", "replace"), store=request.store)

    async def add_archive(self, path: Path, request: ArchiveRequest, caller: Caller, progress: Progress, /) -> Json:
        data = await asyncio.to_thread(path.read_bytes)
        await self._called((data, request), caller)
        progress("responses", 1, None)
        captures = [{"url": "http://site.test/a", "capture": id_of(data), "retrieved_at": TIME}]
        return {"archive": request.name, "captures": captures, "refused": [], "counts": {"captures": 1, "refused": 0},
                "passed_over": {}, "remarks": [], "broken": None, "whole": b"broken" not in data}  # fmt: skip

    async def import_bundle(self, path: Path, request: BundleImport, caller: Caller, progress: Progress, /) -> Json:
        data = await asyncio.to_thread(path.read_bytes)
        await self._called((data, request), caller)
        progress("records", 1, 1)
        if b"altered" in data:
            raise BundleRefused("the log does not hold", claims=[{"claim": "log", "result": "fails", "detail": "…"}])
        return {"bundle": request.name, "imports": [id_of(data)], "vkey": "x+1+y", "records": [],
                "left_out": [], "counts": {"records": 1}}  # fmt: skip

    async def crawl_start(self, request: CrawlRequest, caller: Caller, /) -> Json:
        await self._called(request, caller)
        crawl = id_of(f"crawl {len(self.crawled)}".encode())
        captures = [{"url": url, "capture": id_of(url.encode())} for url in request.seeds if url in self.web]
        failures = [
            {"url": url, "reason": "name_not_found", "detail": "the name has no address"}
            for url in request.seeds if url not in self.web
        ]  # fmt: skip
        counts = {"captured": len(captures), "failed": len(failures)}
        self.crawled[crawl] = {
            "id": crawl, "state": "done", "seeds": list(request.seeds), "counts": counts,
            "captures": captures, "failures": failures,
        }  # fmt: skip
        told = [{"type": "page", **page} for page in captures] + [{"type": "failed", **page} for page in failures]
        told.append({"type": "finished", "state": "done", "counts": counts})
        self.events[crawl] = [{"event": number, **event} for number, event in enumerate(told, 1)]
        return {"id": crawl, "state": "running"}

    async def crawl(self, crawl: str, /) -> Json:
        await self._called(crawl)
        if crawl not in self.crawled:
            raise UnknownCrawl(f"there is no crawl {crawl}")
        return self.crawled[crawl]

    async def crawl_events(self, crawl: str, /, *, after: int = 0) -> AsyncIterator[Json]:
        for event in self.events[crawl][after:]:
            yield event
        if self.slow:
            await asyncio.sleep(3600)

    async def crawl_cancel(self, crawl: str, /) -> Json:
        return await self.crawl(crawl) | {"state": "cancelled"}

    async def evidence(self, text: str, /, *, view: str | None = None) -> Evidence:
        await self._called(text)
        found = self._find(text)
        body, media_type, kind = self.kept[found]
        return Evidence(body if view is None else body[:1], media_type, found, kind)

    async def proof(self, text: str, /) -> Json:
        await self._called(text)
        found = self._find(text)
        return {"id": found, "leads": [found], "record": found, "index": 0, "proof": "c2sp…\n", "vkey": "x+1+y"}

    async def dependents(self, text: str, /) -> Json:
        await self._called(text)
        return {"id": self._find(text), "dependents": []}

    async def recent(self, kinds: Sequence[str], /, *, limit: int, before: int | None) -> Json:
        await self._called((tuple(kinds), limit, before))
        listed = [
            {"id": one, "kind": kind, "position": place, "at": TIME, "about": kind, "state": None}
            for place, (one, (_, _, kind)) in enumerate(self.kept.items())
            if kind in kinds and (before is None or place < before)
        ]
        return {"records": listed[::-1][:limit], "next": None}

    async def remove(self, request: RemovalRequest, caller: Caller, /) -> Json:
        await self._called(request, caller)
        found = [self._find(one) for one in request.ids]
        if request.url and request.url in self.web:
            found.append(self.keep(self.web[request.url].encode()))
        removed = [{"id": one, "kind": self.kept[one][2], "bytes": len(self.kept[one][0])} for one in found]
        deletion = None
        if not request.dry_run:
            deletion = self.keep(orjson.dumps({"kind": "deletion", "reason": request.reason}), kind="deletion")
            for one in found:
                del self.kept[one]
                self.removed[one] = deletion
        return {"dry_run": request.dry_run, "deletion": deletion, "removed": removed, "counts": {"objects": len(found)}}

    async def bundle(self, request: BundleRequest, caller: Caller, progress: Progress, /) -> Made:
        await self._called(request, caller)
        data = b"".join(self.kept[self._find(text)][0] for text in request.ids)
        progress("collecting", 1, 1)
        digest = hashlib.sha256(data).hexdigest()
        return Made(io.BytesIO(data), len(data), digest, "application/wacz", "small.wacz", {"notes": ["small"]})

    async def checkpoint(self) -> bytes:
        await self._called()
        return b"citator\n1\nAAAA\n\n"

    async def log_file(self, path: str, /) -> bytes | None:
        await self._called(path)
        return TILE if path == "tile/entries/000.p/1" else None

    @property
    def sessions(self) -> "SmallCitator":
        raise UnknownSession("no session is kept here")

    @property
    def session_reading(self) -> "SmallCitator":
        raise UnknownSession("no session is kept here")

    async def session_list(self, *, query: str, limit: int, deleted: bool) -> Json:
        await self._called((query, limit, deleted))
        return {"sessions": [], "next": None}

    async def session_show(self, session: str, /, *, whole: bool) -> Json:
        await self._called(
            (
                session,
                whole,
            )
        )
        raise UnknownSession(f"there is no session {session}")

    async def session_context(
        self, session: str, /, *, form: str | None, budget: int | None, at: str | None, mode: str
    ) -> Json:
        await self._called(
            (
                session,
                form,
                budget,
                at,
                mode,
            )
        )
        raise UnknownSession(f"there is no session {session}")

    async def session_fork(self, session: str, /, *, at: str | None) -> Json:
        await self._called(
            (
                session,
                at,
            )
        )
        raise UnknownSession(f"there is no session {session}")

    async def session_export(self, session: str, /) -> Json:
        raise UnknownSession(f"there is no session {session}")

    async def session_import(self, value: Json, /) -> Json:
        await self._called((value,))
        raise UnknownSession("no session is kept here")

    async def session_delete(self, session: str, /, *, restore: bool) -> Json:
        await self._called(
            (
                session,
                restore,
            )
        )
        raise UnknownSession(f"there is no session {session}")

    async def keys_list(self) -> Json:
        await self._called()
        return {"keys": list(self.keys.values())}

    async def keys_create(self, request: KeyRequest, /) -> Json:
        await self._called(request)
        made = new_key()
        self.keys[made.id] = {"id": made.id, "name": request.name, "scopes": [str(one) for one in request.scopes]}
        self.secrets[made.key] = made.id
        return self.keys[made.id] | {"key": made.key}

    def key(self, *scopes: str, **limits: int) -> str:
        made = new_key()
        self.keys[made.id] = {"id": made.id, "name": "test", "scopes": list(scopes), **limits}
        self.secrets[made.key] = made.id
        return made.key

    async def keys_rotate(self, key: str, /) -> Json:
        await self._called(key)
        if key not in self.keys:
            raise UnknownKey(f"there is no key {key}")
        old = self.keys.pop(key)
        return await self.keys_create(KeyRequest(name=old["name"], scopes=tuple(old["scopes"])))

    async def keys_revoke(self, key: str, /) -> Json:
        await self._called(key)
        if key not in self.keys:
            raise UnknownKey(f"there is no key {key}")
        return self.keys.pop(key) | {"revoked_at": TIME}

    async def authenticate(self, key: str, /) -> Caller | None:
        found = self.keys.get(self.secrets.get(key, ""))
        if found is None:
            return None
        limits = {name: found[name] for name in ("rate", "concurrency") if name in found}
        return Caller(found["id"], found["name"], frozenset(found["scopes"]), "http", **limits)

    async def rebuild(self, progress: Progress, /) -> Json:
        await self._called()
        progress("reading the log", 1, 2)
        await asyncio.sleep(0)
        progress("reading the log", 2, 2)
        return {"entries": 2}

    async def backup(self, path: Path, progress: Progress, /) -> Json:
        await self._called(path)
        progress("copying", 1, 1)
        return {"path": str(path), "bytes": 1}

    async def doctor(self, *, deep: bool, progress: Progress) -> Json:
        await self._called(deep)
        progress("objects", 1, None)
        return {"holds": not deep, "checks": [{"check": "objects", "result": "held", "detail": "1 whole"}]}

    async def log_key_show(self) -> Json:
        await self._called()
        return {"origin": "citator", "vkey": "x+1+y", "path": None, "read_only": False}

    async def log_key_backup(self, path: Path, /) -> Json:
        await self._called(path)
        return {"path": str(path)}

    async def log_key_rotate(self) -> Json:
        return await self.log_key_show()

    async def health(self) -> Json:
        await self._called()
        return {"status": "ok", "sizes": {"objects": len(self.kept)}}

    async def serve(self, ids: Sequence[str], served: Served, caller: Caller, /) -> str | None:
        await self._called(tuple(ids), caller)
        return self.keep(served.body + b" served", kind="serving") if ids else None

    async def cancelled(self, request: SearchRequest | CaptureRequest, caller: Caller, after_ms: int, /) -> str:
        self.called_off.append(request)
        self.callers.append(caller)
        return self.keep(f"cancelled after {after_ms}".encode(), kind="search")

    async def sitemap(self, url: str, /) -> list[str]:
        await self._called(url)
        return [one for one in self.web if one.startswith(url)]

    async def ready(self) -> Json:
        return {"ready": self.broken is None}
