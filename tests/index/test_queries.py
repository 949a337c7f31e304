from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index.analysis import word_form
from index.queries import MAX_PHRASE, MAX_QUERY, MAX_WORDS, read_query
from tests.index.pages import page

if TYPE_CHECKING:
    from index import Index

TYPED = st.text(max_size=60) | st.lists(
    st.sampled_from(
        [
            "boat",
            '"',
            "-",
            "site:",
            "*",
            "AND",
            "NOT",
            "OR",
            "title:",
            "(",
            ")",
            "\\",
            "\x00",
            "渡",
            "票价",
            "~",
            "👩‍👩‍👧",
            "\ud800",
            "a-b",
            "__x__",
        ]
    ),
    max_size=12,
).flatmap(lambda parts: st.sampled_from(["", " "]).map(lambda gap: gap.join(parts)))

PAGES = {
    "list": "The usb-c adapter list is at https://wiki.harbour.test/adapters and was checked on 2021-08-22.",
    "rules": "The rules say the following: boats over ten metres need a pilot.",
    "keys": "Press >>> to continue; the C++ build reads #include lines.",
    "prices": "Prices rose by +2 crowns, not -2.",
}


@pytest.fixture
def found(index: Index):  # noqa: ANN201 -- a function of a query
    index.apply(
        [page(n, text, url=f"https://harbour.test/{name}") for n, (name, text) in enumerate(PAGES.items(), 1)], 9
    )
    return lambda query, **options: {hit.url.rsplit("/")[-1] for hit in index.search(query, **options).hits}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("https://wiki.harbour.test/adapters", "list"),
        ("following:", "rules"),
        ('devices usb-c adapter""', "list"),
        ('"usb-c adapter" ""', "list"),
        ("+ 2", "prices"),
        ("2021-08-22", "list"),
        ("C++", "keys"),
        ("“usb-c adapter”", "list"),
        ('"usb-c adapter', "list"),
        ("title:adapter", "list"),
        ("(boats) AND (pilot)", "rules"),
        ("adapter\x00list", "list"),
        ("『usb-c adapter』", "list"),
        ("〝usb-c adapter〟", "list"),
        ("｢usb-c adapter｣", "list"),
        ("ＡＤＡＰＴＥＲ", "list"),  # noqa: RUF001 - full width is what is typed
    ],
)
def test_what_people_type_finds_what_they_mean(found, query: str, expected: str) -> None:  # noqa: ANN001 -- as above
    assert expected in found(query)


@pytest.mark.parametrize("query", ["", "*", ">>>", '">>>"', "\\>\\>\\>", "\x00", '"', "👩‍👩‍👧", "\ud800", "- -", '""'])
def test_a_query_without_words_gives_nothing_and_says_so(index: Index, query: str) -> None:
    index.apply([page(1, "Some words.")], 1)

    hits = index.search(query)

    assert hits.hits == ()
    assert "no_words" in hits.relaxed


@pytest.mark.parametrize(
    ("query", "words", "excluded", "relaxed"),
    [
        ("boats NOT pilot", ("boats",), ("pilot",), ()),
        ("港口 NOT 驱动", ("港口",), ("驱动",), ()),
        ("港口 OR 驱动", ("港口", "驱动"), (), ()),
        ("OR boats", ("boats",), (), ("operator_ignored: OR",)),
        ("boats OR", ("boats",), (), ("operator_ignored: OR",)),
        ("boats OR -pilots", ("boats",), ("pilots",), ("operator_ignored: OR",)),
        ("BOATS OR PILOTS", ("BOATS", "OR", "PILOTS"), (), ()),
        ("boats NOT", ("boats",), (), ("operator_ignored: NOT",)),
        ("NOT", ("NOT",), (), ()),
        ("AND OR", ("AND", "OR"), (), ()),
    ],
)
def test_an_operator_is_told_from_a_word_in_capitals(
    query: str, words: tuple[str, ...], excluded: tuple[str, ...], relaxed: tuple[str, ...]
) -> None:
    asked = read_query(query)

    forms = tuple(one.form for one in asked.excluded)
    assert (asked.words, forms, asked.relaxed) == (words, tuple(map(word_form, excluded)), relaxed)


@settings(max_examples=300)
@given(TYPED)
def test_no_query_is_an_error(index: Index, query: str) -> None:
    if index.position == 0:
        index.apply([page(1, "boat a-b __x__ 渡船票价 title")], 1)

    hits = index.search(query, limit=5)

    assert hits == index.search(query, limit=5)


def test_ten_thousand_characters_are_cut_and_the_cut_is_named(index: Index) -> None:
    index.apply([page(1, "A boat.")], 1)

    hits = index.search("boat " * MAX_QUERY)

    assert len(hits.hits) == 1
    assert f"cut_to_characters: {MAX_QUERY}" in hits.relaxed


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ('"usb-c', "unbalanced_quote"),
        ("-adapter", "only_exclusions_read_as_words"),
        ("python -m venv", "dash_as_word: -m"),
        ("boats AND pilots", "operator_ignored: AND"),
        ("author:boats", "field_as_words: author:boats"),
        ("before:2026-13-01", "field_as_words: before:2026-13-01"),
        ("lang:go", "field_as_words: lang:go"),
        ("boat*", "signs_ignored: *"),
        ("https://harbour.test/list", "address_as_words: https://harbour.test/list"),
        ("site: boats", "site_as_words: site:"),
    ],
)
def test_what_was_not_taken_as_typed_is_named(query: str, note: str) -> None:
    assert note in read_query(query).relaxed


def test_plain_words_are_not_called_relaxed() -> None:
    assert read_query("How many boats, and why? The captain's log").relaxed == ()


def test_phrases_exclusions_and_sites_are_honoured(index: Index) -> None:
    index.apply(
        [
            page(1, "The red boat sails.", url="https://a.harbour.test/"),
            page(2, "The boat is red.", url="https://harbour.test/"),
            page(3, "A red boat with an engine.", url="https://notharbour.test/"),
        ],
        3,
    )

    def positions(query: str) -> set[int]:
        return {hit.position for hit in index.search(query, fold=False).hits}

    assert positions('"red boat"') == {1, 3}
    assert positions("red boat -engine") == {1, 2}
    assert positions('red -"red boat"') == {2}
    assert positions("boat NOT engine") == {1, 2}
    assert positions("boat site:harbour.test") == {1, 2}
    assert positions("boat -site:harbour.test") == {3}
    assert positions("site:a.harbour.test") == {1}


def test_a_phrase_that_nobody_wrote_is_searched_as_words_and_that_is_named(index: Index) -> None:
    index.apply([page(1, "The boat is red.")], 1)

    hits = index.search('"red boat"')

    assert len(hits.hits) == 1
    assert "phrase_not_found_read_as_words" in hits.relaxed


def test_repeated_words_count(index: Index) -> None:
    index.apply([page(1, "boat harbour " + "filler " * 5), page(2, "boat pilot " + "filler " * 5)], 2)

    first = index.search("boat harbour harbour pilot").hits[0]
    second = index.search("boat harbour pilot pilot").hits[0]

    assert (first.position, second.position) == (1, 2)


def test_overlong_parts_of_a_query_are_cut_and_the_cuts_are_named() -> None:
    words = [f"word{n}" for n in range(900)]

    many = read_query(" ".join(words))
    phrase = read_query('"' + " ".join(words) + '"')
    chinese = read_query("渡船票价" * 2_000)
    exclusions = read_query("boat " + " ".join(f"-{word}" for word in words))

    assert len(many.words) == MAX_WORDS
    assert len(phrase.groups[0][0].form.split()) == MAX_PHRASE
    assert len(chinese.words[0]) == 4 * MAX_WORDS
    assert len(exclusions.excluded) == 32
    assert all(f"cut_to_words: {MAX_WORDS}" in asked.relaxed for asked in (many, phrase, chinese))
    assert f"phrase_cut_to_words: {MAX_PHRASE}" in phrase.relaxed
    assert "cut_to_parts: 32" in exclusions.relaxed
