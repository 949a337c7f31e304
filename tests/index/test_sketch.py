from hypothesis import given
from hypothesis import strategies as some

from index.sketch import near, sketches

WORDS = some.lists(some.text(alphabet="abcdeé字ไ_+#0\ud800", min_size=1, max_size=70), max_size=12)


@given(some.lists(WORDS, min_size=1, max_size=6))
def test_a_fingerprint_rests_on_the_words_alone_not_on_the_texts_beside_it(texts: list[list[str]]) -> None:
    together = sketches([" ".join(words) for words in texts])

    alone = [sketches(["  ".join([*reversed(words), *words, ""])])[0] for words in texts]

    assert together == alone
    assert [value == 0 for value in together] == [not words for words in texts]
    assert all(0 <= value < 1 << 128 for value in together)


def test_a_long_text_has_the_fingerprint_of_its_words() -> None:
    words = [f"word{number}" for number in range(40_000)]

    forwards, backwards = sketches([" ".join(words), " ".join(reversed(words))])

    assert forwards == backwards == sketches([" ".join(words)])[0]


def test_few_other_words_leave_texts_near_and_many_do_not() -> None:
    words = [f"word{number}" for number in range(100)]
    changed = [" ".join([*words[:-count], *(f"other{number}" for number in range(count))]) for count in (1, 60)]

    same, little, much = sketches([" ".join(words), *changed])

    assert near(same, little)
    assert not near(same, much)
