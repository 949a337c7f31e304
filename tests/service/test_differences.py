from hypothesis import given
from hypothesis import strategies as st

from service.web.differences import MAX_LINES, difference


def test_one_changed_word_is_shown_as_that_word_alone() -> None:
    found = difference("The toll ends on Friday.\nShips pass.", "The toll ends on Monday.\nShips pass.")

    pieces = [(piece.op, piece.text) for piece in found.changes[0].pieces if piece.op != "same"]
    assert pieces == [("gone", "Friday"), ("new", "Monday")]
    assert (found.words_gone, found.words_new) == (1, 1)


def test_equal_texts_have_no_changes() -> None:
    assert difference("a\nb", "a\nb").same
    assert difference("", "").same


def test_unchanged_lines_between_changes_are_counted_and_not_shown() -> None:
    old = "\n".join(["first", *map(str, range(50)), "last"])

    found = difference(old, old.replace("first", "1st").replace("last", "end"))

    assert len(found.changes) == 2
    assert found.changes[1].skipped == 48
    assert "25" not in "".join(piece.text for change in found.changes for piece in change.pieces)


def test_characters_are_the_words_of_scripts_without_spaces() -> None:
    found = difference("会议在东京举行", "会议在大阪举行")

    assert [piece.text for piece in found.changes[0].pieces if piece.op == "new"] == ["大阪"]


def test_a_text_that_is_too_long_says_that_it_was_cut() -> None:
    found = difference("\n".join(map(str, range(MAX_LINES + 1))), "0")

    assert found.cut is not None
    assert f"{MAX_LINES:,}" in found.cut


LINES = st.lists(st.text("ab 1", min_size=1, max_size=6), max_size=8)


@given(LINES, LINES)
def test_both_texts_can_be_read_back_out_of_what_is_shown_and_skipped(old: list[str], new: list[str]) -> None:
    found = difference("\n".join(old), "\n".join(new))

    for side, hidden in ((old, "new"), (new, "gone")):
        place = 0
        for change in found.changes:
            place += change.skipped
            shown = "".join(piece.text for piece in change.pieces if piece.op != hidden).splitlines()
            assert shown == side[place : place + len(shown)]
            place += len(shown)
        assert found.same or place + found.skipped_at_end == len(side)
    assert found.same == (old == new)
