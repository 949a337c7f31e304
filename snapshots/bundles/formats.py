"""Quotations in the forms that others read: lines of JSON, footnotes, annotations, links, blocks for a model.

Each is a pure function from pages with their passages to text, piece by piece.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from snapshots.bundles import markup
from snapshots.bundles.fragments import WEB, link
from snapshots.bundles.quoting import Quoted
from snapshots.document import in_pages, pages_of
from snapshots.ids import hex_of
from snapshots.passages import Passage

NAMED: Final = 12
"""Hex digits of an id in a footnote: as many as every command takes for an id."""

URN: Final = "urn:citator:"

_MARKDOWN: Final = re.compile(r"([\\`*_\[\]<>&#|~])")


@dataclass(frozen=True)
class Format:
    """A form: its media type, how its files end, and the function that writes it."""

    media_type: str
    ending: str
    write: Callable[[Iterable[Quoted]], Iterator[str]]


def json_lines(pages: Iterable[Quoted]) -> Iterator[str]:
    """A passage a line, or a page where no passage was asked for."""
    for page in pages:
        about = {"url": page.url, "title": page.title, "retrieved_at": page.retrieved_at, "language": page.language}
        for one in page.passages:
            told = {
                "id": one.id,
                "kind": "passage",
                **about,
                "text": one.text,
                "prefix": one.prefix,
                "suffix": one.suffix,
                "headings": list(one.headings),
                "start": one.start,
                "end": one.end,
                **_paged(one, page),
                "capture": one.capture,
                "document": one.document,
                "link": _link(one, page),
            }
            yield _json(told) + "\n"
        if not page.passages:
            yield _json({"id": page.capture, "kind": "capture", **about, "text": page.text}) + "\n"


def markdown(pages: Iterable[Quoted]) -> Iterator[str]:
    """Footnotes in Markdown, to be put at the end of a text that refers to them as `[^…]`."""
    for page in pages:
        source, when = f"{_plain(page.title)}, <{page.url}>", f"retrieved {page.retrieved_at[:10]}"
        told = f"{source}, {when}"
        for one in page.passages:
            told = f"{source}{_where(one, page)}, {when}"
            words = f"“{_plain(one.text)}” "
            there = _link(one, page)
            shown = f" ([there]({there.replace('(', '%28').replace(')', '%29')}))" if there else ""
            yield f"[^{hex_of(one.id)[:NAMED]}]: {words}{told}{shown}. {one.id}\n\n"
        if not page.passages:
            yield f"[^{hex_of(page.capture)[:NAMED]}]: {told}. {page.capture}\n\n"


def footnotes(pages: Iterable[Quoted]) -> Iterator[str]:
    """Footnotes in HTML: a section of its own, to be put at the end of a text."""
    yield '<section role="doc-endnotes">\n<ol>\n'
    for page in pages:
        source = f"{markup.foreign(page.title, page.language, element='cite')}, {markup.address(page.url)}"
        when = f"retrieved {markup.time(page.retrieved_at)}"
        told = f"{source}, {when}"
        for one in page.passages:
            told = f"{source}{_where(one, page)}, {when}"
            words = markup.foreign(one.text, page.language, element="q")
            there = _link(one, page)
            shown = f', <a href="{markup.text(there)}">there</a>' if there else ""
            yield (f'<li id="fn-{hex_of(one.id)[:NAMED]}">{words} {told}{shown}. <code>{one.id}</code></li>\n')
        if not page.passages:
            yield f'<li id="fn-{hex_of(page.capture)[:NAMED]}">{told}. <code>{page.capture}</code></li>\n'
    yield "</ol>\n</section>\n"


def annotations(pages: Iterable[Quoted]) -> Iterator[str]:
    """A page of W3C web annotations, each with a text quote, its place in the captured text, and the time."""
    yield '{"@context":"http://www.w3.org/ns/anno.jsonld","type":"AnnotationPage","items":['
    comma = ""
    for page in pages:
        state = {"type": "TimeState", "sourceDate": page.retrieved_at, "cached": URN + page.capture}
        for one in page.passages:
            selectors = [
                {"type": "TextQuoteSelector", "exact": one.text, "prefix": one.prefix, "suffix": one.suffix},
                {"type": "TextPositionSelector", "start": one.start, "end": one.end},
            ]
            yield comma + _json(_annotation(one.id, {"source": page.url, "state": state, "selector": selectors}))
            comma = ","
        if not page.passages:
            yield comma + _json(_annotation(page.capture, {"source": page.url, "state": state}))
            comma = ","
    yield "]}\n"


def links(pages: Iterable[Quoted]) -> Iterator[str]:
    """A link a line that leads a browser to the quoted words; pages that are not on the web have none."""
    for page in pages:
        for one in page.passages:
            yield (_link(one, page) or f"{URN}{one.id}") + "\n"
        if not page.passages:
            yield (link(page.url, "") or f"{URN}{page.capture}") + "\n"


def search_results(pages: Iterable[Quoted]) -> Iterator[str]:
    """A list of `search_result` content blocks as Anthropic's models take them, with citations switched on."""
    yield "["
    comma = ""
    for page in pages:
        texts = [one.text for one in page.passages] or [page.text]
        content = [{"type": "text", "text": text} for text in texts if text.strip()]
        if not content:
            continue
        block = {
            "type": "search_result",
            "source": page.url,
            "title": page.title,
            "content": content,
            "citations": {"enabled": True},
        }
        yield comma + _json(block)
        comma = ","
    yield "]\n"


FORMATS: Final[Mapping[str, Format]] = {
    "jsonl": Format("application/jsonl", ".jsonl", json_lines),
    "markdown": Format("text/markdown; charset=utf-8", ".md", markdown),
    "html": Format("text/html; charset=utf-8", ".html", footnotes),
    "annotations": Format("application/ld+json", ".jsonld", annotations),
    "links": Format("text/plain; charset=utf-8", ".txt", links),
    "anthropic": Format("application/json", ".json", search_results),
}
"""The forms beside the bundle itself, by name."""


def _paged(one: Passage, page: Quoted) -> dict[str, int]:
    """The page of a PDF that a passage begins on, and the one that it ends on if that is another."""
    found = pages_of(page, one.start, one.end)
    if found is None:
        return {}
    first, last = found
    return {"page": first} | ({"page_end": last} if last != first else {})


def _where(one: Passage, page: Quoted) -> str:
    """The same behind a source."""
    found = pages_of(page, one.start, one.end)
    return "" if found is None else f", {in_pages(*found)}"


def _link(one: Passage, page: Quoted) -> str | None:
    paged = pages_of(page, one.start, one.end)
    if paged is not None and page.url.startswith(WEB):
        return f"{page.url.partition('#')[0]}#page={paged[0]}"  # browsers look for words in no PDF
    return link(page.url, one.text, prefix=one.prefix, suffix=one.suffix)


def _annotation(name: str, target: dict[str, Any]) -> dict[str, Any]:
    return {"id": URN + name, "type": "Annotation", "motivation": "highlighting", "target": target}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _plain(text: str) -> str:
    """Words as Markdown shows them, on one line and without meaning anything else."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))
