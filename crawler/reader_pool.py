"""Reads pages in worker processes with limits on time and memory."""

import asyncio
import json
import signal
import sys
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from types import TracebackType
from typing import Final, Self

from crawler.arrival import telling
from crawler.reader_wire import MAX_REPLY, OUT_OF_MEMORY, REPLY_LENGTH, Request, pack_request, unpack_reading
from crawler.reading import Outcome, Reading

# Readers keep caches and their heaps fragment: a fresh process after this many pages keeps memory flat.
PAGES_PER_WORKER: Final = 1_000

# A process does not give back the memory that a page of this many bytes made it take.
LARGE_BODY: Final = 4 * 1024 * 1024

# A worker holds some 100 MB; without work it is ended after this many seconds.
IDLE_SECONDS: Final = 60.0

# Starting a worker loads the parsers and a language model.
START_SECONDS: Final = 60.0

# The plain fall-back is linear in the size of the page.
FALLBACK_SECONDS: Final = 10.0

# The worker's time is what a processor gave it; on a busy machine that comes to so many times as long, or is given up.
PATIENCE: Final = 10

_BUFFER: Final = 1 << 20

# The worker gets the search path of this process, so that it finds the same code however this one was started.
_BOOT: Final = (
    "import json,sys;sys.path[:]=json.loads(sys.argv[1]);from crawler.reader_worker import main;main(sys.argv[2:])"
)


class _Ended(Exception):
    """The worker is gone; `status` is its exit status, negative for a signal."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class _NotTaken(Exception):
    """The worker was gone before it took the page."""


class _Worker:
    """One worker process and the pipes to it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._in, self._out = process, process.stdin, process.stdout
        self.pages = 0
        self.expiry: asyncio.TimerHandle | None = None

    @classmethod
    async def start(cls, memory_limit: int, time_limit: float) -> Self:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _BOOT, json.dumps(sys.path), str(memory_limit), str(time_limit),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            limit=_BUFFER,
        )  # fmt: skip
        worker = cls(process)
        try:
            async with asyncio.timeout(START_SECONDS):
                await worker._reply()
        except BaseException:
            await worker.stop()
            raise
        return worker

    @property
    def alive(self) -> bool:
        return self._process.returncode is None

    async def ask(self, request: Request, body: bytes) -> Reading:
        self.pages += 1
        with suppress(ConnectionError):  # the reply, or its absence, tells what happened
            self._in.write(pack_request(request, body))
            self._in.write(body)
            await self._in.drain()
        try:
            await self._reply()
        except _Ended as ended:
            raise _NotTaken from ended
        return unpack_reading(await self._reply())

    async def _reply(self) -> bytes:
        try:
            (length,) = REPLY_LENGTH.unpack(await self._out.readexactly(REPLY_LENGTH.size))
            if length > MAX_REPLY:
                raise ValueError(f"a reply of {length} bytes")
            return await self._out.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise _Ended(await self._process.wait()) from error

    async def stop(self) -> None:
        """End the process at once; it holds nothing that would be lost."""
        if self.expiry is not None:
            self.expiry.cancel()
        with suppress(ProcessLookupError):
            self._process.kill()
        self._in.close()
        with suppress(ConnectionError):
            await self._in.wait_closed()
        await self._process.wait()


class ReaderPool:
    """Worker processes that read pages, started when first needed and ended when idle.

    An async context manager, for one event loop. `workers` is how many pages are read at once, `memory_limit` the
    bytes a page may need beyond what a worker has when it starts, `time_limit` seconds a page may take, of a processor.
    """

    def __init__(
        self,
        workers: int = 2,
        memory_limit: int = 768 * 1024 * 1024,
        time_limit: float = 20.0,
        *,
        pages_per_worker: int = PAGES_PER_WORKER,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        self._memory_limit, self._time_limit = memory_limit, time_limit
        self._pages_per_worker, self._idle_seconds = pages_per_worker, idle_seconds
        self._slots = asyncio.Semaphore(workers)
        self._idle: list[_Worker] = []
        self._reads: set[asyncio.Task[Reading]] = set()
        self._stops: set[asyncio.Task[None]] = set()
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def read(
        self,
        body: bytes,
        *,
        media_type: str | None,
        charset: str | None,
        url: str,
        at: datetime,
        status: int | None = None,
        asked: str | None = None,
        headers: tuple[tuple[str, str], ...] = (),
        glance: bool = False,
    ) -> Reading:
        """As `read_page`, within the limits. What goes wrong with a page is told by the outcome, never raised.

        With `glance` only its kind of content and charset are told. RuntimeError if the pool is closed.
        """
        if self._closed:
            raise RuntimeError("the reader pool is closed")
        request = Request(media_type, charset, url, at.isoformat(), status, asked, telling(headers), glance=glance)
        task = asyncio.ensure_future(self._read(request, body))
        self._reads.add(task)
        task.add_done_callback(self._reads.discard)
        try:
            return await task
        finally:
            task.cancel()

    async def _read(self, request: Request, body: bytes) -> Reading:
        async with self._slots:
            reading = await self._attempt(request, body, self._time_limit * PATIENCE)
            if isinstance(reading, Reading):
                return reading
            outcome, detail = reading
            plain = replace(request, after=outcome, detail=detail)
            fallback = await self._attempt(plain, body, FALLBACK_SECONDS * PATIENCE)
            return fallback if isinstance(fallback, Reading) else Reading(outcome, request.media_type, detail)

    async def _attempt(self, request: Request, body: bytes, seconds: float) -> Reading | tuple[Outcome, str]:
        """The reading, or what happened instead.

        A worker that has rested may have been ended by the system unseen. No page is blamed for that: a fresh one
        takes it.
        """
        with suppress(_NotTaken):
            rested = self._rested()
            if rested is not None:
                return await self._ask(rested, request, body, seconds)
        try:
            return await self._ask(await _Worker.start(self._memory_limit, self._time_limit), request, body, seconds)
        except (_Ended, _NotTaken, TimeoutError, OSError) as error:
            return "failed", f"no reader could be started: {type(error).__name__}"

    async def _ask(
        self, worker: _Worker, request: Request, body: bytes, seconds: float
    ) -> Reading | tuple[Outcome, str]:
        """The reading, or what happened instead; the worker of such an attempt is ended."""
        if worker.expiry is not None:
            worker.expiry.cancel()
        healthy = False
        try:
            async with asyncio.timeout(seconds):
                reading = await worker.ask(request, body)
            healthy = True
        except TimeoutError:
            return "timeout", f"reading it was not done within {seconds:g} seconds and was stopped"
        except _Ended as ended:
            return self._what_ended_it(ended.status)
        except (ValueError, KeyError, TypeError):
            return "failed", "the reader gave no proper answer"
        else:
            return reading
        finally:
            if healthy and not self._closed and worker.pages < self._pages_per_worker and len(body) < LARGE_BODY:
                self._rest(worker)
            else:
                self._stop_soon(worker)

    def _rested(self) -> _Worker | None:
        """An idle worker that is still there; the system may have ended one meanwhile."""
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                return worker
            self._stop_soon(worker)
        return None

    def _rest(self, worker: _Worker) -> None:
        worker.expiry = asyncio.get_running_loop().call_later(self._idle_seconds, self._expire, worker)
        self._idle.append(worker)

    def _expire(self, worker: _Worker) -> None:
        if worker in self._idle:
            self._idle.remove(worker)
            self._stop_soon(worker)

    def _stop_soon(self, worker: _Worker) -> None:
        task = asyncio.ensure_future(worker.stop())
        self._stops.add(task)
        task.add_done_callback(self._stops.discard)

    async def close(self) -> None:
        """End all workers and wait until they are gone. Reads under way end with CancelledError."""
        self._closed = True
        reads = list(self._reads)
        for task in reads:
            task.cancel()
        await asyncio.gather(*reads, return_exceptions=True)
        while self._idle:
            self._stop_soon(self._idle.pop())
        await asyncio.gather(*self._stops)

    def _what_ended_it(self, status: int) -> tuple[Outcome, str]:
        if status == OUT_OF_MEMORY:
            return "too_large", f"reading it needs more than {self._memory_limit // (1024 * 1024)} MB of memory"
        if status == -signal.SIGPROF:
            return "timeout", f"reading it took more than {self._time_limit:g} seconds and was stopped"
        if status < 0:
            return "failed", f"the reader was ended by {signal.Signals(-status).name} on it"
        return "failed", f"the reader ended with status {status} on it"
