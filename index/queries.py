"""Reads what people type. Nothing that can be typed is an error.

Honoured where it is meant: `"a phrase"`, `-word` and `-"a phrase"`, `site:host` and `-site:host`, `NOT word`. All else
is words. What looked like syntax and was read as words, or was left out, is named in `relaxed`: a code, then, where it
helps, a colon and the piece.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from index.analysis import shape, word_form
from index.scripts import any_unspaced

# Longer queries are cut: nobody types them, and each word costs time.
MAX_QUERY = 10_000
# Different words that are looked for; the first ones count.
MAX_WORDS = 64
# A dash before fewer letters is a flag (`python -m`, `ls -la`), not an exclusion.
_SHORTEST_EXCLUDED = 3
_MAX_NAMED = 40

_PIECE = re.compile(r'(?P<minus>(?<!\S)-)?"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+)|"')
_QUOTES = str.maketrans(dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\uff02\u300c\u300d", '"'))
_SITE = re.compile(r"(-?)site:(.*)", re.IGNORECASE | re.DOTALL)
_HOST = re.compile(r"(?:[a-z]+://)?(?:\*\.|\.)?([\w-]+(?:\.[\w-]+)*)\.?(?::\d+)?(/.*)?", re.IGNORECASE | re.DOTALL)
_FIELD = re.compile(
    r"(?:title|intitle|inurl|url|intext|body|author|filetype|lang|language|date|before|after|text|heading):",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
# Joined as names, versions, dates and paths are; apostrophes join parts of speech.
_JOINED = re.compile(r"\w[-._/:@\\]+\w")
_SIGNS = re.compile(r"[*\\^~()\[\]{}<>|!]|&&|(?<!\S)[+:/&=;,?]|:(?!\S)")


@dataclass(frozen=True, slots=True)
class Asked:
    """A query as it was understood. All text is shaped (see `analysis.shape`), case kept.

    `words` are all positive words in order, those of phrases included; `together` are pieces such as `usb-c` that were
    typed as one and hold several words; `addresses` were typed whole, without scheme.
    """

    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    other_sites: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    relaxed: tuple[str, ...] = ()


@dataclass(slots=True)
class _Notes:
    words: list[str] = field(default_factory=list)
    phrases: list[str] = field(default_factory=list)
    together: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    sites: list[str] = field(default_factory=list)
    other_sites: list[str] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)
    relaxed: list[str] = field(default_factory=list)

    def relax(self, code: str, piece: str = "") -> None:
        piece = "".join(c if c.isprintable() else " " for c in piece[:_MAX_NAMED]).strip()
        note = f"{code}: {piece}" if piece else code
        if note not in self.relaxed:
            self.relaxed.append(note)


def read_query(query: str) -> Asked:
    """What a query asks for. Never fails, and always gives the same for the same."""
    notes = _Notes()
    if len(query) > MAX_QUERY:
        query = query[:MAX_QUERY]
        notes.relax("cut_to_characters", str(MAX_QUERY))
    query = query.translate(_QUOTES).replace("\x00", " ")
    shouting = query.upper() == query
    negated = False
    for piece in _PIECE.finditer(query):
        if piece["phrase"] is not None:
            _phrase(piece["phrase"], excluded=piece["minus"] is not None or negated, notes=notes)
        elif piece["word"] is None:
            notes.relax("unbalanced_quote")
        elif not shouting and piece["word"] in ("AND", "OR", "&&", "||"):
            notes.relax("operator_ignored", piece["word"])
        elif not shouting and piece["word"] == "NOT" and notes.words:
            negated = True
            continue
        else:
            _word(f"-{piece['word']}" if negated else piece["word"], notes)
        negated = False
    signs = sorted({sign.strip() for sign in _SIGNS.findall(_ADDRESS.sub(" ", query))})
    if signs:
        notes.relax("signs_ignored", " ".join(signs))
    return _finished(notes)


def _phrase(text: str, *, excluded: bool, notes: _Notes) -> None:
    shaped = " ".join(shape(text).split())
    if not shaped:
        notes.relax("empty_phrase", text)
    elif excluded:
        notes.excluded.append(shaped)
    else:
        notes.phrases.append(shaped)
        notes.words += shaped.split()


def _word(word: str, notes: _Notes) -> None:
    site = _SITE.fullmatch(word)
    if site:
        host = _HOST.fullmatch(site[2])
        if host:
            (notes.other_sites if site[1] else notes.sites).append(host[1].lower())
            if host[2] and host[2] != "/":
                notes.relax("path_of_site_ignored", host[2])
            return
        notes.relax("site_as_words", word)
    elif _FIELD.match(word.lstrip("-+")):
        notes.relax("field_as_words", word)
    if word.startswith("-") and not word.startswith("--"):
        rest = shape(word[1:]).split()
        if rest and word[1].isalpha() and (sum(map(len, rest)) >= _SHORTEST_EXCLUDED or any_unspaced().search(word)):
            notes.excluded.append(" ".join(rest))
            return
        if rest:
            notes.relax("dash_as_word", word)
    if _ADDRESS.fullmatch(word):
        notes.relax("address_as_words", word)
        notes.addresses.append(word.split("://", 1)[1].rstrip("/"))
    shaped = shape(word).split()
    if len(shaped) > 1 and _JOINED.search(word):
        notes.together.append(" ".join(shaped))
    notes.words += shaped


def _finished(notes: _Notes) -> Asked:
    if notes.excluded and not notes.words:
        notes.relax("only_exclusions_read_as_words")
        notes.words = " ".join(notes.excluded).split()
        notes.excluded = []
    if not notes.words:
        notes.relax("no_words")
    kept = list(dict.fromkeys(notes.words))[:MAX_WORDS]
    if len(kept) < len(set(notes.words)):
        notes.relax("cut_to_words", str(MAX_WORDS))
        words = [word for word in notes.words if word in set(kept)]
    else:
        words = notes.words
    return Asked(
        words=tuple(words),
        phrases=tuple(dict.fromkeys(word_form(phrase) for phrase in notes.phrases)),
        together=tuple(dict.fromkeys(word_form(piece) for piece in notes.together)),
        excluded=tuple(dict.fromkeys(word_form(piece) for piece in notes.excluded)),
        sites=tuple(dict.fromkeys(notes.sites)),
        other_sites=tuple(dict.fromkeys(notes.other_sites)),
        addresses=tuple(notes.addresses),
        relaxed=tuple(notes.relaxed),
    )
