# ruff: noqa: RUF001 - sentences in many scripts are what is tested
import codecs
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.charset import decode, decode_as, meta_charset
from crawler.charset_labels import LABELS, encoding_of
from crawler.kinds import utf16_order
from crawler.reading import Charset
from tests.crawler.reading_pages import page, paragraphs, read

# A sentence that the encoding can write, for every encoding of the standard that is more than an alias.
SENTENCES = {
    "utf-8": "Żółta łódź czeka przy molo — 東京から。",
    "ibm866": "Билет на паром стоит двенадцать рублей.",
    "iso-8859-2": "Příliš žluťoučký kůň úpěl ďábelské ódy.",
    "iso-8859-3": "Ĝi estas ĉirkaŭ la haveno, ĵus ŝanĝita.",
    "iso-8859-4": "Ūdens līmenis ostā šķiet zems.",
    "iso-8859-5": "Паромът тръгва в неделя сутрин.",
    "iso-8859-6": "تغادر العبارة صباح الأحد",
    "iso-8859-7": "Το πλοίο φεύγει την Κυριακή το πρωί.",
    "iso-8859-8": "המעבורת יוצאת ביום ראשון",
    "iso-8859-8-i": "המעבורת יוצאת ביום ראשון",
    "iso-8859-10": "Ferjan fer á sunnudaginn þegar veðrið er gott.",
    "iso-8859-13": "Kelias į uostą uždarytas iki šeštadienio.",
    "iso-8859-14": "Ṫáinig an bád ḃeag ar an tráṫ ċéanna.",
    "iso-8859-15": "Le billet coûte 12 € pour les œuvres à bord.",
    "iso-8859-16": "Feribotul pleacă duminică dimineața din șantier.",
    "koi8-r": "Старый причал откроется в субботу.",
    "koi8-u": "Пором відпливає у неділю, їжа на ґанку.",
    "macintosh": "Le café du port est fermé – à bientôt.",
    "windows-874": "เรือข้ามฟากออกวันอาทิตย์",
    "windows-1250": "Loď odpływa w niedzielę o świcie.",
    "windows-1251": "Катер уходит в воскресенье утром.",
    "windows-1252": "Die Fähre kostet 12 € – „nur sonntags“.",
    "windows-1253": "Η γέφυρα ανοίγει τον Αύγουστο.",
    "windows-1254": "Vapur pazar günü öğleden sonra kalkıyor, ışıklı.",
    "windows-1255": "המחיר הוא שנים עשר שקלים",
    "windows-1256": "سعر التذكرة اثنا عشر دينارا پچ",
    "windows-1257": "Laivas išplaukia šeštadienį, žiūrėkite.",
    "windows-1258": "Tàu ra khoi buôi sang",
    "x-mac-cyrillic": "Катер идёт вдоль берега.",
    "gbk": "渡轮星期天第一次驶过海峡。",
    "gb18030": "渡轮星期天第一次驶过海峡，𠀀字。",
    "big5": "渡輪星期天第一次駛過海峽。",
    "euc-jp": "渡し船は日曜日に初めて海峡を渡った。",
    "iso-2022-jp": "渡し船は日曜日に初めて海峡を渡った。",
    "shift_jis": "渡し船は日曜日に①番の桟橋から出た。",
    "euc-kr": "나룻배는 일요일에 처음으로 해협을 건넜다. 뷁",
    "utf-16be": "Żółta łódź — 東京。",
    "utf-16le": "Żółta łódź — 東京。",
}
PYTHON = {
    "big5": "big5hkscs", "euc-kr": "cp949", "gbk": "gb18030", "iso-8859-8-i": "iso-8859-8", "macintosh": "mac-roman",
    "shift_jis": "cp932", "utf-16be": "utf-16-be", "utf-16le": "utf-16-le", "windows-874": "cp874",
    "x-mac-cyrillic": "mac-cyrillic",
}  # fmt: skip


def encoded(text: str, name: str) -> bytes:
    return text.encode(PYTHON.get(name, name))


def test_every_encoding_of_the_standard_is_tried() -> None:
    special = {"replacement", "x-user-defined"}

    assert set(SENTENCES) | special == set(LABELS.values())


@pytest.mark.parametrize("name", sorted(SENTENCES))
def test_a_charset_named_in_the_header_is_used(name: str) -> None:
    reading = read(encoded(page(paragraphs(SENTENCES[name])).replace('<meta charset="utf-8">', ""), name), charset=name)

    assert SENTENCES[name] in reading.text
    assert reading.charset == Charset(name, "header")
    assert reading.replaced == 0


@pytest.mark.parametrize("name", sorted(set(SENTENCES) - {"utf-16be", "utf-16le"}))
def test_a_charset_named_only_in_a_meta_tag_is_found(name: str) -> None:
    body = encoded(page(paragraphs(SENTENCES[name])).replace('charset="utf-8"', f'charset="{name}"'), name)
    digest = hashlib.sha256(body).digest()

    reading = read(body)

    assert SENTENCES[name] in reading.text
    assert "\N{REPLACEMENT CHARACTER}" not in reading.text
    assert reading.charset == Charset(name, "meta")
    assert hashlib.sha256(body).digest() == digest


@pytest.mark.parametrize(
    ("tag", "name"),
    [
        ('<meta charset="windows-1251">', "windows-1251"),
        ("<META CHARSET=windows-1251>", "windows-1251"),
        ("<meta charset='koi8-r' />", "koi8-r"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=shift_jis">', "shift_jis"),
        ('<meta content="text/html;charset= EUC-JP " http-equiv=content-type>', "euc-jp"),
        ("<meta name=a content='charset=big5'><meta charset=gb2312>", "gbk"),
        ('<!-- <meta charset="koi8-r"> --><meta charset="latin1">', "windows-1252"),
        ('<a title="<meta charset=koi8-r>"></a><meta charset="windows-1250">', "windows-1250"),
        ('<meta charset="utf-16le">', "utf-8"),
        ('<meta charset="x-user-defined">', "windows-1252"),
        ('<meta charset="no-such-thing">', None),
        ('<meta content="text/html; charset=koi8-r">', None),
        ("<p>charset=koi8-r</p>", None),
        ("<meta charset", None),
        ("<", None),
        ("<script>s = '<meta charset=koi8-r>'</script><meta charset=big5>", "big5"),
        ("<title><meta charset=koi8-r></title><meta charset=big5>", "big5"),
        ("<!-- never closed <meta charset=koi8-r>", None),
    ],
)
def test_meta_tags_are_read_as_the_standard_scans_for_them(tag: str, name: str | None) -> None:
    assert meta_charset(b"<!doctype html><html><head>" + tag.encode()) == name


def test_a_byte_order_mark_outweighs_what_is_said() -> None:
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16le"),
        (codecs.BOM_UTF16_BE, "utf-16be"),
    ):
        found = decode(mark + encoded("Łódź", name), "windows-1252", markup=True)

        assert found.text == "Łódź"
        assert found.charset == Charset(name, "bom")


@pytest.mark.parametrize("label", ["utf-16", "utf-16le", "UTF-16BE"])
@pytest.mark.parametrize(
    ("meta", "text"), [("utf-8", "Across the river"), ("utf-8", "Über den Fluß"), ("koi8-r", "Паром идёт")]
)
def test_markup_without_zero_bytes_is_no_utf_16(label: str, meta: str, text: str) -> None:
    body = page(paragraphs(text)).replace("utf-8", meta).encode(meta)

    assert text in read(body, charset=label).text


@pytest.mark.parametrize("name", ["utf-16le", "utf-16be"])
@pytest.mark.parametrize("label", [None, "utf-8", "utf-16", "utf-16le", "utf-16be", "iso-8859-1"])
@pytest.mark.parametrize("text", [SENTENCES["windows-1251"], SENTENCES["windows-1253"], SENTENCES["gb18030"] * 3])
def test_utf_16_without_a_mark_is_told_by_the_side_of_its_zeros(text: str, label: str | None, name: str) -> None:
    reading = read(encoded(page(paragraphs(*[text] * 9)), name), charset=label)

    assert text in reading.text
    assert reading.charset is not None
    assert (reading.charset.name, reading.replaced) == (name, 0)


@pytest.mark.parametrize("name", ["utf-16le", "utf-16be"])
@pytest.mark.parametrize("kind", ["text/plain", "text/csv", "application/json"])
def test_plain_text_may_be_in_utf_16_without_a_mark(kind: str, name: str) -> None:
    text = '{"a": "' + SENTENCES["windows-1251"] * 3 + '"}'

    assert text in read(encoded(text, name), media_type=kind).text


@pytest.mark.parametrize(
    "body",
    [b"", b"\0", b"\0\0" * 99, b"A\0" * 30 + b"\1\0" + b"B\0" * 30, b"plain text with \0 in it " * 9,
     bytes(byte for n in range(500) for byte in (n * 37 % 256, 0)), b"\x7fELF\2\1\1" + bytes(9) + b"\3\0>\0\1\0\0\0"],
)  # fmt: skip
def test_zeros_alone_make_no_utf_16(body: bytes) -> None:
    assert utf16_order(body) is None


def test_the_header_outweighs_the_meta_tag() -> None:
    reading = read(page(paragraphs(SENTENCES["koi8-r"])).encode("koi8-r"), charset="KOI8-R")

    assert reading.charset == Charset("koi8-r", "header")
    assert SENTENCES["koi8-r"] in reading.text


def test_an_unknown_label_in_the_header_counts_for_nothing() -> None:
    body = page(paragraphs(SENTENCES["windows-1251"])).replace("utf-8", "windows-1251").encode("windows-1251")

    assert read(body, charset="nonsense").charset == Charset("windows-1251", "meta")


def test_an_xml_declaration_names_the_charset_where_no_meta_tag_does() -> None:
    html = f'<?xml version="1.0" encoding="ISO-8859-2"?><html><body>{paragraphs(SENTENCES["iso-8859-2"])}</body></html>'

    reading = read(html.encode("iso-8859-2"), media_type="application/xhtml+xml")

    assert SENTENCES["iso-8859-2"] in reading.text
    assert reading.charset == Charset("iso-8859-2", "xml")


@pytest.mark.parametrize(
    "name",
    [
        "windows-1251", "koi8-r", "shift_jis", "euc-jp", "iso-2022-jp", "euc-kr", "big5", "gb18030", "utf-8",
        "windows-874", "x-mac-cyrillic",
    ],
)  # fmt: skip
def test_a_charset_that_nobody_names_is_told_from_the_bytes(name: str) -> None:
    body = "<html><body>" + paragraphs(*[SENTENCES[name]] * 12) + "</body></html>"

    reading = read(encoded(body, name))

    assert SENTENCES[name] in reading.text
    assert reading.charset is not None
    assert reading.charset.source == "detected"


def test_utf8_bytes_under_a_label_that_cannot_be_right_are_read_as_utf8() -> None:
    reading = read(
        page(paragraphs("渡轮星期天第一次驶过海峡，船票十二元。" * 3)).replace('"utf-8"', '"gb2312"').encode()
    )

    assert "渡轮星期天第一次驶过海峡" in reading.text
    assert reading.charset == Charset("utf-8", "detected")
    assert reading.replaced == 0


def labelled(text: str, name: str, *, meta: str | None) -> bytes:
    """A page in the charset NAME that says META, or nothing, about it."""
    html = page(paragraphs(*[text] * 3))
    return encoded(html.replace('<meta charset="utf-8">', f'<meta charset="{meta}">' if meta else ""), name)


@pytest.mark.parametrize("name", ["windows-1251", "koi8-r", "shift_jis", "euc-kr", "big5", "windows-1253"])
@pytest.mark.parametrize(("header", "meta"), [("utf-8", None), (None, "utf-8"), ("utf-8", "utf-8")])
def test_bytes_that_cannot_be_the_utf8_they_are_labelled_as_are_told_from_themselves(
    name: str, header: str | None, meta: str | None
) -> None:
    reading = read(labelled(SENTENCES[name], name, meta=meta), charset=header)

    assert SENTENCES[name] in reading.text
    assert reading.replaced == 0
    assert reading.charset is not None
    assert reading.charset.source == "detected"


@pytest.mark.parametrize(
    ("header", "meta", "name"),
    [
        ("utf-8", "windows-1251", "windows-1251"),
        ("iso-8859-1", "windows-1251", "windows-1251"),
        ("iso-8859-1", "shift_jis", "shift_jis"),
        ("koi8-r", "windows-1251", "windows-1251"),
    ],
)
def test_of_two_labels_the_one_counts_that_the_bytes_speak_for(header: str, meta: str, name: str) -> None:
    reading = read(labelled(SENTENCES[name], name, meta=meta), charset=header)

    assert SENTENCES[name] in reading.text
    assert reading.charset == Charset(name, "meta")


@pytest.mark.parametrize(("header", "meta"), [("iso-8859-1", None), (None, "iso-8859-1"), ("windows-1251", "koi8-r")])
def test_utf8_under_a_single_byte_label_is_read_as_utf8(header: str | None, meta: str | None) -> None:
    reading = read(labelled("Das Café öffnet früh.", "utf-8", meta=meta), charset=header)

    assert "Das Café öffnet früh." in reading.text
    assert reading.charset == Charset("utf-8", "detected")


def test_single_bytes_that_happen_to_be_utf8_are_left_as_labelled() -> None:
    found = decode(b"It printed \xc3\xa9 once.", "windows-1252", markup=True)

    assert found.text == "It printed Ã© once."
    assert found.charset == Charset("windows-1252", "header")


@pytest.mark.parametrize("before", ["<script>" + "var a = 1;" * 4000 + "</script>", "<style>p{a:b}</style>" * 3000])
def test_a_meta_tag_that_comes_late_is_found(before: str) -> None:
    html = f'<html><head>{before}<meta charset="windows-1251"></head><body>{paragraphs(SENTENCES["windows-1251"])}'

    assert read(html.encode("windows-1251")).charset == Charset("windows-1251", "meta")


def test_a_late_meta_tag_within_another_tag_is_none() -> None:
    before = b"<p>\xf0\xd2\xc9</p>" + b" " * 20_000

    quoted = decode(before + b'<p title="a"><meta name="<meta charset=koi8-r>">', None, markup=True)
    endless = decode(before + b"<meta " * 300_000, None, markup=True)

    assert quoted.charset.source != "meta"
    assert endless.charset.source != "meta"


def test_a_charset_is_told_from_bytes_that_come_late() -> None:
    html = "<script>" + "var a = 1;" * 40_000 + "</script>" + paragraphs(*[SENTENCES["windows-1251"]] * 12)

    assert decode(html.encode("windows-1251"), None, markup=True).charset == Charset("windows-1251", "detected")


def test_bytes_that_are_no_text_are_not_read_as_a_page() -> None:
    reading = read(bytes(range(256)) * 20, media_type="text/html")

    assert (reading.outcome, reading.text) == ("unreadable", "")


def test_bytes_that_cannot_be_decoded_are_replaced_and_counted() -> None:
    text = "Before the break, after the break – and « once » more."
    reading = read(page(paragraphs(text)).encode().replace(b"break,", b"br\xff\xfeak,"))

    assert reading.replaced == 2
    assert "replaced_characters" in reading.flags
    assert "br\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}ak" in reading.text


def test_replacement_characters_that_the_page_itself_holds_are_not_counted() -> None:
    reading = read(page(paragraphs("The sign said \N{REPLACEMENT CHARACTER} for years.")))

    assert reading.replaced == 0
    assert "replaced_characters" not in reading.flags


@pytest.mark.parametrize("label", ["iso-8859-1", "latin1", "us-ascii", " ASCII\n", "windows-1252"])
def test_latin1_means_windows_1252_on_the_web(label: str) -> None:
    assert encoding_of(label) == "windows-1252"
    assert decode(b"12 \x80 \x93nur\x94 \x81", label, markup=True).text == "12 € “nur” \x81"


@pytest.mark.parametrize("name", sorted(set(SENTENCES) - {"utf-16be", "utf-16le"}))
def test_undefined_bytes_never_break_decoding(name: str) -> None:
    text, replaced = decode_as(bytes(range(256)) * 2, name)

    assert text.startswith("\0\x01")
    assert replaced == text.count("\N{REPLACEMENT CHARACTER}") or replaced == 1


@pytest.mark.parametrize(
    ("name", "sequence", "character"),
    [
        ("gbk", "80", "€"),
        ("gbk", "a3a0", "\u3000"),
        ("gb18030", "a8bc", "ḿ"),
        ("gb18030", "a6d9", "︐"),
        ("euc-jp", "a1c1", "～"),
        ("euc-jp", "a1dd", "－"),
        ("euc-jp", "ada1", "①"),
        ("euc-jp", "adf5", "√"),
        ("euc-jp", "f9a1", "纊"),
        ("euc-jp", "fcfe", "＂"),
        ("euc-jp", "fce2", "髙"),
        ("euc-jp", "8eca", "ﾊ"),
        ("iso-2022-jp", "1b24422d211b2842", "①"),
        ("iso-2022-jp", "1b244221411b2842", "～"),
        ("iso-2022-jp", "1b24427c621b2842", "髙"),
        ("iso-2022-jp", "1b28494a1b2842", "ﾊ"),
        ("iso-2022-jp", "1b284a5c1b2842", "¥"),
        ("shift_jis", "fbfc", "髙"),
        ("shift_jis", "8160", "～"),
        ("big5", "a145", "‧"),
        ("big5", "a244", "￥"),
        ("big5", "a3e1", "€"),
        ("big5", "877a", "㡵"),
        ("big5", "87bd", "遆"),
        ("big5", "fedd", "砉"),
        ("big5", "8862", "Ê̄"),
        ("euc-kr", "a2e6", "€"),
    ],
)
def test_characters_of_east_asia_are_those_of_the_standards_tables(name: str, sequence: str, character: str) -> None:
    assert decode_as(b"a" + bytes.fromhex(sequence) + b"z", name) == (f"a{character}z", 0)


@pytest.mark.parametrize(
    ("name", "sequence"),
    [("euc-jp", "a2af"), ("euc-jp", "ff"), ("shift_jis", "81ad"), ("shift_jis", "a0"), ("shift_jis", "fd"),
     ("big5", "8140"), ("gbk", "ff"), ("iso-2022-jp", "1b2442222f1b2842")],
)  # fmt: skip
def test_bytes_that_the_standards_tables_lack_are_no_character(name: str, sequence: str) -> None:
    text, replaced = decode_as(b"a" + bytes.fromhex(sequence) + b"z", name)

    assert replaced >= 1
    assert "\N{REPLACEMENT CHARACTER}" in text


def test_one_bad_byte_changes_no_other_character() -> None:
    text = "髙島屋の①階で、入場料は１２００円。"

    assert decode_as(text.encode("cp932") + b"\xa0", "shift_jis") == (text + "\N{REPLACEMENT CHARACTER}", 1)


def test_encodings_that_attacks_use_give_nothing() -> None:
    for label in ("hz-gb-2312", "iso-2022-kr", "iso-2022-cn", "replacement"):
        assert decode(b"<script>", label, markup=True).text == "\N{REPLACEMENT CHARACTER}"


@given(st.binary(max_size=400), st.sampled_from([*sorted(LABELS), "", "nonsense"]))
def test_any_bytes_under_any_label_give_text_that_can_be_kept(body: bytes, label: str) -> None:
    found = decode(body, label, markup=True)

    found.text.encode()
    assert "\0" not in found.text


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200))
def test_utf8_round_trips(text: str) -> None:
    assert decode(b"\xef\xbb\xbf" + text.encode(), None, markup=True).text == text
