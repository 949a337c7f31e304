"""Reads one page: bytes in, text and what is said about it out."""

from dataclasses import replace
from datetime import datetime

from crawler.arrival import Arrival
from crawler.authors import find_author
from crawler.captions import captions_of, with_captions
from crawler.charset import Decoded, decode
from crawler.dates import find_dates
from crawler.head import Head, named_elements, read_head
from crawler.kinds import HTML, PDF, is_binary, is_text, kind_of
from crawler.language import find_language
from crawler.leads import with_lead
from crawler.links import find_links, link_lines, resolve
from crawler.main_text import MainText, main_text
from crawler.markup import TooDeep, open_shadow_roots, parse_html
from crawler.page_signs import Signs, count_words, page_signs
from crawler.page_state import judge_page, why_browser
from crawler.plain import strip_tags
from crawler.reader_text import extractors, pdf_reading, read_as_plain, text_reading
from crawler.reading import Reading, RobotsMeta
from crawler.titles import find_title
from crawler.trimming import trimmed
from crawler.visible import text_flags, visible_text


def read_page(
    body: bytes,
    *,
    media_type: str | None,
    charset: str | None,
    url: str,
    at: datetime,
    status: int | None = None,
    asked: str | None = None,
    headers: tuple[tuple[str, str], ...] = (),
) -> Reading:
    """Read BODY, which was got from URL at AT.

    `media_type` and `charset` are what the Content-Type header said; `status` is the HTTP status if there was one.
    `asked` is the address that was asked for, where redirects lead on from; of `headers`, those of `arrival.TELLING`
    help to say what the page is.
    Never raises for what a page holds, but may take long and much memory on a hostile one: `ReaderPool` sets limits.
    """
    kind = kind_of(body, media_type)
    arrival = Arrival(url, status, asked, headers)
    if not body:
        state, evidence = judge_page(arrival, Signs(text=False))
        detail = "there is nothing in it"
        return Reading("empty", kind, detail, page_state=state, page_state_evidence=evidence, extractors=extractors())
    if _miscalled(body, kind):
        return Reading("unreadable", kind, f"the bytes are not text, though they are called {kind}")
    if kind in HTML:
        return _html_reading(body, kind, charset, arrival, at)
    if kind == PDF:
        return pdf_reading(body, arrival)
    if is_text(kind):
        return text_reading(body, kind, charset, arrival)
    return Reading("unreadable", kind, f"{kind} is not read")


def glance(body: bytes, *, media_type: str | None, charset: str | None) -> Reading:
    """What kind of content BODY is, and for HTML the charset that it would be read in; nothing of it is read."""
    kind = kind_of(body, media_type)
    if _miscalled(body, kind):
        return Reading("unreadable", kind)
    known = decode(body, charset, markup=True).charset if kind in HTML and body else None
    return Reading("ok", kind, charset=known)


def _miscalled(body: bytes, kind: str) -> bool:
    """Whether what is called HTML is no text at all. UTF-16 may look like that, but for its first mark."""
    return kind in HTML and is_binary(body) and not body.lstrip(b"\0 \t\r\n\f").startswith(b"<")


def _html_reading(body: bytes, kind: str, charset: str | None, arrival: Arrival, at: datetime) -> Reading:
    url = arrival.final
    decoded = decode(body, charset, markup=True)
    try:
        root = parse_html(decoded.text)
    except TooDeep as error:
        detail = f"it was not parsed: {error}"
        return read_as_plain(
            body, media_type=kind, charset=charset, outcome="too_large", detail=detail, status=arrival.status
        )
    if root is None:
        plain = text_reading(strip_tags(decoded.text).encode(), "text/plain", "utf-8", arrival)
        return Reading(
            plain.outcome, kind, plain.detail, decoded.charset, plain.text, plain.visible, language=plain.language,
            base=url, blocks=plain.blocks, flags=plain.flags, page_state=plain.page_state,
            page_state_evidence=plain.page_state_evidence, extractors=plain.extractors, replaced=plain.replaced,
        )  # fmt: skip
    open_shadow_roots(root)
    head = read_head(root)
    base = resolve(head.base, url) or url
    links, links_total = find_links(root, base)
    named = named_elements(root)
    published, modified = find_dates(root, head, named, url=url, at=at)
    title, author = find_title(root, head), find_author(root, head, named)
    visible = visible_text(root)
    signs = page_signs(root, head, source=decoded.text, visible=visible.text)
    captions, lines = captions_of(root), link_lines(root, base)
    main = main_text(root, source=decoded.text, url=url, visible=visible.text)
    if main.extractor not in ("posts", "records"):
        days = [dated.value for dated in (published, modified) if dated and dated.firm]
        main = trimmed(main, title=title, links=(*links, *lines), base=base, days=days)
        main = with_lead(main, root, head, title)
    main = with_captions(main, captions)
    state, evidence = judge_page(arrival, replace(signs, main=count_words(main.text)), consent_only=main.consent_only)
    why, robots = why_browser(signs, state), _robots(head)
    return Reading(
        "ok" if main.text else "empty",
        kind,
        detail=_detail(main),
        charset=decoded.charset,
        text=main.text,
        visible=visible.text,
        hidden=visible.hidden,
        title=title,
        author=author,
        published=published,
        modified=modified,
        language=find_language(root, head, main.text or visible.text),
        canonical=resolve(head.canonical, base),
        base=base,
        blocks=main.blocks,
        links=links,
        links_total=links_total,
        flags=_flags(text_flags(visible, main.text), decoded, why, nofollow=robots.nofollow),
        page_state=state,
        page_state_evidence=evidence,
        extractors=extractors("trafilatura", "resiliparse", "lxml", main_text=main.extractor),
        robots_meta=robots,
        needs_browser=why,
        replaced=decoded.replaced,
    )


def _detail(main: MainText) -> str | None:
    if main.consent_only:
        return "only a consent notice was found, no text of the page's own"
    return main.detail if main.text else "no text was found"


def _flags(flags: tuple[str, ...], decoded: Decoded, why_browser: str | None, *, nofollow: bool) -> tuple[str, ...]:
    more = {
        "replaced_characters": decoded.replaced > 0,
        "needs_browser": why_browser is not None,
        "nofollow": nofollow,
    }
    return (*flags, *(flag for flag, holds in more.items() if holds))


def _robots(head: Head) -> RobotsMeta:
    words = {w.strip() for c in head.meta.get("robots", ()) for w in c.lower().split(",")}
    none = "none" in words
    return RobotsMeta(
        noindex=none or "noindex" in words, nofollow=none or "nofollow" in words, noarchive="noarchive" in words
    )
