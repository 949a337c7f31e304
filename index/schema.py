"""The fields of the Tantivy index. A passage is one Tantivy document; nothing of its text is stored.

Pointers are numbers in columns, read for all hits at once: 200 stored documents would cost more than the search.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import tantivy

from index.analysis import (
    base_language,
    folding,
    identifier_parts,
    plain,
    shape,
    spaced_words,
    stems,
    word_form,
)
from index.fragments import fragments, neighbours
from index.scripts import any_unspaced, unspaced_run
from index.sketch import sketches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from index.pages import Page

# A passage's key is its page's log position and its ordinal in one number.
ORDINAL_BITS = 20
_HALF = (1 << 64) - 1
# Passages made ready together: fingerprints are cheaper by the dozen, and a long page should not lie in memory twice.
_AT_ONCE = 64


def build_schema() -> tantivy.Schema:
    """`words` has positions, for phrases; other text fields know which words they hold and how often, or only which."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("words", tokenizer_name="folding")
    builder.add_text_field("stems", tokenizer_name="plain", index_option="freq")
    builder.add_text_field("fragments", tokenizer_name="plain", index_option="basic")
    builder.add_text_field("title", tokenizer_name="plain", index_option="freq")
    builder.add_text_field("heading", tokenizer_name="plain", index_option="freq")
    builder.add_text_field("tags", tokenizer_name="plain", index_option="basic")
    builder.add_unsigned_field("key", fast=True)
    builder.add_unsigned_field("span", fast=True)
    builder.add_unsigned_field("sketch_low", fast=True)
    builder.add_unsigned_field("sketch_high", fast=True)
    builder.add_integer_field("day", fast=True)
    return builder.build()


def register(index: tantivy.Index) -> None:
    """Tantivy forgets analysers between openings."""
    index.register_tokenizer("folding", folding())
    index.register_tokenizer("plain", plain())


def context_terms(text: str, language: str | None) -> str:
    """A title or heading in terms: stems, parts of identifiers, and pairs of scripts without spaces."""
    shaped = shape(text)
    terms = [_stemmed(shaped, spaced_words(shaped, language), language)]
    if not shaped.isascii() and any_unspaced().search(shaped):
        terms += (pair for run in unspaced_run().findall(shaped) for pair in word_form(run).split())
    return " ".join(terms)


def _stemmed(shaped: str, words: str, language: str | None) -> str:
    parts = identifier_parts(shaped)
    return stems(" ".join([words, *parts]) if parts else words, language)


def host_of(url: str) -> str:
    """The host of an address, lower case; empty where there is none."""
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""


def address_tag(address: str) -> str:
    """What stands in `tags` for an address: a hash, as addresses can be longer than a term."""
    plain_address = address.split("://", 1)[-1].split("#", 1)[0].rstrip("/")
    return "url:" + hashlib.sha256(plain_address.encode("utf-8", "replace")).hexdigest()[:24]


def _tags(page: Page, language: str | None) -> str:
    labels = host_of(page.url).split(".")
    tags = ["site:" + ".".join(labels[n:]) for n in range(len(labels))] if labels != [""] else []
    tags.append(address_tag(page.url))
    if language:
        tags.append(f"lang:{language}")
    return " ".join(tag for tag in tags if " " not in tag)


def documents(page: Page) -> Iterator[tantivy.Document]:
    """A page's passages as Tantivy takes them."""
    language = base_language(page.language)
    title = context_terms(page.title, language) if page.title else ""
    tags = _tags(page, language)
    day = page.published.toordinal() if page.published else None
    chain: tuple[str, ...] = ()
    heading = ""
    for at in range(0, len(page.spans), _AT_ONCE):
        some = page.spans[at : at + _AT_ONCE]
        texts = [_text(page.text[span.start : span.end], language) for span in some]
        prints = sketches([text.fingerprinted for text in texts])
        pairs = neighbours([text.stems for text in texts])
        above_each = page.headings[at : at + _AT_ONCE]
        for span, above, text, near, pair in zip(some, above_each, texts, prints, pairs, strict=True):
            if above != chain:
                chain = above
                heading = context_terms(" ".join(above), language)
            document = tantivy.Document()
            document.add_text("words", text.form)
            document.add_text("stems", text.stems)
            document.add_text("fragments", fragments(text.words, pair, language))
            if title:
                document.add_text("title", title)
            if heading:
                document.add_text("heading", heading)
            document.add_text("tags", tags)
            document.add_unsigned("key", page.position << ORDINAL_BITS | span.ordinal)
            document.add_unsigned("span", span.start << 32 | span.end)
            document.add_unsigned("sketch_low", near & _HALF)
            document.add_unsigned("sketch_high", near >> 64)
            if day is not None:
                document.add_integer("day", day)
            yield document


class _Text(NamedTuple):
    """What is indexed of a passage's text."""

    form: str
    stems: str
    words: str
    fingerprinted: str


def _text(text: str, language: str | None) -> _Text:
    shaped = shape(text)
    words = spaced_words(shaped, language)
    form = word_form(shaped)
    stemmed = _stemmed(shaped, words, language)
    # where there are pairs of characters they belong to what it says; `form` has all terms then
    fingerprinted = words if len(form) == len(shaped) else form.lower()
    return _Text(form, stemmed, words, fingerprinted)
