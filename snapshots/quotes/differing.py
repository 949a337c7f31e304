"""What an edit did: the words that went and came, and what they have to do with."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import regex

from snapshots.quotes.folding import Folded
from snapshots.quotes.lexicon import TOPICS, Topic, lexicon
from snapshots.quotes.words import Difference, Step, Word, difference, range_of, steps_between

Flag = Literal["number", "date", "unit", "negation", "name", "modality", "punctuation", "case"]
FLAGS: Final[tuple[Flag, ...]] = ("number", "date", "unit", "negation", "name", "modality", "punctuation", "case")
SHOWN: Final = 100
"""Differences listed: with more, old and new are two texts to be read side by side."""
NEAR: Final = 2
"""Words on each side of a change that can make it one of a date or of a word written together."""
_STEM: Final = 3
"""A word of which this little is left when a beginning is taken off is another word, not its opposite."""

_YEAR: Final = regex.compile(r"(?:1[5-9]|20|21)\p{Nd}\p{Nd}")
_UNIT_SIGN: Final = regex.compile(r"[%‰°\p{Sc}]")
_ORDER_SIGN: Final = regex.compile(r"[<>=≤≥≠±×÷^²³]")
_DATE_MARKS: Final = frozenset("-/.")
_TURKISH_STEM: Final = 2
_TURKISH_NOT: Final = regex.compile(r"(?:y?[aeıiuü])?m[aeıiuü](?:z|y|d|m|s|k|n|l|$)")
_SENTENCE_END: Final = frozenset(".!?:•\"'(")


@dataclass(frozen=True, slots=True)
class Comparison:
    """The differences in order, at most SHOWN of `total`, and the flags of all of them."""

    differences: tuple[Difference, ...]
    flags: tuple[Flag, ...]
    total: int


def compare(quote: tuple[Folded, Sequence[Word]], page: tuple[Folded, Sequence[Word]]) -> Comparison:
    """What sets the words of a quote apart from those in its place on the page."""
    (quoted, old), (shown, new) = quote, page
    differences: list[Difference] = []
    flags: set[Flag] = set()
    for step in steps_between(old, new):
        if step.same:
            for q, p in zip(range(step.q1, step.q2), range(step.p1, step.p2), strict=True):
                if old[q].text != new[p].text:
                    differences.append(
                        difference(
                            "replace",
                            (quoted.source, range_of(quoted, old, q, q + 1)),
                            (shown.source, range_of(shown, new, p, p + 1)),
                        )
                    )
                    flags.add("case")
            continue
        went, came = step.q1 < step.q2, step.p1 < step.p2
        differences.append(
            difference(
                "replace" if went and came else "delete" if went else "insert",
                (quoted.source, range_of(quoted, old, step.q1, step.q2)),
                (shown.source, range_of(shown, new, step.p1, step.p2)),
            )
        )
        flags |= _flags(old, new, step)
    return Comparison(tuple(differences[:SHOWN]), tuple(flag for flag in FLAGS if flag in flags), len(differences))


def _flags(old: Sequence[Word], new: Sequence[Word], step: Step) -> set[Flag]:
    went, came = old[step.q1 : step.q2], new[step.p1 : step.p2]
    changed = [*went, *came]
    if all(word.kind == "mark" for word in changed):
        return _marks(old, new, step)
    flags: set[Flag] = set()
    for word in changed:
        flags |= _topics(word)
    if "number" in flags and (_dated(old, step.q1, step.q2) or _dated(new, step.p1, step.p2)):
        flags.add("date")
    flags |= _parts(old[max(0, step.q1 - NEAR) : step.q2 + NEAR], new[max(0, step.p1 - NEAR) : step.p2 + NEAR])
    if _opposite(went, came) or _opposite(came, went):
        flags.add("negation")
    if _names(old, step.q1, step.q2) or _names(new, step.p1, step.p2):
        flags.add("name")
    return flags


def _marks(old: Sequence[Word], new: Sequence[Word], step: Step) -> set[Flag]:
    """Marks alone; beside a number they may be part of what it says."""
    beside = [
        *old[max(0, step.q1 - 1) : step.q1], *old[step.q2 : step.q2 + 1],
        *new[max(0, step.p1 - 1) : step.p1], *new[step.p2 : step.p2 + 1],
    ]  # fmt: skip
    changed = {word.text for word in (*old[step.q1 : step.q2], *new[step.p1 : step.p2])}
    numbers = sum(word.kind == "number" for word in beside)
    if numbers > 1 and changed & set("-.,:/"):
        return {"punctuation", "number"}
    return {"punctuation"}


def _topics(word: Word) -> set[Flag]:
    flags: set[Flag] = set()
    if word.kind == "number" or any(c.isnumeric() for c in word.text) or _ORDER_SIGN.match(word.text):
        flags.add("number")
    if word.kind == "sign" and _UNIT_SIGN.match(word.text):
        flags.add("unit")
    for topic, entries in lexicon().topics.items():
        if word.key in entries.words:
            flags.add(topic)
    if word.key.endswith("n't"):
        flags.add("negation")
    if word.text == "May":
        flags.add("date")
    return flags


def _dated(words: Sequence[Word], start: int, end: int) -> bool:
    """Whether a changed run lies in a date: a year, beside the name of a month or day, or numbers with date marks."""
    dates = lexicon().topics["date"]
    around = words[max(0, start - NEAR) : end + NEAR]
    if any(word.key in dates.words or word.text in dates.parts or word.text == "May" for word in around):
        return True
    if any(word.kind == "number" and _YEAR.fullmatch(word.text) for word in words[start:end]):
        return True
    around = words[max(0, start - 2 * NEAR) : end + 2 * NEAR]
    marks = sum(word.text in _DATE_MARKS for word in around)
    return marks >= NEAR and sum(word.kind == "number" for word in around) > NEAR


def _parts(old: Sequence[Word], new: Sequence[Word]) -> set[Flag]:
    """Topics whose parts of words are more or fewer after the change, where words are not set apart or run on."""
    before, after = "".join(word.text for word in old), "".join(word.text for word in new)
    if before.isascii() and after.isascii():
        return set()
    return {topic for topic in TOPICS if _counts(topic, before) != _counts(topic, after)}


def _counts(topic: Topic, text: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for part in lexicon().topics[topic].parts:
        found = text.count(part)
        if found:
            counts[part] = found
            text = text.replace(part, " ")
    return counts


def _opposite(some: Sequence[Word], others: Sequence[Word]) -> bool:
    """Whether a word of OTHERS is one of SOME with a beginning, or a Turkish ending, that turns it around."""
    for one in some:
        for other in others:
            if len(one.key) >= _STEM and other.key.endswith(one.key):
                if other.key.removesuffix(one.key) in lexicon().opposites:
                    return True
            elif _turkish_opposite(one.key, other.key):
                return True
    return False


def _turkish_opposite(one: str, other: str) -> bool:
    shared = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        shared += 1
    if shared < _TURKISH_STEM or not ({*"ıışğçöü"} & {*one, *other} or other.endswith(("maz", "mez", "madı", "medi"))):
        return False
    return bool(_TURKISH_NOT.match(other[shared:])) and not _TURKISH_NOT.match(one[shared:])


def _names(words: Sequence[Word], start: int, end: int) -> bool:
    """Whether a word between START and END is written like a name: a capital where no sentence begins."""
    for at in range(start, end):
        word = words[at]
        if word.kind != "word" or not word.text[0].isupper() or len(word.text) == 1:
            continue
        begins = at == 0 or words[at - 1].text in _SENTENCE_END
        beside = words[at + 1] if at + 1 < len(words) else None
        if not begins or (beside is not None and beside.kind == "word" and beside.text[0].isupper()):
            return True
    return False
