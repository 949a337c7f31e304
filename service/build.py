"""The composition root: opens every part in order, hands them to the actions, closes them in reverse."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import structlog
from anyio.to_thread import run_sync

from crawler import (
    BadAddress,
    Fetcher,
    FetchSettings,
    Provider,
    ProviderSettings,
    ReaderPool,
    Renderer,
    RenderSettings,
    Resolver,
    SharedPace,
    chosen,
)
from index import Index, IndexDamaged, IndexVersion
from service.actions import Actions
from service.bundling import Bundles, clear
from service.clock import Clock, system_clock
from service.crawling import Crawls
from service.data_directory import hold
from service.errors import NO_ROOM
from service.failures import BadSetting
from service.following import Follower
from service.keyring import Keyring
from service.outgoing import proxies_of
from service.parts import Parts, Readers
from service.rankers import ranker_of
from service.retaining import Retentions
from service.settings import Settings
from service.sharing_pace import PaceInState
from service.spool import Spool
from service.stamping import Stamper, posting, roots_of
from service.watch_book import WatchBook
from service.watch_rounds import WatchRounds
from service.watching import Watches
from service.webhooks import Webhooks
from snapshots import (
    Archive,
    Catalogue,
    CatalogueDamaged,
    CatalogueVersion,
    Log,
    LogDamaged,
    Stamps,
    State,
    Store,
    StoreFull,
    WrongLogKey,
    joined_script,
    open_log,
    open_store,
    probe_once,
)

log = structlog.get_logger(__name__)


@asynccontextmanager
async def build(
    settings: Settings,
    *,
    store: Store | None = None,
    resolver: Resolver | None = None,
    readers: Readers | None = None,
    clock: Clock = system_clock,
    resume: bool = False,
) -> AsyncIterator[Actions]:
    """Open everything that `settings` describe, and close it afterwards; nothing that was accepted is lost.

    `store`, `resolver` and `readers` replace the bucket, name resolution and the worker processes, for tests.
    `resume` is for servers: the bucket is tried out, and crawls that an earlier process left unfinished are gone on
    with.

    Raises:
        DataInUse, DataVersion, BadSetting: of the data directory.
        StoreError, LogError, CatalogueError: of the parts of the archive.
    """
    async with AsyncExitStack() as stack:
        stack.enter_context(hold(settings.data))
        await run_sync(clear, settings.tmp_path)
        opened = await run_sync(_open_archive, settings, store)
        stack.push_async_callback(run_sync, opened.close)
        if resume and not opened.log.read_only:
            await run_sync(_try_out, opened.store)
        index = await run_sync(open_index, settings.index_path)
        follower = Follower(opened.archive, opened.log, index)
        stack.push_async_callback(run_sync, _close_index, follower)
        follower.start()
        shared = PaceInState(opened.state, clock) if settings.database_url is not None else None
        fetcher = await stack.enter_async_context(_fetcher(settings, resolver, shared))
        if readers is None:
            pool = ReaderPool(settings.readers, memory_limit=settings.read_memory, time_limit=settings.read_seconds)
            readers = await stack.enter_async_context(pool)
        renderer = await stack.enter_async_context(_renderer(settings, fetcher))
        providers = _providers(settings, resolver)
        for provider in providers:
            stack.callback(provider.close)
        ranker = await run_sync(ranker_of, settings)
        if ranker is not None:
            stack.callback(ranker.close)
        keyring = Keyring(opened.state, clock)
        stack.push_async_callback(run_sync, keyring.flush)
        post = posting(settings, resolver)
        stack.callback(post.close)
        stamper = Stamper(settings, opened.log, Stamps(opened.store), clock, post, roots_of(settings.tsa_ca_file))
        if resume and not opened.log.read_only:
            stack.push_async_callback(_stop, asyncio.create_task(stamper.run(), name="time stamps"))
        parts = Parts(
            settings=settings,
            store=opened.store,
            log=opened.log,
            archive=opened.archive,
            keyring=keyring,
            follower=follower,
            fetcher=fetcher,
            readers=readers,
            renderer=renderer,
            clock=clock,
            stamper=stamper,
            spool=Spool(settings.spool_path),
            providers=providers,
            ranker=ranker,
        )
        if resume:
            await run_sync(parts.spool.retry, parts.archive, follower.notice)
        crawls = Crawls(parts)
        stack.push_async_callback(crawls.close)
        if resume:
            await crawls.serve()
        book, hooks = WatchBook(parts.archive), Webhooks(settings, resolver)
        rounds = WatchRounds(parts, book, hooks)
        if resume and not opened.log.read_only:
            stack.push_async_callback(_stop, asyncio.create_task(rounds.run(), name="watches"))
        retention = Retentions(parts, book)
        if resume and not opened.log.read_only:
            stack.push_async_callback(_stop, asyncio.create_task(retention.run(), name="retention"))
        yield Actions(parts, crawls, Bundles(parts, joined_script), Watches(parts, book, hooks), retention)


async def _stop(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _try_out(store: Store) -> None:
    """Write, read back and delete an object, so that a bucket that keeps nothing is told at the start, not at a reply.

    A full one can still be read.
    """
    try:
        probe_once(store)
    except StoreFull as error:
        log.warning("the bucket is full: nothing can be kept", reason=str(error))


def open_index(path: Path) -> Index:
    """The search index; one that is damaged or of another version is thrown away, and the follower fills a new one."""
    try:
        return Index.open(path, create=True)
    except (IndexDamaged, IndexVersion) as error:
        log.warning("the search index is made anew", reason=str(error))
        shutil.rmtree(path, ignore_errors=True)
        return Index.open(path, create=True)


@dataclass(frozen=True)
class _Opened:
    """The archive and what it stands on."""

    store: Store
    log: Log
    catalogue: Catalogue
    archive: Archive
    state: State
    seen: Path

    def close(self) -> None:
        """Keep what is waiting, then close everything."""
        self.archive.close()
        remember(self.log, self.seen)
        self.log.close()
        self.catalogue.close()
        self.state.close()
        self.store.close()


def _open_archive(settings: Settings, store: Store | None) -> _Opened:
    """The archive and the state database. What was opened before a failure is closed again."""
    with ExitStack() as stack:
        bucket = store or open_store(settings.bucket_address, **settings.store_options)
        stack.callback(bucket.close)
        opened = _open_log(settings, bucket)
        stack.callback(opened.close)
        catalogue = _open_catalogue(settings)
        stack.callback(catalogue.close)
        state = State.open(settings.state_url)
        stack.callback(state.close)
        archive = Archive(bucket, opened, catalogue)
        stack.callback(archive.close)
        archive.catch_up()
        stack.pop_all()  # all of it is open: whoever gets it closes it
    return _Opened(bucket, opened, catalogue, archive, state, settings.seen_path)


def _open_log(settings: Settings, bucket: Store) -> Log:
    """The log, held against the last checkpoint that was seen of it."""
    seen = _last_seen(settings.seen_path)
    try:
        opened = open_log(bucket, settings.key_path, create=True, origin=settings.log_origin, seen=seen)
    except (LogDamaged, WrongLogKey) as error:
        if not seen:
            raise
        hint = f"if the bucket was put back to an earlier state or replaced on purpose, remove {settings.seen_path}"
        raise type(error)(f"{error}; {hint}") from error
    remember(opened, settings.seen_path)
    return opened


def _last_seen(path: Path) -> tuple[bytes, ...]:
    """The last checkpoint that this installation has seen: a bucket whose log does not extend it was rolled back."""
    try:
        return (path.read_bytes(),)
    except FileNotFoundError:
        return ()


def remember(opened: Log, path: Path) -> None:
    """Note the log's checkpoint for the next start, whole or not at all. A full disk is no reason not to read."""
    if _last_seen(path) == (opened.checkpoint,):
        return
    written = path.with_name(f"{path.name}.new")
    try:
        with written.open("wb") as file:
            file.write(opened.checkpoint)
            file.flush()
            os.fsync(file.fileno())
        written.replace(path)
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        log.warning("the log's checkpoint is not noted", reason=str(error))


def _open_catalogue(settings: Settings) -> Catalogue:
    """The catalogue. A file that is damaged or of another version is thrown away: the log fills a new one."""
    try:
        return Catalogue.open(settings.catalogue_url)
    except (CatalogueDamaged, CatalogueVersion) as error:
        if settings.database_url is not None:
            raise  # a database server's tables are not ours to drop
        log.warning("the catalogue is made anew", reason=str(error))
        for name in ("catalogue.db", "catalogue.db-wal", "catalogue.db-shm"):
            (settings.data / name).unlink(missing_ok=True)
        return Catalogue.open(settings.catalogue_url)


def _close_index(follower: Follower) -> None:
    follower.close()
    follower.index.close()


def _renderer(settings: Settings, fetcher: Fetcher) -> Renderer:
    width, _, height = settings.viewport.partition("x")
    wanted = RenderSettings(
        chromium=settings.chromium,
        sandbox={"auto": None, "on": True, "off": False}[settings.chromium_sandbox],
        pages=settings.render_concurrency,
        deadline=settings.render_deadline,
        locale=settings.locale or "en-US",
        time_zone=settings.time_zone,
        width=int(width),
        height=int(height),
        user_agent=settings.render_user_agent,
    )
    return Renderer(fetcher.dialler, wanted)


def _fetcher(settings: Settings, resolver: Resolver | None, shared: SharedPace | None) -> Fetcher:
    wanted = FetchSettings(
        user_agent=settings.user_agent,
        robots=settings.robots,
        accept_language=settings.locale,
        max_body=settings.max_body,
        max_wire=settings.max_body,
        deadline=settings.fetch_deadline,
        delay=settings.host_delay,
        concurrency=settings.host_concurrency,
        allow_addresses=settings.allow_addresses,
        retries=settings.fetch_retries,
        proxies=proxies_of(settings),
        certificate_authorities=settings.certificate_authorities,
        host_headers=tuple(
            (host.lower(), tuple((name, value.get_secret_value()) for name, value in headers.items()))
            for host, headers in settings.host_headers.items()
        ),
    )
    try:
        return Fetcher(wanted, resolver=resolver, shared=shared)
    except (ValueError, OSError) as error:
        raise BadSetting(f"CITATOR_ALLOW_ADDRESSES: {error}") from error


def _providers(settings: Settings, resolver: Resolver | None) -> tuple[Provider, ...]:
    """The search providers that the settings name."""
    wikis = {}
    for entry in settings.mediawiki_urls:
        api, _, pages = entry.partition("|")
        wikis[api] = pages or api.removesuffix("/api.php").removesuffix("/w") + "/wiki/$1"
    wanted = ProviderSettings(
        searxng_url=settings.searxng_url,
        brave_url=settings.brave_url,
        brave_key=settings.brave_key.get_secret_value() if settings.brave_key else None,
        tavily_url=settings.tavily_url,
        tavily_key=settings.tavily_key.get_secret_value() if settings.tavily_key else None,
        openalex_url=settings.openalex_url,
        openalex_email=settings.openalex_email,
        mediawiki=wikis,
        opensearch=settings.opensearch_urls,
        rates=settings.provider_rates,
        user_agent=settings.user_agent,
        proxies=proxies_of(settings),
    )
    try:
        return chosen(wanted, resolver=resolver)
    except BadAddress as error:
        raise BadSetting(f"a search provider's address cannot be used: {error}") from error
