"""Everything that can be asked. Each door parses, calls one of these, and answers.

The methods are what `service.doors` promises; what they do lies in the modules named by verbs.
"""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Final

from anyio.to_thread import run_sync

from crawler import parse_address
from service import (
    adding,
    answering,
    backup,
    cancelling,
    capturing,
    checking,
    citation_checks,
    evidence,
    importing,
    listing,
    log_keys,
    rechecking,
    removing,
    rereading,
    searching,
    sitemaps,
)
from service.attaching.asked import AttachRequest
from service.attaching.attach import attach
from service.bundling import Bundles
from service.check_requests import CitationsRequest, RecheckRequest
from service.crawl_requests import CrawlRequest
from service.crawling import Crawls
from service.doors import Json, Progress
from service.forms import Served
from service.holding import Holds
from service.parts import Parts
from service.requests import (
    MAX_POSITION,
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
    Scope,
    SearchRequest,
    UploadRequest,
)
from service.retaining import Retentions
from service.sessions.asked import ContextRequest
from service.sessions.book import Book
from service.sessions.reading import ImportRequest, Reading
from service.sessions.talking import Sessions
from service.watching import Watches

OWNER: Final = Caller(key=None, name="command line", scopes=frozenset({Scope.ADMIN}), surface="cli")
"""Who asks where no key says it: whoever may open the data directory."""


class Actions:
    """The actions over opened parts. Made by `service.build`."""

    def __init__(self, parts: Parts, crawls: Crawls, bundles: Bundles, watches: Watches, retention: Retentions) -> None:
        self.parts = parts
        self.watches = watches
        self.holds = Holds(parts)
        self.retention = retention
        self.crawls = crawls
        self._bundles = bundles
        book = Book(parts)
        self.sessions = Sessions(book)
        self.session_reading = Reading(book)

    # asking

    async def search(self, request: SearchRequest, caller: Caller, /) -> Reply:
        """Answer a query; kept before it returns."""
        return await searching.search(self.parts, request, caller)

    async def capture(self, request: CaptureRequest, caller: Caller, /) -> Reply:
        """Fetch a page, or take a kept capture that is fresh enough."""
        return await capturing.capture(self.parts, request, caller)

    async def upload(self, request: UploadRequest, caller: Caller, /) -> Reply:
        """Keep the user's bytes as a capture."""
        return await capturing.upload(self.parts, request, caller)

    async def captures(self, url: str, /, *, limit: int, before: str | None, caller: Caller) -> Json:  # noqa: ARG002
        """Captures of an address, newest first."""
        address = url if url.startswith("urn:") else parse_address(url).href
        return await run_sync(capturing.captures, self.parts, address, limit, before)

    async def add_archive(self, path: Path, request: ArchiveRequest, caller: Caller, progress: Progress, /) -> Json:
        """Keep the captures in a WARC or WACZ file of others."""
        return await adding.add_archive(self.parts, path, request, caller, progress)

    async def import_bundle(self, path: Path, request: BundleImport, caller: Caller, progress: Progress, /) -> Json:
        """Take in a bundle that verifies."""
        return await importing.import_bundle(self.parts, path, request, caller, progress)

    # crawls

    async def crawl_start(self, request: CrawlRequest, caller: Caller, /) -> Json:
        """Start a crawl."""
        return await self.crawls.start(request, caller)

    async def crawl(self, crawl: str, /) -> Json:
        """A crawl as it stands."""
        return await self.crawls.status(crawl)

    def crawl_events(self, crawl: str, /, *, after: int = 0) -> AsyncIterator[Json]:
        """The crawl's events after number `after`, as they happen."""
        return self.crawls.events(crawl, after)

    async def crawl_cancel(self, crawl: str, /) -> Json:
        """Stop a crawl; what it has captured stays."""
        return await self.crawls.cancel(crawl)

    # checking

    async def recheck(self, request: RecheckRequest, caller: Caller, /) -> Reply:
        """Visit pages again and tell what became of what was cited of them."""
        return await rechecking.recheck(self.parts, request, caller)

    async def check_citations(self, request: CitationsRequest, /) -> Json:
        """What bears out each citation of a text."""
        return await citation_checks.check_citations(self.parts, request)

    # what is kept

    async def evidence(self, text: str, /, *, view: str | None = None) -> Evidence:
        """The exact bytes of an id, or one view of its record."""
        if view == "hidden":
            return await rereading.hidden_text(self.parts, text)
        return await run_sync(evidence.evidence, self.parts.archive, text, view)

    async def proof(self, text: str, /) -> Json:
        """The log's proof of an id."""
        return await run_sync(evidence.proof, self.parts.archive, text)

    async def dependents(self, text: str, /) -> Json:
        """The records that name an id."""
        return await run_sync(evidence.dependents, self.parts.archive, text)

    async def recent(self, kinds: Sequence[str], /, *, limit: int, before: int | None) -> Json:
        """Records of some kinds, newest first."""
        return await run_sync(listing.recent, self.parts.archive, kinds, limit, before)

    async def remove(self, request: RemovalRequest, caller: Caller, /) -> Json:
        """Remove, or with `dry_run` list."""
        return await run_sync(removing.remove, self.parts, request, caller)

    async def bundle(self, request: BundleRequest, _caller: Caller, progress: Progress, /) -> Made:
        """Make a file that takes evidence along."""
        return await self._bundles.make(request, progress)

    async def attach(self, request: AttachRequest, caller: Caller, progress: Progress, /) -> Made:
        """Bundle a report or a transcript with the evidence for what it cites."""
        return await attach(self, self.parts, self._bundles, request, caller, progress)

    async def checkpoint(self) -> bytes:
        """The log's signed checkpoint."""
        return self.parts.log.checkpoint

    async def log_file(self, path: str, /) -> bytes | None:
        """A tile below the log."""
        return await run_sync(evidence.log_file, self.parts.store, path)

    # sessions

    async def session_list(self, *, query: str, limit: int, deleted: bool) -> Json:
        """Sessions, newest first."""
        return await self.sessions.listed(query=query, limit=limit, before=None, deleted=deleted)

    async def session_look(self, session: str, /) -> Json:
        """A session as it stands."""
        return await self.sessions.look(session)

    async def session_show(self, session: str, /, *, whole: bool) -> Json:
        """A session with its events."""
        events = await self.sessions.events(session, after=None, limit=MAX_POSITION, whole=whole)
        return await self.sessions.look(session) | {"history": events["events"]}

    async def session_context(
        self, session: str, /, *, form: str | None, budget: int | None, at: str | None, mode: str
    ) -> Json:
        """What a model is to be shown of a session."""
        asked = ContextRequest.model_validate({"form": form, "budget": budget, "at": at, "mode": mode})
        return await self.session_reading.context(session, asked)

    async def session_fork(self, session: str, /, *, at: str | None) -> Json:
        """A session that shares this one's events up to `at`."""
        return await self.sessions.fork(session, at, OWNER)

    async def session_export(self, session: str, /) -> Json:
        """The whole session."""
        return await self.session_reading.exported(session)

    async def session_import(self, value: Json, /) -> Json:
        """Take a session in."""
        members = {name: value[name] for name in ImportRequest.model_fields if name in value}
        return await self.session_reading.taken_in(ImportRequest.model_validate(members))

    async def session_delete(self, session: str, /, *, restore: bool) -> Json:
        """Delete a session softly, or bring it back."""
        return await self.sessions.delete(session, OWNER, restore=restore)

    # keys

    async def keys_list(self) -> Json:
        """All keys; never a key itself."""
        return await run_sync(self.parts.keyring.listed)

    async def keys_create(self, request: KeyRequest, /) -> Json:
        """A new key."""
        return await run_sync(self.parts.keyring.create, request)

    async def keys_rotate(self, key: str, /) -> Json:
        """A new key in place of an old one."""
        return await run_sync(self.parts.keyring.rotate, key)

    async def keys_revoke(self, key: str, /) -> Json:
        """Refuse a key from now on."""
        return await run_sync(self.parts.keyring.revoke, key)

    async def authenticate(self, key: str, /) -> Caller | None:
        """Who holds this key, if it is good."""
        keyring = self.parts.keyring
        return keyring.remembered(key) or await run_sync(keyring.authenticate, key)

    # replies of other doors

    async def serve(self, ids: Sequence[str], served: Served, caller: Caller, /) -> str | None:
        """Keep a reply that was made of several."""
        leading = [await run_sync(evidence.leading, self.parts.archive, one) for one in dict.fromkeys(ids)]
        return await answering.serve(self.parts, tuple(dict.fromkeys(leading)), served, caller)

    async def cancelled(self, request: SearchRequest | CaptureRequest, caller: Caller, after_ms: int, /) -> str:
        """Keep that a search or a fetch was called off."""
        return await cancelling.cancelled(self.parts, request, caller, after_ms)

    async def sitemap(self, url: str, /) -> list[str]:
        """The addresses in a site's sitemaps."""
        return await sitemaps.addresses(self.parts, url)

    # the installation

    async def rebuild(self, progress: Progress, /) -> Json:
        """Make catalogue and index anew from the bucket."""
        return await run_sync(checking.rebuild, self.parts, progress)

    async def backup(self, path: Path, progress: Progress, /) -> Json:
        """Write a backup."""
        return await run_sync(backup.write_backup, self.parts, path, progress)

    async def doctor(self, *, deep: bool, progress: Progress) -> Json:
        """Check this installation."""
        more = (await checking.browser(self.parts), *await checking.providers(self.parts))
        return await run_sync(checking.doctor, self.parts, deep, progress, more)

    async def log_key_show(self) -> Json:
        """The log's public key."""
        return log_keys.show(self.parts)

    async def log_key_backup(self, path: Path, /) -> Json:
        """Copy the log's private key."""
        return await run_sync(log_keys.backup, self.parts, path)

    async def log_key_rotate(self) -> Json:
        """Sign with a new key from now on."""
        return await run_sync(log_keys.rotate, self.parts)

    async def health(self) -> Json:
        """What is running and how it is."""
        return await run_sync(checking.health, self.parts)

    async def ready(self) -> Json:
        """Whether requests can be served now."""
        return await run_sync(checking.ready, self.parts)
