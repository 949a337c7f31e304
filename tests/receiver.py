"""A receiver of webhooks on loopback: keeps what it is sent, checks signatures as its owner would, answers as told."""

import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Receiver:
    """`statuses` are given in turn, the last one for ever."""

    statuses: list[int] = field(default_factory=lambda: [200])
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    url: str = ""

    @property
    def alarms(self) -> list[dict[str, Any]]:
        """What the bodies say."""
        return [dict(json.loads(body)) for body in self.bodies]

    def signed(self, secret: str) -> bool:
        """Whether every request bears a signature over its own time and body."""
        return all(
            hmac.compare_digest(
                told["x-citator-signature"],
                "sha256="
                + hmac.new(
                    secret.encode(), f"{told['x-citator-timestamp']}.".encode() + body, hashlib.sha256
                ).hexdigest(),
            )
            for told, body in zip(self.headers, self.bodies, strict=True)
        )

    def answer(self) -> int:
        """The next status."""
        return self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]


@contextmanager
def receiving(*statuses: int) -> Iterator[Receiver]:
    """A receiver that listens."""
    receiver = Receiver(list(statuses) or [200])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            receiver.headers.append({name.lower(): value for name, value in self.headers.items()})
            receiver.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(receiver.answer())
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        receiver.url = f"http://127.0.0.1:{server.server_port}/alarms"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield receiver
        finally:
            server.shutdown()
            thread.join()
