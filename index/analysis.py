"""Text to terms. The same code reads passages and queries, so that what is typed meets what was written.

Tantivy only splits what comes out of here at spaces. Two forms are made of each text:

* *words*: every word as written, folded later to lower case without accents; identifiers keep their underscores, and
  `C++` and `C#` their signs. A run of a script without spaces becomes its overlapping pairs of characters, closed by
  its last character alone, so that pairs of two runs never look like neighbours, and each character begins a term.
* *stems*: every word in the language's stem, accents kept; the parts of identifiers such as `maxRetries` are added.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

import regex
from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from index.scripts import any_unspaced, units, unspaced_run

# Longer words are not prose and nobody types them: encoded data, mostly. Counted in UTF-8 bytes by Tantivy.
MAX_TERM = 200

STEMMERS = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nb": "norwegian",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}

# ASCII: letters, digits and underscores stay; plus and hash too, for a closer look; all else parts words.
_ASCII = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) in "_+#")}
_SIGNED = re.compile(r"(?<!\w)([A-Za-z](?:\+\+|#(?!\w)))(?![+#])|[+#]+", re.ASCII)
_GAP = regex.compile(r"[^\w\p{M}+#]+")
# Left out of words: soft hyphen, Hebrew points, Arabic vowel signs and stretching, zero-width and direction marks.
_SILENT = re.compile(
    "[\u00ad\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0640\u064b-\u065f\u0670\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]+",
)
_DOTLESS = "\u0131"  # the small letter of I in Turkish
_HUMPS = re.compile(r"[A-Z](?<=[a-z][A-Z])")  # capitals are rarer than small letters: quicker to look for
_HUMPED = re.compile(r"\b\w*[a-z][A-Z]\w*")
_HUMP_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_UNDERSCORED = re.compile(r"\w*[^\W_]_+\w+|_+\w+")


def shape(text: str) -> str:
    """The words of a text, as written, parted by single spaces or more; what is not a word is gone."""
    if text.isascii():
        shaped = text.translate(_ASCII)
    else:
        if not unicodedata.is_normalized("NFKC", text):
            text = unicodedata.normalize("NFKC", text)
        shaped = _GAP.sub(" ", _SILENT.sub("", text)).replace("ё", "е").replace("Ё", "Е")  # noqa: RUF001 -- Russian prints the one for the other
    if "+" in shaped or "#" in shaped:
        shaped = _SIGNED.sub(lambda found: f"{found[1]} " if found[1] else " ", shaped)
    return shaped


def pairs(run: str) -> str:
    """The terms of a run of a script without spaces: each pair of neighbours, then the last character alone."""
    parts = units(run)
    return " ".join([*(a + b for a, b in pairwise(parts)), parts[-1]])


def word_form(shaped: str) -> str:
    """The words form of a shaped text, before folding."""
    if shaped.isascii():
        return shaped
    if any_unspaced().search(shaped):
        shaped = unspaced_run().sub(lambda run: f" {pairs(run[0])} ", shaped)
    return shaped.replace("İ", "I") if "İ" in shaped else shaped


def spaced_words(shaped: str, language: str | None) -> str:
    """The words of a shaped text in lower case, parted by spaces, without runs of scripts that have no spaces."""
    if not shaped.isascii():
        if any_unspaced().search(shaped):
            shaped = unspaced_run().sub(" ", shaped)
        shaped = shaped.replace("İ", "i").replace("I", _DOTLESS) if language == "tr" else shaped.replace("İ", "I")
    elif language == "tr":
        shaped = shaped.replace("I", _DOTLESS)
    return shaped.lower()


def identifier_parts(shaped: str) -> list[str]:
    """The parts of names such as `max_retries`, `__init__` or `maxRetries` in a shaped text, in lower case."""
    parts: list[str] = []
    if "_" in shaped:
        for name in _UNDERSCORED.findall(shaped):
            parts += name.lower().replace("_", " ").split()
    if _HUMPS.search(shaped):
        for name in _HUMPED.findall(shaped):
            parts += (part.lower() for part in _HUMP_PARTS.findall(name))
    return parts


def base_language(tag: str | None) -> str | None:
    """`pt` of `pt-BR` or `pt_BR`; None of None."""
    return re.split(r"[-_]", tag, maxsplit=1)[0].lower() or None if tag else None


@lru_cache(maxsize=len(STEMMERS))
def _stemmer(name: str) -> TextAnalyzer:
    return TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.stemmer(name)).build()


def stems(words: str, language: str | None) -> str:
    """Words in lower case, parted by spaces, in the stems of a language. Without a stemmer each is its own stem.

    Whole texts go to the stemmer at once: asking for single words, or remembering them, costs more.
    """
    name = STEMMERS.get(language or "")
    return " ".join(_stemmer(name).analyze(words)) if name else words


def folding() -> TextAnalyzer:
    """Reads the words form: lower case, accents off Latin letters."""
    builder = TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.lowercase()).filter(Filter.ascii_fold())
    return builder.filter(Filter.remove_long(MAX_TERM)).build()


def plain() -> TextAnalyzer:
    """Reads what is in its final form already."""
    return TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.remove_long(MAX_TERM)).build()
