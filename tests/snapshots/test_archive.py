import hashlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from snapshots import (
    AmbiguousId,
    ArchiveClosed,
    BadId,
    BadRecord,
    Batch,
    DamagedObject,
    Deletion,
    Hold,
    LogKey,
    LostObject,
    UnknownId,
    UnknownRecord,
    digest,
    passage_of,
    read_passage,
)
from snapshots.ids import hex_of
from snapshots.log_key import ed25519_holds
from snapshots.proof import parse_proof, verify_proof
from tests.snapshots.bench import Bench
from tests.snapshots.evidence import AT, body_of, capture_of, document_of, ref_to, search_of

PAGE = "https://a.example/"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """Whatever a test does, bucket, log and catalogue agree afterwards."""
    opened = Bench(tmp_path)
    yield opened
    report = opened.archive.check(deep=True)
    opened.close()
    assert report.findings == ()


def test_what_was_kept_is_given_back_byte_for_byte(bench: Bench) -> None:
    capture, document = capture_of(PAGE, "words"), document_of("words")

    kept = bench.keep(document, capture, blobs=[body_of("words"), b"\x00\xff"])

    assert kept.ids == (document.id, capture.id)
    assert kept.blobs == (digest(body_of("words")), digest(b"\x00\xff"))
    assert kept.positions == {capture.id: 0}
    assert bench.archive.get(document.id) == document.encoded
    assert bench.archive.get(digest(b"\x00\xff")) == b"\x00\xff"
    assert bench.archive.record(capture.id) == capture
    assert bench.archive.document(document.id) == document
    assert bench.log.entries(0, 10) == [capture.id]
    assert [row.id for row in bench.catalogue.captures(PAGE)] == [capture.id]


def test_a_passage_is_made_again_when_it_is_asked_for(bench: Bench) -> None:
    capture = bench.keep_page(PAGE, "words to be found")
    bench.keep_search([(capture, "words to be found")], b"{}")
    made = passage_of(capture, document_of("words to be found"), ordinal=0, start=0, end=17)

    data = bench.archive.get(made.id)

    assert data == made.encoded
    assert read_passage(data).text == "words to be found"
    assert bench.archive.passage(made.ref) == made
    assert bench.archive.kind_of(made.id) == "passage"


def test_kinds_are_told(bench: Bench) -> None:
    capture = bench.keep_page(PAGE, "words")
    search, serving = bench.keep_search([(capture, "words")], b'{"kind":"document"}')

    kinds = [bench.archive.kind_of(name) for name in (capture.id, document_of("words").id, serving.id, serving.body)]

    assert kinds == ["capture", "document", "serving", "blob"]
    assert bench.archive.kind_of(search.id) == "search"


def test_what_is_not_kept_is_unknown(bench: Bench) -> None:
    nothing = digest(b"nothing")

    for ask in (bench.archive.get, bench.archive.record, bench.archive.proof, bench.archive.dependents):
        with pytest.raises(UnknownId):
            ask(nothing)


def test_a_blob_is_no_record_and_a_capture_no_document(bench: Bench) -> None:
    capture = bench.keep_page(PAGE, "words")

    with pytest.raises(BadRecord):
        bench.archive.record(digest(body_of("words")))
    with pytest.raises(BadRecord):
        bench.archive.document(capture.id)


def test_a_prefix_stands_for_the_one_id_it_fits(bench: Bench) -> None:
    capture = bench.keep_page(PAGE, "words")

    assert bench.archive.resolve(hex_of(capture.id)[:12]) == capture.id
    assert bench.archive.resolve(capture.id.upper()) == capture.id
    assert bench.archive.resolve(document_of("words").id[:20]) == document_of("words").id
    assert bench.archive.resolve("f" * 64) == "sha256:" + "f" * 64
    with pytest.raises(BadId):
        bench.archive.resolve(hex_of(capture.id)[:11])
    with pytest.raises(UnknownId):
        bench.archive.resolve("f" * 12)


def test_a_prefix_of_several_ids_is_answered_with_them(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    twins = ["sha256:" + "ab" * 6 + f"{number:052x}" for number in range(2)]
    bench.keep(Hold(phase="held", at=AT, ids=twins))

    with pytest.raises(AmbiguousId) as caught:
        bench.archive.resolve("ab" * 6)

    assert caught.value.candidates == tuple(twins)
    assert bench.archive.resolve(twins[1]) == twins[1]
    bench.close()


def test_a_record_of_a_kind_to_come_is_kept_byte_for_byte(bench: Bench) -> None:
    data = b'{"kind":"forecast","version":7}'

    kept = bench.keep(UnknownRecord("forecast", 7, data))

    assert bench.archive.get(kept.ids[0]) == data
    assert bench.archive.kind_of(kept.ids[0]) == "forecast"


def test_the_same_content_is_stored_once(bench: Bench) -> None:
    first, second = bench.keep_page(PAGE, "words"), bench.keep_page(PAGE, "words")

    assert first.id != second.id
    assert sum(1 for _ in bench.archive.objects.all()) == 4


def test_a_proof_leads_from_what_is_asked_to_the_log(bench: Bench) -> None:
    capture = bench.keep_page(PAGE, "words")
    search, serving = bench.keep_search([(capture, "words")], b"the reply")
    document, body, passage = document_of("words").id, digest(body_of("words")), ref_to(capture, "words").id
    paths = {
        capture.id: (capture.id,),
        document: (document, capture.id),
        body: (body, capture.id),
        passage: (passage, search.id),
        digest(b"the reply"): (digest(b"the reply"), serving.id),
    }

    for name, leads in paths.items():
        proof = bench.archive.proof(name)

        assert (proof.id, proof.leads, proof.record) == (name, leads, leads[-1])
        for lower, upper in pairwise(leads):
            assert lower.encode() in bench.archive.get(upper)
        key = LogKey.load(bench.folder / "log.key")
        verify_proof(parse_proof(proof.tlog_proof), bytes.fromhex(hex_of(proof.record)), [key.verifier], ed25519_holds)


def test_dependents_are_the_records_that_name_an_id(bench: Bench) -> None:
    capture, other = bench.keep_page(PAGE, "words"), bench.keep_page("https://b.example/", "more")
    first, serving = bench.keep_search([(capture, "words")], b"1", considered=[other])
    second, _ = bench.keep_search([(other, "more")], b"2")

    def ids(name: str) -> list[str]:
        return [one.id for one in bench.archive.dependents(name)]

    assert ids(capture.id) == [first.id]
    assert ids(other.id) == [first.id, second.id]
    assert ids(ref_to(other, "more").id) == [second.id]
    assert ids(document_of("words").id) == [capture.id]
    assert ids(first.id) == [serving.id]
    assert ids(serving.id) == []


def test_followers_see_each_entry_once_and_in_order(bench: Bench) -> None:
    captures = [bench.keep_page(f"{PAGE}{number}", "words") for number in range(3)]
    bench.keep_search([(captures[0], "words")], b"{}")

    everything = bench.archive.follow(0)
    part = bench.archive.follow(1, limit=2)
    only = bench.archive.follow(0, kinds={"capture"})

    assert [position for position, _, _ in everything] == list(range(5))
    assert [record for _, _, record in part] == captures[1:]
    assert [record for _, _, record in only] == [*captures, None, None]
    assert bench.archive.follow(5) == []


def test_a_damaged_object_is_never_served_and_mended_when_seen_again(bench: Bench) -> None:
    bench.keep_page(PAGE, "words")
    name = hashlib.sha256(body_of("words")).hexdigest()
    (bench.folder / "bucket" / "objects" / name[:2] / name).write_bytes(b"damaged")

    with pytest.raises(DamagedObject):
        bench.archive.get("sha256:" + name)
    assert [one.problem for one in bench.archive.check(deep=True).findings] == ["damaged"]

    bench.keep_page(PAGE, "words")
    assert bench.archive.get("sha256:" + name) == body_of("words")


def test_a_lost_object_is_told_by_the_quick_check(bench: Bench) -> None:
    capture = bench.keep_page(PAGE, "words")
    lost = [capture.id, document_of("words").id]
    saved = {name: bench.archive.get(name) for name in lost}
    bench.archive.objects.delete(lost)

    quick, deep = bench.archive.check(), bench.archive.check(deep=True)

    for name in lost:
        with pytest.raises(LostObject, match=name):
            bench.archive.get(name)
    with pytest.raises(UnknownId):
        bench.archive.get("sha256:" + "0" * 64)
    assert {one.id for one in quick.findings} == set(lost)
    assert {one.problem for one in quick.findings} == {"missing"}
    assert capture.id in {one.id for one in deep.findings}
    bench.archive.objects.put(saved.values())


def test_what_a_killed_writer_left_is_counted_and_harmless(bench: Bench) -> None:
    bench.archive.objects.put([b"never logged"])

    report = bench.archive.check(deep=True)

    assert report.holds
    assert report.unnamed == 1


def test_a_passage_that_does_not_follow_from_its_capture_is_told_and_not_served(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    capture = bench.keep_page(PAGE, "words")
    wrong = ref_to(capture, "words").model_copy(update={"end": 3})
    search = search_of([(capture, "words")])
    results = [search.results[0].model_copy(update={"passages": (wrong,)})]
    bench.keep(search.model_copy(update={"results": results}))

    with pytest.raises(BadRecord):
        bench.archive.get(wrong.id)

    assert [one.problem for one in bench.archive.check(deep=True).findings] == ["passage_differs"]
    bench.close()


def test_rebuilt_from_the_bucket_alone_the_catalogue_is_equal(bench: Bench) -> None:
    captures = [bench.keep_page(f"{PAGE}{number}", f"words {number % 3}") for number in range(7)]
    bench.keep_search([(captures[0], "words 0"), (captures[4], "words 1")], b"{}", considered=captures[5:])
    before, told = bench.contents(), []

    position = bench.archive.rebuild(lambda done, total: told.append((done, total)))

    assert position == bench.log.size == 9
    assert told[-1] == (9, 9)
    assert bench.contents() == before


def test_an_empty_batch_is_kept_at_once(bench: Bench) -> None:
    assert bench.keep().ids == ()
    assert bench.log.size == 0


def test_a_closed_archive_takes_nothing_more(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    waiting = [bench.archive.keep(Batch((), (Deletion(at=AT, selector={}, removed=[]),))) for _ in range(20)]

    bench.archive.close()

    assert [future.result(timeout=0).positions for future in waiting]
    assert bench.log.size == 20
    with pytest.raises(ArchiveClosed):
        bench.archive.keep(Batch())
    with pytest.raises(ArchiveClosed):
        bench.archive.catch_up()
    bench.close()
