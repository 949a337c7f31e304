import base64
import errno
import hashlib
import io
import json
import os
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from snapshots import (
    BundleAsked,
    BundleError,
    BundleKey,
    BundleMaker,
    LogKey,
    LogReadOnly,
    NothingToBundle,
    RemovedId,
    Selection,
    StoreFull,
    UnknownId,
    UnknownRecord,
    digest,
    ed25519_holds,
    open_log,
    open_store,
    parse_proof,
    verify_proof,
    write_bundle,
)
from snapshots.bundles.signing import pae
from snapshots.canonical import canonical
from snapshots.ids import hex_of, to_raw
from tests.snapshots.bench import Bench
from tests.snapshots.bundled import Read, bundled
from tests.snapshots.evidence import body_of, capture_of, document_of, ref_to, time_at

PAGE = "https://a.example/"
OTHER = "https://a.example/other"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    opened = Bench(tmp_path)
    yield opened
    opened.close()


def test_a_passage_brings_its_page_and_not_the_search_that_showed_it(bench: Bench) -> None:
    capture, other = bench.keep_page(PAGE, "words to be found"), bench.keep_page(OTHER, "other words")
    search, _ = bench.keep_search([(capture, "words to be found"), (other, "other words")], b"{}")
    passage = ref_to(capture, "words to be found")

    bundle = bundled(bench, passage.id)

    assert set(bundle.records) == {capture.id, document_of("words to be found").id}
    assert search.id not in bundle.records
    (line,) = bundle.members["evidence/passages.jsonl"].splitlines()
    assert digest(line) == passage.id
    assert [one["member"] for one in bundle.lines("evidence/blobs.jsonl")] == ["archive/data.warc.gz"]
    assert bundle.json("evidence/bundle.json")["roots"] == [passage.id]


def test_a_search_brings_all_that_came_into_question_and_what_was_served(bench: Bench) -> None:
    shown, dropped = bench.keep_page(PAGE, "words"), bench.keep_page(OTHER, "other words")
    search, serving = bench.keep_search([(shown, "words")], b'{"reply":true}', considered=[dropped])

    bundle = bundled(bench, search=search.id)

    documents = {document_of("words").id, document_of("other words").id}
    assert set(bundle.records) == {shown.id, dropped.id, search.id, serving.id} | documents
    member = f"evidence/{hex_of(serving.body)}.bin"
    assert bundle.members[member] == b'{"reply":true}'
    assert {"id": serving.body, "bytes": 14, "member": member} in bundle.lines("evidence/blobs.jsonl")
    assert bundle.json("evidence/bundle.json")["roots"] == sorted([search.id, serving.id])


def test_lists_without_lines_are_left_out(bench: Bench) -> None:
    capture = capture_of(PAGE, None, outcome="error")
    bench.keep(capture)

    bundle = bundled(bench, capture.id)

    assert not {"evidence/passages.jsonl", "evidence/blobs.jsonl"} & set(bundle.members)
    assert bundle.told.counts["blobs"] == bundle.told.counts["passages"] == 0


def test_an_address_brings_all_its_captures(bench: Bench) -> None:
    first, again = bench.keep_page(PAGE, "words"), bench.keep_page(PAGE, "other words")
    bench.keep_page(OTHER, "not these")

    bundle = bundled(bench, url=PAGE)

    captures = {name for name, record in bundle.records.items() if record["kind"] == "capture"}
    assert captures == {first.id, again.id}
    assert bundle.told.counts["pages"] == 2


def test_a_blob_brings_the_record_that_leads_to_it(bench: Bench) -> None:
    capture = bench.keep_page(PAGE, "words")

    bundle = bundled(bench, digest(body_of("words")))

    assert capture.id in bundle.records
    assert bundle.json("evidence/bundle.json")["roots"] == sorted([capture.id, digest(body_of("words"))])


def test_what_a_record_of_an_unknown_kind_names_is_brought_along(bench: Bench) -> None:
    capture, blob = bench.keep_page(PAGE, "words"), b"content of a step"
    strange = canonical(
        {"kind": "later", "version": 7, "page": capture.id, "content": digest(blob), "not": digest(b"?")}
    )
    record = UnknownRecord("later", 7, strange)
    bench.keep(record, blobs=[blob])

    bundle = bundled(bench, record.id)

    assert {record.id, capture.id} <= set(bundle.records)
    assert bundle.members[f"evidence/{hex_of(digest(blob))}.bin"] == blob
    missing = bundle.json("evidence/bundle.json")["missing"]
    assert missing == [{"id": digest(b"?"), "why": "not-kept", "deletion": None}]


def test_what_was_removed_is_told_with_its_deletion(bench: Bench) -> None:
    gone, other = bench.keep_page(PAGE, "secret words"), bench.keep_page(OTHER, "other words")
    search, serving = bench.keep_search([(gone, "secret words"), (other, "other words")], b"secret reply")
    removal = bench.archive.remove(Selection(pages=(PAGE,)))

    bundle = bundled(bench, search=search.id)

    missing = {one["id"]: one for one in bundle.json("evidence/bundle.json")["missing"]}
    gone_too = {gone.id, ref_to(gone, "secret words").id, serving.body}
    assert gone_too | {document_of("secret words").id, digest(body_of("secret words"))} == set(missing)
    assert {one["deletion"] for one in missing.values()} == {removal.deletion}
    assert removal.deletion in bundle.records
    assert b"secret" not in b"".join(bundle.members.values())
    assert any("were removed" in note for note in bundle.told.notes)


def test_what_the_bucket_has_lost_is_told(bench: Bench) -> None:
    capture = bench.keep_page(PAGE, "words")
    lost = digest(body_of("words"))
    bench.archive.objects.delete([lost])

    bundle = bundled(bench, capture.id)

    assert [one["id"] for one in bundle.json("evidence/bundle.json")["missing"]] == [lost]
    assert any(lost in note and "lost" in note for note in bundle.told.notes)


def test_of_nothing_there_is_no_bundle(bench: Bench) -> None:
    capture = bench.keep_page(PAGE, "words")
    bench.archive.remove(Selection(ids=(capture.id,)))

    with pytest.raises(RemovedId):
        bundled(bench, capture.id)
    with pytest.raises(UnknownId):
        bundled(bench, digest(b"never seen"))
    with pytest.raises(NothingToBundle):
        bundled(bench, url=PAGE)


def test_a_log_without_its_key_signs_no_bundle(bench: Bench, tmp_path: Path) -> None:
    capture = bench.keep_page(PAGE, "words")
    bench.log = open_log(open_store(tmp_path / "bucket"), tmp_path / "no.key", create=False)

    with pytest.raises(LogReadOnly):
        bundled(bench, capture.id)


def test_the_same_ids_under_the_same_checkpoint_give_the_same_bytes(bench: Bench) -> None:
    capture, other = bench.keep_page(PAGE, "words"), bench.keep_page(OTHER, "other words")
    search, _ = bench.keep_search([(capture, "words")], b"{}", considered=[other])

    first = bundled(bench, search.id, other.id)
    again = bundled(bench, other.id, search.id)

    assert first.data == again.data
    assert hashlib.sha256(first.data).hexdigest() == first.told.digest
    assert len(first.data) == first.told.size


def test_created_is_the_newest_time_in_it(bench: Bench) -> None:
    early, late = capture_of(PAGE, "words", at=time_at(5)), capture_of(OTHER, "other words", at=time_at(61))
    bench.keep(document_of("words"), early, document_of("other words"), late, blobs=[body_of("words")])
    bench.keep(blobs=[body_of("other words")])

    bundle = bundled(bench, early.id, late.id)

    created = "2026-11-29T12:01:01Z"
    assert bundle.told.created == created
    assert bundle.json("datapackage.json")["created"] == created
    assert bundle.json("datapackage-digest.json")["signedData"]["created"] == created
    assert bundle.json("evidence/bundle.json")["created"] == created


def whole(bench: Bench) -> Read:
    capture, other = bench.keep_page(PAGE, "words"), bench.keep_page(OTHER, "other words")
    search, _ = bench.keep_search([(capture, "words")], b"{}", considered=[other])
    return bundled(bench, search.id)


def test_every_member_has_the_hash_and_size_that_the_package_tells(bench: Bench) -> None:
    bundle = whole(bench)
    package = bundle.json("datapackage.json")

    told = [(one["path"], one["hash"], one["bytes"]) for one in package["resources"]]

    assert told == [(name, digest(data), len(data)) for name, data in bundle.members.items()][:-2]
    assert list(bundle.members)[-2:] == ["datapackage.json", "datapackage-digest.json"]
    assert bundle.json("datapackage-digest.json")["hash"] == digest(bundle.members["datapackage.json"])
    assert all(one["name"] == one["path"].lower().replace("/", "-") for one in package["resources"])


def test_the_statement_is_over_every_member_and_signed_by_the_log(bench: Bench) -> None:
    bundle = whole(bench)
    envelope = bundle.json("evidence/statement.dsse.json")
    payload = base64.b64decode(envelope["payload"])
    (signature,) = envelope["signatures"]

    told = {one["name"]: one["digest"]["sha256"] for one in json.loads(payload)["subject"]}

    members = [name for name in bundle.members if not name.startswith(("datapackage", "evidence/statement"))]
    assert told == {name: hashlib.sha256(bundle.members[name]).hexdigest() for name in members}
    assert ed25519_holds(
        bench.log.keys[0].public, pae(envelope["payloadType"], payload), base64.b64decode(signature["sig"])
    )
    assert (
        json.loads(payload)["predicate"]["wacz_key"]
        == bundle.json("datapackage-digest.json")["signedData"]["publicKey"]
    )


def test_readers_of_web_archives_find_the_signature_that_they_know(bench: Bench) -> None:
    told = whole(bench).json("datapackage-digest.json")["signedData"]
    raw = base64.b64decode(told["signature"])
    key = serialization.load_der_public_key(base64.b64decode(told["publicKey"]))

    assert isinstance(key, ec.EllipticCurvePublicKey)
    assert key.curve.name == "secp384r1"
    assert len(raw) == 96
    halves = (int.from_bytes(raw[:48], "big"), int.from_bytes(raw[48:], "big"))
    key.verify(encode_dss_signature(*halves), told["hash"].encode(), ec.ECDSA(hashes.SHA256()))


def test_every_record_is_proven_under_the_checkpoint_of_the_bundle(bench: Bench) -> None:
    bundle = whole(bench)
    bench.keep_page("https://a.example/later", "later words")
    logged = [name for name, record in bundle.records.items() if record["kind"] != "document"]

    lines = bundle.lines("evidence/proofs.jsonl")

    assert [line["record"] for line in lines] == sorted(logged)
    for line in lines:
        proof = parse_proof(line["proof"])
        assert proof.checkpoint == bundle.members["evidence/checkpoint.txt"]
        verify_proof(proof, to_raw(line["record"]), bench.log.keys, ed25519_holds)


def test_a_rotated_key_brings_its_hand_overs(bench: Bench) -> None:
    capture = bench.keep_page(PAGE, "words")
    first = bench.log.vkey
    for _ in range(2):
        bench.log.rotate(LogKey.generate(bench.log.origin))

    bundle = bundled(bench, capture.id)

    assert first.encode() in bundle.members["evidence/handover-1.txt"]
    assert bundle.members["evidence/log.vkey"].decode().strip() == bench.log.vkey
    assert bench.log.vkey.encode() in bundle.members["evidence/handover-2.txt"]


def test_the_container_has_no_gap_and_says_everything_twice_alike(bench: Bench) -> None:
    data = whole(bench).data

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        entries = archive.infolist()
        end = archive.start_dir
    place = 0
    for entry in entries:
        fields = struct.unpack_from("<IHHHHHIIIHH", data, place)
        assert entry.header_offset == place
        assert fields[:6] == (0x04034B50, 20, 0, entry.compress_type, 0, 33)
        assert fields[6:] == (entry.CRC, entry.compress_size, entry.file_size, len(entry.filename), 0)
        assert entry.date_time == (1980, 1, 1, 0, 0, 0)
        assert (entry.create_system, entry.external_attr, entry.extra) == (3, 0o100644 << 16, b"")
        place += 30 + len(entry.filename) + entry.compress_size
    assert place == end
    assert data.endswith(struct.pack("<IIH", end and len(data) - 22 - end, end, 0))
    stored = {entry.filename for entry in entries if entry.compress_type == zipfile.ZIP_STORED}
    assert stored == {"archive/data.warc.gz", "indexes/index.cdx.gz"}


def test_the_bundle_key_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "bundle.key"

    first = BundleKey.at(path)

    assert BundleKey.at(path).public == first.public
    assert path.stat().st_mode & 0o777 == 0o600
    assert first.sign(b"words") == BundleKey.at(path).sign(b"words")
    path.write_text("no key\n")
    with pytest.raises(BundleError, match="damaged"):
        BundleKey.at(path)


class FullDisk(io.BytesIO):
    """Takes nothing."""

    def write(self, _: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_told_as_such_and_nothing_is_left(bench: Bench, tmp_path: Path) -> None:
    capture = bench.keep_page(PAGE, "words")
    folder = tmp_path / "tmp"
    folder.mkdir()
    maker = BundleMaker(bench.archive, bench.log, BundleKey.at(tmp_path / "k"), b"", ("Citator", "0"))

    with pytest.raises(StoreFull):
        write_bundle(maker, BundleAsked((capture.id,)), FullDisk(), folder=folder, progress=lambda *_: None)
    with pytest.raises(BundleError):
        write_bundle(maker, BundleAsked((capture.id,)), FullDisk(), folder=folder / "no", progress=lambda *_: None)

    assert list(folder.iterdir()) == []


def test_what_is_removed_while_a_bundle_is_written_is_not_in_it(bench: Bench, tmp_path: Path) -> None:
    gone, other = bench.keep_page(PAGE, "secret words"), bench.keep_page(OTHER, "other words")
    waiting = [gone.id]

    def removing(what: str, *_: object) -> None:
        if what == "writing pages" and waiting:
            bench.archive.remove(Selection(ids=(waiting.pop(),)))

    out = io.BytesIO()
    maker = BundleMaker(bench.archive, bench.log, BundleKey.at(tmp_path / "k"), b"", ("Citator", "0"))
    told = write_bundle(maker, BundleAsked((gone.id, other.id)), out, folder=tmp_path, progress=removing)

    bundle = Read(out.getvalue(), told)
    assert gone.id not in bundle.records
    assert other.id in bundle.records
    assert b"secret" not in b"".join(bundle.members.values())
