"""Operators that narrow a search: sites, languages, days, titles, alternatives."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest

from index.queries import read_query
from tests.index.pages import page

if TYPE_CHECKING:
    from collections.abc import Callable

    from index import Index


@pytest.fixture
def positions(index: Index) -> Callable[[str], set[int]]:
    index.apply(
        [
            page(1, "The ferry leaves at six.", title="Timetable", language="en", published=date(2025, 12, 31)),
            page(2, "The ferry rests on Sunday.", title="Notices", language="en", published=date(2026, 1, 1)),
            page(3, "Die ferry fährt nicht, der Fahrplan gilt.", title="Fahrpläne", language="de"),
            page(4, "The bridge is closed to the tram.", title="Notice on the bridge", language="en"),
        ],
        4,
    )
    return lambda query: {hit.position for hit in index.search(query, fold=False).hits}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("ferry lang:en", {1, 2}),
        ("ferry lang:DE", {3}),
        ("ferry -lang:en", {3}),
        ("ferry lang:en language:de-AT", {1, 2, 3}),
        ("ferry after:2026", {2}),
        ("ferry after:2025-12", {1, 2}),
        ("ferry before:2026-01-01", {1}),
        ("ferry before:2026-01-02 after:2026-01-01", {2}),
        ("before:2026", {1}),
        ("lang:de", {3}),
        ("title:timetables", {1}),
        ("intitle:notice", {2, 4}),
        ('title:"bridge notices"', {4}),
        ("ferry -title:notice", {1, 3}),
        ("title:Fahrplan lang:de", {3}),
        ("six OR tram", {1, 4}),
        ('ferry ("leaves at" OR "on Sunday")', {1, 2}),
        ("ferry title:timetable OR title:notices", {1, 2, 4}),
        ("ferry || tram -lang:de", {1, 2, 4}),
    ],
)
def test_an_operator_narrows_what_is_found(
    positions: Callable[[str], set[int]], query: str, expected: set[int]
) -> None:
    assert positions(query) == expected


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("title:harbour ferry", "title_not_found_read_as_words"),
        ("ferry (harbour OR pier)", "alternatives_not_found_read_as_words"),
        ('"ferry six"', "phrase_not_found_read_as_words"),
    ],
)
def test_what_nobody_wrote_is_searched_as_words_and_that_is_named(
    index: Index, positions: Callable[[str], set[int]], query: str, note: str
) -> None:
    assert positions(query)
    assert note in index.search(query).relaxed


def test_what_narrows_is_left_out_of_what_others_are_asked() -> None:
    asked = read_query('toll OR "swing bridge" -ferry site:a.test lang:en title:notice before:2026-02-01 after:2025')

    assert asked.plain == 'toll OR "swing bridge" -ferry notice'
    assert (asked.sites, asked.languages) == (("a.test",), ("en",))
    assert (asked.after, asked.before) == (date(2025, 1, 1), date(2026, 1, 31))


def test_of_several_days_the_narrowest_count() -> None:
    asked = read_query("ferry after:2020 after:2024-05-06 before:2026 before:2025 before:0001-01-01")

    assert asked.after == date(2024, 5, 6)
    assert asked.before == date.min


def test_forms_and_parts_of_words_bring_passages_up_in_languages_that_have_them(index: Index) -> None:
    index.apply(
        [
            page(1, "Die Werft baut Maschinen für die Küste und für den Hafen.", language="de"),
            page(2, "Die Werft baut Dampfmaschinen für die Küste und für den Hafen.", language="de"),
            page(3, "Die Werft baut Segelschiffe für die Küste und für den Hafen.", language="de"),
        ],
        3,
    )

    found = [hit.position for hit in index.search("Wer baut eine Dampfmaschine?", fold=False).hits]

    assert found == [2, 1, 3]


def test_words_that_stand_together_count_more_than_the_same_words_apart(index: Index) -> None:
    index.apply(
        [
            page(1, "The bridge keeper opens in the morning, and the swing of the boom is free.", language="en"),
            page(2, "The keeper opens in the morning, and the boom of the swing bridge is free.", language="en"),
            page(3, "The keeper sleeps at noon on every day of the year, free of any worry.", language="en"),
        ],
        3,
    )

    assert index.search("swing bridge", fold=False).hits[0].position == 2


def test_of_very_many_words_the_rarest_are_looked_for(index: Index) -> None:
    common = " ".join(f"word{n}" for n in range(100))
    index.apply([page(n, f"{common} filler{n}", language="en") for n in range(1, 4)], 3)
    index.apply([page(4, "The lighthouse keeper.", language="en")], 4)

    hits = index.search(f"{common} lighthouse", fold=False)

    assert 4 in {hit.position for hit in hits.hits}
    assert "rarest_words_only: 64" in hits.relaxed
