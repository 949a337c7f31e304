"""From the small markup in which the articles are written to HTML, in several manners.

One line is one block: `# ` and `## ` headings, `- ` and `1. ` items, `| a | b |` a table row (the first one is the
head), `> ` a quotation, `! ` a caption, a code block between lines of three backticks; everything else is a paragraph.
Inline markup is HTML already.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from random import Random

PREFIXES = {"# ": "h2", "## ": "h3", "> ": "blockquote", "! ": "figcaption"}


@dataclass(frozen=True)
class Manner:
    """How blocks become HTML: what changes when only the markup of a page changes."""

    wrap: bool = False
    """Paragraphs stand in containers of their own."""
    classes: str = ""
    """Class of each block; empty for none."""
    anchors: bool = False
    """Headings carry permalinks."""
    inline: bool = False
    """Some words became links or stand in spans."""
    between: tuple[str, ...] = ()
    """HTML put between blocks, spread evenly: advertisements, newsletter boxes."""


def blocks(body: str) -> Iterator[tuple[str, list[str]]]:
    """Tag and lines of each block; lines of one list, table or code block belong together."""
    kind, lines = "", list[str]()
    in_code = False
    for line in body.strip("\n").split("\n"):
        if line.strip() == "```":
            if in_code:
                yield "pre", lines
                kind, lines = "", []
            elif lines:
                yield kind, lines
                lines = []
            in_code = not in_code
            kind = "pre" if in_code else ""
            continue
        if in_code:
            lines.append(line)
            continue
        if not line.strip():
            continue
        tag, text = _block(line)
        if tag in {"ul", "ol", "table"} and tag == kind:
            lines.append(text)
            continue
        if lines:
            yield kind, lines
        kind, lines = tag, [text]
    if lines:
        yield kind, lines


def _block(line: str) -> tuple[str, str]:
    for prefix, tag in PREFIXES.items():
        if line.startswith(prefix):
            return tag, line[len(prefix) :]
    if line.startswith("- "):
        return "ul", line[2:]
    if match := re.match(r"\d+\. ", line):
        return "ol", line[match.end() :]
    if line.startswith("| "):
        return "table", line
    return "p", line


def render(body: str, manner: Manner, chance: Random) -> str:
    """The blocks as HTML in the given manner."""
    parts = [_html(tag, lines, manner, chance) for tag, lines in blocks(body)]
    for number, extra in enumerate(manner.between):
        parts.insert((number + 1) * len(parts) // (len(manner.between) + 1), extra)
    return "\n".join(parts)


def _html(tag: str, lines: list[str], manner: Manner, chance: Random) -> str:
    attribute = f' class="{manner.classes}"' if manner.classes else ""
    if tag == "pre":
        return f"<pre{attribute}><code>{escape(chr(10).join(lines), quote=False)}</code></pre>"
    texts = [_inline(line, manner, chance) for line in lines]
    if tag in {"ul", "ol"}:
        items = "\n".join(f"<li>{text}</li>" for text in texts)
        return f"<{tag}{attribute}>\n{items}\n</{tag}>"
    if tag == "table":
        return _table(texts, attribute)
    text = texts[0]
    if tag in {"h2", "h3"} and manner.anchors:
        text += f' <a class="anchor" href="#s{chance.randrange(90) + 10}" aria-hidden="true"></a>'
    if tag == "figcaption":
        image = f'<img src="/img/{chance.randrange(9000)}.jpg" alt="">'
        return f"<figure{attribute}>{image}<figcaption>{text}</figcaption></figure>"
    if tag == "blockquote":
        text = f"<p>{text}</p>"
    html = f"<{tag}{attribute}>{text}</{tag}>"
    return f'<div class="row"><div class="cell">{html}</div></div>' if manner.wrap else html


def _table(rows: list[str], attribute: str) -> str:
    out = []
    for number, row in enumerate(rows):
        cell = "td" if number else "th"
        cells = [each.strip() for each in row.strip().strip("|").split("|")]
        out.append("<tr>" + "".join(f"<{cell}>{each}</{cell}>" for each in cells) + "</tr>")
    return f"<table{attribute}>\n" + "\n".join(out) + "\n</table>"


def _inline(text: str, manner: Manner, chance: Random) -> str:
    """Some words marked up; where words are not separated by spaces, a few characters."""
    if not manner.inline or "<" in text or "&" in text or len(text) < 24:
        return text
    spaces = [at for at, char in enumerate(text) if char == " "]
    if len(spaces) > 5:
        first = chance.randrange(len(spaces) - 2)
        start, end = spaces[first] + 1, spaces[first + 1]
    else:
        start = chance.randrange(2, len(text) - 8)
        end = start + 4
    opening, closing = chance.choice([("<a href='#ref'>", "</a>"), ("<span class='hl'>", "</span>"), ("<em>", "</em>")])
    return text[:start] + opening + text[start:end] + closing + text[end:]
