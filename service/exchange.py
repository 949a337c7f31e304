"""One HTTP exchange with a Citator server, over TCP or its local socket. Blocking, on the standard library alone.

Commands pay for what they import; this costs a tenth of a client library.
"""

import asyncio
import http.client
import json
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import quote, urlsplit

from service.errors import TABLE, TYPE_PREFIX, Problem, ServerUnreachable, ToldProblem, problem_told
from service.socket_path import short_path

T = TypeVar("T")

CONNECT_SECONDS: Final = 10.0
ANSWER_SECONDS: Final = 900.0
"""Seconds of silence after which a server counts as dead: a deep check of a large bucket is quiet for minutes."""

MAX_REFUSAL: Final = 1024 * 1024
"""Bytes read of a refusal; problem details have some hundreds, those with a deletion record more."""

PROBLEM: Final = "application/problem+json"


@dataclass(frozen=True)
class Told:
    """An answer. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Coming:
    """The body of an answer, while it comes. Header names are in lower case."""

    def __init__(
        self, headers: Mapping[str, str], connection: http.client.HTTPConnection, answer: http.client.HTTPResponse
    ) -> None:
        self.headers = headers
        self._connection = connection
        self._answer = answer

    def read(self, size: int, /) -> bytes:
        """The next bytes; none at the end.

        Raises:
            ServerUnreachable: the answer breaks off.
        """
        try:
            return self._answer.read(size)
        except (OSError, http.client.HTTPException) as error:
            raise ServerUnreachable(f"the answer broke off: {error}") from error

    def close(self) -> None:
        """Hang up."""
        self._answer.close()
        self._connection.close()


class _LocalConnection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=ANSWER_SECONDS)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(CONNECT_SECONDS)
        with short_path(self._path) as name:
            self.sock.connect(name)
        self.sock.settimeout(ANSWER_SECONDS)


@dataclass(frozen=True)
class Exchange:
    """Where the server is. `where` is an `http(s)` address, or the path of a socket; `key` goes with each request."""

    where: str | Path
    key: str | None = field(default=None, repr=False)

    def connection(self) -> http.client.HTTPConnection:
        """A connection that is not open yet.

        Raises:
            ServerUnreachable: the address is none.
        """
        if isinstance(self.where, Path):
            return _LocalConnection(self.where)
        parts = urlsplit(self.where)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ServerUnreachable(f"CITATOR_URL: {self.where!r} is no http or https address")
        if parts.scheme == "https":
            return http.client.HTTPSConnection(
                parts.hostname, parts.port, timeout=ANSWER_SECONDS, context=ssl.create_default_context()
            )
        return http.client.HTTPConnection(parts.hostname, parts.port, timeout=ANSWER_SECONDS)

    def _sent(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        target: str,
        body: bytes | None,
        headers: Mapping[str, str],
    ) -> http.client.HTTPResponse:
        base = "" if isinstance(self.where, Path) else urlsplit(self.where).path.rstrip("/")
        key = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        try:
            connection.request(method, base + target, body, {"Accept": "*/*", **key, **headers})
            return connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            raise ServerUnreachable(f"no answer from {self.where}: {error}") from error

    def ask(
        self,
        method: str,
        target: str,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        connection: http.client.HTTPConnection | None = None,
    ) -> Told:
        """Ask and read the whole answer, whatever its status; over `connection`, which whoever has it can hang up.

        Raises:
            ServerUnreachable: nobody answers, or the answer breaks off.
        """
        connection = connection or self.connection()
        try:
            answer = self._sent(connection, method, target, body, headers or {})
            try:
                read = answer.read()
            except (OSError, http.client.HTTPException) as error:
                raise ServerUnreachable(f"the answer of {self.where} broke off: {error}") from error
            return Told(answer.status, {name.lower(): value for name, value in answer.getheaders()}, read)
        finally:
            connection.close()

    async def told(
        self, method: str, target: str, *, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Told:
        """As `ask`, in a thread. Raises as `ask`."""
        connection = self.connection()
        asking = partial(self.ask, method, target, body=body, headers=headers, connection=connection)
        return await while_wanted(connection, asking)

    def fetch(
        self,
        method: str,
        target: str,
        body: bytes,
        headers: Mapping[str, str],
        *,
        connection: http.client.HTTPConnection | None = None,
    ) -> "Coming":
        """Ask, and leave the body of a good answer to be read.

        Raises:
            ToldProblem: the server refuses.
            ServerUnreachable: nobody answers.
        """
        connection = connection or self.connection()
        answer = self._sent(connection, method, target, body, headers)
        told = {name.lower(): value for name, value in answer.getheaders()}
        coming = Coming(told, connection, answer)
        if answer.status < http.HTTPStatus.BAD_REQUEST:
            return coming
        refusal = coming.read(MAX_REFUSAL)
        coming.close()
        raise problem_in(Told(answer.status, told, refusal))

    def follow(
        self, connection: http.client.HTTPConnection, method: str, target: str, *, body: bytes | None = None
    ) -> Iterator[dict[str, Any]]:
        """Server-sent events, one by one. Closing `connection` from outside ends it with ServerUnreachable.

        Raises:
            ToldProblem: the server refuses, or tells of a problem in the stream.
            ServerUnreachable: nobody answers.
        """
        headers = {"Content-Type": "application/json"} if body is not None else {}
        answer = self._sent(connection, method, target, body, headers)
        if answer.status >= http.HTTPStatus.BAD_REQUEST:
            raise problem_in(Told(answer.status, {"content-type": answer.getheader("content-type", "")}, answer.read()))
        try:
            for line in answer:
                if line.startswith(b"data: "):
                    event = json.loads(line[6:])
                    if str(event.get("type", "")).startswith(TYPE_PREFIX):
                        raise ToldProblem(problem_told(event, int(event["status"])))
                    yield event
        except (OSError, http.client.HTTPException, ValueError, AttributeError) as error:
            raise ServerUnreachable(f"the answer of {self.where} broke off: {error}") from error


def problem_in(told: Told) -> ToldProblem | ServerUnreachable:
    """The problem that an answer tells, or that something else than a Citator server answered."""
    if told.headers.get("content-type", "").startswith(PROBLEM):
        try:
            return ToldProblem(problem_told(json.loads(told.body), told.status))
        except ValueError:
            pass
    return ServerUnreachable(f"the server answered with status {told.status} and no problem details: is it Citator?")


async def while_wanted(connection: http.client.HTTPConnection, call: Callable[[], T]) -> T:
    """Make a blocking call over `connection` in a thread.

    Who ceases to wait for it hangs up: the thread ends then, and the server may call off what it was doing.
    """
    try:
        return await asyncio.to_thread(call)
    except asyncio.CancelledError:
        hang_up(connection)
        raise


def hang_up(connection: http.client.HTTPConnection) -> None:
    """Close a connection that another thread may be reading from: that thread sees the end of the stream."""
    if connection.sock is not None:
        with suppress(OSError):  # the other end was faster
            connection.sock.shutdown(socket.SHUT_RDWR)
    connection.close()


def named(text: str) -> str:
    """An id as a segment of a path.

    Raises:
        ToldProblem: the text cannot be one segment, and so is no id.
    """
    if not text.strip(".") or "/" in text:
        meaning = TABLE["snapshots.BadId"]
        detail = f"{text!r} is not an id"
        raise ToldProblem(Problem(meaning.slug, meaning.status, meaning.exit, meaning.title, detail))
    return quote(text, safe=":")
