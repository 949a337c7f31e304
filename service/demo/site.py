"""The demonstration's web site: a few pages in two versions, served on this machine only."""

import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from types import TracebackType
from typing import Final, Literal, Self
from urllib.parse import urlsplit

Version = Literal["first", "second"]

MEDIA_TYPES: Final = {".html": "text/html; charset=utf-8", ".txt": "text/plain; charset=utf-8"}


def pages(version: Version) -> dict[str, bytes]:
    """The files of a version, by their path on the site."""
    folder = resources.files("service.demo").joinpath("pages", version)
    found = {f"/{each.name}": each.read_bytes() for each in folder.iterdir() if each.is_file()}
    return found | {"/": found["/index.html"]}


class _Handler(BaseHTTPRequestHandler):
    """Answers from the pages that the server shows at the moment."""

    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        body = self.server.shown.get(path)
        status = HTTPStatus.OK if body is not None else HTTPStatus.NOT_FOUND
        if body is None:
            body = b"<!doctype html><title>Not found</title><p>There is no such page at the mill.</p>"
        suffix = path[path.rfind(".") :] if "." in path else ".html"
        self.send_response(status)
        self.send_header("Content-Type", MEDIA_TYPES.get(suffix, MEDIA_TYPES[".html"]))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the standard library's name
        """Nothing: the demonstration says itself what happens."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    shown: dict[str, bytes]


class Site:
    """The site, served while the block runs. `show` replaces all its pages at once."""

    def __init__(self) -> None:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, name="demo-site", daemon=True)
        self.show("first")

    @property
    def address(self) -> str:
        """Where the site begins."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/"

    def show(self, version: Version) -> None:
        """Answer with the pages of this version from now on."""
        self._server.shown = pages(version)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
