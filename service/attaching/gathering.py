"""What a file cites: the text in which it does, and for each source on which line, when, and whether a provider had it.

A transcript becomes a text that holds its answers alone, so that both are checked by the same rules.
"""

import io
from dataclasses import dataclass, field
from typing import Final

from service.citations import find_citations
from service.citations_html import markdown_of
from service.transcripts.events import HostedSearch, Said, Step
from service.transcripts.reading import read_transcript

MAX_TEXT: Final = 2_000_000
"""Characters of a text whose citations are checked: as many as one request takes."""

REDIRECT: Final = "vertexaisearch.cloud.google.com/grounding-api-redirect/"


@dataclass
class Cited:
    """A source that is cited: an address or an id, the line of the file, and the time if that is known."""

    name: str
    line: int
    at: str | None = None
    hosted: bool = False
    """Whether it came out of a search at the provider."""

    @property
    def redirect(self) -> bool:
        """Whether it only leads to the source, and will stop to."""
        return REDIRECT in self.name


@dataclass
class Gathered:
    """What a file cites. `lines` gives for each line of `text` (from 1) the line of the file."""

    form: str
    text: str
    sources: dict[str, Cited] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def line_of(self, line: int) -> int:
        """The line of the file that a line of the text comes from."""
        return self.lines[line - 1] if 0 < line <= len(self.lines) else line


def of_report(text: str, form: str) -> Gathered:
    """What a report cites, in Markdown or (`form` is `html`) HTML."""
    cut = text[:MAX_TEXT]
    found = Gathered(form, cut)
    for citation in find_citations(markdown_of(cut) if form == "html" else cut).citations:
        for name in citation.sources:
            found.sources.setdefault(name, Cited(name, citation.line))
    if len(text) > MAX_TEXT:
        found.notes.append(f"Only the first {MAX_TEXT} characters of it were looked through.")
    return found


def of_transcript(body: bytes) -> Gathered:
    """What the answers of a transcript cite. Blocking; takes time with its size."""
    transcript = read_transcript(io.BytesIO(body))
    found = Gathered(transcript.format, "")
    parts: list[str] = []
    hosted: set[str] = set()
    times: dict[int, str | None] = {}
    at, size, cut = None, 0, False
    for event in transcript.events:
        match event:
            case Step():
                at = event.at or at
            case HostedSearch():
                hosted.update(event.urls)
            case Said(role="assistant" | "other"):
                text = _told(event)
                cut = cut or size + len(text) > MAX_TEXT
                if text.strip() and not cut:
                    size += len(text) + 2
                    parts.append(text)
                    found.lines += [event.line] * (text.count("\n") + 2)
                    times[event.line] = at
            case _:
                continue
    found.text = "\n\n".join(parts)
    for citation in find_citations(found.text).citations:
        for name in citation.sources:
            line = found.line_of(citation.line)
            found.sources.setdefault(name, Cited(name, line, times.get(line), name in hosted))
    if cut:
        found.notes.append(f"Only the first {MAX_TEXT} characters of its answers were looked through.")
    return found


def _told(said: Said) -> str:
    """A message with the sources that it carries beside its text, each with what it is said to say."""
    text = "\n\n".join(block for block in said.blocks if block)
    for citation in said.citations:
        if "://" not in citation.url or any(char.isspace() for char in citation.url):
            continue
        if citation.quoted:
            quoted = " ".join(citation.quoted.split())
            text += f"\n\n> {quoted}\n\n— {citation.url}"
        elif citation.url not in text:
            text += f"\n\nSource: {citation.url}"
    return text
