"""A tree of elements as text with blocks: headings, paragraphs, list items, tables, code, quotes, with their offsets.

Reads HTML and the reduced markup that trafilatura makes of it (`head`, `list`, `item`, `row`, `cell`, `quote`, `lb`).
White space is collapsed as a browser does, but kept in code. Cells of a row are set apart by ` | `, rows by a line
break. Inside a block a line break is a `br` of the page.
"""

import re
from collections.abc import Iterable
from typing import Final

from lxml import etree

from crawler.reading import Block, BlockType
from crawler.scalars import scalars

CELL_GAP: Final = " | "
BLOCK_GAP: Final = "\n\n"
ITEM_GAP: Final = "\n"

_HEADINGS: Final = {f"h{n}": n for n in range(1, 7)}
DEFAULT_HEADING_LEVEL: Final = 2

# Never text that a reader sees, or controls that are no part of what the page says.
SKIPPED: Final = frozenset(
    [
        "script",
        "style",
        "template",
        "noscript",
        "head-meta",
        "iframe",
        "object",
        "embed",
        "svg",
        "math",
        "canvas",
        "audio",
        "video",
        "map",
        "select",
        "option",
        "textarea",
        "button",
        "input",
        "form-controls",
        "dialog",
    ]
)
_BLOCKS: Final = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "center",
        "dd",
        "details",
        "dialog",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "header",
        "hgroup",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "section",
        "summary",
        "ul",
        "list",
        "item",
        "quote",
    ]
)
_ITEMS: Final = frozenset(("li", "item", "dd", "dt"))
_LISTS: Final = frozenset(("ul", "ol", "dl", "list"))
_QUOTES: Final = frozenset(("blockquote", "quote"))
_CELLS: Final = frozenset(("td", "th", "cell"))
_ROWS: Final = frozenset(("tr", "row"))
_BREAKS: Final = frozenset(("br", "lb"))

_SPACE = re.compile(r"[ \t\n\r\f\v\u00a0]+")
_AROUND_BREAK = re.compile(r" ?(?:\n ?)+")


class BlockWriter:
    """Takes text piece by piece and puts it down as blocks. `text` and `blocks` are what has been put down.

    `page` may be set to the number of the page that the next blocks stand on.
    """

    def __init__(self) -> None:
        self.page: int | None = None
        self._parts: list[str] = []
        self._length = 0
        self._pending: list[str] = []
        self._row_begins = True
        self.blocks: list[Block] = []

    @property
    def text(self) -> str:
        """All that has been put down."""
        return "".join(self._parts)

    def add(self, piece: str, *, keep_space: bool = False) -> None:
        """Add inline text to the block that is being written."""
        self._pending.append(piece if keep_space else _SPACE.sub(" ", piece))

    def line_break(self) -> None:
        """Begin a new line in the block that is being written."""
        self._pending.append("\n")

    def cell(self) -> None:
        """Begin a new cell in the row that is being written."""
        if not self._row_begins:
            self._pending.append(CELL_GAP)
        self._row_begins = False

    def row(self) -> None:
        """Begin a new row in the table that is being written."""
        self._pending.append("\n")
        self._row_begins = True

    def end(self, kind: BlockType, level: int | None = None) -> None:
        """Put down what was added as one block; nothing if it is white space only."""
        if not self._pending:
            return
        raw = "".join(self._pending)
        self._pending = []
        text = raw.strip("\n").rstrip() if kind == "code" else _tidy(raw)
        text = scalars(text)
        if not text or text.isspace():
            return
        if kind == "table":
            text = _tidy_table(text)
        if not text:
            return
        if self.blocks:
            gap = ITEM_GAP if kind == "list" and self.blocks[-1].type == "list" else BLOCK_GAP
            self._parts.append(gap)
            self._length += len(gap)
        self._parts.append(text)
        self.blocks.append(Block(kind, self._length, self._length + len(text), level, self.page))
        self._length += len(text)


def _tidy(raw: str) -> str:
    return _AROUND_BREAK.sub("\n", re.sub(" {2,}", " ", raw)).strip(" \n\t\r\f\v")


def _tidy_table(text: str) -> str:
    rows = (line.strip(" ") for line in text.split("\n"))
    return "\n".join(row for row in rows if row.strip(" |"))


class _Walk:
    """Where a walk through a tree stands: how deep in lists, quotes, tables and code."""

    def __init__(self, writer: BlockWriter, skip: frozenset[etree._Element]) -> None:
        self.writer, self.skip = writer, skip
        self.items = self.quotes = self.tables = self.codes = self.lists = 0
        self.heading: int | None = None

    def end_block(self) -> None:
        if self.tables:
            self.writer.add(" ")
        elif self.codes:
            return
        elif self.heading is not None:
            self.writer.end("heading", self.heading)
        elif self.items:
            self.writer.end("list", max(1, self.lists))
        elif self.quotes:
            self.writer.end("quote")
        else:
            self.writer.end("paragraph")

    def start(self, element: etree._Element, tag: str) -> None:
        role = _role(element, tag)
        if role in ("table", "row", "cell"):
            self._start_part_of_table(role)
        elif role == "break":
            self.writer.line_break()
        elif role != "inline":
            if role != "code" or not self.codes:
                self.end_block()
            if role == "heading" and not self.tables:
                self.heading = _level(element, tag)
            self._count(role, tag, 1)
        if element.text:
            self.writer.add(element.text, keep_space=bool(self.codes))

    def leave(self, element: etree._Element, tag: str) -> None:
        role = _role(element, tag)
        if role == "table":
            self.tables -= 1
            if not self.tables:
                self.writer.end("table")
        elif role in ("row", "cell"):
            if not self.tables:
                self.end_block()
        elif role == "code":
            self.codes -= 1
            if not self.codes:
                self._end_code()
        elif role not in ("inline", "break"):
            self.end_block()
            if role == "heading":
                self.heading = None
            self._count(role, tag, -1)

    def _start_part_of_table(self, role: str) -> None:
        if role == "table":
            self.end_block()
            self.tables += 1
        elif not self.tables:
            self.end_block()
        elif role == "row":
            self.writer.row()
        else:
            self.writer.cell()

    def _count(self, role: str, tag: str, step: int) -> None:
        self.codes += step * (role == "code")
        self.quotes += step * (role == "quote")
        self.lists += step * (tag in _LISTS)
        self.items += step * (tag in _ITEMS)

    def _end_code(self) -> None:
        if self.tables:
            self.writer.add(" ")
        else:
            self.writer.end("code")


# What each tag is in itself; `table`, `code` and quotes depend on where they stand too.
_ROLES: Final = {
    **dict.fromkeys(_BLOCKS, "block"),
    **dict.fromkeys(_BREAKS, "break"),
    **dict.fromkeys(_ROWS, "row"),
    **dict.fromkeys(_CELLS, "cell"),
    **dict.fromkeys((*_HEADINGS, "head"), "heading"),
    **dict.fromkeys(_QUOTES, "quote"),
    **dict.fromkeys(("pre", "code"), "code"),
    "table": "table",
}


def _role(element: etree._Element, tag: str) -> str:
    role = _ROLES.get(tag, "inline")
    if role == "table":
        return "table" if _holds_data(element) else "block"
    if role == "code":
        return "code" if _is_code_block(element, tag) else "inline"
    if role == "quote":
        return "quote" if _is_block(element) else "inline"
    return role


def _level(element: etree._Element, tag: str) -> int:
    return _HEADINGS.get(tag) or _HEADINGS.get(element.get("rend") or "", DEFAULT_HEADING_LEVEL)


def _holds_data(table: etree._Element) -> bool:
    """Whether a table is one, and not a frame for other tables as old pages use it."""
    return next(table.iterdescendants("table"), None) is None


def _is_block(element: etree._Element) -> bool:
    """Whether a quote stands for itself: `q` inside a paragraph becomes `quote` too."""
    parent = element.getparent()
    return parent is None or parent.tag not in ("p", "item", "cell", "head", "span") or len(element) > 0


def _is_code_block(element: etree._Element, tag: str) -> bool:
    if tag == "pre":
        return True
    if tag != "code":
        return False
    parent = element.getparent()
    return parent is None or parent.tag == "body" or "\n" in (element.text or "").strip("\n")


def write_tree(
    root: etree._Element, writer: BlockWriter, skip: Iterable[etree._Element] = (), skipped: frozenset[str] = SKIPPED
) -> None:
    """Write all text below ROOT; the elements SKIP and the tags SKIPPED are left out, the text after them is not."""
    walk = _Walk(writer, frozenset(skip))
    steps = etree.iterwalk(root, events=("start", "end"))
    for event, element in steps:
        tag = element.tag
        if event == "start":
            if not isinstance(tag, str) or tag in skipped or element in walk.skip:
                steps.skip_subtree()
            else:
                walk.start(element, tag)
        else:
            if isinstance(tag, str) and tag not in skipped and element not in walk.skip:
                walk.leave(element, tag)
            if element.tail and element is not root:
                writer.add(element.tail, keep_space=bool(walk.codes))
    walk.end_block()


def text_with_blocks(
    roots: Iterable[etree._Element], skip: Iterable[etree._Element] = ()
) -> tuple[str, tuple[Block, ...]]:
    """The text of ROOTS, one after the other, and its blocks."""
    writer = BlockWriter()
    for root in roots:
        write_tree(root, writer, skip)
    return writer.text, tuple(writer.blocks)
