"""Whether a page still says what was quoted: each kind of change with a twin that must not pass."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapshots import Judgement, judge, page_text
from snapshots.quotes.folding import fold

PRESENT = {"exact", "typography", "moved"}
SPRING = "The harbour office publishes this notice every spring, and it is read out at the first meeting."
WINTER = "Visitors who stay for longer than one night pay the winter rate, which the council left as it was."


def look(quote: str, page: str, **more: str) -> Judgement:
    """The verdict on a page of one text; `old`, `prefix` and `suffix` as `judge` takes them."""
    old = more.pop("old", None)
    return judge(quote, page_text(page, page), old=page_text(old, old) if old is not None else None, **more)


ALIKE = [
    ("no-break space", "Fees rise to 40 crowns.", "Fees rise to 40\u00a0crowns."),
    ("narrow no-break space", "10\u202f% of all", "10 % of all"),
    ("zero width", "the swing bridge closes", "the swing\u200b bridge clo\u200bses"),
    ("soft hyphen", "an extraordinary meeting", "an extra\u00adordi\u00adnary meeting"),
    ("quotation marks and dash", '"It\'s over," she said - twice...', "“It’s over,” she said – twice…"),
    ("guillemets with spaces", 'Le maire a dit "non merci" hier', "Le maire a dit «\u00a0non merci\u00a0» hier"),
    ("space before a mark", "Vraiment? Oui: demain", "Vraiment\u202f? Oui\u00a0: demain"),
    ("composed and decomposed", "Genève paie demain", "Gene\u0300ve paie demain"),
    ("ligatures", "the first official offer", "the ﬁrst oﬃcial oﬀer"),
    ("full-width forms", "ＡＢＣ社は２０％増", "ABC社は20%増"),
    ("half-width kana", "データセンター", "ﾃﾞｰﾀｾﾝﾀｰ"),
    ("hyphen at a line end", "an extraordinary well-known case", "an extraordi-\nnary well-\nknown case"),
    ("minus sign", "it fell to -5 degrees", "it fell to −5 degrees"),
    ("reflow", "The swing bridge closes at nine.", "The swing\n   bridge closes\nat nine."),
    ("lost space at markup", "within minutes (at most)", "within minutes(at most)"),
    ("lost space between elements", "the Data Privacy Framework", "the Data PrivacyFramework"),
    ("spaces beside Chinese", "第5条规定了期限", "第 5 条规定了期限"),
    ("Arabic presentation forms", "لا يجوز", "ﻻ يجوز"),
    ("tatweel", "محمد رسول", "محمـــد رسول"),
    ("Devanagari joiners", "क्षमा करें", "क्\u200dषमा करें"),
]


@pytest.mark.parametrize(("quote", "page"), [case[1:] for case in ALIKE], ids=[case[0] for case in ALIKE])
def test_typography_alone_is_no_change_on_whichever_side_it_stands(quote: str, page: str) -> None:
    there, back = look(quote, f"Before. {page} After."), look(page, f"Before. {quote} After.")

    assert there.verdict in PRESENT
    assert back.verdict in PRESENT
    assert there.start is not None
    assert f"Before. {page} After."[there.start : there.end] == there.matched


DIFFERENT = [
    ("Fees rise to 40 crowns a night.", "Fees rise to 4 0 crowns a night.", "number"),
    ("Fees rise to 40 crowns a night.", "Fees rise to 4\u00a00 crowns a night.", "number"),
    ("the limit is -5 degrees", "the limit is 5 degrees", "number"),
    ("the limit is 5 degrees", "the limit is -5 degrees", "number"),
    ("Fees rise to 12.40 crowns", "Fees rise to 1240 crowns", "number"),
    ("an area of 10 m", "an area of 10² m", "number"),
    ("about 10² cases", "about 102 cases", "number"),
    ("a dose of ½ tablet", "a dose of 1/2 tablet", "number"),
    ("the toll is 5", "the toll is 50 from May", "number"),
    ("the toll is 5", "the toll is 5.5 from May", "number"),
    ("it rose by 5", "it rose by 5% in May", "unit"),
    ("It closes on 3 March 2024.", "It closes on 4 March 2024.", "date"),
    ("It closes in March at nine.", "It closes in May at nine.", "date"),
    ("It opened on 2024-05-01 at noon.", "It opened on 2024-06-01 at noon.", "date"),
    ("The road is 12 km long.", "The road is 12 miles long.", "unit"),
    ("The price is $5 today.", "The price is €5 today.", "unit"),
    ("Fees do not rise.", "Fees do rise.", "negation"),
    ("They don't accept cards.", "They do accept cards.", "negation"),
    ("It is possible to pay by card.", "It is impossible to pay by card.", "negation"),
    ("able to pay by card", "He is unable to pay by card.", "negation"),
    ("profit groups may apply", "All non-profit groups may apply.", "negation"),
    ("Members must pay in advance.", "Members may pay in advance.", "modality"),
    ("Mayor Smith opened the bridge.", "Mayor Jones opened the bridge.", "name"),
    ("Das Gesetz gilt nicht für Kinder.", "Das Gesetz gilt für Kinder.", "negation"),
    ("La loi ne s'applique pas aux enfants.", "La loi s'applique aux enfants.", "negation"),
    ("Мост не закрыт на ремонт.", "Мост закрыт на ремонт.", "negation"),
    ("Это возможно сделать завтра утром.", "Это невозможно сделать завтра утром.", "negation"),
    ("Плата растёт на пять рублей.", "Плата растёт на шесть рублей.", "number"),
    ("Köprü yarın açılır ve ücretler yükselir.", "Köprü yarın açılmaz ve ücretler yükselir.", "negation"),
    ("Ücret beş liradır bugün.", "Ücret altı liradır bugün.", "number"),
    ("الجسر ليس مغلقا اليوم", "الجسر مغلقا اليوم", "negation"),
    ("ترتفع الرسوم إلى خمسين درهما", "ترتفع الرسوم إلى ستين درهما كل عام", None),
    ("पुल आज बंद नहीं है।", "पुल आज बंद है।", "negation"),
    ("शुल्क ५० रुपये है।", "शुल्क ६० रुपये है।", "number"),
    ("学生不可以使用手机。", "学生可以使用手机。", "negation"),
    ("可以使用手机", "学生不可以使用手机。", "negation"),
    ("费用上涨到四十元。", "费用上涨到五十元。", "number"),
    ("二百人参加了会议", "十二百人参加了会议", "number"),
    ("橋は明日閉まります。", "橋は明日閉まりません。", "negation"),
    ("요금은 오르지 않습니다.", "요금은 오릅니다.", "negation"),
]


@pytest.mark.parametrize(
    ("quote", "page", "flag"), DIFFERENT, ids=[f"{n} {case[0][:24]}" for n, case in enumerate(DIFFERENT)]
)
def test_what_changes_the_meaning_is_never_called_present(quote: str, page: str, flag: str | None) -> None:
    found = look(quote, f"{SPRING} {page} {WINTER}")

    assert found.verdict not in PRESENT
    if found.verdict == "edited" and flag:
        assert flag in found.flags
        assert found.differences
    for one in found.differences:
        assert quote[one.quote_start : one.quote_end] == one.quote
        assert f"{SPRING} {page} {WINTER}"[one.page_start : one.page_end] == one.page


def test_most_changes_of_meaning_are_shown_as_edits() -> None:
    verdicts = [look(quote, f"{SPRING} {page} {WINTER}").verdict for quote, page, _ in DIFFERENT]

    assert set(verdicts) <= {"edited", "absent"}
    assert verdicts.count("edited") >= len(verdicts) - 3


ALPHA = "Team Alpha reported that the new pumps cut fuel use by twelve percent in the north basin."
BETA = "Team Beta reported that the new pumps cut fuel use by nine percent in the south basin."
OLD = f"{SPRING}\n{ALPHA}\n{BETA}\n{WINTER}"


@pytest.mark.parametrize("old", [OLD, None])
def test_a_lookalike_that_stood_beside_it_is_not_what_it_became(old: str | None) -> None:
    known = {"old": old} if old else {"prefix": SPRING[-40:] + "\n", "suffix": "\n" + BETA[:40]}

    found = look(ALPHA, f"{SPRING}\n{BETA}\n{WINTER}", **known)

    assert found.verdict == "absent"


def test_two_teams_that_swap_their_numbers_are_both_edited() -> None:
    swapped = OLD.replace("twelve", "NINE").replace("nine", "twelve").replace("NINE", "nine")

    alpha, beta = look(ALPHA, swapped, old=OLD), look(BETA, swapped, old=OLD)

    assert (alpha.verdict, beta.verdict) == ("edited", "edited")
    assert [(one.quote, one.page) for one in alpha.differences] == [("twelve", "nine")]
    assert "number" in alpha.flags


def test_a_sentence_further_down_has_moved() -> None:
    page = f"{SPRING}\n{BETA}\n{WINTER}\n{SPRING}\n{ALPHA}"

    found = look(ALPHA, page, old=OLD)

    assert found.verdict == "moved"
    assert found.start == page.index(ALPHA)


def test_a_repeated_sentence_is_found_where_its_neighbours_are() -> None:
    page = f"{ALPHA}\n{BETA}\n{SPRING}\n{ALPHA}\n{WINTER}"

    found = look(ALPHA, page, prefix=SPRING[-30:], suffix=WINTER[:30])

    assert (found.verdict, found.occurrences) == ("exact", 2)
    assert found.start == page.rindex(ALPHA)


def test_a_sentence_that_stands_only_where_it_was_not_taken_from_is_ambiguous() -> None:
    old = f"{SPRING}\nIt is free.\n{ALPHA}\nIt is free.\n{WINTER}"

    found = look(
        "It is free.", f"{SPRING}\n{ALPHA}\nIt is free.\n{WINTER}", old=old, prefix=SPRING[-40:], suffix=ALPHA[:40]
    )

    assert found.verdict == "ambiguous"


def test_old_words_in_a_comment_do_not_make_the_article_say_them() -> None:
    edited = ALPHA.replace("twelve", "ten")
    comments = f"Comments\nAnna wrote: {ALPHA}\nThat is what it said."
    old = page_text(OLD, OLD)
    now = f"{SPRING}\n{edited}\n{BETA}\n{WINTER}"

    found = judge(ALPHA, page_text(now, f"{now}\n{comments}"), old=old)
    deleted = judge(ALPHA, page_text(f"{SPRING}\n{WINTER}", f"{SPRING}\n{WINTER}\n{comments}"), old=old)

    assert (found.verdict, [one.page for one in found.differences]) == ("edited", ["ten"])
    assert deleted.verdict == "ambiguous"


def test_text_outside_the_main_text_counts_and_says_where_it_stands() -> None:
    found = judge(ALPHA, page_text(SPRING, f"Menu\n{SPRING}\n{ALPHA}"))

    assert (found.verdict, found.where) == ("exact", "visible")


def test_an_ellipsis_is_found_in_order_and_what_was_left_out_is_shown() -> None:
    page = f"{SPRING} The toll, which had been disputed for a long time, ends on Friday. {WINTER}"

    found = look("The toll […] ends on Friday.", page)
    turned = look("ends on Friday … The toll", page)

    assert found.verdict == "exact"
    assert [one.page.strip() for one in found.differences] == [", which had been disputed for a long time,"]
    assert turned.verdict not in PRESENT


@pytest.mark.parametrize(
    ("quote", "page"),
    [
        ("Members … have to pay a fee.", "Members of the club do not have to pay a fee."),
        ("The bridge will … be closed in May.", "The bridge will, says the office, never be closed in May."),
        ("会员……必须付费", "会员从来都不是必须付费"),
    ],
)
def test_an_ellipsis_that_leaves_out_a_negation_is_an_edit(quote: str, page: str) -> None:
    found = look(quote, f"{SPRING} {page} {WINTER}")

    assert found.verdict == "edited"
    assert "negation" in found.flags


def test_a_negation_in_a_sentence_that_was_left_out_whole_changes_nothing() -> None:
    page = "The bridge opens at nine. It is not free. Cars pay five crowns."

    assert look("The bridge opens at nine. … Cars pay five crowns.", page).verdict == "exact"


def test_a_label_for_those_who_hear_the_page_is_no_change() -> None:
    found = look("Read our rules, and ask us.", "Read our rules (opens in a new window), and ask us.")

    assert found.verdict == "typography"
    assert [one.page.strip() for one in found.differences] == ["(opens in a new window)"]


def test_nothing_is_found_for_an_empty_quotation_or_on_an_empty_page() -> None:
    assert look(" \u200b ", SPRING).verdict == "absent"
    assert look(ALPHA, "").verdict == "absent"


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_folding_maps_each_character_back_and_is_stable(source: str) -> None:
    folded = fold(source)

    assert len(folded.starts) == len(folded.ends) == len(folded.text)
    assert all(0 <= s < e <= len(source) for s, e in zip(folded.starts, folded.ends, strict=True))
    assert list(folded.starts) == sorted(folded.starts)
    assert fold(folded.text.replace("\ufdd0", "-\n")).text == folded.text


@given(st.text(min_size=1, max_size=40), st.text(max_size=60), st.text(max_size=60))
def test_what_is_called_present_is_a_slice_that_folds_alike(quote: str, before: str, after: str) -> None:
    page = f"{before} {quote} {after}"

    found = look(quote, page)

    if found.verdict in PRESENT and not found.differences:
        assert found.start is not None
        assert page[found.start : found.end] == found.matched
        assert fold(found.matched or "").text.replace(" ", "") == fold(quote).text.replace(" ", "")
