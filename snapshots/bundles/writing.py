"""Writing a bundle: one file that is a web archive, its own evidence, a report, and the program that verifies it.

The same ids under the same checkpoint, with the same time stamps and keys, give the same bytes. Memory holds ids and
the index of the archive, never the pages: those go through temporary files.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, Final

from snapshots.archive import Archive
from snapshots.bundles import cdxj, evidence
from snapshots.bundles.collecting import BundleAsked, Collected, Collector, Progress, member_of
from snapshots.bundles.container import Filling, Member, assemble
from snapshots.bundles.evidence import BundleTokens, NoTokens, Seal
from snapshots.bundles.pages import PageWriter
from snapshots.bundles.readme import FIRST_WORDS, readme
from snapshots.bundles.report import Report
from snapshots.bundles.shelf import Shelf
from snapshots.bundles.signing import PAYLOAD_TYPE, BundleKey, digest_file, envelope, pae, statement
from snapshots.bundles.spool import spooled
from snapshots.bundles.warc import WarcWriter, first_record, records_of, seconds
from snapshots.canonical import Json, canonical
from snapshots.capture import Capture
from snapshots.errors import DamagedObject, LogReadOnly, RemovedId, UnknownId
from snapshots.log import Log
from snapshots.reading import Reader
from snapshots.records import read

FIRST: Final = ("archive/data.warc.gz", "indexes/index.cdx.gz", "indexes/index.idx", "pages/pages.jsonl")
LAST: Final = ("README",)
ARCHIVE: Final = FIRST[0]
TRIES: Final = 3
"""How often a bundle is begun again because something was removed while it was written."""
TELL_EVERY: Final = 20
COPIED: Final = 1024 * 1024
"""Bytes copied at once of a file that is attached."""
NOTHING_ATTACHED: Final[Mapping[str, Path]] = MappingProxyType({})


def _nothing(_: Collected) -> Iterable[tuple[str, bytes]]:
    return ()


@dataclass(frozen=True)
class BundleMaker:
    """What a bundle is made with: the archive and its log, the P-384 key, the time stamps, the verifying program.

    `of_sessions` gives members below `session/` that follow from what was gathered.
    """

    archive: Archive
    log: Log
    key: BundleKey
    verifier: bytes
    software: tuple[str, str]
    tokens: BundleTokens = field(default_factory=NoTokens)
    of_sessions: Callable[[Collected], Iterable[tuple[str, bytes]]] = _nothing


@dataclass(frozen=True)
class Bundle:
    """What was written: bytes and SHA-256 of the file, and how much of what is in it."""

    size: int
    digest: str
    created: str
    log_size: int
    counts: Mapping[str, int]
    notes: tuple[str, ...]


def write_bundle(
    maker: BundleMaker,
    asked: BundleAsked,
    out: BinaryIO,
    *,
    folder: Path,
    progress: Progress,
    attached: Mapping[str, Path] = NOTHING_ATTACHED,
) -> Bundle:
    """Writes the bundle of what was asked for to `out`; temporary files lie in `folder` meanwhile.

    `attached` are files of the asker's own that go along below `attached/`, by their names: ASCII parts as
    the format allows them, each different from the others also in small letters.

    Raises:
        LogReadOnly: there is no key to sign it with.
        NothingToBundle, UnknownId, RemovedId: nothing is kept of what was asked for.
        StoreError, LogError, CatalogueError: of the archive, and of the disk (StoreFull, BundleError).
    """
    if maker.log.read_only:
        raise LogReadOnly("a bundle is signed with the log's key, and the log is open without it")
    for left in reversed(range(TRIES)):
        with spooled(folder) as spool, ExitStack() as stack:
            writer = _Writer(maker, asked, spool, progress, attached)
            stack.callback(writer.close)
            try:
                members = writer.members()
            except RemovedId:
                if not left or not writer.begun:
                    raise
                continue
            hashing = _Hashing(out)
            size = assemble(members, hashing)  # type: ignore[arg-type] # writes are all that it asks for
            return Bundle(
                size=size,
                digest=hashing.digest,
                created=writer.created,
                log_size=writer.sealed.checkpoint.size,
                counts=writer.counts,
                notes=tuple(evidence.notes(writer.found, writer.sealed)),
            )
    raise AssertionError("the last try ends in a bundle or an error")


class _Hashing:
    """Passes on what is written, and hashes it."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._hash = sha256()

    def write(self, data: bytes) -> int:
        self._hash.update(data)
        return self._out.write(data)

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()


class _Writer:
    """One try at one bundle."""

    def __init__(
        self, maker: BundleMaker, asked: BundleAsked, spool: Path, progress: Progress, attached: Mapping[str, Path]
    ) -> None:
        self._maker = maker
        self._attached = attached
        self._asked = asked
        self._spool = spool
        self._progress = progress
        self._reader = Reader(maker.archive.objects, maker.archive.catalogue)
        self._members: dict[str, Member] = {}
        self._sizes: dict[str, int] = {}
        self._files = 0
        self._open = ExitStack()
        self.begun = False
        collector = Collector(maker.archive, spool, progress)
        self.found: Collected = collector.found
        self._open.enter_context(self.found.records)
        self._open.enter_context(self.found.blobs)
        self._passages = self._open.enter_context(Shelf(spool / "passages"))
        self._collector = collector
        self.sealed: Seal
        self.created = ""
        self.counts: dict[str, int] = {}

    def close(self) -> None:
        """Closes the temporary files."""
        self._open.close()

    def members(self) -> Iterator[Member]:
        """Makes all members, and gives them in their order."""
        self._collector.collect(self._asked)
        self.begun = True
        needed = max(self.found.logged.values(), default=-1) + 1
        self.sealed = evidence.seal(self._maker.log, self._maker.tokens, needed)
        newest = max([self.found.newest, *(token.time for token in self.sealed.tokens)])
        self.created = seconds(newest)
        software = " ".join(self._maker.software)
        report = Report(self._spool, self.sealed.checkpoint, self.created)
        self._open.callback(report.close)
        pages = self._archive(report, software)
        self._evidence(pages.count)
        self._add("README", FIRST_WORDS)
        self._add(
            "evidence/README.txt", readme(self.found, self.sealed, created=self.created, vkey=self._maker.log.vkey)
        )
        with self._filling("evidence/index.html") as page:
            for piece in report.pieces(self.found, self.sealed, self._maker.log.vkey, software):
                page.write(piece)
        self._keep(page)
        self._add("evidence/verify.py", self._maker.verifier)
        for name, path in self._attached.items():
            self._copy(f"attached/{name}", path)
        for name, data in self._maker.of_sessions(self.found):
            self._add(name, data)
        self._statement()
        self._package(pages, software)
        self._progress("putting together", 0, len(self._members))
        return map(self._members.__getitem__, self._order())

    def _order(self) -> list[str]:
        inside = sorted(name for name in self._members if name.startswith(("attached/", "evidence/", "session/")))
        ends = [name for name in ("datapackage.json", "datapackage-digest.json") if name in self._members]
        return [*FIRST, *inside, *LAST, *ends]

    # the web archive

    def _archive(self, report: Report, software: str) -> PageWriter:
        found, lines, total = self.found, list[str](), len(self.found.captures)
        with self._filling(ARCHIVE) as archive, self._filling(FIRST[3]) as pages_member:
            warc = WarcWriter(archive.write)
            warc.write(first_record(self.sealed.checkpoint.origin, self.created, software))
            pages = PageWriter(pages_member.write)
            for done, (_, name) in enumerate(found.captures):
                if done % TELL_EVERY == 0:
                    self._progress("writing pages", done, total)
                capture = read(found.records.get(name), canonical=True)
                assert isinstance(capture, Capture), "what was gathered as a capture is one"
                for record in records_of(capture, self._blobs(capture)):
                    line = cdxj.line_of(warc.write(record))
                    lines += [] if line is None else [line]
                document = capture.document
                text = found.records.get(document) if document and document in found.records else None
                page = pages.add(name, capture, text)
                passages = page.passages(capture, found.passages.get(name, {}))
                for passage in passages:
                    self._passages.put(passage.id, passage.encoded)
                report.add(name, capture, page, passages, found)
        self._keep(archive)
        with self._filling(FIRST[1]) as index, self._filling(FIRST[2]) as listed:
            listed.write(cdxj.first_line().encode())
            for block in cdxj.blocks_of(lines):
                index.write(block.packed)
                listed.write(block.line.encode())
        for member in (index, listed, pages_member):
            self._keep(member)
        return pages

    def _blobs(self, capture: Capture) -> dict[str, bytes]:
        """Body and rendered DOM, as far as they are still kept; notes what is lost."""
        blobs = {}
        for name in (capture.body, capture.rendered):
            if name is None or name in self.found.missing:
                continue
            try:
                blobs[name] = self._reader.get(name)
            except DamagedObject as gone:
                self.found.lost(name, damaged=type(gone) is DamagedObject)
            except UnknownId:
                self.found.lost(name, damaged=False)
            else:
                self._sizes[name] = len(blobs[name])
        return blobs

    # what proves it

    def _evidence(self, pages: int) -> None:
        found, log = self.found, self._maker.log
        self._lines("evidence/records.jsonl", found.records)
        if self._passages:
            self._lines("evidence/passages.jsonl", self._passages)
        self._add_blobs()
        with Shelf(self._spool / "proofs") as proofs:
            by_position = {position: name for name, position in found.logged.items()}
            for done, (index, text) in enumerate(evidence.proofs(log, self.sealed, sorted(by_position))):
                if done % TELL_EVERY == 0:
                    self._progress("proving", done, len(by_position))
                name = by_position[index]
                proofs.put(name, canonical({"proof": text, "record": name}))
            self._lines("evidence/proofs.jsonl", proofs)
        self._add("evidence/checkpoint.txt", self.sealed.signed)
        self._add("evidence/log.vkey", f"{log.vkey}\n".encode())
        for number, note in enumerate(log.handovers, 1):
            self._add(f"evidence/handover-{number}.txt", note)
        for member, data in evidence.token_members(log, self.sealed):
            self._add(member, data)
        told = evidence.contents(
            self._asked, found, self.sealed, created=self.created, pages=pages, software=self._maker.software
        )
        self._add("evidence/bundle.json", told)
        self.counts = evidence.counts(found, pages)

    def _add_blobs(self) -> None:
        found = self.found
        members = dict.fromkeys(self._sizes, ARCHIVE)
        for name in found.blobs:
            if name not in members:
                data = found.blobs.get(name)
                members[name] = member_of(name, found.endings.get(name), data)
                self._sizes[name] = len(data)
                self._add(members[name], data)
        if not members:
            return
        with self._filling("evidence/blobs.jsonl") as listed:
            for name in sorted(members):
                line = canonical({"id": name, "bytes": self._sizes[name], "member": members[name]})
                listed.write(line + b"\n")
        self._keep(listed)

    def _statement(self) -> None:
        checkpoint = self.sealed.checkpoint
        predicate: dict[str, Json] = {
            "created": self.created,
            "origin": checkpoint.origin,
            "size": checkpoint.size,
            "root": evidence.root_text(checkpoint),
            "wacz_key": self._maker.key.public,
        }
        payload = statement([(name, self._members[name].digest) for name in self._order()], predicate)
        signature = self._maker.log.sign(pae(PAYLOAD_TYPE, payload))
        self._add("evidence/statement.dsse.json", envelope(payload, self._maker.log.vkey, signature))

    def _package(self, pages: PageWriter, software: str) -> None:
        resources: Sequence[Json] = [
            {
                "name": name.lower().replace("/", "-"),
                "path": name,
                "hash": f"sha256:{self._members[name].digest}",
                "bytes": self._members[name].size,
            }
            for name in self._order()
        ]
        package: dict[str, Json] = {
            "profile": "data-package",
            "wacz_version": "1.1.1",
            "title": f"Evidence: {pages.count} pages, {len(self._passages)} passages",
            "description": "Web pages as they were captured, with proofs. README.txt says how to check them.",
            "created": self.created,
            "software": software,
            "resources": list(resources),
        }
        if pages.first is not None:
            package |= {"mainPageUrl": pages.first[0], "mainPageDate": pages.first[1]}
        data = canonical(package)
        self._add("datapackage.json", data)
        self._add(
            "datapackage-digest.json",
            digest_file(data, created=self.created, software=software, key=self._maker.key),
        )

    # members

    @contextmanager
    def _filling(self, name: str) -> Iterator[Filling]:
        self._files += 1
        with Filling(name, self._spool / f"member-{self._files}") as filling:
            yield filling

    def _keep(self, filling: Filling) -> None:
        self._members[filling.name] = filling.member

    def _add(self, name: str, data: bytes) -> None:
        with self._filling(name) as filling:
            filling.write(data)
        self._keep(filling)

    def _copy(self, name: str, path: Path) -> None:
        with self._filling(name) as filling, path.open("rb") as file:
            while piece := file.read(COPIED):
                filling.write(piece)
        self._keep(filling)

    def _lines(self, name: str, shelf: Shelf) -> None:
        with self._filling(name) as filling:
            for one in shelf:
                filling.write(shelf.get(one))
                filling.write(b"\n")
        self._keep(filling)
