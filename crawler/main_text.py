"""The main text of a page: which extractor's word is taken, and why.

trafilatura reads articles best when it is told to prefer precision and to leave comments out. Three kinds of page
need something else, and each is told by what the page itself shows:

* a discussion, where the replies are the content: the posts themselves (`threads`);
* a page whose precise text is next to nothing of what can be seen: trafilatura's balanced reading;
* a page whose text is only a consent notice, or whose text stands in an element that extractors take for furniture:
  the notice is taken out, the element is taken for what it is, and the page is read again.
"""

from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Final

from lxml import etree

from crawler.blocks import text_with_blocks
from crawler.consent import consent_elements, is_about_consent, is_consent_text, take_out_notices
from crawler.markup import cut_out, take_out_heading_marks, without_controls
from crawler.reading import Block
from crawler.tables import spread_spans
from crawler.threads import MIN_POSTS, OTHER_THINGS, find_posts, repeated_quotes, thread_signs
from crawler.visible import hidden_elements

# Elements that extractors leave out unread. One that holds most of a page's paragraphs is its main column.
_FURNITURE: Final = ("aside", "footer", "form", "nav", "header", "figure")
MAIN_SHARE: Final = 0.5

# A paragraph of this many words is prose, not a caption or a teaser.
PROSE_WORDS: Final = 15

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
    free_main_columns(root)
    join_split_bodies(root)
    spread_spans(root)
    found = _choose(root, source, url, visible)
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


def _choose(root: Any, source: str, url: str, visible: str) -> MainText:
    thread = _thread(root, source, url)
    if thread is not None:
        return thread
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


def _thread(root: Any, source: str, url: str) -> MainText | None:
    signs = thread_signs(root, url)
    if not signs:
        return None
    posts = find_posts(root)
    if posts and (len(posts) >= MIN_POSTS or signs != ["address"]):
        text, blocks = text_with_blocks(posts, repeated_quotes(posts))
        if text:
            return MainText(text, blocks, "posts")
    balanced = _article(root, url, precise=False, comments=True)
    if balanced is not None and posts:
        return balanced
    second = _resiliparse(source)
    if balanced is None or _weight(second.text) > MUCH_MORE * _weight(balanced.text):
        return second if second.text else None
    return balanced


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
    trees = [found.body] if found.commentsbody is None else [found.body, found.commentsbody]
    text, blocks = text_with_blocks(trees)
    return MainText(text, blocks, "trafilatura" if precise else "trafilatura-balanced") if text else None


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


def free_main_columns(root: Any) -> None:
    """Make an element that is named as furniture but holds most of the page's paragraphs a `div`."""
    paragraphs = [(p, len("".join(p.itertext()).split())) for p in root.iter("p")]
    total = sum(words for _, words in paragraphs)
    if not total:
        return
    held: dict[Any, int] = {}
    for paragraph, words in paragraphs:
        for ancestor in paragraph.iterancestors(*_FURNITURE):
            held[ancestor] = held.get(ancestor, 0) + words
    for element, words in held.items():
        if words > MAIN_SHARE * total or (element.tag == "aside" and element.find(".//h1") is not None):
            element.tag = "div"


def join_split_bodies(root: Any) -> None:
    """Put together a text that a page cuts into several containers of one name, mostly to set advertisements between.

    Extractors take one of them, the first or the longest, and lose the others.
    """
    parts: dict[tuple[str, str], dict[Any, int]] = {}
    total = 0
    for paragraph in root.iter("p"):
        words = len("".join(paragraph.itertext()).split())
        parent = paragraph.getparent()
        if words < PROSE_WORDS or parent is None:
            continue
        total += words
        name = parent.get("class")
        if name and parent.tag in ("div", "section") and not OTHER_THINGS.search(name):
            held = parts.setdefault((parent.tag, name), {})
            held[parent] = held.get(parent, 0) + words
    for held in parts.values():
        first, *others = held
        if others and sum(held.values()) >= MAIN_SHARE * total and _near(first, others):
            for other in others:
                first.extend(list(other))


def _near(first: Any, others: list[Any]) -> bool:
    """Whether all have the same parent or grandparent as FIRST, and none is inside another."""
    ancestors = [a for a in (first.getparent(), first.getparent().getparent()) if a is not None]
    return any(all(a in (o.getparent(), o.getparent().getparent()) for o in others) for a in ancestors)
