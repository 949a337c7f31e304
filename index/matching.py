"""From what was asked to what Tantivy looks for: own query objects, never Tantivy's query language.

The core is one flat union of terms, each boosted by its weight and by how often the query says it: Tantivy skips
through such a union without scoring every passage. Filters, phrases and exclusions go around it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from tantivy import FieldType, Occur, Query

from index.analysis import base_language, folding, identifier_parts, pairs, spaced_words, stems
from index.fragments import has_pieces, neighbours, pieces
from index.language import guess
from index.schema import address_tag, context_terms
from index.scripts import units, unspaced_run
from index.stopwords import stop_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import date

    import tantivy

    from index.queries import Asked, Operand


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each field counts. Found by trying on collections in thirteen languages and on reference manuals."""

    stems: float = 1.0
    words: float = 0.3
    pairs: float = 1.0
    pairs_with_kana: float = 0.7  # Japanese endings and particles are written in hiragana
    pairs_of_kana: float = 0.3
    title: float = 0.3
    heading: float = 0.4
    together: float = 0.6
    pieces: float = 0.4
    neighbours: float = 0.3
    address: float = 20.0


WEIGHTS = Weights()

# A run of a script without spaces up to here, asked for alone, is one word: found whole or not at all.
_WHOLE_RUN = 3
# Parts of names such as `maxRetries` that are looked for besides the names.
_MOST_PARTS = 16
# Terms that one character alone may begin.
_MOST_EXPANDED = 256
# Different words that are looked for: of more, those that the fewest passages have, as they tell the passages apart.
MOST_WORDS = 64
MOST_PAIRS = 256
# Pieces of words that are looked for, the rarest; none that is in more than a fifth of the passages and in more than
# so many: it says little, and costs most.
_MOST_PIECES = 96
_COMMON = 5
_FEW = 1_000


@dataclass(frozen=True, slots=True)
class Filters:
    """What a passage must be to be looked at. Domains take their subdomains in; days are inclusive."""

    include_domains: tuple[str, ...] = ()
    exclude_domains: tuple[str, ...] = ()
    language: str | None = None
    published_after: date | None = None
    published_before: date | None = None


class Matcher:
    """Builds queries for one schema. `present` are the index's languages with their numbers of passages."""

    def __init__(self, schema: tantivy.Schema, searcher: tantivy.Searcher, present: Mapping[str, int]) -> None:
        self._schema = schema
        self._searcher = searcher
        self._present = present
        self._folding = folding()
        self._known: tuple[tuple[Asked, Sequence[str]], list[tuple[str, Query]]] | None = None
        self.cut = False
        """Whether a query had more words than are looked for."""

    def query(self, asked: Asked, filters: Filters, *, groups: bool = True) -> Query | None:
        """The whole query; None where nothing is asked for. Without `groups`, what must be there may be."""
        languages = self.languages(asked, filters)
        terms = [term for _, term in self._made(asked, languages)]
        narrowed = (*filters.include_domains, *asked.sites, *asked.languages, asked.after or asked.before)
        if not terms and (asked.words or not any(narrowed)):
            return None
        core = Query.boolean_query([(Occur.Should, term) for term in terms]) if terms else Query.all_query()
        clauses = [(Occur.Must, core), *self._filters(asked, filters)]
        for group in asked.groups:
            options = [option for one in group for option in self._operand(one, languages)]
            if options and groups:
                clauses.append((Occur.Must, self._silent(options)))
        clauses += [(Occur.MustNot, option) for one in asked.excluded for option in self._operand(one, languages)]
        runs = self._whole_run(asked)
        if runs:
            clauses.append((Occur.Must, runs))
        return core if len(clauses) == 1 else Query.boolean_query(clauses)

    def context(self, asked: Asked, filters: Filters) -> dict[str, Query]:
        """The parts of the query that look at titles and at headings, to tell their share of a score."""
        parts: dict[str, list[tuple[Occur, Query]]] = {}
        for part, term in self._made(asked, self.languages(asked, filters)):
            if part in ("title", "heading"):
                parts.setdefault(part, []).append((Occur.Should, term))
        return {part: Query.boolean_query(terms) for part, terms in parts.items()}

    # --- words ----------------------------------------------------------------------------------

    def _made(self, asked: Asked, languages: Sequence[str]) -> list[tuple[str, Query]]:
        """The terms, made once: a search asks for them two or three times."""
        if self._known is None or self._known[0] != (asked, languages):
            self._known = ((asked, languages), list(self._terms(asked, languages)))
        return self._known[1]

    def _terms(self, asked: Asked, languages: Sequence[str]) -> Iterator[tuple[str, Query]]:
        text = " ".join(asked.words)
        stopped = self._stopped(text, languages)
        yield from self._spaced(text, languages, stopped)
        yield from self._unspaced(text)
        for piece in asked.together:
            if not stopped.isdisjoint(piece.lower().split()):
                continue
            for phrase in self._phrase(piece):
                yield "text", Query.boost_query(phrase, WEIGHTS.together)
        for address in asked.addresses:
            same = Query.term_query(self._schema, "tags", address_tag(address), index_option="basic")
            yield "address", Query.const_score_query(same, WEIGHTS.address)

    def languages(self, asked: Asked, filters: Filters) -> tuple[str, ...]:
        """The languages that the query may be in."""
        known = base_language(filters.language)
        if known or asked.languages:
            return (known,) if known else asked.languages
        likely = guess(spaced_words(" ".join(asked.words), None).split(), self._present)
        # pages whose language nobody knows have their words as they stand
        return (*likely, "") if "" in self._present and "" not in likely else likely

    @staticmethod
    def _stopped(text: str, languages: Sequence[str]) -> frozenset[str]:
        """The words to leave out; none where nothing else is there."""
        stopped = frozenset[str]().union(*(stop_words(name) for name in languages))
        return frozenset() if stopped.issuperset(spaced_words(text, None).split()) else stopped

    def _spaced(self, text: str, languages: Sequence[str], stopped: frozenset[str]) -> Iterator[tuple[str, Query]]:
        words = spaced_words(text, None).split()
        counts = Counter(word for word in words if word not in stopped)
        parts = [part for part in identifier_parts(text) if part not in counts][:_MOST_PARTS]
        if len(counts) > MOST_WORDS:
            counts = Counter({word: counts[word] for word in self._rarest("words", counts, MOST_WORDS)})
            self.cut = True
        for word, count in (*counts.items(), *Counter(parts).items()):
            yield from self._word(word, count, languages)
        yield from self._fragments(words, counts, languages)

    def _fragments(
        self, words: Sequence[str], wanted: Iterable[str], languages: Sequence[str]
    ) -> Iterator[tuple[str, Query]]:
        """Words that stand together, and pieces of words."""
        found: dict[str, None] = {}
        for language in languages or (None,):
            if has_pieces(language):
                found |= dict.fromkeys(" ".join(pieces(spaced_words(word, language)) for word in wanted).split())
        most = sum(count for language, count in self._present.items() if has_pieces(language)) // _COMMON
        for piece in self._rarest("fragments", found, _MOST_PIECES, most=max(most, _FEW)):
            yield "text", self._present_or_not("fragments", piece, WEIGHTS.pieces)
        known = set(wanted)
        pairs = [f"{one} {other}" for one, other in pairwise(words) if one in known or other in known]
        forms = [stems(spaced_words(pair, language), language) for pair in pairs for language in languages or (None,)]
        for term in list(dict.fromkeys(term for terms in neighbours(forms) for term in terms.split()))[:MOST_WORDS]:
            yield "text", self._present_or_not("fragments", term, WEIGHTS.neighbours)

    def _rarest(self, name: str, terms: Iterable[str], count: int, *, most: int | None = None) -> list[str]:
        """Those of the terms that the fewest passages have, and no more of them than `most`; in their order."""
        often = {term: self._searcher.doc_freq(name, self._folded(term) if name == "words" else term) for term in terms}
        there = [term for term, number in often.items() if number and (most is None or number <= most)]
        if len(there) <= count:
            return there
        kept = set(sorted(there, key=lambda term: (often[term], term))[:count])
        return [term for term in there if term in kept]

    def _word(self, word: str, count: int, languages: Sequence[str]) -> Iterator[tuple[str, Query]]:
        forms: dict[str, None] = {}
        for language in languages or (None,):
            for form in stems(spaced_words(word, language), language).split():
                forms[form] = None
        for form in forms:
            yield "stems", self._term("stems", form, WEIGHTS.stems * count)
            yield "title", self._term("title", form, WEIGHTS.title * count)
            yield "heading", self._term("heading", form, WEIGHTS.heading * count)
        for folded in self._folding.analyze(word):
            yield "words", self._term("words", folded, WEIGHTS.words * count)

    def _unspaced(self, text: str) -> Iterator[tuple[str, Query]]:
        if text.isascii():
            return
        runs = unspaced_run().findall(text)
        counts: Counter[str] = Counter()
        for run in runs:
            terms = pairs(run).split()
            if len(terms) == 1:
                yield from self._single(terms[0], alone=len(runs) == 1)
            counts.update(terms[:-1])
        if len(counts) > MOST_PAIRS:
            counts = Counter({pair: counts[pair] for pair in self._rarest("words", counts, MOST_PAIRS)})
            self.cut = True
        for term, count in counts.items():
            folded = self._folded(term)
            yield "words", self._term("words", folded, _weight_of_pair(term) * count)
            yield "title", self._term("title", term, WEIGHTS.title * count)
            yield "heading", self._term("heading", term, WEIGHTS.heading * count)

    def _single(self, character: str, *, alone: bool) -> Iterator[tuple[str, Query]]:
        """One character of a script without spaces: any pair that it begins, or itself at the end of a run."""
        folded = self._folded(character)
        found = self._searcher.terms_with_prefix("words", folded, limit=_MOST_EXPANDED if alone else 1)
        if not found:
            return
        terms = [term for term, _ in found] if alone else [folded]
        for term in terms:
            yield "words", self._term("words", term, WEIGHTS.pairs)
        for name, weight in (("title", WEIGHTS.title), ("heading", WEIGHTS.heading)):
            for term, _ in self._searcher.terms_with_prefix(name, character, limit=_MOST_EXPANDED) if alone else ():
                yield name, self._term(name, term, weight)

    def _whole_run(self, asked: Asked) -> Query | None:
        """What a query must match that is nothing but one short run: half a word is no answer to the whole."""
        if len(asked.words) != 1:
            return None
        run = unspaced_run().fullmatch(asked.words[0])
        if run is None or not 1 < len(units(run[0])) <= _WHOLE_RUN or _korean(run[0]):
            return None
        return Query.boolean_query(
            [
                *((Occur.Should, phrase) for phrase in self._phrase(pairs(run[0]))),
                *((Occur.Should, self._all("title", pairs(run[0]).split()[:-1])) for _ in (1,)),
                *((Occur.Should, self._all("heading", pairs(run[0]).split()[:-1])) for _ in (1,)),
            ],
        )

    def _all(self, name: str, terms: Iterable[str]) -> Query:
        return Query.boolean_query([(Occur.Must, self._term(name, term, 1.0)) for term in terms])

    def _phrase(self, form: str) -> Iterator[Query]:
        """Words next to each other in this order. `form` is in the words form; nothing if it has no words."""
        terms = self._folding.analyze(form)
        if len(terms) > 1 and unspaced_run().fullmatch(terms[-1]) and len(units(terms[-1])) == 1:
            terms.pop()  # the last character alone stands there only at the end of a run
        if len(terms) > 1:
            yield Query.phrase_query(self._schema, "words", list(terms))
        elif terms and unspaced_run().fullmatch(terms[0]) and len(units(terms[0])) == 1:
            found = self._searcher.terms_with_prefix("words", terms[0], limit=_MOST_EXPANDED)
            yield Query.boolean_query([(Occur.Should, self._term("words", term, 1.0)) for term, _ in found])
        elif terms:
            yield self._term("words", terms[0], 1.0)

    def _folded(self, term: str) -> str:
        return next(iter(self._folding.analyze(term)), term)

    def _operand(self, operand: Operand, languages: Sequence[str]) -> Iterator[Query]:
        """What is asked for as a whole: in the text as it is written, in the title in any form of the word."""
        if operand.kind == "text":
            yield from self._phrase(operand.form)
            return
        for language in languages or (None,):
            forms = context_terms(operand.form, language).split()
            if forms:
                yield self._all("title", forms)

    def _present_or_not(self, name: str, term: str, boost: float) -> Query:
        return Query.boost_query(Query.term_query(self._schema, name, term, index_option="basic"), boost)

    def _term(self, name: str, term: str, boost: float) -> Query:
        return Query.boost_query(Query.term_query(self._schema, name, term, index_option="freq"), boost)

    # --- filters --------------------------------------------------------------------------------

    def _filters(self, asked: Asked, filters: Filters) -> Iterator[tuple[Occur, Query]]:
        for sites in (filters.include_domains, asked.sites):
            if sites:
                yield Occur.Must, self._silent([self._tag(f"site:{_domain(site)}") for site in sites])
        for site in (*filters.exclude_domains, *asked.other_sites):
            yield Occur.MustNot, self._tag(f"site:{_domain(site)}")
        language = base_language(filters.language)
        for spoken in ((language,) if language else (), asked.languages):
            if spoken:
                yield Occur.Must, self._silent([self._tag(f"lang:{name}") for name in spoken])
        for name in asked.other_languages:
            yield Occur.MustNot, self._tag(f"lang:{name}")
        first = max(filter(None, (filters.published_after, asked.after)), default=None)
        last = min(filter(None, (filters.published_before, asked.before)), default=None)
        if first or last:
            low, high = (day.toordinal() if day else None for day in (first, last))
            yield Occur.Must, self._silent([Query.range_query(self._schema, "day", FieldType.Integer, low, high)])

    def _tag(self, tag: str) -> Query:
        return Query.term_query(self._schema, "tags", tag, index_option="basic")

    @staticmethod
    def _silent(options: Sequence[Query]) -> Query:
        """Any of these, without a say in the score."""
        union = options[0] if len(options) == 1 else Query.boolean_query([(Occur.Should, option) for option in options])
        return Query.const_score_query(union, 0.0)


def _weight_of_pair(pair: str) -> float:
    kana = ["\u3041" <= character <= "\u309f" for character in pair]
    return WEIGHTS.pairs_of_kana if all(kana) else WEIGHTS.pairs_with_kana if any(kana) else WEIGHTS.pairs


def _domain(site: str) -> str:
    return site.lower().lstrip("*.").rstrip(".")


def _korean(run: str) -> bool:
    return any("\u1100" <= c <= "\u11ff" or "\u3130" <= c <= "\u318f" or "\uac00" <= c <= "\ud7ff" for c in run)
