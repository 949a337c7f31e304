"""Reads what is no HTML: PDF and text of other kinds; and anything as plain text when its reader failed."""

from functools import cache
from importlib.metadata import version
from typing import Any

from crawler.arrival import Arrival
from crawler.charset import decode
from crawler.feeds import Feed, read_feed
from crawler.json_feeds import read_json_feed
from crawler.kinds import HTML, MARKDOWN, is_binary, is_json, is_text, is_xml, kind_of
from crawler.language import detect_language
from crawler.markup import TooDeep, parse_html
from crawler.page_signs import Signs, plain_signs
from crawler.page_state import judge_page
from crawler.pdf import NotAPdf, read_pdf
from crawler.plain import parse_xml, read_code, read_markdown, read_plain, read_xml, strip_tags
from crawler.reading import READER_VERSION, Block, Outcome, Reading
from crawler.scalars import scalars
from crawler.visible import Visible, text_flags


@cache
def _version(distribution: str) -> str:
    return version(distribution)


def extractors(*distributions: str, main_text: str | None = None) -> tuple[tuple[str, str], ...]:
    """What took part in a reading, with versions; MAIN_TEXT is which way of finding the main text was taken."""
    parts = [("citator-reader", READER_VERSION), *((name, _version(name)) for name in distributions)]
    return (*parts, ("main-text", main_text)) if main_text else tuple(parts)


def pdf_reading(body: bytes, arrival: Arrival) -> Reading:
    """A PDF: its text, the title and author of its metadata, and its dates as guesses."""
    try:
        pdf = read_pdf(body)
    except NotAPdf as error:
        return Reading("unreadable", "application/pdf", f"the PDF cannot be opened: {error}")
    text = scalars(pdf.text)
    state, evidence = judge_page(arrival, Signs(text=bool(text)))  # what a PDF says is no wall's word
    return Reading(
        "ok" if text else "empty",
        "application/pdf",
        pdf.cut if text else f"the PDF holds no text{'; its pages are pictures' if pdf.scanned else ''}",
        text=text,
        visible=text,
        title=pdf.title and scalars(pdf.title),
        author=pdf.author and scalars(pdf.author),
        published=pdf.created,
        modified=pdf.changed,
        language=detect_language(text),
        blocks=pdf.blocks,
        links=pdf.links,
        links_total=len(pdf.links),
        flags=(*text_flags(Visible(text, ""), text), *(["scanned_pages"] if pdf.scanned else [])),
        page_state=state,
        page_state_evidence=evidence,
        extractors=extractors("pypdfium2"),
    )


def text_reading(body: bytes, kind: str, charset: str | None, arrival: Arrival) -> Reading:
    """Text of the kind KIND, which is neither HTML nor PDF."""
    if is_binary(body):
        return Reading("unreadable", kind, f"the bytes are not text, though they are called {kind}")
    decoded = decode(body, charset or ("utf-8" if is_json(kind) else None), markup=is_xml(kind))
    root = parse_xml(decoded.text) if is_xml(kind) else None
    feed = _feed(root, decoded.text, kind, arrival.final)
    if feed is not None:
        text, blocks, title = feed.text, feed.blocks, feed.title
    elif root is not None:
        text, blocks, title = read_xml(root)
    else:
        text, blocks, title = _read(decoded.text, kind, arrival.final)
    flags = text_flags(Visible(text, ""), text)
    state, evidence = judge_page(arrival, plain_signs(text, title))
    return Reading(
        "ok" if text else "empty",
        kind,
        (feed.cut if feed else None) if text else "it holds no text",
        decoded.charset,
        text=text,
        visible=text,
        title=title and scalars(title),
        author=feed.author if feed else None,
        language=None if is_json(kind) else detect_language(text),
        base=arrival.final,
        blocks=blocks,
        links=feed.links if feed else (),
        links_total=feed.links_total if feed else 0,
        flags=(*flags, "replaced_characters") if decoded.replaced else flags,
        page_state=state,
        page_state_evidence=evidence,
        extractors=extractors(main_text="feed" if feed else None),
        replaced=decoded.replaced,
    )


def _feed(root: Any | None, text: str, kind: str, url: str) -> Feed | None:
    """The feed that a text is, if it is one."""
    if root is not None:
        return read_feed(root, url, _fragment)
    return read_json_feed(text, url, _fragment) if is_json(kind) else None


def _fragment(markup: str) -> Any | None:
    """A tree of the markup in an entry of a feed; None if it cannot be had."""
    try:
        return parse_html(markup)
    except TooDeep:
        return None


def _read(text: str, kind: str, url: str) -> tuple[str, tuple[Block, ...], str | None]:
    path = url.partition("?")[0].partition("#")[0].lower()
    if kind in MARKDOWN or (kind == "text/plain" and path.endswith((".md", ".markdown"))):
        return read_markdown(text)
    if is_json(kind) or kind not in ("text/plain", "text/x-rst"):
        return *read_code(text), None
    return *read_plain(text), None


def read_as_plain(
    body: bytes,
    *,
    media_type: str | None,
    charset: str | None,
    outcome: Outcome,
    detail: str,
    status: int | None = None,
) -> Reading:
    """What can be had of BODY without parsing it, after its reader failed with OUTCOME for the reason DETAIL."""
    kind = kind_of(body, media_type)
    if not is_text(kind):
        return Reading(outcome, kind, detail)
    decoded = decode(body, charset, markup=kind in HTML or is_xml(kind))
    marked_up = kind in HTML or is_xml(kind)
    text, blocks = read_plain(strip_tags(decoded.text) if marked_up else decoded.text)
    state, evidence = judge_page(Arrival("", status), plain_signs(text))
    return Reading(
        outcome,
        kind,
        detail,
        decoded.charset,
        text=text,
        visible=text,
        blocks=blocks,
        page_state="unknown" if state == "ok" else state,
        page_state_evidence=evidence,
        extractors=extractors(main_text="tags-stripped" if marked_up else None),
        replaced=decoded.replaced,
    )
