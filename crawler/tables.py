"""Tables whose cells reach over several columns or rows, laid out as a grid: what is empty stands as an empty cell.

So that the cells of a row come in the order and under the heads that a reader sees.
"""

from typing import Any, Final

from lxml import etree

MAX_SPAN: Final = 100
"""Columns or rows that a cell reaches over at most; real tables have a dozen, and hostile ones a million."""
MAX_ADDED: Final = 5_000
"""Cells added on one page."""
_CELLS: Final = frozenset({"td", "th"})


def spread_spans(root: Any) -> None:
    """Add the empty cells to every table below ROOT that holds no other table."""
    left = MAX_ADDED
    for table in root.iter("table"):
        if left <= 0:
            return
        if next(table.iterdescendants("table"), None) is None:
            left -= _spread(table, left)


def _spread(table: Any, left: int) -> int:
    spanning = [cell for cell in table.iter("td", "th") if _span(cell, "rowspan") > 1 or _span(cell, "colspan") > 1]
    if not spanning:
        return 0
    added = 0
    taken: dict[int, int] = {}
    """Column to rows that a cell further up still reaches into."""
    group = None
    for row in table.iter("tr"):
        parent = row.getparent()
        if parent is not group:  # no cell reaches out of its group
            taken, group = {}, parent
        added += _spread_row(row, taken)
        if added >= left:
            break
    for cell in spanning:
        cell.attrib.pop("rowspan", None)
        cell.attrib.pop("colspan", None)
    return added


def _spread_row(row: Any, taken: dict[int, int]) -> int:
    added = column = 0
    for cell in [one for one in row if one.tag in _CELLS]:
        while taken.get(column, 0) > 0:
            cell.addprevious(etree.Element("td"))
            taken[column] -= 1
            added, column = added + 1, column + 1
        width, height = _span(cell, "colspan"), _span(cell, "rowspan")
        for _ in range(width - 1):
            empty = etree.Element("td")
            empty.tail, cell.tail = cell.tail, None
            cell.addnext(empty)
            added += 1
        if height > 1:
            taken.update(dict.fromkeys(range(column, column + width), height - 1))
        column += width
    while taken.get(column, 0) > 0:
        row.append(etree.Element("td"))
        taken[column] -= 1
        added, column = added + 1, column + 1
    for later, rows in list(taken.items()):
        if later >= column and rows > 0:  # columns that the row does not reach are passed by too
            taken[later] = rows - 1
    return added


def _span(cell: Any, name: str) -> int:
    text = (cell.get(name) or "").strip()
    return min(max(int(text[:4]), 1), MAX_SPAN) if text.isascii() and text.isdigit() else 1
