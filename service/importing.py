"""Takes in bundles of other installations: what verifies, under the ids that it has, with the proofs it came with.

The file is not kept: its text would lie there a second time, out of reach of a removal. Its records, documents and
blobs are, and the members that prove them there.
"""

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, Literal

from anyio.to_thread import run_sync

from service.adding import File, described
from service.answering import keep
from service.doors import Json, Progress
from service.failures import BadRequest, BundleRefused
from service.parts import Parts
from service.requests import BundleImport, Caller
from service.rereading import text_check
from snapshots import (
    BadProof,
    Batch,
    Import,
    ImportClaim,
    ImportMember,
    Incoming,
    Record,
    Refusal,
    Trust,
    UnknownRecord,
    Unsound,
    Verification,
    digest,
    moment,
    parse_vkey,
    refusals,
    stamp,
    verify_path,
)

NEEDED: Final = frozenset(
    {"container", "members", "statement", "signer", "wacz-signature", "records", "closure", "blobs", "passages", "log"}
    | {"replay"}
)
"""Claims that must hold. `time` and `text` may be uncheckable (no tokens, another reader), and may not fail."""
GROUP: Final = 200
"""Records that are kept together, with what they name."""
GROUP_BYTES: Final = 32 * 1024 * 1024
AHEAD: Final = timedelta(minutes=10)
"""How far another installation's clock may be ahead of ours."""
LISTED: Final = 10_000
"""Records that are written out in a reply."""


async def import_bundle(parts: Parts, path: Path, request: BundleImport, caller: Caller, progress: Progress) -> Json:
    """Take in the bundle at `path` if all that it claims holds. Doing it again changes nothing.

    Raises:
        BundleRefused: it does not hold; the claims say what. Nothing of it is kept then.
        BadRequest: it cannot be read, or a key that is to be trusted is none.
    """
    trust = Trust(keys=tuple(map(_key, request.trust_key)), required=NEEDED)
    try:
        file = await run_sync(described, path, request.name)
        async with text_check(parts.settings, parts.readers) as check:
            found = await run_sync(verify_path, path, trust, check)
        _require_whole(found)
        with _folder(parts.settings.tmp_path) as folder:
            incoming = await run_sync(Incoming(path, folder).__enter__)
            try:
                if await run_sync(described, path, request.name) != file:
                    raise BundleRefused("the file was changed while it was read")
                return await _Taking(parts, incoming, file, found, caller, progress).run(
                    trusted=bool(request.trust_key)
                )
            finally:
                incoming.__exit__()
    except OSError as error:
        raise BadRequest(f"{path} cannot be read: {error.strerror or error}") from error
    except Unsound as error:
        raise BundleRefused(str(error)) from error


def _key(text: str) -> Any:
    try:
        return parse_vkey(text)
    except BadProof as error:
        raise BadRequest(f"trust_key: {error}") from error


def _require_whole(found: Verification) -> None:
    """Raises BundleRefused with every claim that fails, or that has to hold and cannot be checked."""
    if found.holds:
        return
    wrong = [one for one in found.claims if one.result != "holds" and (one.result == "fails" or one.claim in NEEDED)]
    told = [{"claim": one.claim, "result": one.result, "detail": one.detail} for one in wrong]
    raise BundleRefused("; ".join(f"{one.claim}: {one.detail}" for one in wrong[:3]), claims=told)


@contextmanager
def _folder(folder: Path) -> Iterator[Path]:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=folder, prefix="import-"))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


@dataclass
class _Taking:
    """One bundle on its way in."""

    parts: Parts
    incoming: Incoming
    file: File
    found: Verification
    caller: Caller
    progress: Progress
    imports: list[str] = field(default_factory=list)
    new: int = 0

    async def run(self, *, trusted: bool) -> Json:
        incoming = self.incoming
        await run_sync(self._refuse_the_future)
        left_out = await run_sync(refusals, incoming, self._removed, self._ours)
        gone = {one.id for one in left_out}
        before, rest = await run_sync(self._known, [name for name in incoming.logged if name not in gone])
        self.imports += before
        done = 0
        for group in self._groups(rest):
            await self._keep(group, left_out)
            done += len(group)
            self.progress("records", done, len(rest))
        taken = [name for name in incoming.logged if name not in gone]
        return {
            "bundle": self.file.name,
            "sha256": self.file.sha256,
            "bytes": self.file.size,
            "origin": incoming.origin,
            "vkey": incoming.vkey,
            "trusted": trusted,
            "claims": [one.model_dump() for one in self._claims()],
            "imports": self.imports,
            "records": taken[:LISTED],
            "left_out": [{"id": one.id, "why": one.why, "deletion": one.deletion} for one in left_out],
            "counts": {"records": len(taken), "new": self.new, "left_out": len(left_out)},
        }

    def _refuse_the_future(self) -> None:
        latest = stamp(self.parts.clock() + AHEAD)
        for name in self.incoming.logged:
            record = self.incoming.record(name)
            if isinstance(record, UnknownRecord):
                continue
            for what in ("at", "retrieved_at", "served_at"):
                told = getattr(record, what, None)
                if isinstance(told, str) and moment(told) > moment(latest):
                    raise BundleRefused(f"{name} says that it is of {told}, which has not come yet")

    def _removed(self, ids: Iterable[str]) -> dict[str, str]:
        catalogue = self.parts.archive.catalogue
        found = ((name, catalogue.deletion_of(name)) for name in catalogue.removed_among(ids))
        return {name: deletion for name, deletion in found if deletion is not None}

    def _ours(self, name: str) -> bool:
        archive = self.parts.archive
        position = archive.catalogue.position_of(name)
        return position is not None and not archive.imported(name, position)

    def _known(self, logged: Sequence[str]) -> tuple[list[str], list[str]]:
        """The imports of this very file that are here, and the records that none of them brought."""
        archive = self.parts.archive
        imports: dict[str, bool] = {}
        rest = []
        for name in logged:
            brought = False
            for one in archive.catalogue.naming(name, kind="import"):
                if one.id not in imports:
                    record = archive.record(one.id)
                    imports[one.id] = isinstance(record, Import) and record.sha256 == self.file.sha256
                brought = brought or imports[one.id]
            if not brought:
                rest.append(name)
        return [name for name, ours in imports.items() if ours], rest

    def _groups(self, logged: Sequence[str]) -> Iterator[list[str]]:
        """Records that are kept together: so many, or so much."""
        group: list[str] = []
        size = 0
        for name in logged:
            weight = self.incoming.weight(name)
            if group and (len(group) == GROUP or size + weight > GROUP_BYTES):
                yield group
                group, size = [], 0
            group.append(name)
            size += weight
        if group:
            yield group

    async def _keep(self, group: Sequence[str], left_out: Sequence[Refusal]) -> None:
        batch, record, new = await run_sync(self._batch, group, left_out)
        await keep(self.parts, batch)
        self.imports.append(record)
        self.new += new

    def _batch(self, group: Sequence[str], left_out: Sequence[Refusal]) -> tuple[Batch, str, int]:
        """The import, and what it brings: it stands before them in the log, which tells them from our own."""
        incoming, catalogue = self.incoming, self.parts.archive.catalogue
        blobs: dict[str, bytes] = {}
        if not self.imports:  # an earlier import of this file has kept what they all name
            blobs |= {digest(data): data for data in incoming.members.values()}
            blobs |= {name: incoming.record(name).encoded for name in incoming.deeds}
        records: dict[str, Record | UnknownRecord] = {}
        new = [name for name in group if catalogue.position_of(name) is None]
        for name in new:
            documents, named = incoming.with_it(name)
            records |= {document.id: document for document in documents}
            blobs |= {digest(data): data for data in named}
            records[name] = incoming.record(name)
        record = Import(
            at=stamp(self.parts.clock()),
            form="bundle",
            name=self.file.name,
            sha256=self.file.sha256,
            size=self.file.size,
            origin=incoming.origin,
            vkey=incoming.vkey,
            tree=incoming.tree,
            members=self._members(),
            claims=tuple(self._claims()),
            records=tuple(group),
            absent=tuple(one.removeprefix("sha256:") for one in incoming.absent),
            deletions=tuple(dict.fromkeys(one.deletion for one in left_out if one.deletion)),
            counts={"records": len(group), "new": len(new)},
            by=self.caller.key,
        )
        batch = Batch(blobs=tuple(blobs.values()), records=(record, *records.values()))
        return batch, record.id, len(new)

    def _members(self) -> tuple[ImportMember, ...]:
        """What proves the records there, and the records that may not stand in the log here."""
        kept = [ImportMember(member=name, id=digest(data)) for name, data in sorted(self.incoming.members.items())]
        kept += [ImportMember(member="evidence/records.jsonl", id=name) for name in self.incoming.deeds]
        return tuple(kept)

    def _claims(self) -> Iterator[ImportClaim]:
        for one in self.found.claims:
            if one.result != "fails":
                result: Literal["holds", "not-checkable"] = "holds" if one.result == "holds" else "not-checkable"
                yield ImportClaim(claim=one.claim, result=result, detail=one.detail)
