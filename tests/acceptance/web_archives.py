"""Other people's readers of web archives, as `make setup-tests` gets them. None of them is part of Citator."""

import http.server
import json
import os
import re
import shutil
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

from tests.acceptance.installation import START_WITHIN, end_group
from tests.postgres import free_port

READERS = Path(__file__).parents[2] / ".tmp" / "web-archives"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-headless-shell", "google-chrome"))), None)


def tool(path: str) -> Path:
    """A program or file of one of the readers; a machine that has none says so and skips."""
    found = READERS / path
    if not found.exists():
        pytest.skip(f"there is no {path} below {READERS}: `make setup-tests` gets it where it can be got")
    return found


def run(path: str, *arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run one of the readers' programs to its end."""
    return subprocess.run([tool(path), *arguments], cwd=cwd, capture_output=True, text=True, check=False, timeout=300)


@contextmanager
def pywb(bundle: Path, folder: Path) -> Iterator[str]:
    """pywb over a bundle; yields the address below which it replays."""
    manager, wayback = tool("pywb/bin/wb-manager"), tool("pywb/bin/wayback")
    for arguments in (["init", "c"], ["add", "--unpack-wacz", "c", str(bundle)]):
        subprocess.run([manager, *arguments], cwd=folder, check=True, capture_output=True)
    port = free_port()
    process = subprocess.Popen(
        [wayback, "-p", str(port), "-b", "127.0.0.1"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        _wait_for(f"http://127.0.0.1:{port}/")
        yield f"http://127.0.0.1:{port}/c"
    finally:
        end_group(process)


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + START_WITHIN
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


class _Ranges(http.server.SimpleHTTPRequestHandler):
    """Files with ranges, as the replayer in the browser asks for them."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *arguments: Any, files: Mapping[str, tuple[str, bytes]], **more: Any) -> None:
        self.files = files
        super().__init__(*arguments, **more)

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        kind, data = self.files.get(self.path.partition("?")[0], ("", b""))
        asked = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        start, end = 0, len(data)
        if asked and asked[1]:
            start, end = int(asked[1]), min(int(asked[2] or end) + 1, end)
        elif asked:
            start = max(0, end - int(asked[2]))
        self.send_response((206 if asked else 200) if kind else 404)
        self.send_header("Content-Type", kind or "text/plain")
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(end - start))
        if asked:
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(data)}")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data[start:end])

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


@contextmanager
def replayer(bundle: Path, url: str) -> Iterator[str]:
    """A page that shows `url` out of a bundle by ReplayWeb.page; yields the page's address."""
    page = (
        '<!DOCTYPE html><meta charset="utf-8"><script src="/ui.js"></script>'
        f'<replay-web-page source="/b.wacz" url="{url}" replayBase="/replay/" embed="default"></replay-web-page>'
    )
    script = tool("replaywebpage/sw.js").read_bytes()
    files = {
        "/": ("text/html", page.encode()),
        "/ui.js": ("text/javascript", tool("replaywebpage/ui.js").read_bytes()),
        "/replay/sw.js": ("text/javascript", script),
        "/b.wacz": ("application/wacz", bundle.read_bytes()),
    }
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Ranges, files=files)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join()


# All text of a page, through the frames and shadow trees that it is made of.
_ALL_TEXT = """(() => {
  const texts = [];
  const walk = (root) => {
    if (!root) return;
    if (root.body) texts.push(root.body.innerText);
    for (const one of root.querySelectorAll("*")) {
      if (one.shadowRoot) walk(one.shadowRoot);
      if (one.tagName === "IFRAME") { try { walk(one.contentDocument); } catch (error) {} }
    }
  };
  walk(document);
  return texts.join("\\n");
})()"""


def text_in_browser(url: str, folder: Path, wanted: str) -> str:
    """All text that Chromium shows at `url` once `wanted` is among it, or after a while."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    process = subprocess.Popen(
        [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--remote-debugging-port=0",
            f"--user-data-dir={folder}",
            url,
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"HOME": str(folder), "PATH": os.environ["PATH"]},
        start_new_session=True,
    )
    try:
        with connect(_debugger(folder, url), max_size=None) as socket:
            found, deadline = "", time.monotonic() + START_WITHIN
            while wanted not in found and time.monotonic() < deadline:
                time.sleep(0.2)
                found = _evaluated(socket, _ALL_TEXT)
            return found
    finally:
        end_group(process)


def _debugger(folder: Path, url: str) -> str:
    """Where the browser takes commands for the page at `url`."""
    deadline = time.monotonic() + START_WITHIN
    while True:
        try:
            port = (folder / "DevToolsActivePort").read_text().splitlines()[0]
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=5) as answer:
                targets: Sequence[dict[str, str]] = json.load(answer)
            return next(one["webSocketDebuggerUrl"] for one in targets if one["url"].startswith(url))
        except (OSError, StopIteration, IndexError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def _evaluated(socket: Any, script: str) -> str:
    asked = {"id": 1, "method": "Runtime.evaluate", "params": {"expression": script, "returnByValue": True}}
    socket.send(json.dumps(asked))
    while True:
        told = json.loads(socket.recv(timeout=START_WITHIN))
        if told.get("id") == 1:
            return str(told.get("result", {}).get("result", {}).get("value", ""))
