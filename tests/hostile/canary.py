"""A listener inside the network: whoever reaches it, by whatever protocol, is counted."""

import socket
import threading
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import Final, Self

from tests.hostile.address import SECRET

ANSWER: Final = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<p>{SECRET}</p>".encode()
LOOPBACKS: Final = ("127.0.0.1", "::1")
TRIES: Final = 20


class Canary:
    """TCP and UDP on one port (`port`, or any) of 127.0.0.1 and, where there is one, ::1; a context manager.

    `heard` is what came, one entry for each connection and each datagram: how, and the first bytes.
    """

    def __init__(self, port: int = 0) -> None:
        self.heard: list[tuple[str, bytes]] = []
        self.port = port

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            sockets = self._bound(stack)
            self._threads = [threading.Thread(target=self._listen, args=(one,), daemon=True) for one in sockets]
            for thread in self._threads:
                thread.start()
            self._open = sockets
            stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for one in self._open:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        for thread in self._threads:
            thread.join(5)

    def _bound(self, stack: ExitStack) -> list[socket.socket]:
        """Sockets that all have one port, which is chosen by the system for the first."""
        for _ in range(TRIES):
            with suppress(OSError), ExitStack() as tried:
                found = []
                port = self.port
                for address in LOOPBACKS if socket.has_ipv6 and _has("::1") else LOOPBACKS[:1]:
                    family = socket.AF_INET6 if ":" in address else socket.AF_INET
                    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                        one = tried.enter_context(socket.socket(family, kind))
                        one.bind((address, port))
                        port = one.getsockname()[1]
                        found.append(one)
                stack.push(tried.pop_all())
                self.port = port
                return found
        raise OSError("no port is free for all of them")

    def _listen(self, one: socket.socket) -> None:
        with suppress(OSError):
            if one.type == socket.SOCK_DGRAM:
                one.settimeout(0.2)
                while one.fileno() >= 0:
                    with suppress(TimeoutError):
                        self.heard.append(("datagram", one.recv(200)))
                return
            one.listen(64)
            while True:
                connection, _ = one.accept()
                with connection, suppress(OSError):
                    self.heard.append(("connection", b""))
                    connection.settimeout(0.5)
                    self.heard[-1] = ("connection", connection.recv(200))
                    connection.sendall(ANSWER)


def _has(address: str) -> bool:
    with suppress(OSError), socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as one:
        one.bind((address, 0))
        return True
    return False
