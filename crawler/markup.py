"""HTML text to one lxml tree, parsed once for everything that reads it."""

import re
from functools import cache
from typing import Any, Final

from lxml import etree
from lxml.html import HtmlElement, document_fromstring

# What an XML declaration or a stray one says was used when the bytes were decoded; lxml refuses text that has one.
_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]{0,300}\?>")
# `<html ... />` closes the document before it begins for libxml2, though not for a browser.
_CLOSED_ROOT = re.compile(r"(<html\b[^<>]{0,2000}?)\s*/>", re.IGNORECASE)
# Form feeds are white space in HTML; other control characters are nothing that a reader sees, and lxml refuses them.
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")
_CONTROL_REFERENCE = re.compile(
    r"&#(?:0*(?:[0-8]|1[1-24-9]|2\d|3[01]|127)|[xX]0*(?:[0-8bBcCeEfF]|1[0-9a-fA-F]|7[fF]|[fF]{3}[eEfF]))(?:;|(?![0-9a-fA-F]))"
)
_HEAD_OF_DOCUMENT: Final = 4_000


@cache
def _parser(*, huge: bool) -> Any:
    parser = etree.HTMLParser(
        remove_comments=True, remove_pis=True, encoding="utf-8", default_doctype=False, huge_tree=huge
    )
    # lxml.html asks Python for the class of each element; one class for all saves a tenth of the time of a page.
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=HtmlElement))
    return parser


def without_controls(html: str) -> str:
    """HTML without control characters, neither as such nor as character references."""
    html = _CONTROLS.sub(" ", html)
    return _CONTROL_REFERENCE.sub(" ", html) if "&#" in html else html


class TooDeep(Exception):
    """The page nests deeper, or has larger parts, than the parser takes even at its widest."""


def parse_html(text: str) -> Any | None:
    """The `html` element of TEXT without comments, or None if there is no element at all.

    The parser's usual bounds (256 levels, 10 MB for one text) are tried first, then its widest (2,048 levels). TooDeep
    if that is not enough: it would silently leave out the rest.
    """
    text = without_controls(text)
    head, rest = text[:_HEAD_OF_DOCUMENT], text[_HEAD_OF_DOCUMENT:]
    data = (_CLOSED_ROOT.sub(r"\1>", _XML_DECLARATION.sub("", head)) + rest).encode("utf-8", "replace")
    reason = ""
    for huge in (False, True):
        parser = _parser(huge=huge)
        try:
            root = document_fromstring(data, parser=parser)
        except (etree.ParserError, etree.XMLSyntaxError):
            root = None
        error = parser.error_log.last_error
        if error is None or error.level != etree.ErrorLevels.FATAL:
            return root if root is None else _end_head(root)
        reason = error.message
    raise TooDeep(reason)


_OF_HEAD: Final = frozenset(
    ("title", "meta", "link", "script", "style", "base", "basefont", "bgsound", "noscript", "template")
)


def _end_head(root: Any) -> Any:
    """Put into the body what a head cannot hold: it ends there, also where no tag says so.

    libxml2 does not know `main`, `article` and others of their age, and takes them for parts of a head that is not
    closed.
    """
    head = root.find("head")
    if head is None:
        return root
    first = next((child for child in head if isinstance(child.tag, str) and child.tag not in _OF_HEAD), None)
    if first is None:
        return root
    moved = [first, *first.itersiblings()]
    body = root.find("body")
    if body is None:
        body = etree.SubElement(root, "body")
    text, body.text = body.text, None
    if text:
        moved[-1].tail = (moved[-1].tail or "") + text
    for place, child in enumerate(moved):
        body.insert(place, child)
    return root


_SHADOW_ROOTS: Final = etree.XPath("descendant::template[@shadowrootmode='open' or @shadowroot='open']")


def open_shadow_roots(root: Any) -> None:
    """Put declared shadow roots where a reader sees them, with what is slotted into them.

    The first one of an element is that; any further one is a template as others are (HTML Standard, 13.2.6.4.4).
    """
    roots: dict[Any, Any] = {}
    for template in _SHADOW_ROOTS(root):
        roots.setdefault(template.getparent(), template)
    for host, template in roots.items():
        slots = {slot.get("name") or "": slot for slot in reversed(list(template.iter("slot")))}
        for child in [c for c in host if c is not template and isinstance(c.tag, str)]:
            slot = slots.get(child.get("slot") or "")
            if slot is not None:
                tail, child.tail = child.tail, None
                slot.append(child)
                if tail and tail.strip():
                    template.tail = (template.tail or "") + tail
        template.tag = "div"


_HEADING_LINKS: Final = etree.XPath(
    "descendant::a[starts-with(@href, '#')][ancestor::h1 or ancestor::h2 or ancestor::h3 or ancestor::h4"
    " or ancestor::h5 or ancestor::h6 or ancestor::dt or ancestor::caption]"
)
# Characters of a mark that only leads to its own heading: a sign, perhaps with a variation selector.
MAX_MARK: Final = 2


def take_out_heading_marks(root: Any) -> None:
    """Take out the signs behind headings (as ¶, # or §) that only lead to these headings: no word of the page."""
    for link in _HEADING_LINKS(root):
        mark = "".join(link.itertext()).strip()
        if mark and len(mark) <= MAX_MARK and not any(sign.isalnum() for sign in mark):
            cut_out(link)


def cut_out(element: Any) -> None:
    """Take ELEMENT out and leave the text after it."""
    parent = element.getparent()
    if parent is None:
        return
    if element.tail:
        before = element.getprevious()
        if before is not None:
            before.tail = _CONTROLS.sub(" ", (before.tail or "") + element.tail)
        else:
            parent.text = _CONTROLS.sub(" ", (parent.text or "") + element.tail)
    parent.remove(element)
