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
# Different words that are looked for; the first ones count. Four characters of a script without spaces are a word.
MAX_WORDS = 64
_CHARACTERS_A_WORD = 4
# Words of a phrase, and of a piece such as `usb-c`: longer ones are looked for by their beginning, or by their words.
MAX_PHRASE = 32
_MAX_TOGETHER = 8
# Phrases, exclusions and sites that are looked at: each is a search of its own inside the search.
_MAX_PARTS = 32
# A dash before fewer letters is a flag (`python -m`, `ls -la`), not an exclusion.
_SHORTEST_EXCLUDED = 3
_MAX_NAMED = 40

_PIECE = re.compile(r'(?P<minus>(?<!\S)-)?"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+)|"')
_QUOTES = str.maketrans(
    dict.fromkeys(
        "\u201c\u201d\u201e\u201f\u00ab\u00bb\uff02\u300c\u300d\u300e\u300f\u301d\u301e\u301f\uff62\uff63", '"'
    )
)
_OPERATORS = re.compile(r"(?<!\S)(?:AND|OR|NOT|&&|\|\|)(?!\S)")
_SITE = re.compile(r"(-?)site:(.*)", re.IGNORECASE | re.DOTALL)
_HOST = re.compile(r"(?:[a-z]{1,20}://)?(?:\*\.|\.)?([\w-]+(?:\.[\w-]+)*)\.?(?::\d+)?(/.*)?", re.IGNORECASE | re.DOTALL)
_FIELD = re.compile(
    r"(?:title|intitle|inurl|url|intext|body|author|filetype|lang|language|date|before|after|text|heading):",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]{0,20}://\S+", re.IGNORECASE)
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
    shouting = _is_shouting(query)
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
    if negated:
        notes.relax("operator_ignored", "NOT")
    signs = sorted({sign.strip() for sign in _SIGNS.findall(_ADDRESS.sub(" ", query))})
    if signs:
        notes.relax("signs_ignored", " ".join(signs))
    return _finished(notes)


def _is_shouting(query: str) -> bool:
    """Whether words that could be operators are words: all is written in capitals, or there is nothing else."""
    rest = _OPERATORS.sub(" ", query)
    return rest == rest.upper() != rest.lower() or not shape(rest).strip()


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
    if 1 < len(shaped) <= _MAX_TOGETHER and _JOINED.search(word):
        notes.together.append(" ".join(shaped))
    notes.words += shaped


def _finished(notes: _Notes) -> Asked:
    if notes.excluded and not notes.words:
        notes.relax("only_exclusions_read_as_words")
        notes.words = " ".join(notes.excluded).split()
        notes.excluded = []
    if not notes.words:
        notes.relax("no_words")
    words = _cut_words(notes)
    asked = [_some(parts, notes) for parts in (notes.phrases, notes.excluded, notes.sites, notes.other_sites)]
    phrases, excluded, sites, other_sites = asked
    return Asked(
        words=words,
        phrases=tuple(word_form(_beginning(phrase, notes)) for phrase in phrases),
        together=tuple(word_form(piece) for piece in list(dict.fromkeys(notes.together))[:_MAX_PARTS]),
        excluded=tuple(word_form(_beginning(piece, notes)) for piece in excluded),
        sites=sites,
        other_sites=other_sites,
        addresses=tuple(notes.addresses[:1]),
        relaxed=tuple(notes.relaxed),
    )


def _cut_words(notes: _Notes) -> tuple[str, ...]:
    """As many of the words as are looked for."""
    room = MAX_WORDS
    kept: dict[str, str] = {}
    for word in dict.fromkeys(notes.words):
        if room <= 0:
            notes.relax("cut_to_words", str(MAX_WORDS))
            break
        unspaced = not word.isascii() and any_unspaced().search(word) is not None
        kept[word] = word[: room * _CHARACTERS_A_WORD] if unspaced else word
        room -= -(-len(kept[word]) // _CHARACTERS_A_WORD) if unspaced else 1
        if len(kept[word]) < len(word):
            notes.relax("cut_to_words", str(MAX_WORDS))
    return tuple(kept[word] for word in notes.words if word in kept)


def _some(parts: list[str], notes: _Notes) -> tuple[str, ...]:
    different = tuple(dict.fromkeys(parts))
    if len(different) > _MAX_PARTS:
        notes.relax("cut_to_parts", str(_MAX_PARTS))
    return different[:_MAX_PARTS]


def _beginning(phrase: str, notes: _Notes) -> str:
    """As much of a phrase as is looked for as one."""
    words = phrase.split()
    short = " ".join(words[:MAX_PHRASE])[: MAX_PHRASE * 4 if any_unspaced().search(phrase) else None]
    if len(short) < len(" ".join(words)):
        notes.relax("phrase_cut_to_words", str(MAX_PHRASE))
    return short
