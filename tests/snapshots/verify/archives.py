"""WARC and WACZ files as other programs write them, made by hand so that each can be wrong in one way."""

import base64
import gzip
import hashlib
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from snapshots import Trust, Verification, verify_path
from snapshots.verify.claims import FAILS

PAGE = b"<!DOCTYPE html>\n<title>Ferry</title><p>The ferry leaves at noon, and once more before the tide turns.</p>\n"


def sha1(data: bytes) -> str:
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def sha256(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def chunked(data: bytes, size: int = 40) -> bytes:
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


@dataclass(frozen=True)
class Made:
    """A response record. `digest` is over the body as it stands; `payload` other bytes that it is over instead."""

    headers: Sequence[tuple[str, str]] = (("Content-Type", "text/html"),)
    body: bytes = PAGE
    status: str = "200 OK"
    url: str = "http://harbour.test/ferry"
    version: str = "WARC/1.1"
    kind: str = "response"
    fields: Sequence[tuple[str, str]] = ()
    digest: Any = sha256
    payload: bytes | None = None
    number: int = 1

    @property
    def record(self) -> bytes:
        head = "".join(f"{name}: {value}\r\n" for name, value in self.headers)
        block = f"HTTP/1.1 {self.status}\r\n{head}\r\n".encode() + self.body
        if self.kind == "request":
            block = f"{self.status} /ferry HTTP/1.1\r\nHost: harbour.test\r\n\r\n".encode()
        digests = []
        if self.digest is not None:
            body = self.body if self.kind != "request" else b""
            digests = [
                ("WARC-Block-Digest", self.digest(block)),
                ("WARC-Payload-Digest", self.digest(body if self.payload is None else self.payload)),
            ]
        fields = [
            ("WARC-Type", self.kind),
            ("WARC-Record-ID", f"<urn:uuid:00000000-0000-4000-8000-{self.number:012d}>"),
            ("WARC-Date", "2026-03-05T10:00:00Z"),
            ("WARC-Target-URI", self.url),
            ("Content-Type", f"application/http; msgtype={'request' if self.kind == 'request' else 'response'}"),
            *self.fields,
            *digests,
            ("Content-Length", str(len(block))),
        ]
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
        return f"{self.version}\r\n{lines}\r\n".encode() + block + b"\r\n\r\n"


def with_length(body: bytes = PAGE, *headers: tuple[str, str], **others: Any) -> Made:
    """A response whose Content-Length is right."""
    return Made((("Content-Type", "text/html"), *headers, ("Content-Length", str(len(body)))), body, **others)


def warc(*records: Made, packed: bool = True) -> bytes:
    return b"".join(gzip.compress(each.record, mtime=0) if packed else each.record for each in records)


def cdxj(*records: Made, filename: str = "data.warc.gz", packed: bool = True) -> bytes:
    lines, offset = [], 0
    for each in records:
        length = len(warc(each, packed=packed))
        told = {
            "url": each.url,
            "mime": "text/html",
            "status": each.status[:3],
            "digest": (each.digest or sha1)(each.body),
            "offset": str(offset),
            "length": str(length),
            "filename": filename,
        }
        lines.append(f"test,harbour){each.url[19:]} 20260305100000 {json.dumps(told)}\n".encode())
        offset += length
    return b"".join(sorted(lines))


@dataclass(frozen=True)
class Wacz:
    """A WACZ file by its members; `listed` are the ones that datapackage.json lists if that is not all of them."""

    members: Mapping[str, bytes]
    deflated: Sequence[str] = ()
    hashes: Mapping[str, str] = field(default_factory=dict)
    listed: Sequence[str] | None = None
    digest: bool = True
    streamed: bool = False

    @property
    def package(self) -> bytes:
        names = self.members if self.listed is None else self.listed
        resources = [
            {
                "name": name.rpartition("/")[2],
                "path": name,
                "hash": self.hashes.get(name, sha256(self.members.get(name, b""))),
                "bytes": len(self.members.get(name, b"")),
            }
            for name in names
        ]
        return json.dumps(
            {"profile": "data-package", "wacz_version": "1.1.1", "resources": resources}, indent=1
        ).encode()

    @property
    def data(self) -> bytes:
        out: io.BytesIO = _Stream() if self.streamed else io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for name, data in {**self.members, "datapackage.json": self.package}.items():
                method = zipfile.ZIP_DEFLATED if name in self.deflated else zipfile.ZIP_STORED
                archive.writestr(name, data, compress_type=method)
            if self.digest:
                told = {"path": "datapackage.json", "hash": sha256(self.package)}
                archive.writestr("datapackage-digest.json", json.dumps(told))
        return out.getvalue()

    def but(self, **changes: Any) -> "Wacz":
        return replace(self, **changes)

    def having(self, **members: bytes | None) -> "Wacz":
        """The same with other members; None takes one out. `__` in a name stands for `/`, `_` for a dot."""
        given = {name.replace("__", "/").replace("_", "."): data for name, data in members.items()}
        kept = {**self.members, **given}
        return replace(self, members={name: data for name, data in kept.items() if data is not None})


class _Stream(io.BytesIO):
    """What can only be written on, so that sizes stand after the data."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_: Any) -> int:
        raise io.UnsupportedOperation


def pages(*records: Made) -> bytes:
    lines = [{"format": "json-pages-1.0", "id": "pages", "title": "Pages"}]
    lines += [{"id": str(n), "url": each.url, "ts": "2026-03-05T10:00:00Z"} for n, each in enumerate(records)]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def wacz(*records: Made) -> Wacz:
    """A good one."""
    return Wacz(
        {
            "archive/data.warc.gz": warc(*records),
            "indexes/index.cdxj": cdxj(*records),
            "pages/pages.jsonl": pages(*records),
        }
    )


def verified(folder: Path, data: bytes, name: str = "some.wacz") -> Verification:
    path = folder / name
    path.write_bytes(data)
    return verify_path(path, Trust())


def reasons(found: Verification) -> set[tuple[str, str, str]]:
    """Claim, reason and the member (the first word of where) of each failure."""
    return {
        (claim.claim, failure.reason, failure.where.split(" ")[0])
        for claim in found.claims
        if claim.result == FAILS
        for failure in claim.failures
    }
