"""Which charset a page is in, and its text.

The order is the web's: byte order mark, Content-Type header, `meta` as the HTML standard scans for it, XML
declaration, then detection. Names and their meaning are those of the WHATWG Encoding Standard: `iso-8859-1` means
windows-1252, `gb2312` means gbk.
"""

import codecs
import re
from contextlib import suppress
from functools import cache
from typing import Final, NamedTuple

from crawler.charset_labels import encoding_of
from crawler.east_asian import EAST_ASIAN, decode_east_asian
from crawler.kinds import utf16_order
from crawler.reading import Charset
from crawler.scalars import REPLACEMENT

# The standard scans 1,024 bytes and browsers start over when a tag further down says otherwise: scanned at once here.
PRESCAN_BYTES: Final = 16_384

# Detection looks at this much; more changes nothing but the time it takes.
DETECTION_BYTES: Final = 65_536

# Below this confidence a detector's word is no better than the web's default.
MIN_CONFIDENCE: Final = 0.2

DEFAULT_ENCODING: Final = "windows-1252"

# Characters beyond ASCII that a body must have for being taken as UTF-8 under another label that fits it as well: a
# single-byte text that is UTF-8 by chance is a rare thing, one in a charset of double bytes only slightly so.
MIN_UTF8_SINGLE: Final = 2
MIN_UTF8_PAIRS: Final = 8

# Another charset than the page is labelled with must leave this many times fewer faults.
LESS_REPLACED: Final = 10

# Bytes before the first one beyond ASCII that detection sees.
CONTEXT_BYTES: Final = 1024

_BOMS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))

_UTF16: Final = frozenset(("utf-16be", "utf-16le"))

_XML_DECLARATION = re.compile(
    rb"""\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["'][^>]{0,200}\?>"""
)
_CONTENT_CHARSET = re.compile(
    rb"""charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r ;]+))""", re.IGNORECASE
)
_ATTRIBUTE = re.compile(
    rb"""[\t\n\f\r /]*([^\t\n\f\r />=]+)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r >]*)))?"""
)
_TELLING: Final = frozenset((b"charset", b"http-equiv", b"content"))
_TAG = re.compile(rb"<(?:!--|meta[\t\n\f\r /]|/?[a-zA-Z]|[!/?])", re.IGNORECASE)
_MARKUP = re.compile(rb"<[^<>]{0,2000}>")
_LATE_META = re.compile(rb"<meta(?=[\t\n\f\r /])", re.IGNORECASE)
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_AROUND_NOT_ASCII = re.compile(rb"[^\x80-\xff]{0,16}(?:[\x80-\xff]+[^\x80-\xff]{0,16})+")
# What stands inside these is no markup, though the standard's scan does not know it.
_OPAQUE = re.compile(rb"</?(script|style|title|textarea)[\t\n\f\r />]", re.IGNORECASE)
_JAPANESE_SHIFTS = (b"\x1b$B", b"\x1b$@")

# Python's name where it is not the standard's.
_PYTHON: Final = {"euc-kr": "cp949", "utf-16be": "utf-16-be", "utf-16le": "utf-16-le"}
_MULTI_BYTE: Final = {*_PYTHON, *EAST_ASIAN, "utf-8", "replacement", "x-user-defined"}
_SINGLE_BYTE: Final = {
    "iso-8859-8-i": "iso-8859-8",
    "macintosh": "mac-roman",
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac-cyrillic",
}
# Where the standard's table has a character that Python's has not.
_DIFFERENCES: Final = {
    ("koi8-u", 0xAE): "\u045e",
    ("koi8-u", 0xBE): "\u040e",
    ("windows-1255", 0xCA): "\u05ba",
}
# What the detector calls otherwise, without dashes; those that the standard does not have are guesses of no use.
_DETECTED: Final[dict[str, str | None]] = {
    "big5hkscs": "big5",
    "cp874": "windows-874",
    "cp932": "shift_jis",
    "cp949": "euc-kr",
    "eucjis2004": "euc-jp",
    "iso2022jp2": "iso-2022-jp",
    "iso2022jp2004": "iso-2022-jp",
    "iso2022jpext": "iso-2022-jp",
    "iso885916": "iso-8859-16",
    "johab": None,
    "maccyrillic": "x-mac-cyrillic",
    "macroman": "macintosh",
    "shiftjis2004": "shift_jis",
    "utf16be": "utf-16be",
    "utf16le": "utf-16le",
}
_FIRST_UPPER_BYTE, _FIRST_PRINTABLE_UPPER_BYTE = 0x80, 0xA0


class Decoded(NamedTuple):
    """The text of a page, the charset it was read in, and how many sequences that charset could not decode."""

    text: str
    charset: Charset
    replaced: int


def decode(body: bytes, header: str | None, *, markup: bool) -> Decoded:
    """The text of BODY. HEADER is the charset label of the Content-Type, MARKUP whether to look for `meta` and XML.

    A label is believed unless the bytes show that it is wrong, as servers send one label for pages of all kinds. A byte
    order mark is no part of the text, nor is U+0000.
    """
    charset, mark = choose_charset(body, header, markup=markup)
    text, replaced = decode_as(body[mark:] if mark else body, charset.name)
    found = Decoded(text, charset, replaced)
    if not mark and charset.name != "replacement" and not body.isascii():
        found = _without_wrong_label(body, found, markup=markup)
    return found._replace(text=found.text.replace("\0", "")) if "\0" in found.text else found


def choose_charset(body: bytes, header: str | None, *, markup: bool) -> tuple[Charset, int]:
    """The charset that BODY is said to be in, else the likely one, and the length of its byte order mark."""
    for bom, name in _BOMS:
        if body.startswith(bom):
            return Charset(name, "bom"), len(bom)
    named = encoding_of(header)
    if named != "replacement" and 0 in body[:PRESCAN_BYTES] and (order := utf16_order(body)) is not None:
        return Charset(order, "header" if named == order else "detected"), 0
    if named in _UTF16 and 0 not in body and (markup or body.isascii()):
        named = None  # every second byte of its markup would be zero
    if named is not None:
        return Charset(named, "header"), 0
    return (_said_inside(body) if markup else None) or detect_charset(body), 0


def _said_inside(body: bytes) -> Charset | None:
    """What the page itself says: `meta`, XML declaration, or a `meta` that comes late, which browsers heed as well."""
    if (name := meta_charset(body)) is not None:
        return Charset(name, "meta")
    if (name := _xml_charset(body)) is not None:
        return Charset(name, "xml")
    if len(body) > PRESCAN_BYTES and not _is_utf8(body):
        position = PRESCAN_BYTES
        while (tag := _LATE_META.search(body, position)) is not None:
            name, position = _meta_tag(body, tag.end())  # what stands within a tag is none
            if name is not None:
                return Charset(name, "meta")
    return None


def _without_wrong_label(body: bytes, found: Decoded, *, markup: bool) -> Decoded:
    """BODY read in another charset than FOUND, if its bytes show that they cannot be, or hardly are, in that one."""
    charset, replaced = found.charset, found.replaced
    if charset.name == "utf-8":
        characters = len(found.text) - len(found.text.encode("ascii", "ignore"))
        wrong = replaced > characters - replaced and not _is_utf8(body)
        return _another(body, found, markup=markup) if wrong else found
    if charset.source == "detected":
        return found
    if _is_utf8(body):
        # Bytes that are UTF-8 without fault hardly ever are anything else.
        text = body.decode("utf-8", "replace")
        least = 1 if replaced else MIN_UTF8_PAIRS if charset.name in _MULTI_BYTE else MIN_UTF8_SINGLE
        if len(text) - len(text.encode("ascii", "ignore")) >= least:
            return Decoded(text, Charset("utf-8", "detected"), 0)
    elif charset.source == "header" and markup:
        return _as_the_page_says(body, found)
    return found


def _another(body: bytes, found: Decoded, *, markup: bool) -> Decoded:
    """BODY, which is not UTF-8 though it is labelled so, as the page itself says or as its bytes look."""
    inside = _said_inside(body) if markup and found.charset.source == "header" else None
    for charset in filter(None, (inside, detect_charset(body))):
        if charset.name in ("utf-8", "replacement"):
            continue
        text, replaced = decode_as(body, charset.name)
        if replaced * LESS_REPLACED <= found.replaced:
            return Decoded(text, charset, replaced)
    return found


def _as_the_page_says(body: bytes, found: Decoded) -> Decoded:
    """BODY as the page itself says, where the header says something else and the bytes speak for the page."""
    inside = _said_inside(body)
    if inside is None or inside.name in (found.charset.name, "utf-8", "replacement"):
        return found
    text, replaced = decode_as(body, inside.name)
    if replaced <= found.replaced and detect_charset(body).name == inside.name:
        return Decoded(text, inside, replaced)
    return found


def meta_charset(body: bytes) -> str | None:
    """The encoding that a `meta` tag near the start of BODY names, by the HTML standard's prescan; else None."""
    head = body[:PRESCAN_BYTES]
    position = 0
    while (tag := _TAG.search(head, position)) is not None:
        start = tag.group().lower()
        if start == b"<!--":
            end = head.find(b"-->", tag.start() + 2)
            position = end + 3 if end >= 0 else len(head)
        elif start.startswith(b"<meta"):
            name, position = _meta_tag(head, tag.end() - 1)
            if name is not None:
                return name
        elif start in (b"<!", b"</", b"<?"):
            end = head.find(b">", tag.end())
            position = end + 1 if end >= 0 else len(head)
        else:
            _, position = _attributes(head, _end_of_name(head, tag.end()))
            position = _behind_opaque(head, tag.start(), position)
    return None


def _behind_opaque(head: bytes, start: int, position: int) -> int:
    """Where to go on behind the tag from START to POSITION: after the end tag, if what it opens holds no markup."""
    opened = _OPAQUE.match(head, start)
    if opened is None or opened[0].startswith(b"</"):
        return position
    end = head.lower().find(b"</" + opened[1].lower(), position)
    return end if end >= 0 else position


def _end_of_name(head: bytes, position: int) -> int:
    while position < len(head) and head[position] not in b"\t\n\f\r >":
        position += 1
    return position


def _attributes(head: bytes, position: int) -> tuple[dict[bytes, bytes], int]:
    """The attributes that tell of a charset of the tag that POSITION stands in, the first of each; where all end."""
    found: dict[bytes, bytes] = {}
    while (match := _ATTRIBUTE.match(head, position)) is not None:
        if (name := match[1].lower()) in _TELLING:
            found.setdefault(name, next((g for g in match.groups()[1:] if g is not None), b""))
        position = match.end()
    return found, position


def _meta_tag(head: bytes, position: int) -> tuple[str | None, int]:
    attributes, position = _attributes(head, position)
    label = attributes.get(b"charset")
    if label is None and attributes.get(b"http-equiv", b"").strip().lower() == b"content-type":
        match = _CONTENT_CHARSET.search(attributes.get(b"content", b""))
        label = next((g for g in match.groups() if g is not None), None) if match else None
    name = encoding_of(label.decode("latin-1")) if label is not None else None
    # The tag was read as ASCII, so UTF-16 cannot be true of it.
    if name in _UTF16:
        name = "utf-8"
    return ("windows-1252" if name == "x-user-defined" else name), position


def _xml_charset(body: bytes) -> str | None:
    match = _XML_DECLARATION.match(body[:PRESCAN_BYTES])
    name = encoding_of(match[1].decode("ascii")) if match else None
    return "utf-8" if name in _UTF16 else name


def detect_charset(body: bytes) -> Charset:
    """A guess from the bytes alone: UTF-8 if they are UTF-8, else a detector's word, else the web's default."""
    if _is_utf8(body):
        shifted = any(shift in body for shift in _JAPANESE_SHIFTS) and not decode_as(body, "iso-2022-jp")[1]
        return Charset("iso-2022-jp" if shifted else "utf-8", "detected")
    import chardet  # noqa: PLC0415 - slow to load and seldom needed

    sample = body[: 4 * DETECTION_BYTES]
    if sample.count(0) == 0:
        # Scripts and markup are ASCII in every charset, and drown what the detector goes by.
        first = _NOT_ASCII.search(body)
        start = max(0, first.start() - CONTEXT_BYTES) if first else 0
        text = _MARKUP.sub(b" ", body[start : start + 4 * DETECTION_BYTES])
        sample = b" ".join(_AROUND_NOT_ASCII.findall(text)) or text
    found = chardet.detect(sample[:DETECTION_BYTES])
    name = encoding_of(_python_to_label(found["encoding"]))
    if name is None or name == "replacement" or (found["confidence"] or 0) < MIN_CONFIDENCE:
        return Charset(DEFAULT_ENCODING, "default")
    return Charset(name, "detected")


def _python_to_label(name: str | None) -> str | None:
    """The standard's label for a detector's name of a charset: its own, or Python's."""
    if not name:
        return None
    plain = name.lower().replace("-", "").replace("_", "")
    return _DETECTED.get(plain, name.lower().replace("_", "-"))


def _is_utf8(body: bytes) -> bool:
    try:
        codecs.utf_8_decode(body, "strict", False)  # noqa: FBT003 - a cut last character is still UTF-8
    except UnicodeDecodeError:
        return False
    # UTF-16 text of ASCII letters is valid UTF-8 full of zeros.
    return body.count(0) * 4 < len(body) or not body


def decode_as(body: bytes, name: str) -> tuple[str, int]:
    """BODY in the encoding NAME (a name of the standard), and how many U+FFFD stand for what it cannot decode."""
    if name == "replacement":
        return (REPLACEMENT, 1) if body else ("", 0)
    if name == "x-user-defined":
        return "".join(chr(b if b < _FIRST_UPPER_BYTE else 0xF700 + b) for b in body), 0
    if name not in _MULTI_BYTE:
        text, _ = codecs.charmap_decode(body, "strict", _single_byte_table(name))
        return text, text.count(REPLACEMENT)
    if name in EAST_ASIAN:
        return decode_east_asian(body, name)
    python = _PYTHON.get(name, name)
    with suppress(UnicodeDecodeError):
        return body.decode(python), 0
    text = body.decode(python, "replace")
    own = body.count(b"\xef\xbf\xbd") if name == "utf-8" else 0
    return text, max(1, text.count(REPLACEMENT) - own)


@cache
def _single_byte_table(name: str) -> str:
    """256 characters. Bytes that a legacy set leaves undefined are control characters below 0xA0, else U+FFFD."""
    python = _SINGLE_BYTE.get(name, name)
    table = []
    for byte in range(256):
        character = bytes([byte]).decode(python, "replace")
        if character == REPLACEMENT and _FIRST_UPPER_BYTE <= byte < _FIRST_PRINTABLE_UPPER_BYTE:
            character = chr(byte)
        table.append(_DIFFERENCES.get((name, byte), character))
    return "".join(table)
