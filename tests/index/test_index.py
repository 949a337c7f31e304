from __future__ import annotations

import errno
import multiprocessing
import os
import shutil
from dataclasses import replace
from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index import BadOption, Block, Index, IndexBusy, IndexDamaged, IndexFull, IndexVersion
from index.generation import damage_named
from tests.index.pages import page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from index import Hits, Page

HOME = "https://harbour.test/"


def positions(hits: Hits) -> list[int]:
    return [hit.position for hit in hits.hits]


def test_only_the_newest_version_of_an_address_is_found(index: Index) -> None:
    index.apply([page(1, "The pier is closed.", url=HOME)], 1)
    index.apply([page(5, "The pier is open.", url=HOME)], 5)

    hits = index.search("pier")

    assert positions(hits) == [5]
    assert (hits.position, hits.passages, hits.pages) == (5, 2, 1)


def test_the_index_as_of_an_earlier_time_gives_what_was_newest_then(index: Index) -> None:
    index.apply([page(2, "The pier is closed.", url=HOME), page(5, "The pier is open.", url=HOME)], 9)

    found = {as_of: positions(index.search("pier", as_of=as_of)) for as_of in (0, 1, 2, 4, 5, 9, 100)}

    assert found == {0: [], 1: [], 2: [2], 4: [2], 5: [5], 9: [5], 100: [5]}


def test_an_unchanged_page_adds_nothing_and_a_page_that_changes_back_is_a_new_version(index: Index) -> None:
    index.apply(
        [page(n, text, url=HOME) for n, text in enumerate(["pier one", "pier one", "pier two", "pier one"], 1)], 4
    )

    hits = index.search("pier")

    assert positions(hits) == [4]
    assert hits.passages == 3


def test_applying_the_same_again_changes_nothing(index: Index) -> None:
    pages = [page(1, "A pier."), page(2, "A boat.")]
    index.apply(pages, 2)
    before = index.search("pier boat")

    index.apply(pages, 2)
    index.apply(pages[:1], 1)

    assert index.search("pier boat") == before
    assert index.position == 2


def test_a_position_without_pages_is_kept(tmp_path: Path) -> None:
    with Index.open(tmp_path / "index") as index:
        index.apply([], 7)

    with Index.open(tmp_path / "index", create=False) as index:
        assert index.position == 7


def test_passages_whose_commit_the_ledger_never_saw_are_invisible_and_not_doubled(tmp_path: Path) -> None:
    ledger = tmp_path / "index" / "1" / "ledger.sqlite3"
    with Index.open(tmp_path / "index") as index:
        index.apply([page(1, "The first pier.")], 1)
    shutil.copy(ledger, tmp_path / "before")
    with Index.open(tmp_path / "index") as index:
        index.apply([page(2, "The second pier."), page(3, "The third pier.")], 3)
        expected = index.search("pier")
    shutil.copy(tmp_path / "before", ledger)

    with Index.open(tmp_path / "index") as index:
        interrupted = positions(index.search("pier"))
        index.apply([page(2, "The second pier."), page(3, "The third pier.")], 3)

        assert interrupted == [1]
        assert index.search("pier") == expected


WORDS = ["pier", "boat", "pilot", "rope", "harbour", "tide"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)


@pytest.mark.slow
@settings(max_examples=12)
@given(st.lists(st.tuples(st.integers(0, 12), TEXTS), min_size=2, max_size=40), st.data())
def test_a_rebuilt_index_gives_the_same_hits_in_the_same_order(
    tmp_path: Path, history: list[tuple[int, str]], data: st.DataObject
) -> None:
    pages = [page(n, text, url=f"{HOME}{name}") for n, (name, text) in enumerate(history, 1)]
    cuts = sorted(data.draw(st.sets(st.integers(1, len(pages)), max_size=6)) | {0, len(pages)})
    shutil.rmtree(tmp_path / "index", ignore_errors=True)
    shutil.rmtree(tmp_path / "rebuilt", ignore_errors=True)

    with Index.open(tmp_path / "index") as index, Index.open(tmp_path / "rebuilt") as rebuilt:
        for start, end in pairwise(cuts):
            index.apply(pages[start:end], end)
        rebuilt.apply(pages, len(pages))

        for query in ("pier", "boat pilot", '"rope tide"', "harbour -tide"):
            for limit in (3, 200):
                assert index.search(query, limit=limit) == rebuilt.search(query, limit=limit)


def test_of_equal_scores_at_the_limit_the_newest_come_first(index: Index) -> None:
    for start in range(1, 400, 40):
        index.apply([page(n, "The same pier.") for n in range(start, start + 40)], start + 40)

    hits = index.search("pier", limit=10)

    assert positions(hits) == list(range(400, 390, -1))
    assert hits.cut


def test_near_copies_are_folded_into_the_first_and_named(index: Index) -> None:
    story = f"The old pier has the stones {' '.join(f'k{number}' for number in range(100))}."
    index.apply(
        [
            page(1, f"{story} Read more.", url=f"{HOME}a"),
            page(2, f"{story} Print this.", url=f"{HOME}b"),
            page(3, "Another pier was sold to a rich collector of lighthouses last autumn.", url=f"{HOME}c"),
        ],
        3,
    )

    folded = index.search("pier").hits
    plain = index.search("pier", fold=False).hits

    copies = [hit for hit in folded if hit.position in (1, 2)]
    assert [hit.folded_into is None for hit in copies] == [True, False]
    assert folded[copies[1].folded_into or 0] == copies[0]
    assert all(hit.folded_into is None for hit in plain)


def test_filters_by_domain_day_and_language(index: Index) -> None:
    index.apply(
        [
            page(1, "pier", url="https://docs.harbour.test/1", language="en", published=date(2025, 5, 1)),
            page(2, "pier", url="https://HARBOUR.test:8443/2", language="pt-BR", published=date(2026, 5, 1)),
            page(3, "pier", url="https://other.test/3", language="pt"),
        ],
        3,
    )

    def found(**options: object) -> set[int]:
        return set(positions(index.search("pier", fold=False, **options)))  # type: ignore[arg-type]  # any option

    assert found(include_domains=["harbour.test"]) == {1, 2}
    assert found(include_domains=["Docs.Harbour.test", "other.test"]) == {1, 3}
    assert found(exclude_domains=["harbour.test"]) == {3}
    assert found(language="pt") == {2, 3}
    assert found(published_after=date(2025, 5, 1)) == {1, 2}
    assert found(published_after=date(2025, 5, 2)) == {2}
    assert found(published_before=date(2025, 12, 31)) == {1}


def test_titles_and_headings_count_and_their_share_is_told(index: Index) -> None:
    text = "Mooring\n\nTie the rope to the ring."
    index.apply(
        [
            page(1, "A rope lies here.", url=f"{HOME}a"),
            page(
                2,
                text,
                url=f"{HOME}b",
                title="Rope work",
                blocks=[Block("heading", 0, 7, 1), Block("paragraph", 9, len(text))],
            ),
        ],
        2,
    )

    first = index.search("rope mooring").hits[0]

    assert first.position == 2
    assert set(first.parts) == {"text", "title", "heading"}
    assert first.score == pytest.approx(sum(first.parts.values()))
    assert min(first.parts.values()) > 0


def test_a_word_is_found_in_other_forms_of_its_language_and_without_accents(index: Index) -> None:
    index.apply(
        [
            page(1, "The boats were anchored.", language="en"),
            page(2, "В гавани стояли корабли.", language="ru"),  # noqa: RUF001 -- Russian
            page(3, "Un café près du port.", language="fr"),
            page(4, "İstanbul limanında ISI ölçümü", language="tr"),  # noqa: RUF001 -- Turkish
        ],
        4,
    )

    for query, expected in (("anchor boat", 1), ("корабль", 2), ("CAFE", 3), ("istanbul", 4), ("LİMANINDA", 4)):
        assert positions(index.search(query))[:1] == [expected], query


CHINESE = {
    1: "旧码头将于下周六重新开放，此前维修历时两年，首日免费。",  # noqa: RUF001 -- Chinese
    2: "把渡船票价写成收费标准是一种误解，票价为十二元。",  # noqa: RUF001 -- Chinese
    3: "北灯塔（灯塔）重建于一九三一年。",  # noqa: RUF001 -- Chinese
    4: "The old pier reopens on Saturday.",
    5: "เรือข้ามฟากเก่าจะเปิดอีกครั้งในวันเสาร์",
    6: "PythonでC++を書く。ポートの灯台",
}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("重新开放", {1}),
        ("维修历时两年", {1}),
        ("渡船票价", {2}),
        ("灯塔", {3}),
        ('"十二元"', {2}),
        ("元十二", set()),
        ("票", {2}),
        ("元", {2}),
        ("年", {1, 3}),
        ("ข้ามฟาก", {5}),
        ('"เปิดอีกครั้ง"', {5}),
        ("ポート", {6}),
        ('"PythonでC++"', {6}),
    ],
)
def test_words_inside_a_run_without_spaces_are_found(index: Index, query: str, expected: set[int]) -> None:
    index.apply([page(n, text) for n, text in CHINESE.items()], 9)

    assert set(positions(index.search(query))) == expected


@pytest.mark.parametrize(
    "query",
    [
        "usb-c",
        "C++",
        "c++",
        "__init__",
        "init",
        "os.path.join",
        "maxRetries",
        "max retries",
        "snake_case",
        "3.11",
        "v2.0.1",
    ],
)
def test_identifiers_are_found_whole_and_by_their_parts(index: Index, query: str) -> None:
    text = "Set maxRetries, call os.path.join or __init__ over usb-c in C++ with snake_case of v2.0.1 on 3.11 machines."
    index.apply([page(1, text), page(2, "Nothing of the kind stands here, only plain words.")], 2)

    assert positions(index.search(query))[:1] == [1]


def test_one_process_writes_and_others_read(tmp_path: Path) -> None:
    with Index.open(tmp_path / "index") as writer, Index.open(tmp_path / "index", create=False) as reader:
        writer.apply([page(1, "A pier.")], 1)

        assert positions(reader.search("pier")) == [1]
        with pytest.raises(IndexBusy):
            reader.apply([page(2, "Another pier.")], 2)

        writer.apply([page(2, "Another pier.")], 2)
        assert len(reader.search("pier").hits) == 2


def _write_and_die(path: Path) -> None:
    index = Index.open(path)
    index.apply([page(1, "A pier.")], 1)
    os._exit(9)


def test_a_writer_that_was_killed_leaves_no_lock(tmp_path: Path) -> None:
    process = multiprocessing.get_context("spawn").Process(target=_write_and_die, args=(tmp_path / "index",))
    process.start()
    process.join()

    with Index.open(tmp_path / "index") as index:
        index.apply([page(2, "A second pier.")], 2)

        assert len(index.search("pier").hits) == 2


def _feed(*pages: Page) -> Callable[[object], None]:
    return lambda fresh: fresh.apply(pages, 9)  # type: ignore[attr-defined]  # an empty index


def test_removal_leaves_no_byte_of_the_removed_text(tmp_path: Path) -> None:
    kept = page(2, "A pier stays.")
    with Index.open(tmp_path / "index") as index:
        index.apply([page(1, "Xylographers met at the pier.", title="Zymurgy"), kept], 9)
        reader = Index.open(tmp_path / "index")

        index.remove([page(1, "").capture], _feed(kept))

        assert positions(index.search("pier")) == [2]
        assert positions(reader.search("pier")) == [2]
        assert index.position == 9
        index.apply([page(11, "A second pier.")], 11)
        assert len(index.search("pier").hits) == 2
    held = b"".join(file.read_bytes().lower() for file in (tmp_path / "index").rglob("*") if file.is_file())
    assert b"xylograph" not in held
    assert b"zymurg" not in held


def test_a_removal_that_fails_keeps_the_index_with_the_captures_hidden(tmp_path: Path) -> None:
    def broken(fresh: object) -> None:
        raise OSError(fresh)

    with Index.open(tmp_path / "index") as index:
        index.apply([page(1, "A pier."), page(2, "Another pier.")], 2)

        with pytest.raises(OSError, match="Generation"):
            index.remove([page(1, "").capture], broken)

        assert positions(index.search("pier")) == [2]
    with Index.open(tmp_path / "index") as index:
        assert positions(index.search("pier")) == [2]


def test_a_directory_of_another_version_is_named(tmp_path: Path) -> None:
    Index.open(tmp_path / "index").close()
    (tmp_path / "index" / "current").write_text('{"version": 999, "generation": "1"}')

    with pytest.raises(IndexVersion, match="999"):
        Index.open(tmp_path / "index")


def test_a_missing_index_is_named_unless_it_may_be_made(tmp_path: Path) -> None:
    with pytest.raises(IndexDamaged):
        Index.open(tmp_path / "index", create=False)


@pytest.mark.parametrize("harm", ["gone", "empty", "cut", "noise"])
def test_damaged_files_give_a_named_error_or_an_answer(tmp_path: Path, harm: str) -> None:
    with Index.open(tmp_path / "whole") as index:
        index.apply([page(n, f"The pier number {n} of the harbour.") for n in range(1, 60)], 60)
    files = [file.relative_to(tmp_path / "whole") for file in (tmp_path / "whole").rglob("*") if file.is_file()]

    for number, name in enumerate(files):
        harmed = tmp_path / f"index-{number}"  # each its own: threads of the one before may still write to it
        shutil.copytree(tmp_path / "whole", harmed)
        file = harmed / name
        data = file.read_bytes()
        if harm == "gone":
            file.unlink()
        else:
            file.write_bytes(
                {"empty": b"", "cut": data[: len(data) // 2], "noise": bytes(b ^ 0x5A for b in data)}[harm]
            )
        try:
            with Index.open(harmed, create=False) as index:
                index.search('pier "the harbour"')
                index.apply([page(61, "A new pier.")], 61)
        except (IndexDamaged, IndexVersion):
            continue


def test_a_limit_that_cannot_be_meant_is_refused(index: Index) -> None:
    for limit in (0, -1, 100_000):
        with pytest.raises(BadOption):
            index.search("pier", limit=limit)


def test_a_full_disk_is_named_and_is_no_damage(tmp_path: Path) -> None:
    with Index.open(tmp_path / "index") as index:
        index.apply([page(1, "A pier.")], 1)

        with pytest.raises(IndexFull, match="No space left"), damage_named("the index cannot be written"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        index.apply([page(2, "A second pier.")], 2)
        assert len(index.search("pier").hits) == 2


def test_a_page_whose_parts_do_not_fit_together_is_refused() -> None:
    with pytest.raises(ValueError, match="headings"):
        replace(page(1, "A pier."), headings=())
    with pytest.raises(ValueError, match="position"):
        replace(page(1, "A pier."), position=0)
