"""A thin client of Citator for own code, blocking and asynchronous, on the standard library alone.

    from citator_client import Citator

    with Citator() as citator:
        found = citator.search("context manager protocol", max_results=3)
        for passage in found["results"][0]["passages"]:
            print(passage["text"], passage["cite"])

`AsyncCitator` has the same methods, to be awaited. Without arguments both go where the command line goes: to
CITATOR_URL with CITATOR_KEY, else to the socket of the data directory (CITATOR_DATA, ./citator-data), which needs no
key, else to http://127.0.0.1:8787. This file needs nothing else: copy it wherever it is wanted.

Replies are the API's JSON. Evidence that is asked for by its id is hashed here and is what its id says, or it is not
given at all.
"""

import asyncio
import hashlib
import http.client
import io
import json
import os
import socket
import ssl
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import quote, urlencode, urlsplit

Json = dict[str, Any]

SERVER: Final[str | None] = None
"""The server's address, if nothing else is said; `citator connect python --url` writes it here."""

DATA: Final = "citator-data"
"""The data directory with the server's socket, if nothing else is said; `citator connect python` writes it here."""

SECONDS: Final = 180.0
"""Seconds to wait for an answer: a search that fetches pages has a deadline of its own that is far below."""

_ID_LENGTH: Final = len("sha256:") + 64
_REFUSED: Final = 400


class CitatorError(Exception):
    """Anything that went wrong."""


class Unreachable(CitatorError):
    """Nobody answers, or not in time, or the answer breaks off."""


class Altered(CitatorError):
    """What was sent for an id is not what the id names."""


class Refused(CitatorError):
    """The server says no, in the words of its problem details.

    `told` is all of it. A page that could not be had is told in this way too: `record` and `capture` then name what
    is kept of the attempt. `retry_after` is in seconds, where the server wants to be asked later.
    """

    def __init__(self, status: int, told: Json, retry_after: int | None = None) -> None:
        super().__init__(" ".join(str(told[name]) for name in ("title", "detail") if told.get(name)) or str(status))
        self.status = status
        self.told = told
        self.record: str | None = told.get("record")
        self.capture: str | None = told.get("capture")
        self.retry_after = retry_after


@dataclass(frozen=True)
class Answer:
    """An answer as it came. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise CitatorError(f"the answer is no JSON: is it Citator that answers? {error}") from error


@dataclass(frozen=True)
class _Call:
    """A request, before it is sent anywhere."""

    method: str
    path: str
    body: bytes | None = None
    media_type: str = "application/json"


class _Door:
    """Where the server is, and how requests to it look."""

    def __init__(self, url: str | None, key: str | None, timeout: float) -> None:
        self.socket: Path | None = None
        self.timeout = timeout
        self._key = key or os.environ.get("CITATOR_KEY")
        given = url or os.environ.get("CITATOR_URL") or SERVER
        if given is None:
            local = Path(os.environ.get("CITATOR_DATA", DATA)) / "server.sock"
            self.socket = local if local.exists() else None
        parts = urlsplit(given or "http://127.0.0.1:8787")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise CitatorError(f"{given!r} is no http or https address")
        self.host = parts.hostname
        self.tls = parts.scheme == "https"
        self.port = parts.port or (443 if self.tls else 80)
        self._authority = parts.netloc.rpartition("@")[2] if self.socket is None else "localhost"
        self._base = parts.path.rstrip("/") if self.socket is None else ""

    def __repr__(self) -> str:
        return f"{self.socket or self._authority}"

    def written(self, call: _Call) -> bytes:
        """The bytes of a request, on a connection that ends with it."""
        headers = {"Host": self._authority, "Accept": "*/*", "User-Agent": "citator-client/1", "Connection": "close"}
        if self._key:
            if not self._key.isprintable() or not self._key.isascii():
                raise CitatorError("the key holds signs that no key has")
            headers["Authorization"] = f"Bearer {self._key}"
        if call.body is not None:
            headers |= {"Content-Type": call.media_type, "Content-Length": str(len(call.body))}
        lines = [
            f"{call.method} {self._base}{call.path} HTTP/1.1",
            *(f"{name}: {told}" for name, told in headers.items()),
        ]
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + (call.body or b"")

    def context(self) -> ssl.SSLContext | None:
        """What TLS is checked with."""
        return ssl.create_default_context() if self.tls and self.socket is None else None

    def read(self, call: _Call, raw: bytes) -> Answer:
        """The answer in all the bytes of a connection; a refusal is raised."""
        answer = http.client.HTTPResponse(_Bytes(raw), method=call.method)  # type: ignore[arg-type]
        try:
            answer.begin()
            body = answer.read()
        except (http.client.HTTPException, ValueError) as error:
            raise Unreachable(f"the answer of {self} broke off") from error
        headers = {name.lower(): told for name, told in answer.getheaders()}
        told = Answer(answer.status, headers, body)
        if answer.status >= _REFUSED:
            problem = told.json if "json" in headers.get("content-type", "") else None
            if not isinstance(problem, dict):
                problem = {"title": f"The server answered with status {answer.status}."}
            after = headers.get("retry-after", "")
            raise Refused(answer.status, problem, int(after) if after.isdigit() else None)
        return told


class _Bytes:
    """Bytes that were read already, as the standard library's parser of answers wants them."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    def makefile(self, _mode: str) -> io.BytesIO:
        """All of them."""
        return io.BytesIO(self._raw)


# What can be asked. Each of these is a request and nothing more.


def _posted(path: str, asked: Mapping[str, Any]) -> _Call:
    given = {name: value for name, value in asked.items() if value is not None}
    return _Call("POST", f"/api/v1{path}", json.dumps(given).encode())


def _got(path: str, **query: object) -> _Call:
    given = {name: value for name, value in query.items() if value is not None}
    return _Call("GET", f"/api/v1{path}" + (f"?{urlencode(given)}" if given else ""))


def _named(ident: str, part: str = "", **query: object) -> _Call:
    return _got(f"/evidence/{quote(ident, safe=':')}{part}", **query)


def _added(content: bytes, media_type: str | None, options: Mapping[str, Any]) -> _Call:
    given = {name: value for name, value in options.items() if value is not None}
    if media_type is not None:
        given["media_type"] = media_type
    query = f"?{urlencode(given)}" if given else ""
    return _Call("POST", f"/api/v1/uploads{query}", content, "application/octet-stream")


def _called(name: str, arguments: Mapping[str, Any], session: str | None) -> _Call:
    return _posted(f"/tools/{quote(name, safe='')}", {"arguments": dict(arguments), "session": session})


def _checked(asked: str, answer: Answer) -> bytes:
    """The bytes, if they hash to the id that was asked for."""
    name = f"sha256:{hashlib.sha256(answer.body).hexdigest()}"
    whole = asked if asked.startswith("sha256:") else f"sha256:{asked}"
    if not name.startswith(whole) or (len(whole) == _ID_LENGTH and name != whole):
        raise Altered(f"{asked} was asked for, and what came is {name}")
    return answer.body


class Citator:
    """A Citator server, asked one thing after the other. Safe to share between threads: each call has a connection."""

    def __init__(self, url: str | None = None, key: str | None = None, *, timeout: float = SECONDS) -> None:
        """Nothing is sent yet. `timeout` is in seconds of silence."""
        self._door = _Door(url, key, timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing stays open between calls."""

    def ask(self, call: _Call) -> Answer:
        """Send a request. Raises Refused and Unreachable."""
        door = self._door
        pieces = []
        try:
            with self._connected() as connection:
                with suppress(BrokenPipeError, ConnectionResetError):  # it may have said no before it heard all
                    connection.sendall(door.written(call))
                while piece := connection.recv(65536):
                    pieces.append(piece)
        except OSError as error:
            raise Unreachable(f"no answer from {door}: {error}") from error
        return door.read(call, b"".join(pieces))

    def _connected(self) -> socket.socket:
        door = self._door
        if door.socket is not None:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.settimeout(door.timeout)
            try:
                connection.connect(str(door.socket))
            except OSError:
                connection.close()
                raise
            return connection
        connection = socket.create_connection((door.host, door.port), timeout=door.timeout)
        context = door.context()
        return connection if context is None else context.wrap_socket(connection, server_hostname=door.host)

    def search(self, query: str, **options: Any) -> Json:
        """Search; options are those of `POST /search`: `max_results`, `include_domains`, `session` and so on."""
        return dict(self.ask(_posted("/search", {"query": query, **options})).json)

    def fetch(self, url: str, **options: Any) -> Json:
        """Fetch a page and keep what was seen. Raises Refused, with what is kept, if it cannot be had."""
        return dict(self.ask(_posted("/captures", {"url": url, **options})).json)

    def add(self, content: bytes, media_type: str | None = None, **options: Any) -> Json:
        """Keep bytes that you have; options are those of `POST /uploads`: `url`, `at`, `title`."""
        return dict(self.ask(_added(content, media_type, options)).json)

    def evidence(self, ident: str) -> bytes:
        """The exact bytes of an id, or of a prefix of one. Raises Altered if they are not."""
        return _checked(ident, self.ask(_named(ident)))

    def view(self, ident: str, view: str) -> bytes:
        """What a person reads of it: `text`, `visible`, `candidates`, `context`, `reply` or `structured`."""
        return self.ask(_named(ident, view=view)).body

    def proof(self, ident: str) -> Json:
        """The log's proof of the record that leads to an id."""
        return dict(self.ask(_named(ident, "/proof")).json)

    def recheck(self, ids: Sequence[str] = (), **options: Any) -> Json:
        """Whether sources still say what was cited; options are those of `POST /rechecks`."""
        return dict(self.ask(_posted("/rechecks", {"ids": list(ids), **options})).json)

    def check_citations(self, text: str, format: str = "markdown") -> Json:  # noqa: A002 - the API's word
        """What of a text is borne out by what is kept."""
        return dict(self.ask(_posted("/citations/check", {"text": text, "format": format})).json)

    def bundle(self, ids: Sequence[str], **options: Any) -> bytes:
        """Evidence as one file that verifies without this server."""
        return self.ask(_posted("/bundles", {"ids": list(ids), **options})).body

    def tools(self, format: str = "openai") -> list[Json]:  # noqa: A002 - the API's word
        """The definitions of the tools for a model: `openai`, `anthropic`, `gemini` or `mcp`."""
        return list(self.ask(_got("/tools", format=format)).json["tools"])

    def call(self, name: str, arguments: Mapping[str, Any], session: str | None = None) -> Json:
        """Call a tool as a model asked for it; `text` and `structured` are what the model is told."""
        return dict(self.ask(_called(name, arguments, session)).json)


class AsyncCitator:
    """A Citator server, asked from an event loop. A call that is cancelled hangs up."""

    def __init__(self, url: str | None = None, key: str | None = None, *, timeout: float = SECONDS) -> None:
        """Nothing is sent yet. `timeout` is in seconds for a whole answer."""
        self._door = _Door(url, key, timeout)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Nothing stays open between calls."""

    async def ask(self, call: _Call) -> Answer:
        """Send a request. Raises Refused and Unreachable."""
        door = self._door
        try:
            async with asyncio.timeout(door.timeout):
                reader, writer = await self._connected()
                try:
                    writer.write(door.written(call))
                    with suppress(BrokenPipeError, ConnectionResetError):  # it may have said no before it heard all
                        await writer.drain()
                    raw = await reader.read()
                finally:
                    writer.close()
                    with suppress(OSError):
                        await writer.wait_closed()
        except TimeoutError as error:
            raise Unreachable(f"no answer from {door} within {door.timeout} seconds") from error
        except OSError as error:
            raise Unreachable(f"no answer from {door}: {error}") from error
        return door.read(call, raw)

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        door = self._door
        if door.socket is not None:
            return await asyncio.open_unix_connection(str(door.socket))
        return await asyncio.open_connection(door.host, door.port, ssl=door.context())

    async def search(self, query: str, **options: Any) -> Json:
        """As `Citator.search`."""
        return dict((await self.ask(_posted("/search", {"query": query, **options}))).json)

    async def fetch(self, url: str, **options: Any) -> Json:
        """As `Citator.fetch`."""
        return dict((await self.ask(_posted("/captures", {"url": url, **options}))).json)

    async def add(self, content: bytes, media_type: str | None = None, **options: Any) -> Json:
        """As `Citator.add`."""
        return dict((await self.ask(_added(content, media_type, options))).json)

    async def evidence(self, ident: str) -> bytes:
        """As `Citator.evidence`."""
        return _checked(ident, await self.ask(_named(ident)))

    async def view(self, ident: str, view: str) -> bytes:
        """As `Citator.view`."""
        return (await self.ask(_named(ident, view=view))).body

    async def proof(self, ident: str) -> Json:
        """As `Citator.proof`."""
        return dict((await self.ask(_named(ident, "/proof"))).json)

    async def recheck(self, ids: Sequence[str] = (), **options: Any) -> Json:
        """As `Citator.recheck`."""
        return dict((await self.ask(_posted("/rechecks", {"ids": list(ids), **options}))).json)

    async def check_citations(self, text: str, format: str = "markdown") -> Json:  # noqa: A002 - the API's word
        """As `Citator.check_citations`."""
        return dict((await self.ask(_posted("/citations/check", {"text": text, "format": format}))).json)

    async def bundle(self, ids: Sequence[str], **options: Any) -> bytes:
        """As `Citator.bundle`."""
        return (await self.ask(_posted("/bundles", {"ids": list(ids), **options}))).body

    async def tools(self, format: str = "openai") -> list[Json]:  # noqa: A002 - the API's word
        """As `Citator.tools`."""
        return list((await self.ask(_got("/tools", format=format))).json["tools"])

    async def call(self, name: str, arguments: Mapping[str, Any], session: str | None = None) -> Json:
        """As `Citator.call`."""
        return dict((await self.ask(_called(name, arguments, session))).json)
