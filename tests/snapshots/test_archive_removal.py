from collections.abc import Iterator
from pathlib import Path

import pytest

from snapshots import (
    Candidate,
    ProviderRank,
    ProviderReply,
    RemovedId,
    Selection,
    UnknownId,
    digest,
    names,
)
from snapshots.merkle import verify_consistency
from tests.snapshots.bench import Bench
from tests.snapshots.evidence import body_of, capture_of, document_of, ref_to, search_of, serving_of

SECRET = "the harbourmaster's private remark"
PAGE = "https://a.example/secret"
OTHER = "https://a.example/other"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """Whatever was removed, what stays is whole, and rebuilt from the bucket it is the same."""
    opened = Bench(tmp_path)
    yield opened
    report = opened.archive.check(deep=True)
    before = opened.contents()
    opened.archive.rebuild()
    after = opened.contents()
    opened.close()
    assert report.findings == ()
    assert after == before


def test_of_a_removed_page_no_byte_is_left(bench: Bench) -> None:
    capture, other = bench.keep_page(PAGE, SECRET), bench.keep_page(OTHER, "public words")
    bench.keep_search([(capture, SECRET), (other, "public words")], f"reply: {SECRET}".encode())
    search, serving = bench.keep_search([(other, "public words")], b"reply: public words")
    assert bench.traces(SECRET) != []

    removal = bench.archive.remove(Selection(pages=(PAGE,)), reason="asked for", by="k1")

    assert bench.traces(SECRET) == []
    assert bench.traces("a.example/secret") != []  # searches that stay name the address, and the deletion does
    assert removal.counts == {"captures": 1, "documents": 1, "blobs": 1, "replies": 1, "bytes": removal.counts["bytes"]}
    assert bench.archive.get(serving.body) == b"reply: public words"
    assert bench.archive.get(search.id) == search.encoded
    assert bench.archive.get(ref_to(other, "public words").id)


def test_the_ids_of_what_was_removed_answer_with_the_deletion(bench: Bench) -> None:
    capture = bench.keep_page(PAGE, SECRET)
    search, serving = bench.keep_search([(capture, SECRET)], f"reply: {SECRET}".encode())
    gone = [capture.id, document_of(SECRET).id, digest(body_of(SECRET)), serving.body, ref_to(capture, SECRET).id]
    root, size = bench.log.root, bench.log.size

    removal = bench.archive.remove(Selection(ids=(capture.id,)))

    for name in gone:
        for ask in (bench.archive.get, bench.archive.proof):
            with pytest.raises(RemovedId) as caught:
                ask(name)
            assert (caught.value.id, caught.value.deletion) == (name, removal.deletion)
    assert removal.deletion is not None
    assert set(names(bench.archive.record(removal.deletion))) == {one.id for one in removal.removed} == set(gone[:4])
    assert [one.id for one in bench.archive.dependents(capture.id)] == [search.id]
    assert bench.archive.get(search.id) == search.encoded
    proof = bench.log.consistency(size)
    verify_consistency(size, bench.log.size, root, bench.log.root, proof)


def test_a_dry_run_lists_the_same_and_does_nothing(bench: Bench) -> None:
    capture = bench.keep_page(PAGE, SECRET)
    bench.keep_search([(capture, SECRET)], f"reply: {SECRET}".encode())

    listed = bench.archive.remove(Selection(pages=(PAGE,)), dry_run=True)
    assert listed.deletion is None
    assert bench.archive.get(capture.id) == capture.encoded
    assert bench.log.size == 3
    done = bench.archive.remove(Selection(pages=(PAGE,)))

    assert listed.removed == done.removed
    assert listed.counts == done.counts
    assert sum(one.bytes for one in done.removed) == done.counts["bytes"] > 0


def test_what_another_page_needs_stays(bench: Bench) -> None:
    first, second = bench.keep_page(PAGE, "shared words"), bench.keep_page(OTHER, "shared words")

    removal = bench.archive.remove(Selection(pages=(PAGE,)))

    assert [one.id for one in removal.removed] == [first.id]
    assert bench.archive.get(document_of("shared words").id)
    assert bench.archive.proof(document_of("shared words").id).record == second.id
    bench.archive.remove(Selection(pages=(OTHER,)))
    assert bench.traces("shared words") == []


def test_every_capture_of_a_page_goes_and_an_old_address_leads_to_it(bench: Bench) -> None:
    bench.keep_page(PAGE, "the former utterance")
    moved = capture_of(PAGE, "the latter utterance", asked="http://a.example/old")
    bench.keep(document_of("the latter utterance"), moved, blobs=[body_of("the latter utterance")])

    removal = bench.archive.remove(Selection(pages=("http://a.example/old",)))
    assert removal.counts["captures"] == 1
    removal = bench.archive.remove(Selection(pages=(PAGE,)))

    assert removal.counts["captures"] == 1
    assert bench.traces("utterance") == []


@pytest.mark.parametrize("what", ["passage", "document", "body"])
def test_any_part_of_a_page_selects_it_whole(bench: Bench, what: str) -> None:
    capture = bench.keep_page(PAGE, SECRET)
    bench.keep_search([(capture, SECRET)], f"reply: {SECRET}".encode())
    parts = {
        "passage": ref_to(capture, SECRET).id,
        "document": document_of(SECRET).id,
        "body": digest(body_of(SECRET)),
    }

    bench.archive.remove(Selection(ids=(parts[what],)))

    assert bench.traces(SECRET) == []


def test_a_reply_can_go_alone(bench: Bench) -> None:
    capture = bench.keep_page(PAGE, "public")
    search, serving = bench.keep_search([(capture, "public")], b"one reply")
    again = serving_of(search, b"another reply")
    bench.keep(again, blobs=[b"another reply"])

    bench.archive.remove(Selection(ids=(serving.id,)))
    assert bench.archive.get(capture.id)
    assert bench.archive.get(again.body) == b"another reply"
    removal = bench.archive.remove(Selection(ids=(search.id,)))

    assert [(one.id, one.kind) for one in removal.removed] == [(again.body, "reply")]


def test_a_reply_that_only_listed_the_page_goes_if_it_repeats_its_title(bench: Bench) -> None:
    title = 'A "telling" title é'
    document = document_of(SECRET).model_copy(update={"title": title})
    capture = capture_of(PAGE, SECRET).model_copy(update={"document": document.id})
    bench.keep(document, capture, blobs=[body_of(SECRET)])
    _, told = bench.keep_search([], f'{{"{PAGE}":"A \\"telling\\" title \\u00e9"}}'.encode(), considered=[capture])
    _, named = bench.keep_search([], f'{{"url":"{PAGE}"}}'.encode(), considered=[capture])

    removal = bench.archive.remove(Selection(pages=(PAGE,)))

    assert told.body in {one.id for one in removal.removed}
    assert named.body not in {one.id for one in removal.removed}


def test_raw_replies_of_providers_that_found_the_page_go(bench: Bench) -> None:
    capture, other = bench.keep_page(PAGE, SECRET), bench.keep_page(OTHER, "public")
    replies = {name: f"{name}: {SECRET}".encode() for name in ("found", "silent", "unfetched")}
    search = search_of([(capture, SECRET), (other, "public")])
    search = search.model_copy(
        update={
            "providers": [ProviderReply(name=name, state="ok", reply=digest(replies[name])) for name in replies],
            "candidates": [
                search.candidates[0].model_copy(update={"ranks": (ProviderRank(provider="found", rank=1),)}),
                search.candidates[1].model_copy(update={"ranks": (ProviderRank(provider="silent", rank=1),)}),
            ],
        }
    )
    unfetched = search_of([]).model_copy(
        update={
            "providers": [ProviderReply(name="unfetched", state="ok", reply=digest(replies["unfetched"]))],
            "candidates": [
                Candidate(
                    url=PAGE,
                    capture=None,
                    rank=1,
                    decision="not_fetched",
                    ranks=[ProviderRank(provider="unfetched", rank=1)],
                )
            ],
        }
    )
    bench.keep(search, unfetched, blobs=list(replies.values()))

    removal = bench.archive.remove(Selection(pages=(PAGE,)))

    gone = {one.id for one in removal.removed if one.kind == "reply"}
    assert gone == {digest(replies["found"]), digest(replies["unfetched"])}


def test_ids_that_are_unknown_or_gone_are_refused_and_pages_are_not(bench: Bench) -> None:
    capture = bench.keep_page(PAGE, SECRET)
    bench.archive.remove(Selection(ids=(capture.id,)))
    size = bench.log.size

    with pytest.raises(UnknownId):
        bench.archive.remove(Selection(ids=(digest(b"nothing"),)))
    with pytest.raises(RemovedId):
        bench.archive.remove(Selection(ids=(capture.id,)))
    removal = bench.archive.remove(Selection(pages=(PAGE, "https://nowhere.example/")))

    assert (removal.removed, removal.deletion) == ((), None)
    assert bench.log.size == size


def test_a_page_that_is_seen_again_after_its_removal_is_there_again(bench: Bench) -> None:
    first = bench.keep_page(PAGE, SECRET)
    bench.archive.remove(Selection(ids=(first.id,)))

    second = bench.keep_page(PAGE, SECRET)

    assert bench.archive.get(document_of(SECRET).id) == document_of(SECRET).encoded
    assert bench.archive.proof(digest(body_of(SECRET))).record == second.id
    with pytest.raises(RemovedId):
        bench.archive.get(first.id)
    again = bench.archive.remove(Selection(ids=(second.id,)))
    with pytest.raises(RemovedId) as caught:
        bench.archive.get(document_of(SECRET).id)
    assert caught.value.deletion == again.deletion
    assert bench.traces(SECRET) == []


def test_a_damaged_capture_can_be_removed(bench: Bench) -> None:
    capture = bench.keep_page(PAGE, SECRET)
    digits = capture.id.removeprefix("sha256:")
    (bench.folder / "bucket" / "objects" / digits[:2] / digits).write_bytes(b"damaged")
    bench.archive._reader.forget([capture.id])

    bench.archive.remove(Selection(pages=(PAGE,)))

    assert bench.catalogue.captures(PAGE) == []
    with pytest.raises(RemovedId):
        bench.archive.get(capture.id)
    assert bench.traces(SECRET) == []
