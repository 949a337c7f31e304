"""Plain text and Markdown: one message, line by line, with the addresses that it cites."""

import re
from collections.abc import Iterator
from typing import Final

from service.transcripts.events import Citation, Event, Said, Step, Unread
from service.transcripts.lines import Source, raw_lines

MAX_TEXT_LINE: Final = 1024 * 1024
"""Characters of one line that are searched; a paragraph has some thousands."""

_LINK: Final = re.compile(
    r"\[([^\[\]\n]{0,1000}+)\]\(\s*+<?(https?://(?:[^\s<>()]|\([^\s<>()]*+\)){1,8000}+)>?[^)\n]{0,500}+\)"
)
_BARE: Final = re.compile(r"(?<!\w)<?(https?://[^\s<>\"'`|\\^{}]{1,8000})")
_TRAILING: Final = ".,;:!?"


class MarkdownReader:
    """Reads lines of text."""

    @staticmethod
    def lines(source: Source) -> Iterator[Event]:
        """The events of the whole text."""
        yield Step(1)
        for number, line in raw_lines(source, MAX_TEXT_LINE):
            if isinstance(line, Unread):
                yield line
                continue
            if b"\0" in line:
                yield Unread(number, "it is no text", len(line))
                continue
            text = line.decode("utf-8", "replace").rstrip("\r")
            yield Said(number, "assistant", (text,), tuple(links(text)))


def links(text: str) -> Iterator[Citation]:
    """Every address in a text, each once, with the words of its link."""
    seen = set()
    for found in _LINK.finditer(text):
        if found.group(2) not in seen:
            seen.add(found.group(2))
            yield Citation(found.group(2), found.group(1) or None)
    for found in _BARE.finditer(_LINK.sub(" ", text)):
        url = trimmed(found.group(1))
        if url not in seen:
            seen.add(url)
            yield Citation(url)


def trimmed(url: str) -> str:
    """An address without the punctuation of the sentence around it."""
    url = url.rstrip(_TRAILING + "*_")
    while url.endswith(")") and url.count(")") > url.count("("):
        url = url[:-1].rstrip(_TRAILING)
    return url
