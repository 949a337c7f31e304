"""Cells that reach over several columns or rows stand in the grid that a reader sees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from crawler.blocks import text_with_blocks
from crawler.tables import MAX_ADDED, spread_spans
from tests.crawler.reading_pages import PROSE, read


def table_of(rows: str) -> str:
    root = html.fromstring(f"<table>{rows}</table>")
    spread_spans(root)
    return text_with_blocks([root])[0]


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ("<tr><th rowspan=2>a<th colspan=2>b<tr><td>c<td>d", "a | b |\n| c | d"),
        ("<tr><td>a<td rowspan=3>b<td>c<tr><td>d<td>e<tr><td>f<td>g", "a | b | c\nd | | e\nf | | g"),
        ("<tr><td colspan=2 rowspan=2>a<td>b<tr><td>c", "a | | b\n| | c"),
        ("<thead><tr><th rowspan=9>a<th>b</thead><tbody><tr><td>c<td>d</tbody>", "a | b\nc | d"),
        ("<tr><td rowspan=0 colspan=x>a<td>b<tr><td colspan=-3>c<td>d", "a | b\nc | d"),
        ("<tr><td><td>b<tr><td>c<td>", "| b\nc |"),
    ],
)
def test_cells_stand_under_the_heads_that_they_belong_to(rows: str, text: str) -> None:
    assert table_of(rows) == text


def test_spans_are_spread_in_the_text_of_a_page() -> None:
    rows = "<tr><th rowspan=2>Ticket<th colspan=2>Season<tr><th>Summer<th>Winter<tr><td>Single<td>12<td>9"
    body = f"<main><article><h1>Fares</h1><p>{PROSE[0]}</p><table>{rows}</table><p>{PROSE[1]}</p></article></main>"

    reading = read(f"<html><body>{body}</body></html>".encode())

    assert "Ticket | Season |\n| Summer | Winter\nSingle | 12 | 9" in reading.text


def test_a_table_of_endless_spans_adds_no_more_than_so_many_cells() -> None:
    root = html.fromstring(
        "<table>" + "<tr>" + "<td colspan=99999 rowspan=99999>x" * 40 + "<tr><td>y" * 2000 + "</table>"
    )

    spread_spans(root)

    assert sum(1 for _ in root.iter("td")) < 2 * MAX_ADDED + 2_100


@given(st.lists(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), max_size=5), max_size=6))
def test_no_cell_is_lost_or_moved_to_another_row(spans: list[list[tuple[int, int]]]) -> None:
    cells = [
        "".join(f"<td colspan={w} rowspan={h}>r{y}c{x}" for x, (w, h) in enumerate(row)) for y, row in enumerate(spans)
    ]

    root = html.fromstring("<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>")
    spread_spans(root)

    rows = [[cell.text for cell in row if cell.text] for row in root.iter("tr")]
    assert rows == [[f"r{y}c{x}" for x in range(len(row))] for y, row in enumerate(spans)]
