import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from snapshots import Capture, Crawl, Deletion, Record, Removed, digest
from snapshots.catalogue import Catalogue
from snapshots.rows import Entry
from snapshots.tables import METADATA
from tests.snapshots.evidence import AT, body_of, capture_of, document_of, ref_to, search_of, serving_of, time_at


@pytest.fixture
def catalogue(database_url: str) -> Iterator[Catalogue]:
    opened = Catalogue.open(database_url)
    yield opened
    opened.close()


def entries_of(records: Sequence[Record]) -> list[Entry]:
    return [Entry(record.id, record) for record in records]


def contents(catalogue: Catalogue) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table."""
    with catalogue._database.read() as connection:
        return {
            table.name: sorted((tuple(row) for row in connection.execute(select(table))), key=repr)
            for table in METADATA.sorted_tables
        }


def deletion_of(*captures: Capture, text: str) -> Deletion:
    gone = [Removed(id=capture.id, kind="capture", bytes=1) for capture in captures]
    gone += [Removed(id=document_of(text).id, kind="document", bytes=1)]
    gone += [Removed(id=digest(body_of(text)), kind="blob", bytes=1)]
    return Deletion(at=AT, selector={}, removed=gone)


def test_a_new_catalogue_knows_nothing(catalogue: Catalogue) -> None:
    assert catalogue.position() == 0
    assert catalogue.captures("https://a.example/") == []
    assert catalogue.latest("https://a.example/") is None
    assert catalogue.find("a" * 12) == []
    assert catalogue.at(AT) == 0
    assert not catalogue.unscrubbed()


def test_captures_are_found_by_the_address_asked_for_and_by_the_final_one(catalogue: Catalogue) -> None:
    first = capture_of("https://a.example/", "one", at=time_at(1))
    second = capture_of("https://a.example/", "two", at=time_at(2), asked="http://a.example/")
    other = capture_of("https://b.example/", "one", at=time_at(3))
    catalogue.apply(0, entries_of([first, second, other]))

    found = catalogue.captures("https://a.example/")

    assert [row.id for row in found] == [second.id, first.id]
    assert [row.id for row in catalogue.captures("http://a.example/")] == [second.id]
    assert [row.id for row in catalogue.captures("https://a.example/", limit=1)] == [second.id]
    assert [row.id for row in catalogue.captures("https://a.example/", before=1)] == [first.id]
    assert (found[0].retrieved_at, found[0].document, found[0].body) == (time_at(2), second.document, second.body)


def test_the_latest_capture_is_one_that_got_the_page_and_is_new_enough(catalogue: Catalogue) -> None:
    got = capture_of("https://a.example/", "one", at=time_at(1))
    failed = capture_of("https://a.example/", None, at=time_at(5), outcome="timeout")
    catalogue.apply(0, entries_of([got, failed]))

    assert catalogue.latest("https://a.example/") is not None
    assert catalogue.latest("https://a.example/", not_before=time_at(1)) == catalogue.captures("https://a.example/")[1]
    assert catalogue.latest("https://a.example/", not_before=time_at(2)) is None


def test_of_many_addresses_the_last_capture_with_a_page_is_found(catalogue: Catalogue) -> None:
    first = capture_of("https://a.example/", "one", at=time_at(1))
    moved = capture_of("https://b.example/", "two", at=time_at(2), asked="https://a.example/")
    walled = capture_of("https://b.example/", "wall", at=time_at(3)).model_copy(update={"page_state": "blocked"})
    failed = capture_of("https://b.example/", None, at=time_at(4), outcome="timeout")
    catalogue.apply(0, entries_of([first, moved, walled, failed]))

    found = catalogue.newest((f"https://{name}.example/" for name in "abc"), {"ok"})

    assert {url: row.id for url, row in found.items()} == dict.fromkeys(
        ("https://a.example/", "https://b.example/"), moved.id
    )
    assert catalogue.newest(["https://b.example/"], {"blocked"})["https://b.example/"].id == walled.id
    assert catalogue.newest([], {"ok"}) == {}
    both = catalogue.newest(["https://a.example/", "https://b.example/"], None)
    assert both == {url: catalogue.latest(url) for url in ("https://a.example/", "https://b.example/")}


def test_an_upload_is_no_capture_of_the_page_that_it_names(catalogue: Catalogue) -> None:
    got = capture_of("https://a.example/", "one", at=time_at(1))
    claimed = capture_of("https://a.example/", "two", at=time_at(5)).model_copy(update={"method": "upload"})
    catalogue.apply(0, entries_of([got, claimed]))

    latest = catalogue.latest("https://a.example/")

    assert latest is not None
    assert latest.id == got.id
    assert catalogue.latest("https://a.example/", not_before=time_at(2)) is None
    assert len(catalogue.captures("https://a.example/")) == 2


def test_entries_are_applied_once_and_in_order(catalogue: Catalogue) -> None:
    captures = [capture_of(f"https://a.example/{number}", "text") for number in range(6)]

    assert catalogue.apply(0, entries_of(captures[:2])) == 2
    assert catalogue.apply(0, entries_of(captures[:2])) == 2
    assert catalogue.apply(4, entries_of(captures[4:])) == 2
    assert catalogue.apply(1, entries_of(captures[1:])) == 6

    assert catalogue.position() == 6
    assert [catalogue.position_of(capture.id) for capture in captures] == list(range(6))
    assert catalogue.position_of(digest(b"never")) is None


def test_a_passage_is_found_with_the_record_that_showed_it_first(catalogue: Catalogue) -> None:
    capture = capture_of("https://a.example/", "words")
    first, second = (search_of([(capture, "words")]) for _ in range(2))
    catalogue.apply(0, entries_of([capture, first, second]))

    found = catalogue.passage(ref_to(capture, "words").id)

    assert found is not None
    assert (found.ref, found.record, found.position) == (ref_to(capture, "words"), first.id, 1)
    assert catalogue.passage(capture.id) is None


def test_who_names_an_id_is_known(catalogue: Catalogue) -> None:
    shown, considered = capture_of("https://a.example/", "one"), capture_of("https://b.example/", "two")
    search = search_of([(shown, "one")], considered=[considered], urls=["https://c.example/"])
    serving = serving_of(search, b"{}")
    catalogue.apply(0, entries_of([shown, considered, search, serving]))

    def ids(target: str) -> list[str]:
        return [naming.id for naming in catalogue.naming(target)]

    assert ids(shown.id) == [search.id]
    assert ids(considered.id) == []
    assert [naming.id for naming in catalogue.considering(considered.id)] == [search.id]
    assert [naming.id for naming in catalogue.considering(url="https://c.example/")] == [search.id]
    assert catalogue.considering(shown.id) == []
    assert ids(search.id) == [serving.id]
    assert ids(document_of("one").id) == [shown.id]
    leading = catalogue.leading_to(digest(b"{}"))
    assert leading is not None
    assert (leading.id, leading.kind, leading.position) == (serving.id, "serving", 3)
    assert catalogue.named([document_of("two").id, digest(b"x")]) == {document_of("two").id}


def test_captures_of_a_crawl_come_in_order_and_in_parts(catalogue: Catalogue) -> None:
    crawl = Crawl(phase="started", seeds=["https://a.example/"], at=AT, state="running")
    finished = Crawl(phase="finished", crawl=crawl.id, seeds=["https://a.example/"], at=AT, state="done")
    captures = [
        capture_of(f"https://a.example/{number}", "t").model_copy(update={"crawl": crawl.id}) for number in range(5)
    ]
    catalogue.apply(0, entries_of([crawl, *captures, finished]))

    first = catalogue.of_crawl(crawl.id, limit=3)
    rest = catalogue.of_crawl(crawl.id, after=first[-1].position)

    assert [row.final for row in [*first, *rest]] == [f"https://a.example/{number}" for number in range(5)]


def test_a_prefix_finds_ids_of_every_kind(catalogue: Catalogue) -> None:
    capture = capture_of("https://a.example/", "words")
    catalogue.apply(0, entries_of([capture, search_of([(capture, "words")])]))

    for name in (capture.id, ref_to(capture, "words").id, document_of("words").id, digest(body_of("words"))):
        assert catalogue.find(name[7:20]) == [name]
        assert catalogue.find(name[7:]) == [name]


def test_a_time_is_turned_into_a_position(catalogue: Catalogue) -> None:
    uploaded = capture_of("https://a.example/", "t", at="2001-01-01T00:00:00.000Z").model_copy(
        update={"method": "upload"}
    )
    captures = [capture_of("https://a.example/", "t", at=time_at(10 * number)) for number in range(1, 4)]
    catalogue.apply(0, entries_of([captures[0], uploaded, captures[1], captures[2]]))

    assert catalogue.at(time_at(0)) == 0
    assert catalogue.at(time_at(10)) == 2
    assert catalogue.at(time_at(29)) == 3
    assert catalogue.at(time_at(30)) == 4


def test_what_a_deletion_names_is_gone_and_says_so(catalogue: Catalogue) -> None:
    gone, kept = capture_of("https://a.example/", "one"), capture_of("https://a.example/", "two")
    search = search_of([(gone, "one"), (kept, "two")])
    deletion = deletion_of(gone, text="one")
    catalogue.apply(0, entries_of([gone, kept, search]))
    assert not catalogue.unscrubbed()

    catalogue.apply(3, entries_of([deletion]))

    assert [row.id for row in catalogue.captures("https://a.example/")] == [kept.id]
    assert catalogue.leading_to(document_of("one").id) is None
    assert catalogue.deletion_of(gone.id) == catalogue.deletion_of(document_of("one").id) == deletion.id
    assert catalogue.deletion_of(kept.id) is None
    assert catalogue.passage(ref_to(gone, "one").id) is not None
    assert catalogue.find(gone.id[7:20]) == [gone.id]
    assert dict(catalogue.removals())[gone.id] == "capture"
    assert catalogue.unscrubbed()
    catalogue.scrub(catalogue.unscrubbed())
    assert not catalogue.unscrubbed()


def test_fed_again_without_what_was_removed_it_is_equal(new_database: Callable[[], str]) -> None:
    gone, kept = capture_of("https://a.example/", "one"), capture_of("https://b.example/", "one")
    records = [gone, kept, search_of([(gone, "one")], considered=[kept]), deletion_of(gone, text="other")]
    first, second = (Catalogue.open(new_database()) for _ in range(2))

    for position, record in enumerate(records):
        first.apply(position, [Entry(record.id, record)])
    second.apply(0, [Entry(record.id, None if record is gone else record) for record in records])

    assert contents(first) == contents(second)
    second.wipe()
    assert second.position() == 0
    second.apply(0, [Entry(record.id, None if record is gone else record) for record in records])
    assert contents(first) == contents(second)
    first.close()
    second.close()


def test_no_byte_of_a_removed_row_stays_in_the_files(tmp_path: Path) -> None:
    catalogue = Catalogue.open(f"sqlite:///{tmp_path / 'c.db'}")
    secret = [capture_of(f"https://a.example/SECRET-{number}-{random.random()}", "t") for number in range(300)]
    plain = [capture_of(f"https://a.example/plain-{number}", "t") for number in range(300)]
    catalogue.apply(0, entries_of([capture for pair in zip(secret, plain, strict=True) for capture in pair]))

    catalogue.apply(600, entries_of([deletion_of(*secret, text="other")]))
    catalogue.scrub(601)

    files = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert [name for name, data in files.items() if b"SECRET" in data] == []
    assert any(b"plain-299" in data for data in files.values())
    assert len(catalogue.captures("https://a.example/plain-7")) == 1
    catalogue.close()
