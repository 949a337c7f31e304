"""The estimate of tokens, and cutting a text to a budget."""

from hypothesis import given
from hypothesis import strategies as st

from service.tokens import estimate, fit


def test_latin_text_costs_a_token_for_four_characters() -> None:
    text = "The toll at the swing bridge ends on Friday."

    assert estimate(text) == 11
    assert estimate("") == 0
    assert estimate("a") == 1


def test_other_scripts_cost_more_for_each_character() -> None:
    assert estimate("旧码头将于下周六重新开放") == 9
    assert estimate("Билет на паром") == 7


@given(st.text(), st.integers(min_value=0, max_value=50))
def test_what_fits_is_the_longest_beginning_within_the_budget(text: str, budget: int) -> None:
    length = fit(text, budget)

    assert estimate(text[:length]) <= budget
    assert length == len(text) or estimate(text[: length + 1]) > budget
