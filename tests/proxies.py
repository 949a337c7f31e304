"""A proxy that tests play on loopback: CONNECT or SOCKS5 over real sockets, with a list of what it was asked for.

    with ProxyServer() as proxy:
        ...  # have connections go through proxy.url(), then look at proxy.asked

It connects to where it is told, or to what `names` gives for a name, and hands bytes on in both directions.
"""

import base64
import socket
import ssl
import struct
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal, Self

Fault = Literal["cut", "garbage", "endless", "silent"]


@dataclass
class ProxyServer:
    """`login`: whom it lets through. `status` (CONNECT) or `code` (SOCKS5): how it refuses all, or some `hosts`."""

    kind: Literal["http", "socks5"] = "http"
    login: tuple[str, str] | None = None
    status: int | None = None
    code: int | None = None
    hosts: frozenset[str] = frozenset()
    fault: Fault | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    tls: ssl.SSLContext | None = None
    asked: list[tuple[str, int]] = field(default_factory=list)
    logins: list[tuple[str, str] | None] = field(default_factory=list)
    port: int = 0

    def __enter__(self) -> Self:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._threads[0].join()
        for connection in self._open:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads[1:]:
            thread.join()
        for connection in self._open:
            connection.close()

    def url(self, login: str = "", *, scheme: str | None = None) -> str:
        """Where it listens, as a setting says it."""
        used = scheme or ("https" if self.tls else self.kind)
        return f"{used}://{login}{'@' if login else ''}127.0.0.1:{self.port}"

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._server.accept()
                self._spawn(self._attend, connection)

    def _spawn(self, work: object, *given: object) -> threading.Thread:
        thread = threading.Thread(target=work, args=given, daemon=True)  # type: ignore[arg-type]  # functions of ours
        self._threads.append(thread)
        thread.start()
        return thread

    def _attend(self, plain: socket.socket) -> None:
        self._open.append(plain)
        with suppress(OSError, ssl.SSLError, EOFError):
            near = self.tls.wrap_socket(plain, server_side=True) if self.tls else plain
            self._open.append(near)
            far = self._socks(near) if self.kind == "socks5" else self._connect(near)
            if far is not None:
                self._open.append(far)
                back = self._spawn(_hand_on, far, near)
                _hand_on(near, far)
                back.join()

    def _connect(self, near: socket.socket) -> socket.socket | None:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += _exactly(near, 1)
        line, *fields = head[:-4].decode().split("\r\n")
        method, place, _ = line.split(" ")
        host, _, port = place.rpartition(":")
        self.asked.append((host.strip("[]"), int(port)))
        sent = [field.partition(": ")[2] for field in fields if field.lower().startswith("proxy-authorization:")]
        self.logins.append(_login(sent[0]) if sent else None)
        if self._faulty(near):
            return None
        refused = self.status if not self.hosts or host in self.hosts else None
        if method != "CONNECT" or refused or self.logins[-1] != self.login:
            status = refused or (405 if method != "CONNECT" else 407)
            near.sendall(f"HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n".encode())
            near.shutdown(socket.SHUT_RDWR)
            return None
        try:
            far = self._reach(*self.asked[-1])
        except OSError:
            near.sendall(b"HTTP/1.1 502 Bad Gateway\r\n\r\n")
            raise
        near.sendall(b"HTTP/1.1 200 Connection established\r\nX-Played: yes\r\n\r\n")
        return far

    def _socks(self, near: socket.socket) -> socket.socket | None:
        _, count = _exactly(near, 2)
        methods = _exactly(near, count)
        wanted = 0 if self.login is None else 2
        if self._faulty(near):
            return None
        if wanted not in methods:
            near.sendall(b"\x05\xff")
            return None
        near.sendall(bytes([5, wanted]))
        given = None
        if wanted:
            name = _exactly(near, _exactly(near, 2)[1]).decode()
            given = (name, _exactly(near, _exactly(near, 1)[0]).decode())
            near.sendall(bytes([1, given != self.login]))
        self.logins.append(given)
        if given != self.login:
            return None
        kind = _exactly(near, 4)[3]
        if kind == 3:
            host = _exactly(near, _exactly(near, 1)[0]).decode()
        else:
            host = socket.inet_ntop(
                *((socket.AF_INET, _exactly(near, 4)) if kind == 1 else (socket.AF_INET6, _exactly(near, 16)))
            )
        (port,) = struct.unpack(">H", _exactly(near, 2))
        self.asked.append((host, port))
        if self.code and (not self.hosts or host in self.hosts):
            near.sendall(bytes([5, self.code, 0, 1]) + bytes(6))
            return None
        try:
            far = self._reach(host, port)
        except OSError:
            near.sendall(b"\x05\x05\x00\x01" + bytes(6))
            raise
        near.sendall(b"\x05\x00\x00\x03\x04host" + bytes(2))
        return far

    def _reach(self, host: str, port: int) -> socket.socket:
        return socket.create_connection((self.names.get(host, host), port))

    def _faulty(self, near: socket.socket) -> bool:
        if self.fault == "garbage":
            near.sendall(b"220 mail.test ESMTP\r\n\r\n")
        elif self.fault == "endless":
            near.sendall(b"HTTP/1.1 200 OK\r\n" + b"X-More: and more\r\n" * 2_000)
        elif self.fault == "silent":
            near.recv(1)
        if self.fault:
            near.shutdown(socket.SHUT_RDWR)
        return self.fault is not None


def _login(value: str) -> tuple[str, str]:
    name, _, password = base64.b64decode(value.removeprefix("Basic ")).decode().partition(":")
    return name, password


def _exactly(connection: socket.socket, length: int) -> bytes:
    data = b""
    while len(data) < length:
        piece = connection.recv(length - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data


def _hand_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError, ssl.SSLError):
        while piece := source.recv(65_536):
            target.sendall(piece)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
