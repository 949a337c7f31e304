"""What the doors ask for: the protocol of the actions, whether they run in this process or behind a server."""

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from service.attaching.asked import AttachRequest
from service.check_requests import CitationsRequest, RecheckRequest
from service.crawl_doors import Crawling
from service.crawl_requests import CrawlRequest
from service.forms import Served
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
from service.retention_requests import Retaining
from service.watch_doors import Holding, Watching

if TYPE_CHECKING:
    from service.sessions.reading import Reading as SessionReading
    from service.sessions.talking import Sessions

Json = dict[str, Any]

Progress = Callable[[str, int, int | None], None]
"""Told what is being done, how far it is, and how far it goes (None: unknown). May be called from any thread."""


class Citator(Protocol):
    """Everything that can be asked over HTTP and on the command line alike.

    Raises, everywhere: the errors of the libraries and of `service.failures`; over a server `ToldProblem` with the
    same problem. Ids may be given as unique prefixes wherever something is read.
    """

    @property
    def crawls(self) -> Crawling:
        """What else is done with crawls."""
        ...

    @property
    def watches(self) -> Watching:
        """What is done with watches."""
        ...

    @property
    def holds(self) -> Holding:
        """What is done with holds."""
        ...

    @property
    def retention(self) -> Retaining:
        """What is done with rules about how long captures are kept."""
        ...

    async def search(self, request: SearchRequest, caller: Caller, /) -> Reply:
        """Answer a query; kept before it returns."""
        ...

    async def capture(self, request: CaptureRequest, caller: Caller, /) -> Reply:
        """Fetch a page, or take a kept capture that is fresh enough."""
        ...

    async def upload(self, request: UploadRequest, caller: Caller, /) -> Reply:
        """Keep the user's bytes as a capture."""
        ...

    async def captures(self, url: str, /, *, limit: int, before: str | None, caller: Caller) -> Json:
        """Captures of an address, newest first: `{url, captures: [...], next}`; `next` is the `before` of the rest."""
        ...

    async def add_archive(self, path: Path, request: ArchiveRequest, caller: Caller, progress: Progress, /) -> Json:
        """Keep the captures in a WARC or WACZ file of others: `{captures, refused, counts, passed_over, whole, …}`."""
        ...

    async def import_bundle(self, path: Path, request: BundleImport, caller: Caller, progress: Progress, /) -> Json:
        """Take in a bundle that verifies: `{imports, vkey, claims, records, left_out, counts, …}`."""
        ...

    async def crawl_start(self, request: CrawlRequest, caller: Caller, /) -> Json:
        """Start a crawl: `{id, state, ...}` at once."""
        ...

    async def crawl(self, crawl: str, /) -> Json:
        """A crawl as it stands: `{id, state, seeds, counts, errors, left, captures: […], failures: [{url, …}]}`."""
        ...

    def crawl_events(self, crawl: str, /, *, after: int = 0) -> AsyncIterator[Json]:
        """The crawl's events after number `after`, as they happen: `{event, type, ...}`; ends with the crawl."""
        ...

    async def crawl_cancel(self, crawl: str, /) -> Json:
        """Stop a crawl; what it has captured stays. Returns it as `crawl` does."""
        ...

    async def recheck(self, request: RecheckRequest, caller: Caller, /) -> Reply:
        """Visit pages again and tell what became of what was cited of them; kept before it returns."""
        ...

    async def check_citations(self, request: CitationsRequest, /) -> Json:
        """What bears out each citation of a text: `{holds, counts, citations: [{line, quote, verdict, …}]}`."""
        ...

    async def evidence(self, text: str, /, *, view: str | None = None) -> Evidence:
        """The exact bytes of an id, or one view of its record."""
        ...

    async def proof(self, text: str, /) -> Json:
        """`{id, leads, record, index, proof, vkey}`; `proof` is the text of a `.tlog-proof`."""
        ...

    async def dependents(self, text: str, /) -> Json:
        """`{id, dependents: [{id, kind}]}`: the records that name it."""
        ...

    async def recent(self, kinds: Sequence[str], /, *, limit: int, before: int | None) -> Json:
        """Records of some kinds, newest first: `{records: [{id, kind, position, at, about, state}], next}`."""
        ...

    async def remove(self, request: RemovalRequest, caller: Caller, /) -> Json:
        """Remove, or with `dry_run` list: `{deletion, dry_run, removed: [{id, kind, bytes}], counts}`."""
        ...

    async def bundle(self, request: BundleRequest, caller: Caller, progress: Progress, /) -> Made:
        """A file that takes evidence along, whole when this returns; the one who asked reads and closes it."""
        ...

    async def attach(self, request: AttachRequest, caller: Caller, progress: Progress, /) -> Made:
        """A bundle of a report or a transcript with the evidence for what it cites; read and closed as `bundle`'s."""
        ...

    async def checkpoint(self) -> bytes:
        """The log's signed checkpoint."""
        ...

    async def log_file(self, path: str, /) -> bytes | None:
        """A tile below the log, as C2SP tlog-tiles names it (`tile/…`); None if there is none."""
        ...

    async def session_list(self, *, query: str, limit: int, deleted: bool) -> Json:
        """Sessions, newest first: `{sessions, next}`."""
        ...

    async def session_look(self, session: str, /) -> Json:
        """A session as it stands, without its events."""
        ...

    async def session_show(self, session: str, /, *, whole: bool) -> Json:
        """A session as it stands, with `history`: its events and what they say; `whole`: also what was gone back on."""
        ...

    async def session_context(
        self, session: str, /, *, form: str | None, budget: int | None, at: str | None, mode: str
    ) -> Json:
        """What a model is to be shown of a session, and what was left out."""
        ...

    async def session_fork(self, session: str, /, *, at: str | None) -> Json:
        """A session that shares this one's events up to `at`."""
        ...

    async def session_export(self, session: str, /) -> Json:
        """The whole session: records, contents, agents, the passages it names."""
        ...

    async def session_import(self, value: Json, /) -> Json:
        """Take in what `session_export` gave elsewhere; all ids stay."""
        ...

    async def session_delete(self, session: str, /, *, restore: bool) -> Json:
        """Delete a session softly, or bring it back."""
        ...

    async def keys_list(self) -> Json:
        """`{keys: [{id, name, scopes, created_at, revoked_at, last_used}]}`; never a key itself."""
        ...

    async def keys_create(self, request: KeyRequest, /) -> Json:
        """`{id, name, scopes, key}`: the only time that the key is shown."""
        ...

    async def keys_rotate(self, key: str, /) -> Json:
        """A new key in place of the one with this id; as `keys_create`."""
        ...

    async def keys_revoke(self, key: str, /) -> Json:
        """`{id, revoked_at}`; the key is refused from now on."""
        ...

    async def rebuild(self, progress: Progress, /) -> Json:
        """Make catalogue and index anew from the bucket: `{entries, captures, passages, ...}`."""
        ...

    async def backup(self, path: Path, progress: Progress, /) -> Json:
        """Write a backup to `path` on the machine that holds the data: `{path, bytes, ...}`."""
        ...

    async def doctor(self, *, deep: bool, progress: Progress) -> Json:
        """Check this installation: `{holds, checks: [{check, result, detail}]}`."""
        ...

    async def log_key_show(self) -> Json:
        """`{origin, vkey, path, read_only}`; never the private key."""
        ...

    async def log_key_backup(self, path: Path, /) -> Json:
        """Copy the private key to `path` (mode 0600): `{path}`."""
        ...

    async def log_key_rotate(self) -> Json:
        """Sign with a new key from now on, keeping the old public one: as `log_key_show`."""
        ...

    async def health(self) -> Json:
        """What is running and how it is."""
        ...


class Actions(Citator, Protocol):
    """What a server needs besides."""

    @property
    def sessions(self) -> "Sessions":
        """What is done with sessions."""
        ...

    @property
    def session_reading(self) -> "SessionReading":
        """What is read out of sessions."""
        ...

    async def authenticate(self, key: str, /) -> Caller | None:
        """Who holds this key, if it is good; the surface is filled in by the door."""
        ...

    async def serve(self, ids: Sequence[str], served: Served, caller: Caller, /) -> str | None:
        """Keep a reply that was made of several: what each id names, or the logged record that leads to it, was shown.

        Returns the id of the serving record of the first. For records whose own reply was not served (see `Form`).
        """
        ...

    async def cancelled(self, request: SearchRequest | CaptureRequest, caller: Caller, after_ms: int, /) -> str:
        """Keep that a search or a fetch was called off by who had asked for it. Returns the id of the record."""
        ...

    async def sitemap(self, url: str, /) -> list[str]:
        """The addresses that the sitemaps of the site at `url` name; empty if it has none."""
        ...

    async def ready(self) -> Json:
        """`{ready, ...}`: whether requests can be served now."""
        ...
