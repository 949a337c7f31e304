"""What kind of content a body is: as it is called, or by its first bytes where that says nothing."""

import re
from typing import Final, Literal

HTML: Final = frozenset(("text/html", "application/xhtml+xml"))
MARKDOWN: Final = frozenset(("text/markdown", "text/x-markdown"))
PDF: Final = "application/pdf"

_VAGUE: Final = frozenset(
    ("", "application/octet-stream", "binary/octet-stream", "application/unknown", "unknown/unknown")
)
_COMMENTS: Final = rb"(?:<!--(?:(?!-->).){0,2000}-->\s*)*"
"""Each ends at its first end: were there more ways to read many of them, trying all would take for ever."""
_START_OF_HTML: Final = re.compile(
    rb"\s*(?:<\?xml[^>]{0,300}\?>\s*)?"
    + _COMMENTS
    + rb"<(?:!doctype\s+html|html|head|body|title|meta|script|article|div|h1|p)\b",
    re.IGNORECASE | re.DOTALL,
)
_START_OF_FEED: Final = re.compile(
    rb"\s*(?:<\?[^>]{0,300}\?>\s*){0,5}" + _COMMENTS + rb"<(?:rss|feed|(?:[a-z]{1,20}:)?rdf)[\s>]",
    re.IGNORECASE | re.DOTALL,
)
_OF_FEEDS: Final = frozenset((*HTML, "text/plain", *_VAGUE))
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
_UTF8_MARK: Final = b"\xef\xbb\xbf"
SNIFFED: Final = 4_096

# Bytes that no text has; more than this share of them, and it is none. UTF-16 has many zeros, but not this many.
_BINARY: Final = bytes(b for b in range(32) if b not in b"\t\n\f\r\x1b")
MAX_BINARY_SHARE: Final = 0.05
MAX_ZERO_SHARE: Final = 0.6


def content_type(value: str | None) -> tuple[str | None, str | None]:
    """Take a Content-Type apart: media type in lower case, charset as sent; None for what is missing or no sense."""
    if value is None:
        return None, None
    essence, *parameters = value.split(";")
    media_type = essence.strip().lower()
    charset = None
    for parameter in parameters:
        name, _, given = parameter.partition("=")
        if name.strip().lower() == "charset" and (found := given.strip().strip("\"'").strip()):
            charset = charset or found
    return (media_type if media_type.count("/") == 1 else None), charset


MIN_MARKS: Final = 50
"""One of so many characters of a text at least is white space or a mark."""
OTHER_ORDER: Final = 4
"""So many times fewer are there if the bytes are read in the wrong order."""
_MARKS: Final = re.compile(r"""[ \t\n\r<>"=/,:;{}\[\]1-9]""")
_TWO_IN_ONE: Final = re.compile("".join(("[", *(f"{chr(n)}-{chr(n + 94)}" for n in range(0x2020, 0x7F00, 0x100)), "]")))
"""Two bytes that are both printable ASCII."""
_NO_TEXT: Final = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ufffd-\uffff]")


def kind_of(body: bytes, media_type: str | None) -> str:
    """The media type to read BODY as, in lower case and without parameters.

    A PDF is one whatever it is called, and a feed is no HTML; else what was said counts, and the first bytes if nothing
    was.
    """
    said = (media_type or "").partition(";")[0].strip().lower()
    start = body[:SNIFFED]
    if start.lstrip(_UTF8_MARK + b" \t\r\n").startswith(b"%PDF-"):
        return PDF
    if said in _OF_FEEDS and _START_OF_FEED.match(start.removeprefix(_UTF8_MARK)):
        return "application/xml"
    return said if said not in _VAGUE else _sniffed(body) or said or "application/octet-stream"


def _sniffed(body: bytes) -> str | None:
    start = body[:SNIFFED].removeprefix(_UTF8_MARK)
    if _START_OF_HTML.match(start):
        return "text/html"
    if start.lstrip().startswith(b"<?xml"):
        return "application/xml"
    if start.lstrip()[:1] in (b"{", b"[") and body.rstrip()[-1:] in (b"}", b"]"):
        return "application/json"
    return "text/plain" if start and not is_binary(body) else None


def utf16_order(body: bytes) -> Literal["utf-16le", "utf-16be"] | None:
    """Which order of bytes BODY has if it is text in UTF-16 without a mark; None if it is no such text.

    White space and marks of every script stand out in the right order only; text has no controls.
    """
    start = body[: SNIFFED * 2]
    little, big = (start.decode(order, "replace") for order in ("utf-16-le", "utf-16-be"))
    marks, others = sorted((len(_MARKS.findall(text)) for text in (little, big)), reverse=True)
    if marks * MIN_MARKS < max(len(little), MIN_MARKS) or others * OTHER_ORDER > marks:
        return None
    text = little if len(_MARKS.findall(little)) == marks else big
    if _NO_TEXT.search(text, 0, len(text) - 1) or 2 * len(_TWO_IN_ONE.findall(little)) > len(little):
        return None
    return "utf-16le" if text is little else "utf-16be"


def is_binary(body: bytes) -> bool:
    """Whether the first bytes of BODY are no text in any charset."""
    start = body[:SNIFFED]
    if (
        start.startswith(_UTF16)
        or utf16_order(body)
        or (start and 1 <= 3 * start.count(0) / len(start) <= 3 * MAX_ZERO_SHARE)
    ):
        return False
    return len(start) - len(start.translate(None, _BINARY)) > MAX_BINARY_SHARE * len(start)


def is_json(kind: str) -> bool:
    """Whether KIND is JSON or something whose text is its source as JSON's is."""
    return kind in ("application/json", "application/javascript", "application/x-ndjson") or kind.endswith("+json")


def is_xml(kind: str) -> bool:
    """Whether KIND is XML other than XHTML."""
    return kind in ("application/xml", "text/xml") or (kind.endswith("+xml") and kind not in HTML)


def is_text(kind: str) -> bool:
    """Whether KIND is text of any kind."""
    return kind.startswith("text/") or kind in HTML or is_json(kind) or is_xml(kind)
