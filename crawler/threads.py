"""Discussions: forum threads, questions with answers, comment pages. What people wrote, post by post.

On such pages the replies are the content, which extractors of articles leave out. Forum programs name the element
that holds what a person wrote by a few conventions ("post-body", "comment-content", itemprop="text", "cooked"); those
names are looked for, never a site or an address.
"""

import re
from typing import Any, Final
from urllib.parse import urlsplit

from lxml import etree

from crawler.scalars import one_line

# Names of what holds one contribution's words, as forum programs and their themes use them: what it is, which part.
_WHAT: Final = "post|comment|message|reply|answer|question|topic|thread|msg|review|discussion"
_PART: Final = "content|text|copy|message|body|bd|inner|detail(?!s)|display"
_NOT_AFTER: Final = "(?![-_]{0,2}(?:wrap|list|foot|head|area|form|box|author|meta|title))"
_BODY_NAME: Final = re.compile(
    rf"(?:(?<![a-z])(?i:{_WHAT})|(?:{_WHAT.title()}))(?i:s?[-_]{{0,2}}(?:rich[-_]?)?(?:{_PART}){_NOT_AFTER})"
    r"|(?:^|[\s_-])(?i:cooked|kmsg|t_f|user-?content|bbwrapper|ipsType_richText|rich-?text|richcontent-inner|"
    r"markdown-body)(?=$|[\s_-])"
)
_BODY_ID: Final = re.compile(r"(?:^|[-_])(?:post|comment)[-_](?:[a-z]+[-_])?content$", re.IGNORECASE)
# These parts often hold author and date beside the words.
_LOOSE_PART: Final = re.compile(r"(?:body|bd|inner|detail|display)(?=$|[\s_-])", re.IGNORECASE)
_NOT_A_POST: Final = re.compile(
    r"(?:list[-_]item|related|recommend|preview|teaser|card|widget|sidebar|popular|similar|signature|overview)",
    re.IGNORECASE,
)
_OUTSIDE: Final = frozenset(("noscript", "template", "aside", "nav", "footer", "form"))
_BODY_PROPERTIES: Final = frozenset(("text", "articlebody", "commenttext", "reviewbody"))
_BODY_TAGS: Final = frozenset(("div", "td", "section", "article", "p", "span", "blockquote", "li"))

_THREAD_TYPES: Final = re.compile(r'"@type"\s*:\s*\[?\s*"(?:DiscussionForumPosting|QAPage)"')
_THREAD_ITEMS: Final = re.compile(r"schema\.org/(?:DiscussionForumPosting|QAPage|Question)\b")
_ENGINES: Final = re.compile(
    r"\b(?:discourse|vbulletin|phpbb|mybb|xenforo|flarum|nodebb|invision|discuz|ubb\.threads|simple machines|"
    r"smf|vanilla|"
    r"kunena|punbb|fluxbb|esotalk|question2answer|talkyard|forum|bbpress)\b",
    re.IGNORECASE,
)
_HOSTS: Final = re.compile(
    r"^(?:forums?|bbs|boards?|community|discuss|discourse|discussions?|ask|answers|talk)\d*\.", re.IGNORECASE
)
_PATHS: Final = re.compile(
    r"/(?:forums?|threads?|topics?|questions?|discussions?|discussion-topics|viewtopic(?:\.php)?|showthread(?:\.php)?|"
    r"viewthread|thread-\d+.*|t|d|comments|faq|answers?|bbs)(?:/|$|\?)|mod=viewthread",
    re.IGNORECASE,
)
_BODY_CLASSES: Final = re.compile(
    r"(?:^|[\s_-])(?:forum|bbpress|thread|topic|question|discussion|bbs)(?=$|[\s_-])", re.IGNORECASE
)

# A wrapper whose named inner parts hold this much of its text is left for the parts.
INNER_SHARE: Final = 0.5

# Two or more named parts make their holder a wrapper when they have at least this much of its text.
LEAST_SHARE: Final = 0.15

# Author, date and buttons beside a post are rarely more words than this.
FEW_WORDS: Final = 40

# Shorter posts ("Thanks!") may well be written twice; a longer one is the same one shown again.
SHORT_POST: Final = 60

_RULE: Final = re.compile(r"\s*_{6,}\s*(?:\n|$)")

# With fewer posts than this, and no better sign, a page is no discussion.
MIN_POSTS: Final = 2

# What a page sets beside its own text.
OTHER_THINGS: Final = re.compile(
    r"comment|repl(?:y|ies)|related|recommend|sidebar|teaser|widget|footer|popular|promo|card|newsletter", re.IGNORECASE
)


def thread_signs(root: Any, url: str) -> list[str]:
    """What says that the page is a discussion: any of `data`, `engine`, `address`, `names`; none for most pages."""
    signs = []
    if _says_thread(root):
        signs.append("data")
    generator = " ".join(
        m.get("content") or "" for m in root.iter("meta") if (m.get("name") or "").lower() == "generator"
    )
    if _ENGINES.search(generator):
        signs.append("engine")
    parts = urlsplit(url)
    if _HOSTS.match(parts.netloc) or _PATHS.search(f"{parts.path}?{parts.query}"):
        signs.append("address")
    body = root.find("body")
    if body is not None and _BODY_CLASSES.search(f"{body.get('class') or ''} {body.get('id') or ''}"):
        signs.append("names")
    return signs


def _says_thread(root: Any) -> bool:
    for script in root.iter("script"):
        if script.get("type") == "application/ld+json" and script.text and _THREAD_TYPES.search(script.text):
            return True
    return any(_THREAD_ITEMS.search(e.get("itemtype") or "") for e in _with_item_type(root))


_ITEM_TYPES: Final = etree.XPath("descendant::*[@itemtype]")
_CLASSED: Final = etree.XPath("descendant::*[@class or @itemprop]")


def _with_item_type(root: Any) -> list[Any]:
    return list(_ITEM_TYPES(root))


def _is_body(element: Any) -> bool:
    if element.tag not in _BODY_TAGS:
        return False
    if (element.get("itemprop") or "").lower() in _BODY_PROPERTIES:
        return True
    name, identity = element.get("class") or "", element.get("id") or ""
    if _NOT_A_POST.search(name):
        return False
    return _BODY_NAME.search(name) is not None or _BODY_ID.search(identity) is not None


def _words(element: Any) -> int:
    return len("".join(element.itertext()).split())


def _holds_several(element: Any, parts: list[Any]) -> bool:
    """Whether ELEMENT is only a wrapper of the named PARTS inside it."""
    whole = _words(element)
    inside = sum(map(_words, parts))
    if inside >= INNER_SHARE * whole or (len(parts) >= MIN_POSTS and inside >= LEAST_SHARE * whole):
        return True
    return _LOOSE_PART.search(element.get("class") or "") is not None and whole - inside < FEW_WORDS


def find_posts(root: Any) -> list[Any]:
    """The elements that hold what people wrote, in the page's order, none inside another, none twice."""
    found = [e for e in _CLASSED(root) if _is_body(e)]
    inside = [e for e in found if not any(a.tag in _OUTSIDE for a in e.iterancestors())]
    found = inside or found
    known = set(found)
    inner: dict[Any, list[Any]] = {}
    for element in found:
        holder = next((a for a in element.iterancestors() if a in known), None)
        if holder is not None:
            inner.setdefault(holder, []).append(element)
    wrappers = {e for e, parts in inner.items() if _holds_several(e, parts)}
    posts, seen = [], set()
    for element in found:
        if element in wrappers or any(a in known and a not in wrappers for a in element.iterancestors()):
            continue
        text = one_line("".join(element.itertext()))
        if not text or (len(text) > SHORT_POST and text in seen):
            continue
        seen.add(text)
        posts.append(element)
    return posts


def take_out_signatures(posts: list[Any]) -> None:
    """Take out of POSTS what stands below a line of underscores, with which forum programs set signatures apart."""
    for post in posts:
        over = False
        for element in list(post.iter()):
            if not isinstance(element.tag, str):
                continue
            if over:
                element.text = None
            elif element.text and _RULE.match(element.text):
                element.text, over = None, True
            # The tail of an element with children comes after them.
            if over and element is not post:
                element.tail = None
            elif element is not post and element.tail and _RULE.match(element.tail):
                element.tail, over = None, len(element) == 0 or over


def repeated_quotes(posts: list[Any]) -> list[Any]:
    """The quotations in POSTS of what stands in an earlier one."""
    repeated, earlier = [], ""
    for post in posts:
        for quote in post.iter("blockquote"):
            text = one_line("".join(quote.itertext()))
            # A quotation begins with who said it and when; its end is the earlier post's words.
            if len(text) >= SHORT_POST and text[-SHORT_POST:] in earlier:
                repeated.append(quote)
        earlier += one_line("".join(post.itertext())) + "\n"
    return repeated
