"""The language of a page: what it says, else what its text looks like."""

import re
from typing import Any, Final

from crawler.head import Head
from crawler.reading import Language

_TAG: Final = re.compile(r"^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8})*$")

# Less text than this says too little; more than this says nothing more.
MIN_LETTERS: Final = 24
SAMPLE_CHARACTERS: Final = 2_000


def find_language(root: Any, head: Head, text: str) -> Language | None:
    """By the `lang` of the `html` element, then by meta tags, then by TEXT."""
    return stated_language(root, head) or detect_language(text)


def stated_language(root: Any, head: Head) -> Language | None:
    """What the `html` element or a meta tag says."""
    stated = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or root.get("xml:lang")
    if tag := tag_of(stated):
        return Language(tag, "html")
    for name in ("content-language", "language", "og:locale", "dc.language", "dcterms.language", "inlanguage"):
        for content in head.meta.get(name, ()):
            if tag := tag_of(content.split(",")[0]):
                return Language(tag, "meta")
    return None


def tag_of(value: str | None) -> str | None:
    """VALUE as a BCP 47 tag with its usual letter case, None if it is none."""
    if not value or not _TAG.match(value.strip()):
        return None
    first, *rest = value.strip().replace("_", "-").split("-")
    parts = [p.upper() if len(p) == len("GB") else p.title() if len(p) == len("Hant") else p.lower() for p in rest]
    return "-".join([first.lower(), *parts])


def detect_language(text: str) -> Language | None:
    """A guess from the text alone, None where there is too little of it."""
    start = (len(text) - SAMPLE_CHARACTERS) // 2 if len(text) > 2 * SAMPLE_CHARACTERS else 0
    sample = text[start : start + SAMPLE_CHARACTERS]
    if sum(map(str.isalpha, sample)) < MIN_LETTERS:
        return None
    from py3langid import classify  # noqa: PLC0415 - loads a model, in workers only

    tag, _ = classify(sample)
    return Language(str(tag), "text")
