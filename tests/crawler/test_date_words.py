from datetime import date

import pytest
from babel.dates import format_date
from babel.localedata import locale_identifiers

from crawler.date_words import days_in

WRITTEN = [
    ("5 March 2024", "en", (2024, 3, 5)),
    ("March 5th, 2024", "en", (2024, 3, 5)),
    ("Sept. 4, 2024 at 11:30 p.m.", "en", (2024, 9, 4)),
    ("Tuesday, 5 March 2024, 10:30", "en-GB", (2024, 3, 5)),
    ("Di, 5. März 2024 - 16:40", "de", (2024, 3, 5)),
    ("5. Jänner 2024", "de-AT", (2024, 1, 5)),
    ("5.\u20093.\u20092024.", "de", (2024, 3, 5)),
    ("26 | 01 | 2022", "de", (2022, 1, 26)),
    ("26/10/13, 03:48 pm", "de", (2013, 10, 26)),
    ("24.12.98", "de", (1998, 12, 24)),
    ("le 1er mars 2024", "fr", (2024, 3, 1)),
    ("mar. 5 mai 2024", "fr", (2024, 5, 5)),
    ("5 de marzo del 2024", "es", (2024, 3, 5)),
    ("5 de setiembre de 2024", "es-UY", (2024, 9, 5)),
    ("5 d’abril de 2024", "ca", (2024, 4, 5)),
    ("5 sierpnia 2024 r.", "pl", (2024, 8, 5)),
    ("5 августа 2024 г.", "ru", (2024, 8, 5)),
    ("2024. március 5.", "hu", (2024, 3, 5)),
    ("2024 m. kovo 5 d.", "lt", (2024, 3, 5)),
    ("2024. gada 5. martā", "lv", (2024, 3, 5)),
    ("5. maaliskuuta 2024", "fi", (2024, 3, 5)),
    ("5 במרץ 2024", "he", (2024, 3, 5)),
    ("الجمعة 24 نيسان / أبريل 2020 09:22 مساءً", "ar", (2020, 4, 24)),
    ("٢٤ أبريل ٢٠٢٠", "ar", (2020, 4, 24)),
    ("५ मार्च २०२४", "hi", (2024, 3, 5)),
    ("ngày 5 tháng 03 năm 2024", "vi", (2024, 3, 5)),
    ("2024年3月5日（火）", "ja", (2024, 3, 5)),
    ("2024년 3월 5일", "ko", (2024, 3, 5)),
    ("２０２４年３月５日", "zh", (2024, 3, 5)),
    ("2024/3/5", "ja", (2024, 3, 5)),
    ("5.III.2024", "pl", (2024, 3, 5)),
    ("Tue Mar  5 09:31:05 UTC 2024", "en", (2024, 3, 5)),
    ("Tue Mar 5 09:31:05 2024 +0100", "en", (2024, 3, 5)),
    ("1° maggio 2024", "it", (2024, 5, 1)),
    ("二〇二四年十月二十八日", "zh", (2024, 10, 28)),
    ("二〇二四年三月十日", "zh", (2024, 3, 10)),
    ("2024. - 5. VIII. 2024", "hu", (2024, 8, 5)),
    ("5 XI 2024", "it", (2024, 11, 5)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "language", "day"), WRITTEN)
def test_a_day_is_read_as_people_write_it(text: str, language: str, day: tuple[int, int, int]) -> None:
    assert next(days_in(text, (language,))) == day


CALENDARS = [
    ("2 تير 1399 - 12:09", "fa", (2020, 6, 22)),
    ("دوشنبه ۱ فروردین ۱۴۰۴", "fa", (2025, 3, 21)),
    ("۱۳۹۵/۱۲/۳۰", "fa", (2017, 3, 20)),
    ("5 สิงหาคม 2563", "th", (2020, 8, 5)),
    ("๕ สิงหาคม พ.ศ. ๒๕๖๓", "th", (2020, 8, 5)),
    ("5/8/2563", "th", (2020, 8, 5)),
    ("5 สิงหาคม 2020", "th", (2020, 8, 5)),
    ("令和2年4月17日", "ja", (2020, 4, 17)),
    ("令和元年5月1日", "ja", (2019, 5, 1)),
    ("平成31年4月30日", "ja", (2019, 4, 30)),
    ("民國109年4月17日", "zh-TW", (2020, 4, 17)),
    ("109-04-17", "zh-TW", (2020, 4, 17)),
    ("發布日期:109/4/17", "zh-Hant", (2020, 4, 17)),
    ("R2.4.17", "ja", (2020, 4, 17)),
    ("H31.4.30", "ja", (2019, 4, 30)),
    ("5 ส.ค. 63", "th", (2020, 8, 5)),
    ("5 ส.ค. 63 เวลา 10:30 น.", "th", (2020, 8, 5)),
]


@pytest.mark.parametrize(("text", "language", "day"), CALENDARS)
def test_a_day_of_another_calendar_is_read_as_the_day_that_it_was(
    text: str, language: str, day: tuple[int, int, int]
) -> None:
    assert next(days_in(text, (language,))) == day


@pytest.mark.parametrize(
    ("text", "language", "day"),
    [
        ("03/04/2024", "en-US", (2024, 3, 4)),
        ("03/04/2024", "en", (2024, 3, 4)),
        ("03/04/2024", "en-GB", (2024, 4, 3)),
        ("03/04/2024", "fr", (2024, 4, 3)),
        ("03.04.2024", "en-US", (2024, 4, 3)),
        ("13/04/2024", "en-US", (2024, 4, 13)),
        ("04/13/2024", "fr", (2024, 4, 13)),
    ],
)
def test_numbers_stand_in_the_order_of_the_page_s_language(text: str, language: str, day: tuple[int, int, int]) -> None:
    assert next(days_in(text, (language,))) == day


# Their long form has an ending, a word between the parts or a numeral that is read in no other language.
NOT_READ = {"bo", "ckb", "co", "dz", "eu", "kgp", "mn", "prg", "sc", "syr", "tok"}


def test_the_days_of_nearly_all_languages_of_the_cldr_are_read() -> None:
    days = [date(2024, month, 2 * month + 3) for month in range(1, 13)]
    languages = {identifier.partition("_")[0] for identifier in locale_identifiers()}

    wrong = {
        language
        for language in languages
        for day in days
        if next(days_in(format_date(day, "long", language), (language,)), None) != (day.year, day.month, day.day)
    }

    assert len(languages) > 300
    assert wrong == NOT_READ


@pytest.mark.parametrize(
    "text",
    [
        "", "2024", "March 2024", "12:30 2024", "version 1.2.3.4", "192.168.1.20", "2/3", "page 3 of 2024 pages",
        "1999-2012", "+49 30 12 34 56", "5 to 10 in 2024", "v7.8.14",
        "109-04-17", "5 IIII 2024", "a" * 5_000, "5 " * 5_000, "5 March " * 2_000,
    ],
)  # fmt: skip
def test_where_no_day_is_written_none_is_read(text: str) -> None:
    assert list(days_in(text, ("en",))) == []


@pytest.mark.parametrize("language", ["", "xx", "x-klingon", "en-XX", "../../etc", "zh-Hant-TW", "e" * 200])
def test_any_tag_will_do_for_a_language(language: str) -> None:
    assert (2024, 3, 5) in days_in("2024-03-05", (language,))


def test_a_name_of_a_month_that_is_a_number_is_read_with_one_zero_before_it_and_no_more() -> None:
    assert next(days_in("5 M03 2024", ("zh-Latn",))) == (2024, 3, 5)
    assert list(days_in("5 M003 2024", ("zh-Latn",))) == []
