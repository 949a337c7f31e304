"""Chinese and Japanese charsets by the tables of the WHATWG Encoding Standard, where Python's codecs are others.

Python knows the charsets of the national standards; the web means those of Windows and of Hong Kong. The difference is
a few hundred characters, among them signs of everyday use and of names: read by the other table they come out as
other characters, and nothing shows that.
"""

import codecs
from collections.abc import Callable
from functools import cache
from typing import Final

from crawler.scalars import REPLACEMENT

_CODECS: Final = {
    "big5": "big5hkscs",
    "euc-jp": "euc_jp",
    "gb18030": "gb18030",
    "gbk": "gb18030",
    "iso-2022-jp": "iso2022_jp_ext",
    "shift_jis": "cp932",
}
EAST_ASIAN: Final = frozenset(_CODECS)

_FULL_WIDTH: Final = str.maketrans("〜‖−¢£¬", "～∥－￠￡￢")  # noqa: RUF001 - look-alikes are what this is about
_GB18030: Final = str.maketrans(
    # One sign each for what had none: GB 18030-2022.
    "\ue5e5\ue7c7\ue78d\ue78e\ue78f\ue790\ue791\ue792\ue793\ue794\ue795\ue796"
    "\ue81e\ue826\ue82b\ue82c\ue832\ue843\ue854\ue864",
    "\u3000\u1e3f\ufe10\ufe12\ufe11\ufe13\ufe14\ufe15\ufe16\ufe17\ufe18\ufe19"
    "\u9fb4\u9fb5\u9fb6\u9fb7\u9fb8\u9fb9\u9fba\u9fbb",
)
_TRANSLATED: Final[dict[str, dict[int, int]]] = {
    "big5": str.maketrans("•､‾∼♁☉¥¢£", "‧﹑¯～⊕⊙￥￠￡"),  # noqa: RUF001 - as above
    "euc-jp": _FULL_WIDTH,
    "gb18030": _GB18030,
    "gbk": _GB18030,
    "iso-2022-jp": _FULL_WIDTH,
    "shift_jis": dict.fromkeys(range(0xF8F0, 0xF8F4), ord(REPLACEMENT)),
}
"""Characters that a codec gives, and the standard's for the same bytes."""

_BIG5: Final = """
877a㡵𡵓𣚞𦀡㻬𥣞㫵竼龗𤅡𨤍𣇪𠪊𣉞䌊蒄龖鐯䤰蘓墖靊鈘秐稲晠権袝瑌篅枂稬剏遆㓦珄𥶹瓆鿇垳
87c4䤯呌䄱𣚎堘穲𧭥讏䚮𦺈䆁𥶙箮𢒼鿈𢓁𢓉𢓌鿉蔄𣖻䂴鿊䓡𪷿拁灮鿋 8e69箸 8e6f簆 8e7e糎 8eab緒 8eb4縝 8ecd者 8ed0耨
8f57菁 8f69蒨 8f6e萏 8fcb覦覩 8ffe起 906d都 907a銹 90dc靜 90f1響 91bf鼖 9244蔃 92af兙兛兝兞 92c8鍮 92d1瑹 9447浧
94ca禛 95d9邗 9644靝 96ed瀞 96fc嬨 9b76爁 9b78矗 9b7b纇 9bc6駖 9bde釔 9bec惞 9bf6澶 9c42輶 9c53侻 9c62營 9c68鄄
9c6b鷰 9c77菏 9cbc尐秣 9cd0婧 9d57輋 9d5a筑 9dc4拐 9ea9恢 9eef痹 9efd汊 9f60鬮 9f66鼗 9fcb僭 9fd8弌 a063蠏
a077拎 a0d5瑨 a0df煢 a0e4牐 a3c0␀␁␂␃␄␅␆␇␈␉␊␋␌␍␎␏␐␑␒␓␔␕␖␗␘␙␚␛␜␝␞␟␡€ c6cf廴
c6d3无 c6d5癶 c6d7隶 c6de〃仝 fa5f倩 fa66偽 fabd包 fac5卄 fad5卿 fb48嘅 fbb8婷 fbf3幵 fbf9廐 fc4f彘 fc6c悤
fcb9撐 fce2晴 fcf1杞 fdb7沜渝 fdbb港 fdf1煮 fe52猪 fe6f瑜 feaa瓩 fedd砉
"""
"""What Python's Big5 lacks: the bytes of the first character, then it and those that follow it in the table."""

_BIG5_TRAILS: Final = (*range(0x40, 0x7F), *range(0xA1, 0xFF))
_JIS_LEADS: Final = range(0xA1, 0xFF)
_JIS_LEADS_SHIFTED: Final = range(0x21, 0x7F)


def decode_east_asian(body: bytes, name: str) -> tuple[str, int]:
    """BODY in the encoding NAME (one of `EAST_ASIAN`), and how many U+FFFD stand for what it cannot decode."""
    codec, replaced = _CODECS[name], 0
    try:
        text = body.decode(codec)
    except UnicodeDecodeError:
        handler = f"citator-{codec}"
        codecs.register_error(handler, _HANDLERS[codec])
        text = body.decode(codec, handler)
        replaced = text.count(REPLACEMENT)
    table = _TRANSLATED[name]
    if any(chr(character) in text for character in table):
        text = text.translate(table)
        replaced = max(replaced, text.count(REPLACEMENT)) if name == "shift_jis" else replaced
    return text, replaced


def _handler(read: Callable[[bytes], tuple[str, int]]) -> Callable[[UnicodeError], tuple[str, int]]:
    """What a codec calls for bytes that it does not know; READ gives their character and how many they are."""

    def handle(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError), "only decoding is handled"
        character, length = read(error.object[error.start : error.start + 2])
        return (character, error.start + length) if character else (REPLACEMENT, error.end)

    return handle


def _read_big5(pair: bytes) -> tuple[str, int]:
    return _big5_table().get(pair, ""), 2


def _read_gb18030(pair: bytes) -> tuple[str, int]:
    return ("\u20ac" if pair.startswith(b"\x80") else ""), 1


def _read_euc_jp(pair: bytes) -> tuple[str, int]:
    return _of_windows(pair, _JIS_LEADS), 2


def _read_iso_2022_jp(pair: bytes) -> tuple[str, int]:
    return _of_windows(pair, _JIS_LEADS_SHIFTED), 2


def _of_windows(pair: bytes, leads: range) -> str:
    """A character of the rows that Windows adds to JIS X 0208, which Shift_JIS has elsewhere; "" if it is none."""
    if len(pair) != len("ab") or pair[0] not in leads or pair[1] not in leads:
        return ""
    row, cell = pair[0] - leads.start, pair[1] - leads.start
    lead = row // 2 + (0x81 if row < 2 * (0xA0 - 0x81) else 0xC1)
    trail = cell + (0x9F if row % 2 else 0x40 if cell < 0x7F - 0x40 else 0x41)
    try:
        return bytes((lead, trail)).decode("cp932")
    except UnicodeDecodeError:
        return ""


_HANDLERS: Final = {
    "big5hkscs": _handler(_read_big5),
    "cp932": _handler(lambda _pair: ("", 0)),
    "euc_jp": _handler(_read_euc_jp),
    "gb18030": _handler(_read_gb18030),
    "iso2022_jp_ext": _handler(_read_iso_2022_jp),
}


@cache
def _big5_table() -> dict[bytes, str]:
    table: dict[bytes, str] = {}
    for run in _BIG5.split():
        lead, trail = bytes.fromhex(run[:4])
        places = (
            bytes((row, cell)) for row in range(lead, 0xFF) for cell in _BIG5_TRAILS if (row, cell) >= (lead, trail)
        )
        table.update(zip(places, run[4:], strict=False))
    return table
