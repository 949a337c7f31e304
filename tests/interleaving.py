"""Every order in which writers on one bucket can do their operations, and every moment one of them can be killed.

Each writer runs in a thread of its own and stops before each operation of its store; the test says who goes on. The
orders are walked through depth first. A state (the bucket, and what each writer has been told so far) that was met
before is not gone into again: writers are deterministic, so everything that can follow has been or will be seen.
"""

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from typing import Any, TypeVar

from snapshots.errors import EvidenceError
from tests.memory_store import MemoryStore

T = TypeVar("T")

Program = Callable[[MemoryStore], Any]
"""What a writer does with its store; what it returns is its result."""

_RANDOM = re.compile(rb"-[0-9a-f]{16}\b")


class Killed(BaseException):
    """Ends a writer's thread where it stands, as `kill -9` would: nothing of the program catches it."""


@dataclass(frozen=True)
class Choice:
    """What happens next: a writer does its next operation, or is killed before it."""

    writer: int
    kill: bool = False


@dataclass
class Writer:
    """One writer: its thread, how far it has come, and everything that it has been told."""

    program: Program
    objects: dict[str, bytes]
    done: bool = False
    killed: bool = False
    result: Any = None
    problem: Exception | None = None
    told: Any = field(default_factory=sha256)
    _kill: bool = False

    def __post_init__(self) -> None:
        self._go = threading.Semaphore(0)
        self._stopped = threading.Semaphore(0)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._stopped.acquire()

    def step(self, *, kill: bool) -> None:
        """Lets it do its next operation and run up to the one after it, or kills it."""
        self._kill = kill
        self._go.release()
        self._stopped.acquire()
        if self.done:
            self._thread.join()

    def _run(self) -> None:
        try:
            self.result = self.program(MemoryStore(self.objects, self._gate))
        except Killed:
            self.killed = True
        except Exception as problem:  # noqa: BLE001 - it is handed to the test, which raises it
            self.problem = problem
        self.done = True
        self._stopped.release()

    def _gate(self, operation: str, name: str, effect: Callable[[], T]) -> T:
        self._stopped.release()
        self._go.acquire()
        if self._kill:
            raise Killed
        try:
            answer = effect()
        except EvidenceError as problem:
            self._note(operation, name, type(problem).__name__)
            raise
        self._note(operation, name, answer if operation != "swap" else "")
        return answer

    def _note(self, *values: object) -> None:
        for value in values:
            # The version token in an answer follows from the bytes beside it.
            told = value[0] if isinstance(value, tuple) and len(value) == 2 else value
            self.told.update(_steady(told if isinstance(told, bytes) else repr(told).encode()) + b"\0")


@dataclass
class Run:
    """One order of operations, from the beginning to the end of all writers."""

    choices: list[Choice]
    writers: list[Writer]
    objects: dict[str, bytes]


def runs(
    start: dict[str, bytes],
    programs: list[Program],
    *,
    kills: int,
    after_each: Callable[[dict[str, bytes]], None],
) -> Iterator[Run]:
    """Every run of `programs` on a bucket that begins as `start`, with up to `kills` of the writers killed.

    `after_each` is called with the bucket after each operation that leads to a state not met before.
    """
    met: set[bytes] = set()
    to_do: list[list[Choice]] = [[]]
    while to_do:
        prefix = to_do.pop()
        objects = dict(start)
        writers = [Writer(program, objects) for program in programs]
        taken: list[Choice] = []
        known = False
        while True:
            choices = _choices(writers, kills)
            if not choices:
                break
            if len(taken) < len(prefix):
                choice = prefix[len(taken)]
            else:
                choice, *others = choices
                to_do.extend([*taken, other] for other in others)
            writers[choice.writer].step(kill=choice.kill)
            taken.append(choice)
            if len(taken) >= len(prefix):
                state = _fingerprint(objects, writers)
                if state in met:
                    known = True
                    break
                met.add(state)
                after_each(objects)
        if known:
            _abandon(writers)
        else:
            yield Run(taken, writers, objects)


def _choices(writers: list[Writer], kills: int) -> list[Choice]:
    alive = [number for number, writer in enumerate(writers) if not writer.done]
    may_kill = sum(writer.killed for writer in writers) < kills
    return [Choice(number) for number in alive] + [Choice(number, kill=True) for number in alive if may_kill]


def state_of(objects: dict[str, bytes]) -> bytes:
    """A hash of all that lies in a bucket, but for the random ends of names."""
    return sha256(b"".join(sorted(_object_state(name, data) for name, data in objects.items()))).digest()


@lru_cache(maxsize=4096)
def _object_state(name: str, data: bytes) -> bytes:
    return sha256(b"%d " % len(_steady(name.encode())) + _steady(name.encode()) + _steady(data)).digest()


def _fingerprint(objects: dict[str, bytes], writers: list[Writer]) -> bytes:
    return sha256(state_of(objects) + b"".join(map(_writer_state, writers))).digest()


def _writer_state(writer: Writer) -> bytes:
    """What can still come of it: one that has ended does nothing more, and only how it ended tells it from others."""
    if not writer.done:
        return writer.told.digest()
    return sha256(repr((writer.killed, writer.result, writer.problem)).encode()).digest()


def _abandon(writers: list[Writer]) -> None:
    for writer in writers:
        if not writer.done:
            writer.step(kill=True)


def _steady(data: bytes) -> bytes:
    """The bytes without the random ends of names, which differ from run to run."""
    return _RANDOM.sub(b"-", data)
