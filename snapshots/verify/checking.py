"""Verifies one file or directory: opens it, reads every member once, and gives every claim."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from snapshots.errors import Unsound
from snapshots.note import Checkpoint, VerifierKey
from snapshots.verify.blobs import BLOBS, check_blobs, read_blobs
from snapshots.verify.capture_records import whole_seconds
from snapshots.verify.cdx import check_bundle_index
from snapshots.verify.claims import CLAIMS, Claim, Faults, Verification, not_checkable
from snapshots.verify.closure import check_closure
from snapshots.verify.contents import CONTENTS, Contents, left_out, read_contents
from snapshots.verify.datapackage import Package, check_members, read_package
from snapshots.verify.foreign import ForeignReplay
from snapshots.verify.log_proofs import CHECKPOINT, read_log, read_vkey
from snapshots.verify.members import DirectorySource, FileSource, Members, ZipSource
from snapshots.verify.page_list import check_pages
from snapshots.verify.record_lines import PASSAGES, RecordReader, Records
from snapshots.verify.replay import Replay
from snapshots.verify.signers import check_signer, check_wacz_signature, handed_over
from snapshots.verify.statement import Statement, check_statement, read_statement
from snapshots.verify.times_shown import SecondOpinion, check_time
from snapshots.verify.x509 import Certificate
from snapshots.verify.zip_directory import read_directory
from snapshots.verify.zip_rules import check_directory

MARKS: Final = (CONTENTS, "evidence/records.jsonl", "evidence/statement.dsse.json", CHECKPOINT)
"""Members that only bundles have: with any of them, all the rules for bundles count."""

ONLY_BUNDLES: Final = "this is no bundle of Citator, and nothing in it says so"

_GZIP, _WARC = b"\x1f\x8b", b"WARC/"

TextCheck = Callable[[Members, Records], Claim]
"""Reads the pages again and compares their texts; handed in where the programs that read them are at hand."""


@dataclass(frozen=True)
class Trust:
    """What the caller vouches for: log keys, roots of time-stamping authorities; and what must be checkable."""

    keys: tuple[VerifierKey, ...] = ()
    roots: tuple[Certificate, ...] = ()
    required: frozenset[str] = frozenset()

    @property
    def all_required(self) -> frozenset[str]:
        """Whoever names a key wants to know that it signed."""
        return self.required | ({"signer"} if self.keys else set())


def verify_path(
    path: Path, trust: Trust, text_check: TextCheck | None = None, opinion: SecondOpinion | None = None
) -> Verification:
    """Verifies the file or directory `path`.

    Raises:
        OSError: it cannot be read.
    """
    if path.is_dir():
        claims = _verify_directory(path, trust, text_check, opinion)
    else:
        with path.open("rb") as file:
            claims = verify_file(file, path.name, trust, text_check, opinion)
    order = {name: place for place, name in enumerate(CLAIMS)}
    return Verification(str(path), tuple(sorted(claims, key=lambda each: order[each.claim])), trust.all_required)


def verify_file(
    file: BinaryIO,
    name: str,
    trust: Trust,
    text_check: TextCheck | None = None,
    opinion: SecondOpinion | None = None,
) -> list[Claim]:
    """The claims about an open file, which must be seekable; `name` is what it is called."""
    file.seek(0)
    start = file.read(len(_WARC))
    file.seek(0)
    if start.startswith(_GZIP) or start == _WARC:
        members = Members(FileSource(file, name))
        replay = ForeignReplay(members, Faults("replay"), keep=False).check()
        return [replay, *_without({"replay"}, "this is a single WARC file")]
    faults = Faults("container")
    try:
        directory = read_directory(file)
    except Unsound as problem:
        faults.add(problem.reason, name, str(problem))
        return [faults.verdict("", ""), *_without({"container"}, "the file cannot be read as a ZIP file")]
    bundle = any(entry.name in MARKS for entry in directory.entries)
    entries = check_directory(file, directory, faults, strict=bundle)
    members = Members(ZipSource(file, entries, directory.shift, faults))
    claims = _verify_bundle(members, trust, text_check, opinion) if bundle else _verify_foreign(members)
    told = "a ZIP file in which every reader finds the same members"
    return [faults.verdict(told, "the rules for bundles" if bundle else "the rules of ZIP"), *claims]


def _verify_directory(
    path: Path, trust: Trust, text_check: TextCheck | None, opinion: SecondOpinion | None
) -> list[Claim]:
    faults = Faults("container")
    bundle = any((path / name).is_file() for name in MARKS)
    members = Members(DirectorySource(path, faults, strict=bundle))
    claims = _verify_bundle(members, trust, text_check, opinion) if bundle else _verify_foreign(members)
    container = faults.verdict("", "") if faults.count else not_checkable("container", "it is unpacked")
    return [container, *claims]


def _without(told: Collection[str], why: str) -> list[Claim]:
    return [not_checkable(claim, why) for claim in CLAIMS if claim not in told]


def _verify_foreign(members: Members) -> list[Claim]:
    """The claims of somebody else's WACZ."""
    faults = Faults("members")
    package = read_package(members, faults, bundle=False)
    replay = ForeignReplay(members, Faults("replay"), keep=True).check()
    members.read_the_rest()
    listed = check_members(package, members, None, faults, bundle=False)
    wacz = check_wacz_signature(package.digest, None, bundle=False)
    told = {"container", "members", "replay", "wacz-signature"}
    return [listed, replay, wacz, *_without(told, ONLY_BUNDLES)]


def _verify_bundle(
    members: Members, trust: Trust, text_check: TextCheck | None, opinion: SecondOpinion | None
) -> list[Claim]:
    faults = {claim: Faults(claim) for claim in CLAIMS}
    package = read_package(members, faults["members"], bundle=True)
    contents = _contents(members, faults["closure"])
    absent = left_out(members, contents)
    reader = RecordReader(members, faults["records"], faults["passages"])
    if PASSAGES not in absent:
        reader.passages()
    reader.records()
    records = reader.read
    blobs = {} if BLOBS in absent else read_blobs(members, faults["blobs"])
    key = _key(members, faults["log"])
    log = read_log(members, key, contents, records, faults["log"])
    _check_known(records, contents, set(log.indexes), faults["records"])
    replayed = Replay(records, blobs.__contains__, faults["replay"], faults["blobs"]).read(members, contents)
    check_bundle_index(members, replayed.index_lines, faults["replay"])
    pages = check_pages(members, records, package.package, faults["replay"])
    line = handed_over(members, key, faults["signer"]) if key is not None else []
    time = check_time(members, contents, log, records, line, trust.roots, faults["time"], opinion)
    statement = _statement(members, faults["statement"])
    members.read_the_rest()
    _check_newest(contents, records, faults["members"])
    claims = [
        check_members(
            package, members, contents.created if contents else None, faults["members"], bundle=True, absent=absent
        ),
        _stated(statement, key, contents, log.checkpoint, members, faults["statement"]),
        check_signer(key, line, log.signed, statement, trust.keys, faults["signer"]),
        _wacz(package, statement),
        faults["records"].verdict(
            f"{len(records.names)} records in canonical form, each with exactly the members of its kind", "SHA-256"
        ),
        _closed(contents, records, set(blobs), pages, faults["closure"]),
        check_blobs(blobs, members, replayed.payloads, faults["blobs"]),
        faults["passages"].verdict(
            f"{len(records.passages)} passages are what stands at their places in the documents", "SHA-256"
        ),
        faults["log"].verdict(
            f"{len(log.indexes)} records are in the log of {log.checkpoint.size if log.checkpoint else 0} entries",
            "the log key's signature (Ed25519), and the tree's hashes",
        ),
        time,
        faults["replay"].verdict(
            f"{replayed.records} records of the web archive, its index and {pages} pages agree with the captures",
            "the captures, which are in the log",
        ),
    ]
    text = text_check(members, records) if text_check else not_checkable("text", NOT_REREAD)
    return [*claims, text]


NOT_REREAD: Final = "the pages were not read again; `citator verify` does that where it has the programs that read them"


def _contents(members: Members, faults: Faults) -> Contents | None:
    try:
        return read_contents(members)
    except Unsound as problem:
        faults.add(problem.reason, CONTENTS, str(problem))
        return None


def _key(members: Members, faults: Faults) -> VerifierKey | None:
    try:
        return read_vkey(members)
    except Unsound as problem:
        faults.add(problem.reason, "evidence/log.vkey", str(problem))
        return None


def _statement(members: Members, faults: Faults) -> Statement | None:
    try:
        return read_statement(members)
    except Unsound as problem:
        faults.add(problem.reason, "evidence/statement.dsse.json", str(problem))
        return None


def _stated(
    statement: Statement | None,
    key: VerifierKey | None,
    contents: Contents | None,
    checkpoint: Checkpoint | None,
    members: Members,
    faults: Faults,
) -> Claim:
    if statement is None:
        return faults.verdict("", "")
    return check_statement(statement, key, contents, checkpoint, members, faults)


def _wacz(package: Package, statement: Statement | None) -> Claim:
    bound = statement.predicate["wacz_key"] if statement is not None else None
    return check_wacz_signature(package.digest, bound, bundle=True)


def _closed(contents: Contents | None, records: Records, blobs: set[str], pages: int, faults: Faults) -> Claim:
    if contents is None:
        return faults.verdict("", "")
    return check_closure(contents, records, blobs, pages, faults)


def _check_known(records: Records, contents: Contents | None, proven: set[str], faults: Faults) -> None:
    """A record whose id stands nowhere else is not the one that was logged."""
    known = proven | set(contents.roots if contents else ())
    for names in records.names.values():
        known.update(names)
    known.update(passage.document for passage in records.passages.values())
    for record in records.names:
        if record not in known:
            faults.add("record-unknown-id", record, "no proof, no root and no other record knows this id")


def _check_newest(contents: Contents | None, records: Records, faults: Faults) -> None:
    """A bundle is as old as the newest time in it, so that the same evidence gives the same bytes."""
    if contents is None:
        return
    times = [*records.times.values(), *(token.time for token in contents.tokens)]
    newest = max(map(whole_seconds, times), default=contents.created)
    if contents.created != newest:
        faults.add(
            "created-mismatch", CONTENTS, f"says it was made at {contents.created}; the newest time in it is {newest}"
        )
