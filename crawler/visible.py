"""All text of a page that a reader can see or open, block by block on lines of its own.

Left out: what is not text (`script`, `style`, `template`, replaced content such as `iframe` and `video`, choices of a
form), `noscript` (a reader with scripts does not see it) unless there is nothing else, elements with the `hidden`
attribute, a closed `dialog`, and elements whose own `style` says `display:none` or `visibility:hidden`. Style sheets
are not applied, so text that only they hide is kept. Closed `details` are kept: a reader can open them.
"""

import re
from copy import copy
from typing import Any, Final, NamedTuple

from lxml import etree

from crawler.markup import cut_out
from crawler.scalars import scalars
from crawler.signs_in_text import BIDI, ZERO_WIDTH, speaks_to_a_model

# U+2029, PARAGRAPH SEPARATOR, marks where a block begins and ends. Where a page itself has one it means the same.
_BREAK: Final = "\u2029"
# Control characters that a character reference can still bring in; lxml gives them out but does not take them back.
_CONTROLS: Final = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")

_NO_TEXT: Final = (
    "script", "style", "template", "noscript", "noframes", "iframe", "object", "embed", "video", "audio", "canvas",
    "select", "datalist", "textarea", "head", "annotation", "map",
)  # fmt: skip
_MAYBE_HIDDEN: Final = etree.XPath("descendant::*[@hidden or @style or self::dialog]")
_HIDING_STYLE: Final = re.compile(r"(?:^|[;{\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_BLOCK_TAGS: Final = [
    "address",
    "article",
    "aside",
    "blockquote",
    "br",
    "body",
    "button",
    "caption",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "legend",
    "li",
    "main",
    "menu",
    "nav",
    "ol",
    "option",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
]


class Visible(NamedTuple):
    """The text that can be seen, and the text of hidden elements."""

    text: str
    hidden: str


def visible_text(root: Any) -> Visible:
    """The text of the page with the `html` element ROOT, which is left as it is."""
    tree = copy(root)
    noscript: list[str] = []
    for element in list(tree.iter(*_NO_TEXT)):
        if element.tag == "noscript":
            noscript.append("".join(element.itertext()))
        cut_out(element)
    hidden = []
    for element in hidden_elements(tree):
        hidden.append(" ".join(element.itertext()))
        cut_out(element)
    for element in tree.iter(*_BLOCK_TAGS):
        try:
            element.text = f"{_BREAK}{element.text or ''}"
            element.tail = f"{_BREAK}{element.tail or ''}"
        except ValueError:
            element.text = _CONTROLS.sub(" ", f"{_BREAK}{(element.text or '').removeprefix(_BREAK)}")
            element.tail = _CONTROLS.sub(" ", f"{_BREAK}{element.tail or ''}")
    for element in tree.iter("pre"):
        _keep_lines(element)
    text = _lines("".join(tree.itertext()))
    return Visible(text or _lines(_BREAK.join(noscript)), scalars(" ".join(" ".join(hidden).split())))


def hidden_elements(tree: Any) -> list[Any]:
    """The elements below TREE that say of themselves that they are not shown."""
    return [element for element in _MAYBE_HIDDEN(tree) if _is_hidden(element)]


def _is_hidden(element: Any) -> bool:
    if element.get("hidden") not in (None, "until-found"):
        return True
    if element.tag == "dialog" and element.get("open") is None:
        return True
    return _HIDING_STYLE.search(element.get("style") or "") is not None


def _keep_lines(pre: Any) -> None:
    for element in pre.iter():
        if element.text:
            element.text = _CONTROLS.sub(" ", element.text).replace("\n", _BREAK)
        if element.tail and element is not pre:
            element.tail = _CONTROLS.sub(" ", element.tail).replace("\n", _BREAK)


def _lines(marked: str) -> str:
    lines = (" ".join(line.split()) for line in marked.split(_BREAK))
    return scalars("\n".join(line for line in lines if line))


# Menus and messages that scripts show later are hidden on most pages; fewer words than this say nothing.
MIN_HIDDEN_WORDS: Final = 20


def text_flags(visible: Visible, text: str) -> tuple[str, ...]:
    """What a reader of the text should know: `hidden_text`, `zero_width`, `bidi_controls`, `addresses_model`.

    hidden_text      the page holds at least MIN_HIDDEN_WORDS words in hidden elements
    zero_width       characters without width, where no script needs them
    bidi_controls    characters that change the direction of text
    addresses_model  visible or hidden words that speak to a language model rather than to a reader
    """
    flags = []
    if visible.hidden and len(visible.hidden.split()) >= MIN_HIDDEN_WORDS:
        flags.append("hidden_text")
    shown = visible.text or text
    if not shown.isascii():
        if ZERO_WIDTH.search(shown):
            flags.append("zero_width")
        if BIDI.search(shown):
            flags.append("bidi_controls")
    if speaks_to_a_model(shown) or speaks_to_a_model(visible.hidden):
        flags.append("addresses_model")
    return tuple(flags)
