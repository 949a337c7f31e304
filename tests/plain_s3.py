"""A small S3 server in memory that can be told to be old, full, forbidding, flaky or slow.

Real servers differ in what they refuse; `Rules` says what this one refuses, before anything else happens. `faults`
are used up one a request: each says what goes wrong with it. All requests that came are kept in `requests`.
"""

import hashlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

Fault = Literal["lost reply", "lost request", "503", "500", "409", "cut body", "hang", "fine"]
HANG_SECONDS = 1.0


@dataclass(frozen=True)
class Rules:
    """What is refused: headers by name and value (`*`: any), missing headers, and any request at all."""

    headers: tuple[tuple[str, str, int, str], ...] = ()
    missing: tuple[tuple[str, int, str], ...] = ()
    bulk_delete_needs_md5: bool = False
    everything: tuple[int, str] | None = None
    writes: tuple[int, str] | None = None


BEFORE_CHECKSUMS = Rules(
    headers=(
        ("x-amz-sdk-checksum-algorithm", "*", 501, "NotImplemented"),
        ("content-encoding", "aws-chunked", 501, "NotImplemented"),
        ("transfer-encoding", "*", 501, "NotImplemented"),
        ("x-amz-trailer", "*", 400, "InvalidRequest"),
        ("expect", "*", 417, "ExpectationFailed"),
    ),
    missing=(("content-length", 411, "MissingContentLength"),),
    bulk_delete_needs_md5=True,
)
"""A server written before S3 had checksums in headers and trailers, as many in use are."""


@dataclass
class PlainS3:
    """A running server: `endpoint` is its address, `objects` what it holds by key, with metadata."""

    endpoint: str = ""
    rules: Rules = field(default_factory=Rules)
    faults: list[Fault] = field(default_factory=list)
    every_request: Fault = "fine"
    objects: dict[str, tuple[bytes, str | None]] = field(default_factory=dict)
    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    guard: threading.RLock = field(default_factory=threading.RLock)

    @property
    def options(self) -> dict[str, Any]:
        """What `open_store` needs to know."""
        return {"endpoint": self.endpoint, "access_key": "anyone", "secret_key": "anything"}


@contextmanager
def plain_s3(rules: Rules | None = None) -> Iterator[PlainS3]:
    """Serves on a free loopback port until the block ends."""
    state = PlainS3(rules=rules or Rules())
    handler = type("Handler", (_Handler,), {"state": state})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    state.endpoint = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: PlainS3

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
        pass

    def do_PUT(self) -> None:
        self._serve()

    do_GET = do_HEAD = do_DELETE = do_POST = do_PUT  # noqa: N815 - the base class calls them so

    def _serve(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length", "0")))
        with self.state.guard:
            self.state.requests.append((self.command, self.path, headers))
            fault = self.state.faults.pop(0) if self.state.faults else self.state.every_request
        match fault:
            case "lost request":
                self.close_connection = True
            case "503" | "500":
                self._refuse(int(fault), "SlowDown" if fault == "503" else "InternalError")
            case "409":
                self._refuse(409, "ConditionalRequestConflict")
            case "hang":
                time.sleep(HANG_SECONDS)
                self.close_connection = True
            case _:
                self._act(headers, body, fault)

    def _act(self, headers: dict[str, str], body: bytes, fault: Fault) -> None:
        if refusal := self._refusal(headers):
            self._refuse(*refusal)
            return
        address = urlsplit(self.path)
        bucket, _, key = unquote(address.path).lstrip("/").partition("/")
        query = parse_qs(address.query)
        with self.state.guard:
            match self.command:
                case "PUT":
                    status, reply, extra = self._put(key, body, headers)
                case "GET" | "HEAD" if key:
                    status, reply, extra = self._get(key)
                case "GET":
                    status, reply, extra = 200, self._listing(bucket, query), {}
                case "DELETE":
                    self.state.objects.pop(key, None)
                    status, reply, extra = 204, b"", {}
                case _:
                    status, reply, extra = 501, _error("NotImplemented"), {}
        if fault == "lost reply":
            self.close_connection = True
            return
        self._answer(status, reply, extra, cut=fault == "cut body")

    def _refusal(self, headers: dict[str, str]) -> tuple[int, str] | None:
        rules = self.state.rules
        if rules.everything:
            return rules.everything
        if rules.writes and self.command in {"PUT", "POST"}:
            return rules.writes
        for name, value, status, code in rules.headers:
            if name in headers and value in {"*", headers[name]}:
                return status, code
        if self.command in {"PUT", "POST"}:
            for name, status, code in rules.missing:
                if name not in headers:
                    return status, code
        if self.command == "POST" and rules.bulk_delete_needs_md5 and "content-md5" not in headers:
            return 400, "MissingContentMD5"
        return None

    def _put(self, key: str, body: bytes, headers: dict[str, str]) -> tuple[int, bytes, dict[str, str]]:
        standing = self.state.objects.get(key)
        if headers.get("if-none-match") == "*" and standing is not None:
            return 412, _error("PreconditionFailed"), {}
        if "if-match" in headers:
            if standing is None:
                return 404, _error("NoSuchKey"), {}
            if headers["if-match"] != _etag(standing[0]):
                return 412, _error("PreconditionFailed"), {}
        self.state.objects[key] = (body, headers.get("x-amz-meta-swap"))
        return 200, b"", {"ETag": _etag(body)}

    def _get(self, key: str) -> tuple[int, bytes, dict[str, str]]:
        if key not in self.state.objects:
            return 404, _error("NoSuchKey"), {}
        body, mark = self.state.objects[key]
        return 200, body, {"ETag": _etag(body)} | ({"x-amz-meta-swap": mark} if mark else {})

    def _listing(self, bucket: str, query: dict[str, list[str]]) -> bytes:
        prefix, delimiter = (query.get(name, [""])[0] for name in ("prefix", "delimiter"))
        folders, parts = set(), []
        for key, (body, _) in sorted(self.state.objects.items()):
            if not key.startswith(prefix):
                continue
            head, slash, _ = key[len(prefix) :].partition("/") if delimiter else ("", "", "")
            if slash:
                folders.add(prefix + head + slash)
            else:
                parts.append(f"<Contents><Key>{escape(key)}</Key><Size>{len(body)}</Size></Contents>")
        parts += [f"<CommonPrefixes><Prefix>{escape(name)}</Prefix></CommonPrefixes>" for name in sorted(folders)]
        return f"<ListBucketResult><Name>{bucket}</Name>{''.join(parts)}</ListBucketResult>".encode()

    def _refuse(self, status: int, code: str) -> None:
        if code == "html":
            self._answer(status, b"<html>Welcome to the router!", {"Content-Type": "text/html"})
        else:
            self._answer(status, _error(code), {})

    def _answer(self, status: int, body: bytes, extra: dict[str, str], *, cut: bool = False) -> None:
        self.send_response(status)
        for name, value in extra.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[: len(body) // 2] if cut else body)
        if cut:
            self.close_connection = True


def _etag(body: bytes) -> str:
    return f'"{hashlib.md5(body).hexdigest()}"'


def _error(code: str) -> bytes:
    return f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>{code} it is</Message></Error>".encode()
