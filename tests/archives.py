"""WARC and WACZ files as other programs write them, and as nobody should."""

import base64
import gzip
import hashlib
import io
import json
import zipfile
from collections.abc import Iterable
from pathlib import Path

END = b"\r\n\r\n"
DATE = "2026-03-05T10:00:00Z"


def sha1(data: bytes) -> str:
    """A digest as most writers write it."""
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def sha256(data: bytes) -> str:
    """A digest as newer writers write it."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def record(kind: str, fields: dict[str, str], block: bytes, *, length: int | None = None) -> bytes:
    """One record; `length` is what it claims."""
    head = {"WARC-Type": kind, "WARC-Date": DATE, "WARC-Record-ID": f"<urn:uuid:{hashlib.md5(block).hexdigest()}>"}
    head |= fields | {"Content-Length": str(len(block) if length is None else length)}
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    return b"WARC/1.1\r\n" + lines.encode() + b"\r\n" + block + END


def response(
    url: str,
    body: bytes,
    *,
    headers: Iterable[str] = ("Content-Type: text/html; charset=utf-8",),
    status: str = "HTTP/1.1 200 OK",
    **fields: str,
) -> bytes:
    """A response record with both digests; `fields` (with `_` for `-`) replace or add to the record's own."""
    block = "\r\n".join([status, *headers]).encode("latin-1") + END + body
    own = {
        "WARC-Target-URI": url,
        "Content-Type": "application/http; msgtype=response",
        "WARC-Block-Digest": sha1(block),
        "WARC-Payload-Digest": sha1(body),
    }
    return record("response", own | {name.replace("_", "-"): value for name, value in fields.items()}, block)


def request(url: str, response_id: str | None = None) -> bytes:
    """A request record."""
    block = b"GET /ferry HTTP/1.1\r\nHost: site.test\r\nUser-Agent: Other/1.0\r\nAccept-Language: da" + END
    fields = {"WARC-Target-URI": url, "Content-Type": "application/http; msgtype=request"}
    return record("request", fields | ({"WARC-Concurrent-To": response_id} if response_id else {}), block)


def zipped(records: Iterable[bytes]) -> bytes:
    """Each record as a gzip member of its own."""
    return b"".join(gzip.compress(one, mtime=0) for one in records)


def chunked(body: bytes, size: int = 40) -> bytes:
    """A body in chunks."""
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def wacz(path: Path, members: dict[str, bytes], *, listed: dict[str, str] | None = None, manifest: bool = True) -> Path:
    """A WACZ file; `listed` are hashes to claim instead of the right ones."""
    resources = [
        {"name": name, "path": name, "hash": (listed or {}).get(name, sha256(data)), "bytes": len(data)}
        for name, data in members.items()
    ]
    package = json.dumps({"profile": "data-package", "wacz_version": "1.1.1", "resources": resources}).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
        if manifest:
            archive.writestr("datapackage.json", package)
    path.write_bytes(buffer.getvalue())
    return path
