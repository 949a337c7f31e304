"""Web sites that tests play on loopback: real sockets, scripted answers, and a count of what was asked.

    with Site([Route("/", body="<p>Hello</p>")]) as site:
        ...  # ask for site.url("/"), then look at site.requests

A site listens on a port of its own on 127.0.0.1 (or another loopback address), answers each connection in a thread, and
plays the first route whose conditions hold. It keeps connections open unless told otherwise.
"""

import socket
import ssl
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal, Self

Header = tuple[str, str]
HTML: Header = ("Content-Type", "text/html; charset=utf-8")


@dataclass(frozen=True)
class Route:
    """One scripted answer.

    `path` with its query must match, or be a beginning if it ends in `*`. Further conditions: the request carries
    (`cookie`) or lacks (`no_cookie`) a `name` or `name=value`; it is the n-th for this path (`hit`, from 1) or a later
    one (`hit_from`); a request header holds a text (`header`).

    `framing`: `length` declares the body's length (or `declared`, whatever the truth), `chunked`, `close` ends it with
    the connection, `as-is` adds nothing. `before` seconds pass before the answer, `drip` sends so many bytes every so
    many seconds. `then`: `keep` the connection, `close`, `hold` it without a word, `reset` it, `drip` spaces for ever.
    Nothing is answered before `released` is set. `raw` replaces the whole answer by these bytes. `{port}` in headers
    and text stands for the site's port.
    """

    path: str = "/"
    status: int = 200
    headers: Sequence[Header] = (HTML,)
    body: bytes | str = b""
    times: int = 1
    framing: Literal["length", "chunked", "close", "as-is"] = "length"
    declared: int | None = None
    before: float = 0.0
    drip: tuple[int, float] | None = None
    then: Literal["keep", "close", "hold", "reset", "drip"] = "keep"
    raw: bytes | None = None
    cookie: str | None = None
    no_cookie: str | None = None
    hit: int | None = None
    hit_from: int | None = None
    header: tuple[str, str] | None = None
    raw_headers: Sequence[bytes] = ()
    released: threading.Event | None = None


@dataclass(frozen=True)
class Request:
    """One request as it came: headers in order, names as sent."""

    method: str
    path: str
    headers: tuple[Header, ...]
    at: float
    connection: int
    body: bytes = b""

    def get(self, name: str) -> str | None:
        """Give the first header of that name."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


def redirect(path: str, to: str, status: int = 302, *headers: Header, **conditions: str | int) -> Route:
    """Give a route that redirects."""
    return Route(path, status, (("Location", to), *headers), **conditions)  # type: ignore[arg-type]  # a table of tests


def robots(text: str = "", status: int = 200, **more: object) -> Route:
    """Give a route for robots.txt."""
    return Route("/robots.txt", status, (("Content-Type", "text/plain"),), text, **more)  # type: ignore[arg-type]  # as above


@dataclass
class Site:
    """A web site on loopback; a context manager.

    `address` may be any loopback address (127.0.0.0/8, ::1); `greeting` is sent before anything is asked.
    """

    routes: Sequence[Route] = ()
    address: str = "127.0.0.1"
    tls: ssl.SSLContext | None = None
    greeting: bytes = b""
    requests: list[Request] = field(default_factory=list)
    connections: int = 0

    def __enter__(self) -> Self:
        family = socket.AF_INET6 if ":" in self.address else socket.AF_INET
        self._listener = socket.create_server((self.address, 0), family=family, backlog=128)
        self.port: int = self._listener.getsockname()[1]
        self._lock = threading.Lock()
        self._hits: Counter[str] = Counter()
        self._open: set[socket.socket] = set()
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        self._accepting.join(5)
        for thread in self._threads:
            thread.join(5)

    def url(self, path: str = "/", host: str | None = None) -> str:
        """Give the address of `path` on this site, by number or by another host name."""
        shown = host or (f"[{self.address}]" if ":" in self.address else self.address)
        return f"{'https' if self.tls else 'http'}://{shown}:{self.port}{path}"

    def asked(self, path: str) -> int:
        """Give how often `path` was asked for."""
        return sum(request.path == path for request in self.requests)

    def reset_counts(self) -> None:
        """Forget what was asked so far."""
        with self._lock:
            self.requests.clear()
            self._hits.clear()

    def _accept(self) -> None:
        while not self._stopping.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self._open.add(connection)
                self.connections += 1
                number = self.connections
            thread = threading.Thread(target=self._serve, args=(connection, number), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, plain: socket.socket, number: int) -> None:
        connection = plain
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.tls is not None:
                connection = self.tls.wrap_socket(plain, server_side=True)
                with self._lock:
                    self._open.discard(plain)
                    self._open.add(connection)
            connection.sendall(self.greeting)
            buffer = b""
            while not self._stopping.is_set():
                while b"\r\n\r\n" not in buffer:
                    got = connection.recv(65_536)
                    if not got:
                        return
                    buffer += got
                head, _, buffer = buffer.partition(b"\r\n\r\n")
                while len(buffer) < (length := _length(head)):
                    got = connection.recv(65_536)
                    if not got:
                        return
                    buffer += got
                body, buffer = buffer[:length], buffer[length:]
                if not self._answer(connection, route := self._note(head, number, body)):
                    if isinstance(connection, ssl.SSLSocket) and route.then in {"keep", "close"}:
                        connection.settimeout(0.2)  # say goodbye, but wait for none
                        connection.unwrap()
                    return
        except OSError:
            return
        finally:
            with self._lock:
                self._open.discard(connection)
                self._open.discard(plain)
            connection.close()

    def _note(self, head: bytes, number: int, body: bytes) -> Route:
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ", 2)
        pairs = (line.partition(":") for line in lines)
        headers = tuple((name, value.strip()) for name, _, value in pairs)
        request = Request(method, path, headers, time.monotonic(), number, body)
        with self._lock:
            self._hits[path] += 1
            self.requests.append(request)
            hit = self._hits[path]
        return next((route for route in self.routes if _fits(route, request, hit)), NOT_THERE)

    def _answer(self, connection: socket.socket, route: Route) -> bool:
        """Play a route; False if the connection is over."""
        self._stopping.wait(route.before)
        while route.released is not None and not route.released.wait(0.05):
            if self._stopping.is_set():
                return False
        if route.raw is not None:
            connection.sendall(route.raw)
            return self._afterwards(connection, route, lambda piece: piece)
        body = self._filled(route.body)
        lines = [f"HTTP/1.1 {route.status} Played".encode()]
        lines += [f"{name}: {value}".replace("{port}", str(self.port)).encode() for name, value in route.headers]
        lines += route.raw_headers
        if route.declared is not None:
            lines.append(f"Content-Length: {route.declared}".encode())
        elif route.framing == "length":
            lines.append(f"Content-Length: {len(body) * route.times}".encode())
        if route.framing == "chunked":
            lines.append(b"Transfer-Encoding: chunked")
        wrap = _chunk if route.framing == "chunked" else _bare
        connection.sendall(b"\r\n".join(lines) + b"\r\n\r\n")
        for _ in range(route.times):
            step = route.drip[0] if route.drip else max(1, min(len(body), 65_536))
            for start in range(0, len(body), step):
                connection.sendall(wrap(body[start : start + step]))
                if route.drip and self._stopping.wait(route.drip[1]):
                    return False
        return self._afterwards(connection, route, wrap)

    def _afterwards(self, connection: socket.socket, route: Route, wrap: Callable[[bytes], bytes]) -> bool:
        if route.then == "hold":
            self._stopping.wait()
        elif route.then == "drip":
            while not self._stopping.wait(route.drip[1] if route.drip else 0.05):
                connection.sendall(wrap(b" "))
        elif route.then == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False
        elif route.framing == "chunked":
            connection.sendall(b"0\r\n\r\n")
        return route.then == "keep" and route.framing != "close" and route.raw is None

    def _filled(self, body: bytes | str) -> bytes:
        return body if isinstance(body, bytes) else body.replace("{port}", str(self.port)).encode()


NOT_THERE = Route(status=404, headers=(("Content-Type", "text/plain"),), body=b"no such page\n")


def _length(head: bytes) -> int:
    """How long the body is that comes with a request."""
    told = [line.partition(b":")[2] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    return int(told[0]) if told else 0


def _chunk(piece: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(piece), piece) if piece else b""


def _bare(piece: bytes) -> bytes:
    return piece


def _fits(route: Route, request: Request, hit: int) -> bool:
    path = route.path
    if request.path != path and not (path.endswith("*") and request.path.startswith(path[:-1])):
        return False
    sent = [pair.strip() for pair in (request.get("cookie") or "").split(";")]
    carried = set(sent) | {pair.partition("=")[0] for pair in sent}
    return (
        (route.cookie is None or route.cookie in carried)
        and (route.no_cookie is None or route.no_cookie not in carried)
        and (route.hit is None or route.hit == hit)
        and (route.hit_from is None or route.hit_from <= hit)
        and (route.header is None or route.header[1] in (request.get(route.header[0]) or ""))
    )
