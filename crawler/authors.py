"""Who a page says wrote it: structured data, then meta tags, then the byline.

A site or publisher that names itself as the author of everything is believed only where no byline says more; the
account that put a page on the site counts where nobody signed.
"""

import re
from typing import Any, Final
from urllib.parse import urlsplit

from lxml import etree

from crawler.article_header import Header
from crawler.author_names import BY, FIRM, MIN_NAME, OFFICE, SAID, are_people, names_in
from crawler.head import Head, site_of, text_of, words_of
from crawler.scalars import one_line, scalars
from crawler.titles import title_element

# A byline has few words: more are a biography.
MAX_BYLINE: Final = 100
MAX_LINE_ELEMENTS: Final = 100
"""Elements in one line: where thousands lie in each other, each would be gone through for each of those around it."""

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
_OF_A_PERSON: Final = re.compile(
    r"/(?:authors?|autor(?:en|es|i)?|auteurs?|staff|contributors?|creators?|people|persons?|personen|profil[es]?|users?|"
    r"members?|reporters?|journalists?|columnists?|newsteam|redakteure?|verfasser|"
    r"redaktor(?:zy|i)?|yazar(?:lar)?|penulis|skribent(?:er)?|forfatter|journalistes?|periodistas?|giornalisti)(?:/|-(?=[A-Z]))|^mailto:(?!\?)",
)
_OF_AN_OFFICE: Final = re.compile(r"redak|redac|editor|team|office|desk|newsroom|kontakt|contact", re.IGNORECASE)
# Two words, the first and the last of which begin with no small letter.
_LIKE_A_NAME: Final = re.compile(r"(?![a-zà-ÿ])\w.*\s(?![a-zà-ÿ])\w\S*$")
_NOT_A_BYLINE: Final = re.compile(
    r"comment|related|recommend|sidebar|teaser|widget|footer|repl(?:y|ies)|popular|latest|promo|social|share|"
    r"follow|quote|category|"
    r"authorization|authority|menu|more-|card__|_card|avatar|author-?(?:bio|box|info-box|description|image|photo)",
    re.IGNORECASE,
)
_OTHER_PLACE: Final = re.compile(
    r"(?:^|\s)(?:comment(?!ary)|reviews?(?=$|\s)|related|recommend|sidebar|side-bar|widget|repl(?:y|ies)|popular|latest|promo|"
    r"footer|most-|disqus|more-)",
    re.IGNORECASE,
)
_BY_NAME: Final = re.compile(
    r"(?:(?:Eine? )?(?:Kolumne|Essay|Gastbeitrag|Kommentar|Reportage|Interview|Beitrag|Artikel) [Vv]on|"
    r"\d[\d./:,\s]*(?:Uhr\s+)?(?:[|\u2013\u2014-]\s*)?(?:von|by|par|por)|"
    r"(?:[Pp]ropos recueillis|[Rr]écit|[Rr]eportage|[Dd]ossier) par|[Uu]n (?:texte|article|reportage|récit|dossier) de|"
    r"(?:[Ww]ritten|[Ww]ords|[Ss]tory|[Rr]eporting) [Bb]y|[Pp]osted [Bb]y|[Tt]ext|BY|By|by|VON|Von|Par|Por|"
    r"Autor(?:in)?|Author|Di)(?:\s*:)?\s+[A-ZÀ-ÖØ-ÞЀ-Я]"
)
# Korean papers say what somebody does behind the name.
_REPORTER: Final = re.compile(
    r"(?:\W*(?:[가-힣]+=|\[[^\]]*\]))?\s*([가-힣]{2,4})\s?(?:선임|인턴|특파원)?\s?기자(?=$|[\s@(|/\]])"
)
_BEFORE: Final = " |·•,\uff0c、/"
# A line that is this and names is a byline, however small it begins.
_SMALL_BY: Final = re.compile(r"(?:by|von|di|par|por|door|av|af|του|της|των)\s+(?=\w+\s+\w)", re.IGNORECASE)
# Up to six names, each of some words.
MAX_NAME_WORDS: Final = 14
FIRST_PARAGRAPH_WORDS: Final = 40
MAX_NAME: Final = 4
_WRITTEN_BY: Final = re.compile(
    r"written|verfasst|geschrieben|écrit|escrito|scritto|geschreven|skre?vet|skriv|napisan|autor|автор|作者|執筆|작성",
    re.IGNORECASE,
)
# A shorter name may stand in the name of a host by chance.
MIN_LETTERS_OF_HOST: Final = 6
_LINES: Final = (
    "p", "div", "span", "small", "em", "i", "b", "strong", "cite", "address", "li", "td", "dd", "h3", "h4",
)  # fmt: skip
NOBODY: Final = 10
# What is added to the rank of a byline below the header: worse than all in it.
BELOW: Final = 3
_NO_BYLINES: Final = frozenset(("script", "style", "meta", "link", "body", "html", "img", "svg", "input", "time"))


def find_author(root: Any, head: Head, named: list[tuple[Any, str]]) -> str | None:
    """Who the page says wrote it; several names are set apart by `; `. The site is none of several."""
    found = _find(root, head, named)
    first, *others = found.split("; ") if found else [""]
    if len(first.split()) > 1:
        others = [name for name in others if words_of(name) not in _publishers(head)]
    return "; ".join((first, *others)) or None


def _find(root: Any, head: Head, named: list[tuple[Any, str]]) -> str | None:
    stated = _data_author(head)
    if stated and not _is_the_site(stated, head):
        return stated
    title = title_element(root, head)
    around = set(title.iterancestors()) if title is not None else set()
    bylines = _bylines(root, named, title, around)
    best, name = bylines[0] if bylines else (NOBODY, "")
    in_meta = _meta_author(head)
    if in_meta and not _is_the_site(in_meta, head):
        # Publishers sign in their tags; a byline that is marked exactly and has other names says who wrote it.
        others = not set(words_of(name).split()) & set(words_of(in_meta).split())
        return name if best == 0 and others else in_meta
    if best < BELOW:
        return name
    said = _spoken_byline(root, title, around) or _linked(root, title, around)
    return said or name or _account(head) or stated or in_meta


def _linked(root: Any, title: Any | None, around: set[Any]) -> str | None:
    """The name in a link of the article's header to the page of a person."""
    header = Header(title)
    people: dict[Any, list[str]] = {}  # each line is read once: it may have thousands of links
    for element in root.iter("h1", "h2", "h3", "h4", "p", "div", "span", "section", "header", "a"):
        header.pass_over(element)
        if header.ended:
            return None
        if element.tag == "a" and header.titled and _leads_to_a_person(element):
            line = element.getparent()
            if line not in people:
                people[line] = [name for link in line.iter("a") if _leads_to_a_person(link) and (name := _person(link))]
            if people[line] and not _is_elsewhere(element, around):
                return "; ".join(dict.fromkeys(people[line]))
    return None


def _leads_to_a_person(link: Any) -> bool:
    return _OF_A_PERSON.search(link.get("href") or "") is not None


def _person(link: Any) -> str | None:
    """The name that LINK says, or what stands before an address of mail."""
    before = link.getprevious()
    texts = ["".join(link.itertext())]
    if before is not None and before.tag in ("b", "strong", "em", "i", "span"):
        texts.append("".join(before.itertext()))
    return next((name for text in texts if (name := names_in(text)) and _is_a_person(name)), None)


def _is_a_person(name: str) -> bool:
    return bool(_LIKE_A_NAME.match(name)) and are_people(name) and not _OF_AN_OFFICE.search(name)


def _is_the_site(name: str, head: Head) -> bool:
    """Whether NAME is that of the site, its publisher or a firm, so that a byline says more."""
    if words_of(name) in _publishers(head) or FIRM.search(name) or OFFICE.fullmatch(name):
        return True
    own = head.first("og:url")
    host = urlsplit(head.canonical or (own[1] if own else "")).netloc
    return len(letters := _letters(name)) >= MIN_LETTERS_OF_HOST and letters in _letters(host)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _publishers(head: Head) -> set[str]:
    """The names of the site and its publisher, which many pages give as their author."""
    names = {site_of(head)}
    for thing in head.data:
        names.add(words_of(text_of(thing.get("publisher")) or ""))
    for name in ("dc.publisher", "article:publisher", "publisher", "copyright", "twitter:creator"):
        names.update(words_of(v) for v in head.meta.get(name, ()))
    return names


def _spoken_byline(root: Any, title: Any | None, around: set[Any]) -> str | None:
    """A short line near TITLE that says "By" and a name."""
    started = False
    for element in root.iter("h1", "h2", *_LINES):
        if element.tag in ("h1", "h2") or element is title:
            started = True
            continue
        if not started:
            continue
        start = (element.text or "").strip()[:MAX_BYLINE]
        whole = _said(element)
        if element.tag == "dd" and (term := _term(element)):
            whole = f"{term}: {whole}"
        elif (reporter := _REPORTER.match(whole)) and not _is_elsewhere(element, around):
            return reporter[1]
        label = SAID.search(whole) if len(whole) <= MAX_BYLINE else None
        if label or _BY_NAME.match(start) or (BY.fullmatch(start + " ") and len(element)) or _is_small(whole):
            text = whole[label.start() :].lstrip(_BEFORE) if label else whole
            if MIN_NAME <= len(text) <= MAX_BYLINE and not _is_elsewhere(element, around):
                name = names_in(text)
                if name and len(name.split()) <= MAX_NAME_WORDS and (label is None or are_people(name)):
                    return name
        if element.tag == "p" and len("".join(element.itertext()).split()) >= FIRST_PARAGRAPH_WORDS:
            return None
    return None


def _said(element: Any) -> str:
    """What ELEMENT says on one line, with a mark where it breaks its lines; nothing if it holds too much for a line."""
    pieces = [element.text or ""]
    for number, child in enumerate(element.iterdescendants()):
        if number >= MAX_LINE_ELEMENTS:
            return ""
        pieces += ("|" if child.tag == "br" else child.text or "", child.tail or "")
    return one_line(scalars(" ".join(pieces))).strip("| ")


def _term(element: Any) -> str:
    """What stands before the value ELEMENT and says what it is."""
    before = element.getprevious()
    said = _said(before) if before is not None and before.tag == "dt" else ""
    return "author" if BY.fullmatch(f"{said.rstrip(': ')} ") else said


def _is_small(line: str) -> bool:
    """Whether LINE is nothing but a small "by" and a name."""
    by = _SMALL_BY.match(line)
    names = re.split(r"[,|·•\d]", line[by.end() :])[0].split() if by else []
    return 1 < len(names) <= MAX_NAME and names[0][0].isupper() and are_people(" ".join(names))


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
    return names_in("; ".join(names))


def _account(head: Head) -> str | None:
    """Whose account put the page on the site, which need not be who wrote it."""
    label, said = head.first("twitter:label1"), head.first("twitter:data1")
    if label and said and _WRITTEN_BY.search(label[1]) and (name := names_in(said[1])):
        return name
    return next((name for thing in head.data if (name := _names(thing.get("account")))), None)


def _first_name_first(name: str) -> str:
    """A name that is written as catalogues do ("Smith, Ada") as people say it."""
    parts = [one_line(part) for part in name.split(",")]
    return f"{parts[1]} {parts[0]}" if len(parts) == 2 else name  # noqa: PLR2004 - two parts


def _meta_author(head: Head) -> str | None:
    for name in _AUTHOR_META:
        contents = head.meta.get(name)
        if contents:
            if name == "citation_author":
                contents = [_first_name_first(content) for content in contents]
            cleaned = names_in("; ".join(dict.fromkeys(contents)))
            if cleaned and (" " in cleaned or not cleaned.isascii()):
                return cleaned
    return None


def _bylines(root: Any, named: list[tuple[Any, str]], title: Any | None, around: set[Any]) -> list[tuple[int, str]]:
    """What lines that name themselves an author's say, the best first, each with how good it is.

    In the header of the article stand exact marks (0) before mere names of classes (1, 2); others are below it (3 on).
    """
    header = Header(title)
    marked: list[tuple[Any, bool]] = []
    for element, name in named:
        header.pass_over(element)
        exact = element.get("rel") == "author" or "author" in (element.get("itemprop") or "")
        if exact or _BYLINE_NAME.search(name):
            marked.append((element, header.ended))
    found: list[tuple[int, str]] = []
    for element, below in marked or [(link, True) for link in _AUTHOR_LINKS(root)]:
        if element.tag in _NO_BYLINES or _is_elsewhere(element, around):
            continue
        text = _byline_text(element)
        names = names_in(text) if MIN_NAME <= len(text) <= MAX_BYLINE else None
        if names:
            found.append((_rank(element) + (BELOW if below else 0) + (NOBODY if OFFICE.fullmatch(names) else 0), names))
            if found[-1][0] == 0:
                break
    return sorted(found, key=lambda f: f[0])


def _byline_text(element: Any) -> str:
    named = element.find(".//*[@itemprop='name']")
    if named is not None and "author" in (element.get("itemprop") or ""):
        element = named
    # Who signed together is linked side by side.
    around = element.getparent() if element.tag == "a" and element.getparent() is not None else element
    links = [a for a in around.iter("a") if _rel_author(a)]
    if len(links) > 1 or (links and links[0] is not element):
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


def _is_elsewhere(element: Any, around: set[Any]) -> bool:
    if element.get("rel") != "author" and _NOT_A_BYLINE.search(_called(element)):
        return True
    for ancestor in element.iterancestors():
        if ancestor in around or ancestor.tag in ("body", "article", "main"):
            return False
        if ancestor.tag == "footer":
            # Blogs put the author of a post in a footer of its own.
            return next(ancestor.iterancestors("article"), None) is None
        if ancestor.tag in ("aside", "nav", "form", "blockquote", "figure") or _OTHER_PLACE.search(_called(ancestor)):
            return True
    return False


def _called(element: Any) -> str:
    return f"{element.get('class') or ''} {element.get('id') or ''}"
