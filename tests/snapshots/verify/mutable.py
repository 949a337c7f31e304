"""A bundle that can be changed, and made to fit again as far as somebody could."""

import base64
import gzip
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec

from snapshots import LogKey, digest
from snapshots.bundles.signing import BundleKey, pae
from snapshots.canonical import canonical
from snapshots.note import parse_checkpoint, parse_note
from snapshots.verify.zip_rules import order_of
from tests.snapshots.verify.five_pages import Good
from tests.snapshots.verify.zips import ZipFile, zipped

STATEMENT, PACKAGE, DIGEST = "evidence/statement.dsse.json", "datapackage.json", "datapackage-digest.json"
RECORDS, PROOFS, BLOBS = "evidence/records.jsonl", "evidence/proofs.jsonl", "evidence/blobs.jsonl"
PASSAGES, CONTENTS, CHECKPOINT = "evidence/passages.jsonl", "evidence/bundle.json", "evidence/checkpoint.txt"
VKEY, ARCHIVE, INDEX, BLOCKS = "evidence/log.vkey", "archive/data.warc.gz", "indexes/index.cdx.gz", "indexes/index.idx"
PAGES = "pages/pages.jsonl"
NOTHING = hashlib.sha256().hexdigest()
UNSTATED = (STATEMENT, PACKAGE, DIGEST)


def fresh_wacz_key() -> BundleKey:
    return BundleKey(ec.generate_private_key(ec.SECP384R1()))


def moved(time: str, **difference: int) -> str:
    """A time some days, hours or seconds from another, in the same form."""
    found = datetime.fromisoformat(time) + timedelta(**difference)
    text = found.astimezone(UTC).isoformat(timespec="milliseconds" if "." in time else "seconds")
    return text.removesuffix("+00:00") + "Z"


@dataclass
class Bundle:
    """The members of a bundle, in order, and what is done to the written file in the end."""

    good: Good
    members: dict[str, bytes]
    ordered: bool = True
    zip_changes: list[Callable[[ZipFile], None]] = field(default_factory=list)
    unpacked: Callable[[Any], None] | None = None
    sign_statement: bool = True

    # reading and writing members

    def json(self, name: str) -> Any:
        return json.loads(self.members[name])

    def put_json(self, name: str, value: Any) -> None:
        self.members[name] = canonical(value)

    def put(self, name: str, data: bytes) -> None:
        """Adds a member at its place."""
        self.members[name] = data
        self.members = {each: self.members[each] for each in sorted(self.members, key=order_of)}

    def lines(self, name: str) -> list[bytes]:
        return self.members[name].splitlines()

    def put_lines(self, name: str, lines: list[bytes]) -> None:
        self.members[name] = b"".join(line + b"\n" for line in lines)

    def change(self, name: str, path: str, value: Any) -> None:
        """Sets the value at a path of a JSON member. A function is given the old value."""
        whole = self.json(name)
        self.put_json(name, changed(whole, path, value))

    @property
    def checkpoint(self) -> bytes:
        return self.members[CHECKPOINT]

    # finding things

    def page(self, capture_id: str) -> str | None:
        return next((name for name, one in self.good.captures.items() if one.id == capture_id), None)

    def member(self, name: str) -> str:
        """The member that a word in angle brackets stands for."""
        known = {
            "<reply>": f"evidence/{hashlib.sha256(self.good.reply).hexdigest()}.bin",
            "<provider>": f"evidence/{hashlib.sha256(self.good.provider).hexdigest()}.bin",
            "<first .png>": next((each for each in self.members if each.endswith(".png")), ""),
        }
        return known.get(name, name)

    def inside(self, name: str, change: Callable[[bytes], bytes], which: int | None = None) -> None:
        """Changes what is in the gzip members of a member: all of it, or in the one with this number."""
        parts = gzip_members(self.members[name])
        for place, part in enumerate(parts):
            if which in {None, place}:
                parts[place] = change(part)
        self.members[name] = b"".join(gzip_member(part) for part in parts)

    # making it fit again

    def reseal(self, how: str) -> None:
        {
            "none": lambda: None,
            "listed": self._listed,
            "digest": lambda: self._digest(None),
            "wacz": lambda: self._listed(fresh_wacz_key()),
            "wacz-bound": lambda: self._listed(self.good.wacz_key),
            "sealed": lambda: self._sealed(self.good.keeper),
            "sealed-predicate": self._sealed_predicate,
            "stranger": self._stranger,
        }[how]()

    def _listed(self, key: BundleKey | None = None) -> None:
        if PACKAGE not in self.members:
            return
        package = self.json(PACKAGE)
        package["resources"] = [
            {
                "name": name.lower().replace("/", "-"),
                "path": name,
                "hash": f"sha256:{hashlib.sha256(data).hexdigest()}",
                "bytes": len(data),
            }
            for name, data in self.members.items()
            if name not in {PACKAGE, DIGEST}
        ]
        self.put_json(PACKAGE, package)
        self._digest(key)

    def _digest(self, key: BundleKey | None) -> None:
        told, named = self.json(DIGEST), digest(self.members[PACKAGE])
        told["hash"] = told["signedData"]["hash"] = named
        if key is not None:
            told["signedData"] |= {"signature": key.sign(named.encode()), "publicKey": key.public}
        self.put_json(DIGEST, told)

    def _sealed(self, signer: LogKey) -> None:
        key = fresh_wacz_key()
        payload = self.statement()
        payload["subject"] = [
            {"name": name, "digest": {"sha256": hashlib.sha256(data).hexdigest()}}
            for name, data in self.members.items()
            if name not in UNSTATED
        ]
        payload["predicate"]["wacz_key"] = key.public
        self.put_statement(canonical(payload), signer)
        self._listed(key)

    def _sealed_predicate(self) -> None:
        checkpoint = parse_checkpoint(parse_note(self.checkpoint).text)
        said = {"size": checkpoint.size, "root": base64.b64encode(checkpoint.root).decode()}
        self.put_json(CONTENTS, self.json(CONTENTS) | said)
        payload = self.statement()
        payload["predicate"] |= said
        self.put_statement(canonical(payload), self.good.keeper)
        self._sealed(self.good.keeper)

    def _stranger(self) -> None:
        stranger = self.good.stranger
        self.members[VKEY] = f"{stranger.vkey}\n".encode()
        self.sign_checkpoint(stranger, parse_note(self.checkpoint).text)
        self._sealed(stranger)

    # what is signed

    def statement(self) -> Any:
        return json.loads(base64.b64decode(self.json(STATEMENT)["payload"]))

    def put_statement(self, payload: bytes, signer: LogKey, kind: str = "application/vnd.in-toto+json") -> None:
        signature = signer._private.sign(pae(kind, payload))
        told = {
            "payload": base64.b64encode(payload).decode(),
            "payloadType": kind,
            "signatures": [{"keyid": signer.vkey, "sig": base64.b64encode(signature).decode()}],
        }
        self.members[STATEMENT] = canonical(told)

    def sign_checkpoint(self, signer: LogKey, text: str) -> None:
        """Another checkpoint, in the proofs too."""
        old, self.members[CHECKPOINT] = self.checkpoint, signer.sign(text)
        lines = [json.loads(line) for line in self.lines(PROOFS)]
        for line in lines:
            line["proof"] = line["proof"].replace(old.decode(), self.checkpoint.decode())
        self.put_lines(PROOFS, [canonical(line) for line in lines])

    @property
    def data(self) -> bytes:
        """The written file."""
        file = zipped(self.members)
        for change in self.zip_changes:
            change(file)
        return file.data


def changed(value: Any, path: str, new: Any) -> Any:
    """A value with another one at a dotted path; a function makes the new one from the old; LEFT_OUT takes it out."""
    if not path:
        return new(value) if callable(new) else new
    step, _, rest = path.partition(".")
    key: Any = int(step) if isinstance(value, list) else step
    inner = changed(value[key], rest, new)
    copy = value.copy()
    copy[key] = inner
    if inner is LEFT_OUT:
        del copy[key]
    return copy


LEFT_OUT = object()


def gzip_members(data: bytes) -> list[bytes]:
    import zlib

    parts = []
    while data:
        engine = zlib.decompressobj(31)
        parts.append(engine.decompress(data) + engine.flush())
        data = engine.unused_data
    return parts


def gzip_member(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)
