"""Listens: on TCP for callers with keys, and on the data directory's socket for the commands of its owner. One app."""

import asyncio
import gc
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import structlog
import uvicorn

from crawler import BadAddress
from service.api import application
from service.doors import Actions
from service.failures import BadSetting
from service.gate import Rules
from service.keys import write_first_key
from service.mcp_tools.calling import ToolsHere
from service.outgoing import proxies_of
from service.own_tools import ToolsForModels
from service.requests import KeyRequest, Scope
from service.sessions.asking import Model
from service.sessions.driving import Driver
from service.settings import Settings
from service.socket_path import short_path

FINISH_SECONDS: Final = 45
"""Seconds that running requests get to finish when the server is stopped: longer than the deadline of a fetch."""

KEEP_ALIVE_SECONDS: Final = 75
"""Seconds an idle connection stays open: longer than the 60 s after which usual proxies drop theirs."""

BACKLOG: Final = 2048

COLLECT_AFTER: Final = (20_000, 50, 200)
"""When each generation of objects is collected: the youngest after so many new objects (some searches make as many),
the older ones after so many collections of the one before: the oldest after tens of thousands of searches."""

FIRST_KEY: Final = "first-key"

log = structlog.get_logger()


class Server(uvicorn.Server):
    """Uvicorn on given sockets. It leaves signals to the composition, which has more to close than connections."""

    def __init__(self, config: uvicorn.Config, closing: asyncio.Event) -> None:
        super().__init__(config)
        self._closing = closing

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone: uvicorn would raise them again, and end the process before the archive is closed."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End event streams, which would never end by themselves, then wait for what is running."""
        self._closing.set()
        await super().shutdown(sockets)


async def serve(actions: Actions, settings: Settings, stop: asyncio.Event) -> None:
    """Serve until `stop` is set and what was running then is answered. The data directory is held by `actions`.

    Raises:
        BadSetting: the address of CITATOR_LISTEN is taken or is not this machine's.
    """
    closing = asyncio.Event()
    rules = Rules(
        hosts=frozenset(name.lower() for name in (*settings.hosts, _listen(settings)[0])),
        loopback_without_key=settings.loopback_without_key,
        max_request=settings.max_request,
        key_rate=settings.key_rate,
        key_concurrency=settings.key_concurrency,
    )
    driver = driver_of(actions, settings)
    app = application(actions, rules, closing=closing, mcp_structured=settings.mcp_structured, driver=driver)
    config = uvicorn.Config(
        app,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=FINISH_SECONDS,
    )
    server = Server(config, closing)
    await first_key(actions, settings.data)
    settle_memory()
    with tcp_socket(settings) as tcp, local_socket(settings.socket_path) as local:
        stopping = asyncio.ensure_future(_pass_on(stop, server))
        host, port = tcp.getsockname()[:2]
        log.info(
            "listening", url=f"http://{f'[{host}]' if ':' in host else host}:{port}", socket=str(settings.socket_path)
        )
        looking = asyncio.create_task(driver.look_after(), name="runs that were left")
        try:
            await server.serve([tcp, local])
        finally:
            stopping.cancel()
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)
            await driver.close()
    log.info("stopped")


def driver_of(actions: Actions, settings: Settings) -> Driver:
    """What drives runs with the operator's model, if one is set up."""
    model = None
    if settings.model_url and settings.model_name:
        key = settings.model_key.get_secret_value() if settings.model_key else None
        model = Model(
            settings.model_url, settings.model_form, settings.model_name, key, settings.model_seconds,
            settings.model_window, settings.model_steps,
        )  # fmt: skip
    tools = ToolsForModels(ToolsHere(actions))
    try:
        return Driver(actions, tools, model, settings.user_agent, proxies=proxies_of(settings))
    except BadAddress as error:
        raise BadSetting(f"CITATOR_MODEL_URL: {error}") from error


def settle_memory() -> None:
    """Keep the garbage collector from going through what stays: modules, and the records held in memory.

    A full collection stops every request for as long as it takes, and finds next to nothing: what a request makes is
    freed when its last reference goes.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)


async def _pass_on(stop: asyncio.Event, server: uvicorn.Server) -> None:
    await stop.wait()
    server.should_exit = True


@contextmanager
def stopped_by_signals(stop: asyncio.Event) -> Iterator[None]:
    """Set `stop` at SIGTERM and SIGINT while the block runs, closing included; again and again changes nothing."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    try:
        yield
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


def _listen(settings: Settings) -> tuple[str, int]:
    host, _, port = settings.listen.rpartition(":")
    return host.strip("[]"), int(port)


@contextmanager
def tcp_socket(settings: Settings) -> Iterator[socket.socket]:
    """The bound socket of CITATOR_LISTEN; port 0 lets the system choose."""
    host, port = _listen(settings)
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        bound = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise BadSetting(f"CITATOR_LISTEN: cannot listen on {settings.listen}: {error.strerror or error}") from error
    with bound:
        # Connections inherit it. Without, the end of an answer waits 40 ms for its head to be acknowledged.
        bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield bound


@contextmanager
def local_socket(path: Path) -> Iterator[socket.socket]:
    """A socket at `path` that only its owner can use. What a killed server left there is replaced: we hold the lock."""
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as bound:
        with short_path(path) as name:
            before = os.umask(0o177)
            try:
                bound.bind(name)
            finally:
                os.umask(before)
        bound.listen(BACKLOG)
        try:
            yield bound
        finally:
            path.unlink(missing_ok=True)


async def first_key(actions: Actions, data: Path) -> None:
    """Make a first key on the first start: into a file that its owner can read, and onto a terminal if there is one."""
    path = data / FIRST_KEY
    if path.exists() or (await actions.keys_list())["keys"]:
        return
    made = await actions.keys_create(KeyRequest(name="first key", scopes=(Scope.ADMIN,)))
    write_first_key(path, made["key"])
    log.info("first key written", path=str(path))
    if sys.stderr.isatty():
        sys.stderr.write(f"Your first key: {made['key']}\nIt is kept in {path}; nobody else can read that file.\n")
