"""The forms in which tools reply: how much fits into one, and its two sides as they are kept and sent."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from service.forms import Served, Shown
from service.mcp_tools.structures import MAX_SHOWN_URL, MAX_TITLE, Structure, cut
from service.tokens import BYTES_PER_TOKEN

TEXT: Final = "text/plain; charset=utf-8"

HEAD: Final = 1_600
"""Bytes for what stands around the pages: ids, state, sentences, a few notes."""

PER_PAGE: Final = 220
"""Bytes for the names and times of one page."""

LEFT_OUT: Final = 120
"""Bytes for the note that says what was left out."""

PER_PASSAGE: Final = 96
"""Bytes around one passage, in the form that takes more."""


@dataclass(frozen=True)
class ToolReply:
    """What a tool answers. An error has only words: no host shows anything else of one."""

    text: str
    structured: Structure | None
    is_error: bool = False
    record: str | None = None
    serving: str | None = None


def written(structured: Structure) -> bytes:
    """The structured form as it is kept and sent: compact JSON in the order of its members."""
    return orjson.dumps(structured)


def size(text: str) -> int:
    """Bytes of a text in the form in which it takes more: within JSON."""
    return max(len(text.encode()), len(orjson.dumps(text)))


@dataclass
class ToolForm:
    """The form of one call. `shape` makes the structured form, `text` the text of that; `tokens` is for all of it.

    After writing, `reply` is what was written.
    """

    shape: Callable[[Mapping[str, Any], Sequence[str]], Structure]
    text: Callable[[Mapping[str, Any]], str]
    tokens: int
    notes: list[str]
    subject: str = ""
    structured: bool = True
    reply: ToolReply | None = field(default=None, init=False)

    def room(self, pages: Sequence[Shown], asked: int | None) -> int:  # noqa: ARG002 - the whole reply has a budget here
        """What is left for passages when everything else has its place."""
        around = HEAD + size(self.subject) + sum(size(note) for note in self.notes)
        for page in pages:
            around += PER_PAGE + size(cut(page.url, MAX_SHOWN_URL)) + size(cut(page.title or "", MAX_TITLE))
        return max(0, self.tokens - around // BYTES_PER_TOKEN)

    def cost(self, text: str) -> int:
        """A passage with what stands around it, in the form that takes more."""
        return -(-(size(text) + PER_PASSAGE) // BYTES_PER_TOKEN)

    def write(self, fields: dict[str, Any]) -> Served:
        """Both forms; of a failure the words alone."""
        if "status" in fields and "type" in fields:  # problem details
            return self._failed(fields)
        structured = self.shape(fields, self.notes)
        self._fit(structured)
        text = self.text(structured)
        self.reply = ToolReply(text, structured if self.structured else None, record=fields["record"])
        return Served(text.encode(), TEXT, structured=written(structured) if self.structured else None)

    def _fit(self, structured: Structure) -> None:
        """Leave out what is too much beside the passages: pages at the end that show none, then the longest notes."""
        results, notes = structured.get("results", []), structured["notes"]
        pages = words = 0
        while self._size(structured) > self.tokens * BYTES_PER_TOKEN - LEFT_OUT:
            if results and not results[-1]["passages"]:
                results.pop()
                pages += 1
            elif notes:
                notes.remove(max(notes, key=len))
                words += 1
            else:
                break
        if pages or words:
            what = [f"{pages} more pages"] * bool(pages) + [f"{words} more notes"] * bool(words)
            notes.append(f"No room for {' and '.join(what)}; the record has them.")

    def _size(self, structured: Structure) -> int:
        return max(len(self.text(structured).encode()), len(written(structured)))

    def _failed(self, fields: dict[str, Any]) -> Served:
        """A page that gave nothing to read: why, and the record of the attempt."""
        record = fields["record"]
        lines = [
            f"Citator record {record}" if record else "",
            f"Not fetched: {fields.get('url', '')}",
            f"{fields['title']} {fields['detail']}" if fields["detail"] != fields["title"] else fields["title"],
            f"Outcome {fields['outcome']}, page state {fields['page_state']}"
            + (f", reason {fields['reason']}" if fields.get("reason") else "")
            + f", HTTP status {fields.get('http_status') or 'none'}, at {fields['retrieved_at']}.",
            *(f"Note: {note}" for note in self.notes),
            f"Citator record {record}" if record else "",
        ]
        text = "\n".join(line for line in lines if line)
        self.reply = ToolReply(text, None, is_error=True, record=record)
        return Served(text.encode(), TEXT)
