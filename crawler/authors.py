"""Who a page says wrote it: structured data, then meta tags, then the byline.

A site that names itself as the author of everything is believed only where no byline says more.
"""

import re
from typing import Any, Final

from lxml import etree

from crawler.head import Head, site_of, text_of, words_of
from crawler.scalars import one_line, scalars

# Characters: room for a dozen names.
MAX_AUTHOR: Final = 300
# A byline has few words: more are a biography.
MAX_BYLINE: Final = 100
MIN_NAME: Final = 3

_AUTHOR_META: Final = (
    "author", "article:author", "citation_author", "parsely-author", "sailthru.author", "dc.creator", "dcterms.creator",
    "dc.creator.personalname", "byl", "article:author_name", "og:article:author", "og:author", "article.author",
    "authors",
    "creator", "dcterms.creator.personalname", "rbauthors", "shareaholic:article_author_name",
    "twitter:data1_author", "book:author",
)  # fmt: skip
_BYLINE_NAME: Final = re.compile(
    r"[Aa]uthor|AUTHOR|[Bb]yline|writer|username|creator|autor|(?:^|\s)byl(?:\s|$)|journalist|posted-by|screenname"
)
_AUTHOR_LINKS: Final = etree.XPath(
    "descendant::a[contains(@href,'/author/') or contains(@href,'/authors/') or contains(@href,'/autor')]"
)
_NOT_A_BYLINE: Final = re.compile(
    r"comment|related|recommend|sidebar|teaser|widget|footer|repl(?:y|ies)|popular|latest|promo|social|share|"
    r"follow|quote|category|"
    r"authorization|authority|menu|more-|card__|_card|avatar|author-?(?:bio|box|info-box|description|image|photo)",
    re.IGNORECASE,
)
_OTHER_PLACE: Final = re.compile(
    r"(?:^|\s)(?:comment(?!ary)|related|recommend|sidebar|side-bar|widget|repl(?:y|ies)|popular|latest|promo|"
    r"footer|most-|disqus|more-)",
    re.IGNORECASE,
)
_BY_NAME: Final = re.compile(
    r"(?:[Ww]ritten [Bb]y|[Pp]osted [Bb]y|[Tt]ext|BY|By|by|VON|Von|Par|Por|Autor(?:in)?|Author|"
    r"Di)(?:\s*:)?\s+[A-ZÀ-ÖØ-ÞЀ-Я]"
)
# Up to six names, each of some words.
MAX_NAME_WORDS: Final = 14
FIRST_PARAGRAPH_WORDS: Final = 40
_BY: Final = re.compile(
    r"^(?:written\s+by|posted\s+by|published\s+by|story\s+by|words\s+by|by|von|par|por|di|da|door|av|af|od|"
    r"autor(?:in)?|author|text|texte?)\b[\s:\uff1a]*"
    r"|^(?:作者|文|記者|编辑|撰文)[\s:\uff1a/]*",
    re.IGNORECASE,
)
_CUT: Final = re.compile(
    r"\s*(?:\||•|·|\u2014|\u2013|\bon\b\s+\w+\s+\d|\bam\b\s+\d|\bpublished\b|\bupdated\b|\bposted\b|"
    r"\d{1,2}[./]\d{1,2}[./]\d{2,4}|\b(?:19|20)\d\d\b|@|\bhttps?:|"
    r"\b\d{1,2}:\d\d|\b(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-z]*\.?,?\s*\d|"
    r"\bstaff writer|\bfollow\b|\bview (?:all|author)|"
    r"\bsee (?:more|full)|\bmore (?:from|by)\b|\bget author\b|\bveröffentlicht).*$",
    re.IGNORECASE | re.DOTALL,
)
_NOT_A_NAME: Final = re.compile(
    r"^(?:admin(?:istrator)?|editor(?:s|ial)?|staff|redaktion|author|autor|anonymous|guest|webmaster|root|user|"
    r"unknown|n/?a|none|null|"
    r"view all posts.*|more (?:from|by).*|read more.*|about .*|share|follow|comments?|login|sign in|home)$|"
    r"https?:|www\.|[{}<>]",
    re.IGNORECASE,
)


def find_author(root: Any, head: Head, named: list[tuple[Any, str]]) -> str | None:
    """Who the page says wrote it; several names are set apart by `; `."""
    stated = _data_author(head) or _meta_author(head)
    if stated and words_of(stated) not in _publishers(head):
        return stated
    return _byline(root, named) or _spoken_byline(root) or stated


def _publishers(head: Head) -> set[str]:
    """The names of the site and its publisher, which many pages give as their author."""
    names = {site_of(head)}
    for thing in head.data:
        names.add(words_of(text_of(thing.get("publisher")) or ""))
    for name in ("dc.publisher", "article:publisher", "publisher", "copyright", "twitter:creator"):
        names.update(words_of(v) for v in head.meta.get(name, ()))
    return names


def _spoken_byline(root: Any) -> str | None:
    """A short line near the title that says "By" and a name."""
    started = False
    for element in root.iter("h1", "h2", "p", "div", "span", "small", "em", "i", "strong", "li", "td", "h3", "h4"):
        if element.tag in ("h1", "h2"):
            started = True
            continue
        if not started:
            continue
        start = (element.text or "").strip()[:MAX_BYLINE]
        if _BY_NAME.match(start) or (_BY.fullmatch(start + " ") and len(element)):
            text = one_line(scalars(" ".join(element.itertext())))
            if MIN_NAME <= len(text) <= MAX_BYLINE and not _is_elsewhere(element):
                name = _clean(text)
                if name and len(name.split()) <= MAX_NAME_WORDS:
                    return name
        if element.tag == "p" and len("".join(element.itertext()).split()) >= FIRST_PARAGRAPH_WORDS:
            return None
    return None


def _data_author(head: Head) -> str | None:
    for thing in head.data:
        value = thing.get("author") or thing.get("creator")
        names = _names(value)
        if names:
            return names
    return None


def _names(value: Any) -> str | None:
    values = value if isinstance(value, list) else [value]
    names: list[str] = []
    for one in values:
        name = one
        if isinstance(one, dict):
            kind = one.get("@type")
            if kind in ("Organization", "NewsMediaOrganization", "Corporation") and len(values) == 1:
                continue
            name = one.get("name") or " ".join(
                filter(None, (text_of(one.get("givenName")), text_of(one.get("familyName"))))
            )
            if isinstance(name, list):
                values.extend(name)
                continue
        if isinstance(name, str):
            names.append(name)
    return _clean("; ".join(names))


def _meta_author(head: Head) -> str | None:
    for name in _AUTHOR_META:
        contents = head.meta.get(name)
        if contents:
            cleaned = _clean("; ".join(dict.fromkeys(contents)))
            if cleaned and (" " in cleaned or not cleaned.isascii()):
                return cleaned
    return None


def _byline(root: Any, named: list[tuple[Any, str]]) -> str | None:
    """The first line that names itself an author's, exact marks before mere names of classes."""
    found: list[tuple[int, str]] = []
    marked = [
        e
        for e, name in named
        if _BYLINE_NAME.search(name) or e.get("rel") == "author" or "author" in (e.get("itemprop") or "")
    ]
    for element in marked or _AUTHOR_LINKS(root):
        if element.tag in ("script", "style", "meta", "link", "body", "html", "img", "svg", "input"):
            continue
        if element.tag == "time" or _is_elsewhere(element):
            continue
        text = _byline_text(element)
        if not MIN_NAME <= len(text) <= MAX_BYLINE:
            continue
        name = _clean(text)
        if name:
            found.append((_rank(element), name))
            if found[-1][0] == 0:
                break
    return min(found, key=lambda f: f[0])[1] if found else None


def _byline_text(element: Any) -> str:
    named = element.find(".//*[@itemprop='name']")
    if named is not None and "author" in (element.get("itemprop") or ""):
        element = named
    links = [a for a in element.iter("a") if _rel_author(a)]
    if links and links[0] is not element:
        return "; ".join(dict.fromkeys(one_line(scalars(" ".join(a.itertext()))) for a in links))
    return one_line(scalars(" ".join(element.itertext())))


def _rel_author(link: Any) -> bool:
    return (
        link.get("rel") == "author" or "/author/" in (link.get("href") or "") or "/autor/" in (link.get("href") or "")
    )


def _rank(element: Any) -> int:
    if element.get("rel") == "author" or "author" in (element.get("itemprop") or ""):
        return 0
    name = f"{element.get('class') or ''} {element.get('id') or ''}".lower()
    words = re.split(r"[\s_-]+", name)
    if "byline" in name or "author" in words or "author-name" in name or "authorname" in name:
        return 1
    return 2


def _is_elsewhere(element: Any) -> bool:
    if element.get("rel") != "author" and _NOT_A_BYLINE.search(
        f"{element.get('class') or ''} {element.get('id') or ''}"
    ):
        return True
    for ancestor in element.iterancestors():
        if ancestor.tag in ("aside", "nav", "form", "blockquote", "figure"):
            return True
        if ancestor.tag == "footer":
            # Blogs put the author of a post in a footer of its own.
            return next(ancestor.iterancestors("article"), None) is None
        if ancestor.tag in ("body", "article", "main"):
            return False
        if _OTHER_PLACE.search(f"{ancestor.get('class') or ''} {ancestor.get('id') or ''}"):
            return True
    return False


def _clean(names: str) -> str | None:
    from trafilatura.json_metadata import normalize_authors  # noqa: PLC0415 - in workers only

    text = _CUT.sub("", _BY.sub("", one_line(scalars(names)))).strip(" ,;:-/")
    if not MIN_NAME <= len(text) <= MAX_AUTHOR or _NOT_A_NAME.search(text) or not any(c.isalpha() for c in text):
        return None
    cleaned = normalize_authors(None, text)
    return cleaned if isinstance(cleaned, str) and not _NOT_A_NAME.search(cleaned) else None
