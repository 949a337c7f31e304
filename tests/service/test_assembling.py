"""Grouping passages into pages and packing them into a budget."""

from hypothesis import given
from hypothesis import strategies as st

from index import Hit
from service import tokens
from service.assembling import Offer, candidates_of, pack


def hit(page: str, ordinal: int, score: float, folded_into: int | None = None) -> Hit:
    return Hit(
        capture=f"capture-{page}",
        document=f"document-{page}",
        url=f"https://example.org/{page}",
        position=1,
        ordinal=ordinal,
        start=ordinal * 100,
        end=ordinal * 100 + 80,
        score=score,
        parts={"text": score},
        folded_into=folded_into,
    )


def test_pages_stand_in_the_order_of_their_best_passage() -> None:
    hits = [hit("b", 3, 9.0), hit("a", 0, 8.0), hit("b", 1, 7.0), hit("c", 0, 6.0)]

    pages = candidates_of(hits)

    assert [page.url.rpartition("/")[2] for page in pages] == ["b", "a", "c"]
    assert [one.ordinal for one in pages[0].hits] == [3, 1]
    assert [page.rank for page in pages] == [1, 2, 3]


def test_a_page_whose_passages_all_repeat_another_page_names_it() -> None:
    hits = [hit("a", 0, 9.0), hit("copy", 0, 8.9, folded_into=0), hit("b", 0, 3.0)]

    pages = candidates_of(hits)

    assert [(page.url.rpartition("/")[2], page.duplicate_of) for page in pages] == [
        ("a", None),
        ("b", None),
        ("copy", "https://example.org/a"),
    ]


def test_a_page_with_one_passage_of_its_own_is_no_duplicate() -> None:
    hits = [hit("a", 0, 9.0), hit("mixed", 0, 8.9, folded_into=0), hit("mixed", 4, 3.0)]

    pages = candidates_of(hits)

    assert [page.duplicate_of for page in pages] == [None, None]
    assert [one.ordinal for one in pages[1].hits] == [4]


def test_each_page_gets_its_best_passage_before_any_gets_a_second() -> None:
    offers = [Offer(0, 9.0, "x" * 40), Offer(0, 8.0, "x" * 40), Offer(1, 1.0, "x" * 40)]

    chosen, spent = pack(offers, budget=20, per_page=None)

    assert chosen == {0, 2}
    assert spent == 20


def test_a_passage_without_room_is_passed_over_for_a_shorter_one() -> None:
    offers = [Offer(0, 9.0, "x" * 400), Offer(1, 8.0, "x" * 40)]

    chosen, spent = pack(offers, budget=50, per_page=None)

    assert chosen == {1}
    assert spent == 10


def test_the_budget_of_one_page_binds_that_page_alone() -> None:
    offers = [Offer(0, 9.0, "x" * 40), Offer(0, 8.0, "x" * 40), Offer(1, 7.0, "x" * 40)]

    chosen, _ = pack(offers, budget=1000, per_page=10)

    assert chosen == {0, 2}


@given(
    st.lists(st.tuples(st.integers(0, 4), st.floats(0, 10), st.text(max_size=60)), max_size=20),
    st.integers(0, 60),
    st.one_of(st.none(), st.integers(0, 30)),
)
def test_no_packing_exceeds_its_budgets(raw: list[tuple[int, float, str]], budget: int, per_page: int | None) -> None:
    offers = [Offer(*one) for one in sorted(raw, key=lambda one: one[0])]

    chosen, spent = pack(offers, budget, per_page)

    assert spent == sum(tokens.estimate(offers[place].text) for place in chosen) <= budget
    for page in range(5):
        on_page = sum(tokens.estimate(offers[place].text) for place in chosen if offers[place].page == page)
        assert per_page is None or on_page <= per_page
