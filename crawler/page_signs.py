"""What of a page its state is judged by: headings, the page's own sentences, forms and marks, each as plain values.

The page's own text is what is left without navigation, footer and banner, and how much of it there is counts without
links: a page that lists a hundred headlines below "not found" has little to say of its own.
"""

import re
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from lxml import etree

from crawler.head import Head
from crawler.markup import cut_out
from crawler.page_forms import forms_of
from crawler.page_words import AGREE, NOT_YET, SPEAKS_OF_CONSENT
from crawler.visible import hidden_elements, visible_text

MAX_HEADINGS: Final = 6
"""Headings looked at; a page that is not what was asked for says so first."""
MAX_LEAD: Final = 4
"""First lines of a page's own text that may stand for headings: many such pages have none."""
MAX_SENTENCES: Final = 60
"""Sentences looked at. Walls are short; longer pages are judged by their headings and by these."""
MAX_SENTENCE: Final = 300
"""Characters of a sentence looked at."""
MAX_LABELS: Final = 300
"""Lines looked at for calls to do something; on pages that have such a call, it comes before that."""
LABEL: Final = 24
"""Words of a line that may be a call to log in or pay, standing for itself."""
FURNITURE: Final = 60
"""Words of navigation and footer that a page without anything else may have."""
BEHIND: Final = 30
"""Words of text in paragraphs behind a layer, from which the page is what is behind it."""
BESIDES: Final = 12
"""Words beside code and block quotations from which these are shown by a page, rather than being what it says."""
MAX_SHOWN: Final = 40
"""Such elements looked at."""
NOTICE: Final = 60
"""Words that a consent banner has at most; walls explain what one has to agree to."""
OUTSIDE: Final = 8
"""Words outside a consent banner, in headings and paragraphs, from which the page is what stands there."""
MAX_NOTICES: Final = 8
"""Elements that may be a consent banner, buttons in each, menus and links in each, that are looked at."""
PROSE: Final = 14
"""Words from which a line is prose rather than a heading, label or teaser."""

_SIDES: Final = etree.XPath(
    "descendant::*[self::nav or self::footer or @role='navigation' or @role='contentinfo' or @role='search']"
)
_BANNERS: Final = etree.XPath(
    "descendant::*[(self::header or @role='banner') and not(ancestor::article or ancestor::main)"
    " and not(descendant::h1)]"
)
_JOINED: Final = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…。！？।؟])\s+|(?<=[。！？])|\n+")  # noqa: RUF001 - full-width marks are meant
_WORD: Final = re.compile(r"\w")
_LETTER: Final = re.compile(r"[^\W\d_]")
_SEGMENTS: Final = re.compile(r"\s*[|·•»›«–—]\s*|\s+[-:/]\s+|::|:\s+")  # noqa: RUF001 - dashes are meant
_QUOTATION: Final = re.compile(
    '"[^"]{2,120}"|[\u201c\u201e\u201f][^\u201c\u201d\u201e]{2,120}[\u201c\u201d]|\u00ab[^\u00ab\u00bb]{2,120}\u00bb'
    r"|(?<![\w'])'(?:[^'\n]|(?<=\w)'(?=\w)){2,120}'(?![\w'])"
    "|\u300c[^\u300c\u300d]{2,120}\u300d|\u300e[^\u300e\u300f]{2,120}\u300f|\u300a[^\u300a\u300b]{2,120}\u300b"
)
_APOSTROPHES: Final = re.compile("[\u2018\u2019\u02bc\u0060\u00b4]")
_MARKS: Final = (
    # what the makers of challenges put into their pages, and into no other
    "_cf_chl_opt", "cf-challenge", "cf_chl_", "challenge-error-text", "/cdn-cgi/challenge-platform/h/",
    "captcha-delivery.com", "_incapsula_resource", "px-captcha", "perimeterx", "awswafcookiedomainlist",
    "awswafintegration", "ddos-guard", "sucuri_cloudproxy", "/.within.website/x/cmd/anubis", "kpsdk",
    "_sec/cp_challenge", "geo.captcha", "distil_r_captcha", "akamai bot manager", "validate.perfdrive",
    "challenges.cloudflare.com", "bot-challenge",
)  # fmt: skip
_CAPTCHAS: Final = ("g-recaptcha", "h-captcha", "hcaptcha", "cf-turnstile", "recaptcha/api", "captcha")
MAX_SOURCE: Final = 400_000
"""Characters of a page's source that marks are looked for in; challenges are a tenth of that."""


@dataclass(frozen=True)
class Signs:
    """A page as its state sees it. Texts are in lower case, on one line, with straight apostrophes.

    What titles, headings and sentences quote is left out of them: a page says of others what stands in quotation marks.
    `labels` are lines of few words. `own` counts the words of the page's own text without links, `main` those of what
    was found to be its main text, `prose` those of its longer lines, `words` all that can be seen. `passwords` are
    fields for one, outside the page's furniture; `writes`: there is a field for longer texts. `posts` counts what
    several people wrote, up to two. `story` is what the paragraphs say that stand in one article with the first
    heading, `menu` counts links in navigation. `free` is what the page's data says about reading it without paying
    (None: nothing). `article`: it calls itself one, with a date or an author.
    `roots` are empty places that programs in pages fill, `unfilled` are empty elements of their own making.
    `frameset`: it is made of other documents, as was once usual.
    """

    titles: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    buttons: tuple[str, ...] = ()
    own: int = 0
    main: int = 0
    prose: int = 0
    words: int = 0
    passwords: int = 0
    identifiers: int = 0
    writes: bool = False
    posts: int = 0
    story: tuple[str, ...] = ()
    menu: int = 0
    marks: tuple[str, ...] = ()
    captcha: bool = False
    free: bool | None = None
    article: bool = False
    refresh: str | None = None
    scripts: bool = False
    text: bool = True
    roots: int = 0
    unfilled: int = 0
    asks_for_scripts: bool = False
    frameset: bool = False
    length: int = 0


def count_words(text: str) -> int:
    """How many words TEXT has; scripts without spaces count two characters as one word."""
    joined = len(_JOINED.findall(text))
    return len(text.split()) + joined // 2 if joined else len(text.split())


def plain_signs(text: str, title: str | None = None) -> Signs:
    """The signs of TEXT that is no HTML, or was read without its markup."""
    lines = text[:20_000].split("\n")
    return Signs(
        titles=_segments(title),
        headings=tuple(_unquoted(_folded(line)) for line in lines[:MAX_LEAD] if count_words(line) < PROSE),
        sentences=tuple(_sentences(lines)),
        labels=tuple(_labels(lines)),
        own=count_words(text),
        main=count_words(text),
        prose=sum(n for line in lines if (n := count_words(line)) >= PROSE),
        words=count_words(text),
        text=bool(text),
    )


def page_signs(root: Any, head: Head, *, source: str, visible: str) -> Signs:
    """The signs of the page with the `html` element ROOT, which is left as it is; SOURCE is its HTML."""
    tree = copy(root)
    for element in [*hidden_elements(tree), *_SIDES(tree), *_BANNERS(tree)]:
        cut_out(element)
    _lift_layers(tree)
    _take_banner_out(tree)
    forms = forms_of(tree)
    quoted = {
        q[1:-1].strip() for h in tree.iter("h1", "h2") for q in _QUOTATION.findall(_folded("".join(h.itertext())))
    }
    headings = _headings(tree)
    own_text = visible_text(tree).text
    if not own_text and count_words(visible) > FURNITURE and not _says_it_is_a_shell(root):
        own_text = visible  # a page of nothing but what others have around their text
    lines = own_text.split("\n") if own_text else []
    links = [" ".join(e.itertext()) for e in tree.iter("a")]
    linked = sum(map(count_words, links))
    words = count_words(own_text)
    lowered = source[:MAX_SOURCE].lower()
    return Signs(
        titles=tuple(t for t in _segments(head.title) if t not in quoted),
        headings=tuple(dict.fromkeys(headings or _lead(lines, links))),
        sentences=tuple(_sentences(_without_code(tree, lines), links)),
        labels=tuple(_labels(lines)),
        buttons=tuple(_folded(label) for label in forms.labels),
        own=max(words - linked, 0),
        prose=sum(n for line in lines if (n := count_words(line)) >= PROSE),
        words=count_words(visible),
        passwords=forms.passwords,
        identifiers=forms.identifiers,
        posts=_posts(tree),
        story=_story(tree),
        menu=sum(1 for side in islice(root.iter("nav"), MAX_NOTICES) for _ in islice(side.iter("a"), MAX_NOTICES)),
        writes=next(tree.iter("textarea"), None) is not None,
        marks=tuple(mark for mark in _MARKS if mark in lowered),
        captcha=any(mark in lowered for mark in _CAPTCHAS),
        free=_free(head),
        article=_article(head, root),
        refresh=next((c.partition("=")[2].strip("'\" ") for c in head.meta.get("refresh", ()) if "=" in c), None),
        scripts=lowered.count("<script") > 0,
        text=bool(own_text),
        roots=len(_ROOTS(root)),
        unfilled=sum(1 for e in _UNFILLED(tree) if "-" in e.tag),
        asks_for_scripts=any(NOT_YET.search(_folded("".join(e.itertext()))) for e in root.iter("noscript")),
        frameset=next(root.iter("frame"), None) is not None,
        length=len(source),
    )


_LAYERS: Final = etree.XPath(
    "descendant::*[self::dialog or @role='dialog' or @role='alertdialog' or @aria-modal='true']"
)


def _lift_layers(tree: Any) -> None:
    """Take dialogs away from over a text that is there: one click does the same for a reader."""
    layers = _LAYERS(tree)
    if not layers:
        return
    within = {e for layer in layers for e in layer.iter("p", "li")}
    behind = sum(count_words("".join(e.itertext())) for e in tree.iter("p", "li") if e not in within)
    if behind >= BEHIND:
        for layer in layers:
            cut_out(layer)


_NOTICES: Final = etree.XPath(
    "descendant::*[self::div or self::section or self::aside or self::dialog or self::form]"
    "[contains(@class, 'cookie') or contains(@id, 'cookie') or contains(@class, 'consent') or contains(@id, 'consent')]"
)


def _take_banner_out(tree: Any) -> None:
    """Take a consent banner out of a page that says something besides; sites have one on short pages too."""
    for notice in islice(_NOTICES(tree), MAX_NOTICES):
        text = " ".join(notice.itertext())
        buttons = islice(notice.iter("button", "a", "input"), MAX_NOTICES)
        agrees = any(AGREE.match(_folded("".join(e.itertext()) or e.get("value") or "")) for e in buttons)
        if not agrees or count_words(text) > NOTICE or SPEAKS_OF_CONSENT.search(_folded(text)) is None:
            continue
        within = {*notice.iter()}
        besides = (e for e in tree.iter("p", "li", "td", "h1", "h2") if e not in within)
        asks = any(e.get("type") == "password" for e in tree.iter("input") if e not in within)
        if asks or sum(count_words("".join(e.itertext())) for e in besides) >= OUTSIDE:
            cut_out(notice)
            return


def _story(tree: Any) -> tuple[str, ...]:
    """What the paragraphs say that stand in one article with the first heading; programs put errors there too."""
    title = next(tree.iter("h1"), None)
    article = next(title.iterancestors("article"), None) if title is not None else None
    if article is None or any(
        word in (article.get("class") or "") for word in ("404", "not-found", "no-results", "error")
    ):
        return ()
    paragraphs = (e for e in article.iter("p") if next(e.iterancestors("aside", "form", "footer"), None) is None)
    return tuple(_sentences([" ".join("".join(e.itertext()).split()) for e in islice(paragraphs, MAX_SHOWN)]))


def _headings(tree: Any) -> list[str]:
    found = []
    for element in tree.iter("h1", "h2", "h3"):
        if text := _folded("".join(element.itertext())):
            found.append(_unquoted(text))
        if len(found) == MAX_HEADINGS:
            break
    return found


def _lead(lines: list[str], links: Iterable[str]) -> Iterator[str]:
    """The first lines that may stand for headings; links lead to something else than what the page is."""
    elsewhere = sorted({f for link in links if (f := _folded(link))}, key=len, reverse=True)
    for line in lines[:MAX_LEAD]:
        rest = folded = _folded(line)
        for link in elsewhere:
            rest = rest.replace(link, "")
        if count_words(line) < PROSE and _LETTER.search(rest):
            yield _unquoted(folded)


def _without_code(tree: Any, lines: list[str]) -> list[str]:
    """LINES without what the page shows as code or quotes from elsewhere, unless there is next to nothing besides."""
    shown = list(islice(tree.iter("pre", "code", "samp", "blockquote"), MAX_SHOWN))
    if not shown:
        return lines
    pieces = [
        p for e in shown for t in "".join(e.itertext()).split("\n")[:MAX_SHOWN] if len(p := " ".join(t.split())) > 1
    ]
    left = []
    for line in lines[:MAX_LABELS]:
        kept = " ".join(line.split())
        for piece in pieces:
            kept = kept.replace(piece, " x ")
        if kept.strip() not in ("", "x"):
            left.append(kept)
    return left if sum(map(count_words, left)) >= BESIDES else lines


def _unquoted(text: str) -> str:
    """TEXT with a letter in place of each quotation; as it is where nothing stands beside them."""
    rest = _QUOTATION.sub(" x ", text)
    return " ".join(rest.split()) if rest != text and _WORD.search(_QUOTATION.sub(" ", text)) else text


def _sentences(lines: list[str], links: Iterable[str] = ()) -> Iterator[str]:
    """Those of LINES, without the labels that only lead elsewhere."""
    given = 0
    labels = {" ".join(link.split()) for link in links if count_words(link) <= LABEL // 8}
    for line in lines:
        if " ".join(line.split()) in labels:
            continue
        for sentence in _SENTENCE_END.split(_unquoted(line)):
            if folded := _folded(sentence):
                yield folded
                given += 1
                if given == MAX_SENTENCES:
                    return


def _labels(lines: list[str]) -> Iterator[str]:
    yield from (_folded(line) for line in lines[:MAX_LABELS] if count_words(line) <= LABEL)


def _folded(text: str) -> str:
    return _APOSTROPHES.sub("'", " ".join(text[: MAX_SENTENCE * 2].split())[:MAX_SENTENCE].lower())


def _segments(title: str | None) -> tuple[str, ...]:
    """The parts of a title, which often has the site's name beside the page's."""
    if not title:
        return ()
    folded = _unquoted(_folded(title))
    return tuple(dict.fromkeys([folded, *(s for s in _SEGMENTS.split(folded) if s)]))


def _free(head: Head) -> bool | None:
    said = [_truth(thing.get("isAccessibleForFree")) for thing in head.data]
    tier = head.first("article:content_tier", "content_tier", "cxenseparse:content_tier")
    if tier is not None and tier[1].lower() in ("locked", "metered", "paid", "premium"):
        said.append(False)
    return False if False in said else True if True in said else None


def _truth(value: Any) -> bool | None:
    if isinstance(value, str):
        value = {"true": True, "false": False}.get(value.rsplit("/", 1)[-1].strip().lower())
    return value if isinstance(value, bool) else None


def _article(head: Head, root: Any) -> bool:
    kind = head.first("og:type")
    dated = head.first("article:published_time", "datepublished", "date", "dc.date") is not None
    data = any("datePublished" in thing or "author" in thing for thing in head.data)
    timed = next(root.iter("time"), None) is not None
    return data or dated or (timed and (kind is not None and kind[1].lower() == "article"))


_POSTS: Final = frozenset(("post", "postbody", "comment", "message", "reply", "answer"))


def _posts(tree: Any) -> int:
    """How many there are, up to two: more tell no more."""
    found = (
        e for e in tree.iter("div", "article", "li", "section") if not _POSTS.isdisjoint((e.get("class") or "").split())
    )
    long = (e for e in found if count_words("".join(e.itertext())) >= LABEL // 8)
    return sum(1 for _ in islice(long, 2))


_ROOTS: Final = etree.XPath(
    "descendant::*[(self::div or self::main or self::app-root) and not(*) and not(normalize-space())"
    " and (self::main or self::app-root or @id='root' or @id='app' or @id='__next' or @id='__nuxt' or @id='main'"
    " or @id='content' or @id='application' or @id='react-root' or @id='svelte' or @role='main')]"
)


# Elements that scripts fill: their names have a hyphen, and there is nothing in them.
_UNFILLED: Final = etree.XPath("descendant::*[not(*) and not(normalize-space()) and contains(name(), '-')]")


def _says_it_is_a_shell(root: Any) -> bool:
    """Whether the page has a place for its content, and nothing in it."""
    return bool(_ROOTS(root))
