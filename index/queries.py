"""Reads what people type. Nothing that can be typed is an error.

Honoured where it is meant: `"a phrase"`, `-word` and `-"a phrase"`, `NOT word`, `site:host`, `lang:de`, `title:word`,
their opposites with a minus, `before:2026-01-31`, `after:2025`, and `one OR other`. All else is words. What looked
like syntax and was read as words, or was left out, is named in `relaxed`: a code, then, where it helps, a colon and the
piece.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from index.analysis import shape, word_form
from index.operators import TITLE, Narrowed
from index.scripts import any_unspaced

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

_T = TypeVar("_T")

# Longer queries are cut: nobody types them, and each word costs time.
MAX_QUERY = 10_000
# Different words that are read; the first ones count. Four characters of a script without spaces are a word.
MAX_WORDS = 256
_CHARACTERS_A_WORD = 4
# Words of a phrase, and of a piece such as `usb-c`: longer ones are looked for by their beginning, or by their words.
MAX_PHRASE = 32
_MAX_TOGETHER = 8
# Phrases, exclusions and sites that are looked at: each is a search of its own inside the search.
_MAX_PARTS = 32
# A dash before fewer letters is a flag (`python -m`, `ls -la`), not an exclusion.
_SHORTEST_EXCLUDED = 3
_MAX_NAMED = 40

_PIECE = re.compile(
    r'(?P<sign>(?<!\S)-?(?:(?:in)?title:)?)"(?P<phrase>[^"]*)"|"(?P<inner>[^"]*)"|(?P<word>[^\s"]+)|"', re.IGNORECASE
)
_QUOTES = str.maketrans(
    dict.fromkeys(
        "\u201c\u201d\u201e\u201f\u00ab\u00bb\uff02\u300c\u300d\u300e\u300f\u301d\u301e\u301f\uff62\uff63", '"'
    )
)
_OPERATORS = re.compile(r"(?<!\S)(?:AND|OR|NOT|&&|\|\|)(?!\S)")
_FIELD = re.compile(
    r"(?:title|intitle|inurl|url|intext|body|author|filetype|lang|language|date|before|after|text|heading):",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]{0,20}://\S+", re.IGNORECASE)
# Joined as names, versions, dates and paths are; apostrophes join parts of speech.
_JOINED = re.compile(r"\w[-._/:@\\]+\w")
_SIGNS = re.compile(r"[*\\^~()\[\]{}<>|!]|&&|(?<!\S)[+:/&=;,?]|:(?!\S)")


class Operand(NamedTuple):
    """A phrase, a word or a word of the title that is asked for: `kind` is `text` or `title`, `form` its words form."""

    kind: str
    form: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A query as it was understood. All text is shaped (see `analysis.shape`), case kept.

    `words` are all positive words in order, those of phrases and titles included; `together` are pieces such as `usb-c`
    that were typed as one and hold several words; `addresses` were typed whole, without scheme. Of each of the `groups`
    one operand must be there, none of `excluded`. Days are inclusive. `plain` is the query without what narrows it to
    sites, languages, days and titles: what others can be asked for who know no such operators.
    """

    words: tuple[str, ...] = ()
    groups: tuple[tuple[Operand, ...], ...] = ()
    together: tuple[str, ...] = ()
    excluded: tuple[Operand, ...] = ()
    sites: tuple[str, ...] = ()
    other_sites: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    other_languages: tuple[str, ...] = ()
    after: date | None = None
    before: date | None = None
    addresses: tuple[str, ...] = ()
    relaxed: tuple[str, ...] = ()
    plain: str = ""


@dataclass(slots=True)
class _Notes:
    words: list[str] = field(default_factory=list)
    groups: list[list[Operand]] = field(default_factory=list)
    together: list[str] = field(default_factory=list)
    excluded: list[Operand] = field(default_factory=list)
    narrowed: Narrowed = field(default_factory=Narrowed)
    addresses: list[str] = field(default_factory=list)
    relaxed: list[str] = field(default_factory=list)
    plain: list[str] = field(default_factory=list)
    joining: bool = False
    """An OR stands before what comes next."""
    open: bool = False
    """What came last may be joined to by an OR."""

    def relax(self, code: str, piece: str = "") -> None:
        piece = "".join(c if c.isprintable() else " " for c in piece[:_MAX_NAMED]).strip()
        note = f"{code}: {piece}" if piece else code
        if note not in self.relaxed:
            self.relaxed.append(note)

    def want(self, kind: str, shaped: list[str]) -> None:
        """One more thing that is asked for; after an OR, instead of the one before."""
        operand = Operand(kind, " ".join(shaped))
        if self.joining:
            self.groups[-1].append(operand)
        else:
            self.groups.append([operand])
        self.joining, self.open = False, True
        self.words += shaped

    def close(self) -> None:
        """What came was nothing to choose from: an OR on either side of it is none."""
        if self.joining:
            self.relax("operator_ignored", "OR")
        self.joining = self.open = False


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
        word = piece["word"]
        if piece["phrase"] is not None or piece["inner"] is not None:
            sign = (piece["sign"] or "").lower()
            text = piece["inner"] if piece["phrase"] is None else piece["phrase"]
            _phrase(text, "title" if "title" in sign else "text", excluded=sign.startswith("-") or negated, notes=notes)
            _keep_plain(f'{"-" if sign.startswith("-") or negated else ""}"{text}"', notes)
        elif word is None:
            notes.relax("unbalanced_quote")
        elif not shouting and word in ("OR", "||") and notes.open:
            notes.joining, notes.open = True, False
            continue
        elif not shouting and word in ("AND", "OR", "&&", "||"):
            notes.relax("operator_ignored", word)
        elif not shouting and word == "NOT" and notes.words:
            negated = True
            continue
        else:
            _word(f"-{word}" if negated else word, notes)
        negated = False
    if negated:
        notes.relax("operator_ignored", "NOT")
    notes.close()
    signs = sorted({sign.strip() for sign in _SIGNS.findall(_ADDRESS.sub(" ", query))})
    if signs:
        notes.relax("signs_ignored", " ".join(signs))
    return _finished(notes)


def _is_shouting(query: str) -> bool:
    """Whether words that could be operators are words: all is written in capitals, or there is nothing else."""
    rest = _OPERATORS.sub(" ", query)
    return rest == rest.upper() != rest.lower() or not shape(rest).strip()


def _phrase(text: str, kind: str, *, excluded: bool, notes: _Notes) -> None:
    shaped = shape(text).split()
    if not shaped:
        notes.relax("empty_phrase", text)
    elif excluded:
        notes.close()
        notes.excluded.append(Operand(kind, " ".join(shaped)))
    else:
        notes.want(kind, shaped)


def _keep_plain(piece: str, notes: _Notes) -> None:
    """What stands in the query for those who know no operators; the OR that was read stands before it."""
    grouped = notes.open and notes.groups and len(notes.groups[-1]) > 1
    notes.plain += ["OR", piece] if grouped and notes.plain else [piece]


def _word(word: str, notes: _Notes) -> None:
    taken, ignored = notes.narrowed.take(word)
    if taken:
        notes.close()
        if ignored:
            notes.relax("path_of_site_ignored", ignored)
        return
    title = TITLE.fullmatch(word)
    if title and shape(title[2]).strip():
        _phrase(title[2], "title", excluded=bool(title[1]), notes=notes)
        _keep_plain(title[1] + title[2], notes)
        return
    if word.lower().lstrip("-").startswith("site:"):
        notes.relax("site_as_words", word)
    elif _FIELD.match(word.lstrip("-+")):
        notes.relax("field_as_words", word)
    if _excluded(word, notes):
        return
    if _ADDRESS.fullmatch(word):
        notes.relax("address_as_words", word)
        notes.addresses.append(word.split("://", 1)[1].rstrip("/"))
    shaped = shape(word).split()
    if 1 < len(shaped) <= _MAX_TOGETHER and _JOINED.search(word):
        notes.together.append(" ".join(shaped))
    if shaped:
        notes.want("word", shaped)
        _keep_plain(word, notes)


def _excluded(word: str, notes: _Notes) -> bool:
    """Whether a word is one that is not wanted."""
    if not word.startswith("-") or word.startswith("--"):
        return False
    rest = shape(word[1:]).split()
    if rest and word[1].isalpha() and (sum(map(len, rest)) >= _SHORTEST_EXCLUDED or any_unspaced().search(word)):
        notes.close()
        notes.excluded.append(Operand("text", " ".join(rest)))
        notes.plain.append(word)
        return True
    if rest:
        notes.relax("dash_as_word", word)
    return False


def _finished(notes: _Notes) -> Asked:
    if notes.excluded and not notes.words:
        notes.relax("only_exclusions_read_as_words")
        notes.words = " ".join(one.form for one in notes.excluded).split()
        notes.excluded = []
    if not notes.words:
        notes.relax("no_words")
    narrowed = notes.narrowed
    lists = (narrowed.sites, narrowed.other_sites, narrowed.languages, narrowed.other_languages)
    sites, other_sites, languages, other_languages = (_some(parts, notes) for parts in lists)
    return Asked(
        words=_cut_words(notes),
        groups=_groups(notes),
        together=tuple(word_form(piece) for piece in list(dict.fromkeys(notes.together))[:_MAX_PARTS]),
        excluded=tuple(_formed(one, notes) for one in _some(notes.excluded, notes)),
        sites=sites,
        other_sites=other_sites,
        languages=languages,
        other_languages=other_languages,
        after=narrowed.after,
        before=narrowed.before,
        addresses=tuple(notes.addresses[:1]),
        relaxed=tuple(notes.relaxed),
        plain=" ".join(notes.plain),
    )


def _groups(notes: _Notes) -> tuple[tuple[Operand, ...], ...]:
    """What must be there. A word that stands for itself need not be: it counts, and no more."""
    asked = [group for group in notes.groups if len(group) > 1 or group[0].kind != "word"]
    different = _some([tuple(group) for group in asked], notes)
    return tuple(
        tuple(_formed(one._replace(kind="title" if one.kind == "title" else "text"), notes) for one in group)
        for group in (group[:_MAX_PARTS] for group in different)
    )


def _formed(operand: Operand, notes: _Notes) -> Operand:
    return operand._replace(form=word_form(_beginning(operand.form, notes)))


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


def _some(parts: Sequence[_T], notes: _Notes) -> tuple[_T, ...]:
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
