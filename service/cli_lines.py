"""Files with one JSON object a line, as `--queries` and `--jsonl` read them, and their results, one a line."""

import asyncio
import json
import sys
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service.cli_output import asked_wrongly, give_json
from service.errors import DONE, TYPE_PREFIX, problem_of, problem_told
from service.failures import BadRequest


@dataclass(frozen=True)
class Line:
    """One line: its number from 1, its text."""

    number: int
    text: str

    def fields(self) -> dict[str, Any]:
        """Its JSON object.

        Raises:
            BadRequest: it is none.
        """
        try:
            found = json.loads(self.text)
        except (ValueError, RecursionError) as error:
            raise BadRequest(f"line {self.number} is no JSON: {error}") from error
        if not isinstance(found, dict):
            raise BadRequest(f"line {self.number} is no JSON object")
        return found


def lines(file: Path) -> Iterator[Line]:
    """The lines of `file` (`-`: stdin) that are not empty."""
    if str(file) == "-":
        yield from _numbered(sys.stdin.buffer)
        return
    try:
        opened = file.open("rb")
    except OSError as error:
        raise BadRequest(f"{file} cannot be read: {error.strerror}") from error
    with opened:
        yield from _numbered(opened)


def bytes_of(file: Path) -> bytes:
    """What `file` holds.

    Raises:
        BadRequest: it cannot be read, or there can be no such file.
    """
    try:
        return file.read_bytes()
    except OSError as error:
        raise BadRequest(f"{file} cannot be read: {error.strerror}") from error
    except ValueError as error:  # a name with a NUL, or one that cannot be written in the file system's encoding
        raise BadRequest(f"{str(file)!r} cannot be read: {error}") from error


def _numbered(source: Iterable[bytes]) -> Iterator[Line]:
    for number, data in enumerate(source, 1):
        text = data.decode("utf-8", "replace").strip().removeprefix("\ufeff")
        if text:
            yield Line(number, text)


async def each(source: Iterable[Line], work: Callable[[Line], Awaitable[dict[str, Any]]], *, at_once: int) -> int:
    """Give the result of `work` for each line, on a line, in the order of the lines; `at_once` are worked on at a time.

    A result is given as soon as those before it are, also when the next line has not come yet: another program may
    write a line and wait for its answer. A line that fails gives its problem, with its `id`. Returns the exit status:
    that of the last line that failed, else 0.
    """
    status = DONE
    coming = _Coming(source, at_once)
    running: deque[asyncio.Task[tuple[int, dict[str, Any]]]] = deque()
    following: asyncio.Task[Line | None] | None = asyncio.ensure_future(coming.next())
    try:
        while running or following:
            wanted: set[asyncio.Task[Any]] = set()
            if following and len(running) < at_once:
                wanted.add(following)
            if running:
                wanted.add(running[0])
            await asyncio.wait(wanted, return_when=asyncio.FIRST_COMPLETED)
            if running and running[0].done():
                failed, result = running.popleft().result()
                status = failed or status
                give_json(result)
            if following and following in wanted and following.done():
                line = following.result()
                if line is None:
                    following = None
                else:
                    running.append(asyncio.ensure_future(_one(line, work)))
                    following = asyncio.ensure_future(coming.next())
    finally:
        for task in (*running, *([following] if following else ())):
            task.cancel()
    return status


class _Coming:
    """Lines read by a thread of their own, a few ahead: reading may wait for whoever writes them."""

    def __init__(self, source: Iterable[Line], ahead: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Line | Exception | None] = asyncio.Queue()
        self._room = threading.Semaphore(ahead)
        # A daemon: a command that is stopped does not wait for the next line.
        threading.Thread(target=self._read, args=(source,), daemon=True, name="citator-lines").start()

    async def next(self) -> Line | None:
        """The next line; None after the last."""
        found = await self._queue.get()
        self._room.release()
        if isinstance(found, Exception):
            raise found
        return found

    def _read(self, source: Iterable[Line]) -> None:
        try:
            for line in source:
                self._room.acquire()
                self._put(line)
        except (OSError, BadRequest) as error:
            self._put(error)
        else:
            self._put(None)

    def _put(self, found: Line | Exception | None) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(self._queue.put_nowait, found)


async def _one(line: Line, work: Callable[[Line], Awaitable[dict[str, Any]]]) -> tuple[int, dict[str, Any]]:
    try:
        result = await work(line)
        told = str(result.get("type", "")).startswith(TYPE_PREFIX)  # a reply that is a problem and kept all the same
        return problem_told(result, int(result["status"])).exit if told else DONE, result
    except Exception as error:  # noqa: BLE001 - one line's failure is that line's result
        problem = asked_wrongly(error) or problem_of(error)
        return problem.exit, problem.details() | {"line": line.number} | _id_in(line)


def _id_in(line: Line) -> dict[str, Any]:
    try:
        fields = line.fields()
    except BadRequest:
        return {}
    return {"id": fields["id"]} if "id" in fields else {}
