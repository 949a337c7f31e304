from snapshots.recent import Recent


def test_what_was_asked_for_last_is_held_up_to_the_limit() -> None:
    recent = Recent[str](100)

    for name in ("a", "b", "c", "d"):
        recent.keep(name, name.upper(), 25)
    recent.get("a")
    recent.keep("e", "E", 20)

    assert [recent.get(name) for name in "abcde"] == ["A", None, "C", "D", "E"]


def test_what_would_take_a_quarter_of_the_room_is_not_held() -> None:
    recent = Recent[str](100)

    recent.keep("large", "L", 26)

    assert recent.get("large") is None


def test_what_was_let_go_makes_room() -> None:
    recent = Recent[str](100)
    for name in ("a", "b", "c", "d"):
        recent.keep(name, name, 25)

    recent.drop("b")
    recent.drop("unknown")
    recent.keep("e", "e", 25)

    assert [recent.get(name) for name in "abcde"] == ["a", None, "c", "d", "e"]
    recent.clear()
    assert recent.get("a") is None
