"""Text that is no HTML: plain text, Markdown, JSON, XML; and HTML as plain text when nothing else may read it."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any, Final, cast

from lxml import etree

from crawler.blocks import BlockWriter
from crawler.feeds import local_name
from crawler.reading import Block, BlockType
from crawler.references import with_references

_BLANK_LINES: Final = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_FENCE: Final = re.compile(r"^ {0,3}(```+|~~~+)")
_MD_HEADING: Final = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_MD_ITEM: Final = re.compile(r"^(\s*)(?:[-*+]|\d{1,9}[.)])\s+(.*)$")
_MD_QUOTE: Final = re.compile(r"^ {0,3}>\s?(.*)$")
_MD_RULE: Final = re.compile(r"^ {0,3}(?:[-*_]\s*){3,}$")
_UNDERLINE: Final = re.compile(r"^ {0,3}(=+|-+)\s*$")
INDENT_OF_ITEM: Final = 2

_BREAKING_TAGS: Final = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "br",
        "dd",
        "div",
        "dl",
        "dt",
        "figcaption",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "td",
        "th",
        "tr",
        "ul",
        "title",
    ]
)
_SILENT_TAGS: Final = ("script", "style", "template", "noscript")
_SILENT_ELEMENTS: Final = frozenset(
    f"{{{space}}}{name}"
    for space in ("http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml")
    for name in ("script", "style")
)
"""Elements of XML whose text is for programs."""
_TAG_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9]{0,20}")

# A fall-back text is for reading and matching, not for keeping everything of a page made to break readers.
MAX_FALLBACK_CHARACTERS: Final = 2_000_000


def read_plain(text: str) -> tuple[str, tuple[Block, ...]]:
    """Plain text as paragraphs, set apart where it has blank lines; lines stay lines."""
    writer = BlockWriter()
    for paragraph in _BLANK_LINES.split(_newlines(text)):
        _lines(writer, paragraph.split("\n"), "paragraph")
    return writer.text, tuple(writer.blocks)


def _newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _lines(writer: BlockWriter, lines: list[str], kind: BlockType, level: int | None = None) -> None:
    for number, line in enumerate(lines):
        if number:
            writer.line_break()
        writer.add(line)
    writer.end(kind, level)


def read_markdown(text: str) -> tuple[str, tuple[Block, ...], str | None]:
    """Markdown as its blocks, inline marks left as they stand; and the first heading of level 1."""
    reader = _Markdown()
    lines = iter(_newlines(text).split("\n"))
    for line in lines:
        if fence := _FENCE.match(line):
            reader.code(fence[1], lines)
        else:
            reader.line(line)
    reader.put_down()
    return reader.writer.text, tuple(reader.writer.blocks), reader.title


class _Markdown:
    """Lines of Markdown on their way to blocks; `pending` are those of the block that is being read."""

    def __init__(self) -> None:
        self.writer, self.title = BlockWriter(), cast("str | None", None)
        self.pending: list[str] = []
        self.kind: BlockType = "paragraph"

    def put_down(self) -> None:
        _lines(self.writer, self.pending, self.kind)
        self.pending, self.kind = [], "paragraph"

    def code(self, fence: str, lines: Iterator[str]) -> None:
        self.put_down()
        for line in lines:
            if line.strip().startswith(fence):
                break
            self.writer.add(line + "\n", keep_space=True)
        self.writer.end("code")

    def line(self, line: str) -> None:
        under = _UNDERLINE.match(line) if self.pending and self.kind == "paragraph" else None
        if under:
            words, self.pending = self.pending, []
            self.heading(words, 1 if under[1][0] == "=" else 2)
        elif heading := _MD_HEADING.match(line):
            self.heading([heading[2]], len(heading[1]))
        elif _MD_RULE.match(line) or not line.strip():
            self.put_down()
        elif item := _MD_ITEM.match(line):
            self.put_down()
            _lines(self.writer, [item[2]], "list", 1 + len(item[1]) // INDENT_OF_ITEM)
        elif quoted := _MD_QUOTE.match(line):
            if self.kind != "quote":
                self.put_down()
                self.kind = "quote"
            self.pending.append(quoted[1])
        else:
            self.pending.append(line)

    def heading(self, words: list[str], level: int) -> None:
        self.put_down()
        _lines(self.writer, words, "heading", level)
        if level == 1 and self.title is None:
            self.title = " ".join(words) or None


def read_code(text: str) -> tuple[str, tuple[Block, ...]]:
    """All of TEXT as one block in which white space is kept; for JSON, whose text is its source."""
    writer = BlockWriter()
    writer.add(_newlines(text), keep_space=True)
    writer.end("code")
    return writer.text, tuple(writer.blocks)


def parse_xml(text: str) -> Any | None:
    """The root of an XML document; None if there is none. Entities are not expanded and nothing is loaded."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True)
    try:
        source = re.sub(r"^\s*<\?xml[^>]{0,300}\?>", "", with_references(text))
        return etree.fromstring(source.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        return None


def read_xml(root: Any) -> tuple[str, tuple[Block, ...], str | None]:
    """The text of an XML document, an element with text a paragraph; and the first `title` in it."""
    writer, title = BlockWriter(), None
    for element in root.iter():
        own = element.text if isinstance(element.tag, str) and element.tag not in _SILENT_ELEMENTS else None
        for piece in (own, element.tail if element is not root else None):
            if piece and not piece.isspace():
                writer.add(piece)
                writer.end("paragraph")
        if own and title is None and local_name(element) == "title":
            title = " ".join(own.split()) or None
    return writer.text, tuple(writer.blocks), title


def strip_tags(html: str) -> str:
    """The text of HTML without parsing it: tags go, scripts and styles go, in time linear in its length."""
    pieces: list[str] = []
    position, length = 0, 0
    lowered = html.lower()
    while position < len(html) and length < MAX_FALLBACK_CHARACTERS:
        opened = html.find("<", position)
        if opened < 0:
            pieces.append(html[position:])
            break
        pieces.append(html[position:opened])
        length += opened - position
        closed = html.find(">", opened)
        if closed < 0:
            break
        name = _TAG_NAME.match(lowered, opened + 1 + (lowered[opened + 1 : opened + 2] == "/"))
        tag = name[0] if name else ""
        position = closed + 1
        if tag in _BREAKING_TAGS:
            pieces.append("\n")
        elif tag in _SILENT_TAGS and lowered[opened + 1] != "/":
            ended = lowered.find(f"</{tag}", position)
            position = ended if ended >= 0 else len(html)
        elif html.startswith("<!--", opened):
            ended = html.find("-->", opened)
            position = ended + 3 if ended >= 0 else position
    text = unescape("".join(pieces)[:MAX_FALLBACK_CHARACTERS])
    return "\n".join(line for line in (" ".join(part.split()) for part in text.split("\n")) if line)
