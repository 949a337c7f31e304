import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler import Reading
from tests.crawler.reading_pages import PROSE, page, paragraphs, read

TAGS = [
    *("p", "div", "h1", "h2", "h3", "ul", "ol", "li", "dl", "dt", "dd", "table", "tr", "td", "th", "pre", "code"),
    *("blockquote", "q", "span", "b", "a", "br", "section", "article", "aside", "em"),
]


def whole(reading: Reading) -> list[tuple[str, str]]:
    return [(b.type, reading.text[b.start : b.end]) for b in reading.blocks]


def check_blocks(reading: Reading) -> None:
    """Blocks are slices of the text, in order, and nothing but the gaps that are promised stands between them."""
    position = 0
    for before, block in itertools.pairwise((None, *reading.blocks)):
        gap = reading.text[position : block.start]
        items = before is not None and before.type == block.type == "list"
        assert gap == ("" if before is None else "\n" if items else "\n\n")
        assert block.start < block.end
        assert reading.text[block.start : block.end].strip()
        assert (block.level is not None) == (block.type in ("heading", "list"))
        position = block.end
    assert position == len(reading.text)


def test_each_kind_of_block_is_told() -> None:
    html = page(
        f"<main><h1>Lock gates</h1><p>{PROSE[0]}</p><h1>Staying</h1>"
        "<h2>Prices</h2><ul><li>One night: 12</li><li>Week: 60"
        "<ul><li>in winter: 50</li></ul></li></ul>"
        "<table><tr><th>Boat</th><th>Fee</th></tr><tr><td>small</td><td>4</td></tr></table>"
        "<blockquote><p>Keep to the right of the buoy at all times.</p></blockquote>"
        "<pre>open(gate) {\n    wait();\n}</pre>" + paragraphs(*PROSE[1:]) + "</main>"
    )

    reading = read(html)

    check_blocks(reading)
    assert reading.title == "Lock gates"
    assert whole(reading)[:10] == [
        ("paragraph", PROSE[0]),
        ("heading", "Staying"),
        ("heading", "Prices"),
        ("list", "One night: 12"),
        ("list", "Week: 60"),
        ("list", "in winter: 50"),
        ("table", "Boat | Fee\nsmall | 4"),
        ("quote", "Keep to the right of the buoy at all times."),
        ("code", "open(gate) {\n    wait();\n}"),
        ("paragraph", PROSE[1]),
    ]
    assert [b.level for b in reading.blocks[:6]] == [None, 1, 2, 1, 1, 2]


def test_inline_markup_neither_joins_nor_splits_words() -> None:
    html = page(
        paragraphs(
            "The <b>ol</b>d <a href='/f'>ferry</a>, <i>built</i><sup>2</sup> in <code>1911</code>, sails.", *PROSE
        )
    )

    assert read(html).text.startswith("The old ferry, built2 in 1911, sails.\n\n")


def test_line_breaks_of_the_page_stay_and_those_of_its_source_do_not() -> None:
    html = page(paragraphs("First line<br>second\nline of the same\n   paragraph, which goes on for a while.", *PROSE))

    assert read(html).text.startswith("First line\nsecond line of the same paragraph, which goes on for a while.\n\n")


def test_offsets_count_code_points() -> None:
    reading = read(page(paragraphs("🛥️ Żółta łódź 𠀀𠀁 czeka na nabrzeżu na pasażerów z Gdańska od rana.", *PROSE)))

    assert whole(reading)[1][1] == PROSE[0]


def test_frames_of_old_pages_are_no_tables() -> None:
    cell = "".join(f"<p>{text}</p>" for text in PROSE)
    html = page(f"<table><tr><td><table><tr><td>{cell}</td></tr></table></td></tr></table>")

    check_blocks(read(html))
    assert PROSE[0] in read(html).text


NODE = st.recursive(
    st.sampled_from(
        ["word", "two words", " ", "\n", "&amp;", "Ж", "𠀀", "&#x200b;", "&#1;", "&#0;", "&#xD800;", "<br>"]
    ),
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>", st.sampled_from(TAGS), st.lists(inner, max_size=5)
    ),
    max_leaves=30,
)


@given(NODE, st.sampled_from(["", paragraphs()]))
def test_blocks_cover_the_text_whatever_the_page_holds(body: str, prose: str) -> None:
    reading = read(page(body + prose))

    check_blocks(reading)
    for text in (reading.text, reading.visible, reading.title or ""):
        text.encode()
        assert "\0" not in text
    assert not re.search(r"\n{3,}", "\n\n".join(t for kind, t in whole(reading) if kind != "code"))


PLAIN = "One line\nand the next.\n\n\n  Second paragraph.\r\n"
XML = "<r><title>T</title><p>a &amp; b</p><p> </p></r>"
SVG = """<svg xmlns="http://www.w3.org/2000/svg"><style>text { fill: red }</style><script>go()</script>
<text>Depth 4 m</text><g><text>Buoy</text></g></svg>"""
MARKDOWN = """# Gates

A line
of text.

- one
- two
  - inner

> said
> so

```py
x = 1

  y
```
Under
---
end"""


@pytest.mark.parametrize(
    ("media_type", "source", "blocks"),
    [
        ("text/plain", PLAIN, [("paragraph", "One line\nand the next."), ("paragraph", "Second paragraph.")]),
        ("application/json", '{"a":\n  [1, 2]}', [("code", '{"a":\n  [1, 2]}')]),
        ("application/xml", XML, [("paragraph", "T"), ("paragraph", "a & b")]),
        ("image/svg+xml", SVG, [("paragraph", "Depth 4 m"), ("paragraph", "Buoy")]),
        (
            "text/markdown",
            MARKDOWN,
            [
                ("heading", "Gates"),
                ("paragraph", "A line\nof text."),
                ("list", "one"),
                ("list", "two"),
                ("list", "inner"),
                ("quote", "said\nso"),
                ("code", "x = 1\n\n  y"),
                ("heading", "Under"),
                ("paragraph", "end"),
            ],
        ),
    ],
)
def test_text_that_is_no_html_has_blocks_too(media_type: str, source: str, blocks: list[tuple[str, str]]) -> None:
    reading = read(source, media_type=media_type)

    check_blocks(reading)
    assert whole(reading) == blocks
    assert reading.outcome == "ok"


@given(
    st.text(max_size=300),
    st.sampled_from(["text/plain", "text/markdown", "application/xml", "application/json", "text/html"]),
)
def test_any_text_of_any_kind_gives_whole_blocks(source: str, media_type: str) -> None:
    reading = read(source.encode("utf-8", "replace"), media_type=media_type)

    if reading.outcome in ("ok", "empty"):
        check_blocks(reading)
    reading.text.encode()
