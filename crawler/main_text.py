"""The main text of a page: which extractor's word is taken, and why.

trafilatura reads articles best when it is told to prefer precision and to leave comments out. Four kinds of page
need something else, and each is told by what the page itself shows:

* a discussion, where the replies are the content: the posts themselves (`threads`);
* a page of many texts in one form, named or not, as old forums and blogs show them: all of them (`records`);
* a page whose precise text is next to nothing of what can be seen: trafilatura's balanced reading;
* a page whose text is only a consent notice, or whose text stands where extractors do not look (`bodies`): the notice
  is taken out, the element is taken for what it is, and the page is read again.

What people wrote below an article, and cards that lead to other pages, are taken out before (`surroundings`).
"""

from copy import copy
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from lxml import etree

from crawler.blocks import text_with_blocks
from crawler.bodies import free_main_columns, join_split_bodies, name_main_column, name_paragraphs
from crawler.boxes import take_out_contents, take_out_sign_ups
from crawler.consent import consent_elements, is_about_consent, is_consent_text, take_out_notices
from crawler.markup import cut_out, take_out_heading_marks, without_controls
from crawler.reading import Block
from crawler.records import find_records, says_one_article
from crawler.scalars import one_line
from crawler.surroundings import take_out_cards, take_out_comments
from crawler.tables import spread_spans
from crawler.threads import MIN_POSTS, find_posts, repeated_quotes, take_out_signatures, thread_signs
from crawler.visible import hidden_elements

# A precise text with less of the visible words than this may be the wrong one.
SUSPECT_SHARE: Final = 0.15

# A reading of half of all that can be seen cannot be outdone by one of twice its length.
QUICK_SHARE: Final = 0.5
_MAIN_ROLE: Final = etree.XPath("descendant::*[@role='main']")
_UNCLEAN: Final = (
    "aside", "audio", "button", "fencedframe", "fieldset", "figure", "footer", "iframe", "input", "label", "link",
    "nav", "noindex", "noscript", "object", "option", "select", "source", "svg", "time",
)  # fmt: skip

# On discussions without named posts: resiliparse is taken if it finds this much more than trafilatura.
MUCH_MORE: Final = 1.5

# trafilatura's time grows faster than the page. Pages that people read stay below this.
MAX_ELEMENTS: Final = 40_000
_COUNT: Final = etree.XPath("count(descendant::*)")


@dataclass(frozen=True)
class MainText:
    """The text with its blocks, what read it, and whether it is only a consent notice."""

    text: str
    blocks: tuple[Block, ...]
    extractor: str
    consent_only: bool = False
    detail: str | None = None


def main_text(root: Any, *, source: str, url: str, visible: str) -> MainText:
    """The main text of the page ROOT, which is changed on the way: use it for nothing else afterwards.

    SOURCE is the page's HTML as text, VISIBLE its visible text.
    """
    if _is_large(root):
        found = _resiliparse(source)
        return replace(found, detail=f"the page has more than {MAX_ELEMENTS} elements and was read in a simpler way")
    take_out_hidden(root, visible)
    take_out_notices(root, visible)
    take_out_heading_marks(root)
    thread = bool(thread_signs(root, url))
    records = _records(root, thread=thread) if thread or not says_one_article(root) else None
    free_main_columns(root)
    join_split_bodies(root)
    name_paragraphs(root)
    name_main_column(root)
    spread_spans(root)
    found = _choose(root, source, url, visible, records)
    if not is_consent_text(found.text) or is_about_consent(root):
        return found
    again = copy(root)
    for element in consent_elements(again):
        cut_out(element)
    second = _article(again, url) or _everything(again)
    if second.text and not is_consent_text(second.text):
        return second
    return MainText("", (), found.extractor, consent_only=True)


def take_out_hidden(root: Any, visible: str) -> None:
    """Take out what the page itself says is not shown, unless that is most of it: scripts show such pages later."""
    hidden = hidden_elements(root)
    if sum(_weight("".join(element.itertext())) for element in hidden) < _weight(visible):
        for element in hidden:
            cut_out(element)


def _is_large(root: Any) -> bool:
    return float(_COUNT(root)) > MAX_ELEMENTS


def _choose(root: Any, source: str, url: str, visible: str, records: MainText | None) -> MainText:
    thread = _thread(root, source, url, records) or records
    if thread is not None:
        return thread
    take_out_comments(root)
    take_out_cards(root)
    take_out_sign_ups(root)
    take_out_contents(root)
    precise = _quick(root, url, visible) or _article(root, url)
    enough = SUSPECT_SHARE * _weight(visible)
    if precise is not None and _weight(precise.text) >= enough:
        return precise
    balanced = _article(root, url, precise=False)
    if balanced is not None and (
        precise is None or _weight(precise.text) < SUSPECT_SHARE * _weight(_resiliparse(source).text)
    ):
        return balanced
    if precise is not None:
        return precise
    second = _resiliparse(source)
    return second if second.text else _everything(root)


def _weight(text: str) -> int:
    """How much text there is: characters but white space, which is fair to scripts without spaces."""
    return len(text) - text.count(" ") - text.count("\n")


def _thread(root: Any, source: str, url: str, records: MainText | None) -> MainText | None:
    signs = thread_signs(root, url)
    if not signs:
        return None
    posts = find_posts(root)
    if posts and (len(posts) >= MIN_POSTS or signs != ["address"]):
        take_out_signatures(posts)
        text, blocks = text_with_blocks(posts, repeated_quotes(posts))
        if text:
            return MainText(text, blocks, "posts")
    if records is not None:
        return records
    balanced = _article(root, url, precise=False, comments=True)
    if balanced is not None and posts:
        return balanced
    second = _resiliparse(source)
    if balanced is None or _weight(second.text) > MUCH_MORE * _weight(balanced.text):
        return second if second.text else None
    return balanced


def _records(root: Any, *, thread: bool) -> MainText | None:
    """The texts of what the page shows several times in one form, with their headings."""
    records = find_records(root, thread=thread)
    if records is None:
        return None
    take_out_signatures(records.texts)
    for holder in records.texts:
        if holder.tag in ("dd", "li"):  # as some programs write messages, which are no items of a list
            holder.tag = "div"
    quotes = repeated_quotes(records.texts)
    text, blocks = text_with_blocks(records.texts, [*records.left_out, *quotes])
    return MainText(text, blocks, "records")


def _quick(root: Any, url: str, visible: str) -> MainText | None:
    """Trafilatura's own reading without its second opinions, where these could not win.

    They are taken only if they find more than twice as much, or if its reading has no paragraphs, more tables than
    paragraphs, or furniture in it. Nothing finds twice as much where half of what can be seen was found.
    """
    main = next(root.iter("main", "article"), None)
    if main is None:
        main = next(iter(_MAIN_ROLE(root)), None)
    enough = QUICK_SHARE * _weight(visible)
    if main is None or _weight("".join(main.itertext())) < enough:
        return None
    found = _article(root, url, fast=True)
    return found if found is not None and _weight(found.text) >= enough else None


def _article(
    root: Any, url: str, *, precise: bool = True, comments: bool = False, fast: bool = False
) -> MainText | None:
    from trafilatura import bare_extraction  # noqa: PLC0415 - half a second to load, needed in workers only

    found = bare_extraction(
        root, url=url, favor_precision=precise, include_comments=comments, fast=fast, output_format="txt"
    )
    if found is None or isinstance(found, dict) or (fast and not _is_sound(found.body)):
        return None
    _take_out_repeats(found.body, root)
    trees = [found.body] if found.commentsbody is None else [found.body, found.commentsbody]
    text, blocks = text_with_blocks(trees)
    return MainText(text, blocks, "trafilatura" if precise else "trafilatura-balanced") if text else None


MAX_REPEATED: Final = 500
"""Paragraphs that are looked for in the page, each time from its beginning."""


def _take_out_repeats(body: Any, root: Any) -> None:
    """Take out of BODY what trafilatura has found twice: to a short text it adds every paragraph of the page again."""
    found: dict[str, list[Any]] = {}
    for paragraph in body.iter("p"):
        found.setdefault(one_line("".join(paragraph.itertext())), []).append(paragraph)
    repeated = {text: places for text, places in found.items() if text and len(places) > 1}
    if not repeated:
        return
    page = one_line("".join(root.itertext()))
    for text, places in islice(repeated.items(), MAX_REPEATED):
        for paragraph in places[page.count(text) or len(places) :]:
            cut_out(paragraph)


def _is_sound(body: Any) -> bool:
    paragraphs = sum(1 for p in body.iter("p") if p.text or len(p))
    return 0 < paragraphs >= sum(1 for _ in body.iter("table")) and next(body.iter(*_UNCLEAN), None) is None


def _resiliparse(source: str) -> MainText:
    from resiliparse.extract.html2text import extract_plain_text  # noqa: PLC0415 - as above

    html = extract_plain_text(
        source,
        preserve_formatting="minimal_html",
        main_content=True,
        list_bullets=False,
        alt_texts=False,
        noscript=False,
    )
    html = without_controls(html)
    root = etree.fromstring(
        f"<html><body>{html}</body></html>".encode("utf-8", "replace"), etree.HTMLParser(encoding="utf-8")
    )
    for element in root.iter():
        # Plain lines between the tags are blocks of their own here.
        if element.tag in ("body", "html") and element.text:
            element.text = element.text.strip("\n")
    text, blocks = text_with_blocks([root])
    return MainText(text, blocks, "resiliparse")


def _everything(root: Any) -> MainText:
    body = root.find("body")
    text, blocks = text_with_blocks([body] if body is not None else [])
    return MainText(text, blocks, "all-text")
