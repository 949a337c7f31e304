"""Opens a transcript: detects its format and gives its events, in bounded memory, whatever it holds."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Protocol

import structlog

from service.transcripts.anthropic import AnthropicReader
from service.transcripts.chatgpt import ChatGPTReader
from service.transcripts.claude_code import ClaudeCodeReader
from service.transcripts.codex import CodexReader
from service.transcripts.detecting import LOOKED_AT, Format, Shape, detected
from service.transcripts.documents import Path, document_pieces, opened
from service.transcripts.events import Event, Unread
from service.transcripts.gemini import GeminiReader
from service.transcripts.langchain import LangChainReader
from service.transcripts.lines import Peeked, Piece, Source, json_lines
from service.transcripts.markdown import MarkdownReader
from service.transcripts.open_webui import OpenWebUIReader
from service.transcripts.openai_chat import OpenAIChatReader
from service.transcripts.openai_responses import OpenAIResponsesReader
from service.transcripts.pi import PiReader

log = structlog.get_logger(__name__)


class LineReader(Protocol):
    """Makes events of the parts of one file; holds what must be known of earlier parts, and never fails on one."""

    def events(self, piece: Piece) -> Iterator[Event]:
        """The events of one part."""
        ...


class PartReader(LineReader, Protocol):
    """A reader of formats whose messages may stand deep in one document."""

    def opens(self, path: Path) -> bool:
        """Whether the container at a path is opened, so that what is in it comes one by one."""
        ...

    def whole(self, value: dict[str, Any]) -> bool:
        """Whether an object that stands by itself is one part, and not something to be opened."""
        ...


READERS: Final[dict[Format, type[Any]]] = {
    "pi": PiReader,
    "codex": CodexReader,
    "claude-code": ClaudeCodeReader,
    "openai-responses": OpenAIResponsesReader,
    "openai-chat": OpenAIChatReader,
    "chatgpt": ChatGPTReader,
    "anthropic": AnthropicReader,
    "gemini": GeminiReader,
    "open-webui": OpenWebUIReader,
    "langchain": LangChainReader,
}


@dataclass
class Measured:
    """A source that hashes and counts what is read of it."""

    source: Source

    def __post_init__(self) -> None:
        self._hash = hashlib.sha256()
        self.size = 0

    def read(self, size: int, /) -> bytes:
        """The next bytes."""
        data = self.source.read(size)
        self._hash.update(data)
        self.size += len(data)
        return data

    @property
    def digest(self) -> str:
        """The id of what was read."""
        return f"sha256:{self._hash.hexdigest()}"


@dataclass(frozen=True)
class Transcript:
    """An opened transcript. When `events` is through, `measured` knows the hash and the size of the file."""

    format: Format
    events: Iterator[Event]
    measured: Measured


def read_transcript(source: Source, form: Format | None = None) -> Transcript:
    """Open a transcript, of the format `form` or of whatever format it looks like. Reads while events are taken."""
    measured = Measured(source)
    peeked = Peeked(measured)
    found, shape = detected(peeked.peek(LOOKED_AT))
    if form is not None and form != found:
        found = form
        shape = "text" if form == "markdown" else "lines" if shape == "text" else shape
    if found == "markdown":
        return Transcript(found, MarkdownReader.lines(peeked), measured)
    return Transcript(found, _events(peeked, READERS[found](), shape), measured)


def _events(source: Source, reader: Any, shape: Shape) -> Iterator[Event]:
    opens = getattr(reader, "opens", None)
    pieces = document_pieces(source, opens or _never) if shape == "document" else json_lines(source)
    for piece in pieces:
        if isinstance(piece, Unread):
            yield piece
            continue
        for part in _parts(piece, reader) if opens else (piece,):
            try:
                yield from reader.events(part)
            except (TypeError, ValueError, AttributeError, KeyError, IndexError, RecursionError) as error:
                log.warning("a line of a transcript was not understood", line=part.line, error=repr(error))
                yield Unread(part.line, "its members are not of the types that its format has", 0)
    end = getattr(reader, "end", None)
    if end is not None:
        yield from end()


def _parts(piece: Piece, reader: PartReader) -> Iterator[Piece]:
    """A line, or an entry of a list, that holds messages is opened as the document would be."""
    value = piece.value
    alone = all(isinstance(step, int) for step in piece.path)
    if (alone and isinstance(value, list)) or (alone and isinstance(value, dict) and not reader.whole(value)):
        yield from opened(value, reader.opens, piece.line)
    else:
        yield piece


def _never(_path: Path) -> bool:
    return False
