"""Readers of transcripts: what they find in each format, and that nothing makes them fail."""

import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.transcripts.documents import document_pieces, opened
from service.transcripts.events import Citation, RemoteFile, Resulted, Said, Sealed, ServerHeld, Unread
from service.transcripts.lines import Piece
from service.transcripts.markdown import links
from service.transcripts.naming import records_named
from service.transcripts.opaque import opaque
from service.transcripts.reading import READERS, read_transcript
from tests.service.transcripts.making import MAKERS, Exchange, document, lines

ONE = Exchange("q", "the text", {"record": "sha256:" + "a" * 64}, "the text")

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 2**40) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=30,
)
NAMES = [
    "type",
    "role",
    "content",
    "message",
    "messages",
    "payload",
    "id",
    "uuid",
    "parts",
    "mapping",
    "chat",
    "history",
    "tool_calls",
    "text",
    "output",
    "input",
    "steps",
    "data",
    "details",
    "sources",
    "metadata",
    "result",
]
WORDS = [
    "message",
    "user",
    "assistant",
    "toolResult",
    "tool_result",
    "response_item",
    "function_call_output",
    "ai",
    "tool",
    "event_msg",
    "mcp_tool_call_end",
    "web_search_call",
    "compaction",
    "system",
    "tool_use",
    "session",
]
LIKELY = st.recursive(
    st.sampled_from([*WORDS, "", 7, None, True]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=25,
)


class Dripping:
    """A source that gives so many bytes at a time, whatever is asked for."""

    def __init__(self, data: bytes, size: int) -> None:
        self._data, self._size = io.BytesIO(data), size

    def read(self, _size: int, /) -> bytes:
        return self._data.read(self._size)


def events(data: bytes, form: Any = None) -> list[Any]:
    return list(read_transcript(io.BytesIO(data), form).events)


@pytest.mark.parametrize("maker", MAKERS)
def test_each_format_is_told_and_gives_call_result_and_answer(maker: str) -> None:
    form, make = MAKERS[maker]
    transcript = read_transcript(io.BytesIO(make(ONE)))

    found = list(transcript.events)

    assert transcript.format == form
    assert [one.text for one in found if isinstance(one, Resulted)] == ["the text"]
    assert "Friday." in "".join(text for one in found if isinstance(one, Said) for text in one.blocks)
    assert transcript.measured.size == len(make(ONE))


@given(JSON, st.sampled_from([None, 1, 4]), st.integers(1, 40))
@settings(max_examples=200)
def test_a_document_comes_apart_into_the_same_parts_however_it_is_read(
    value: Any, indent: int | None, size: int
) -> None:
    def into(path: tuple[str | int, ...]) -> bool:
        return len(path) < 2

    data = json.dumps(value, indent=indent, ensure_ascii=False).encode("utf-8", "replace")
    value = json.loads(data)

    streamed = list(document_pieces(Dripping(data, size), into))

    assert [(one.path, one.value) for one in streamed if isinstance(one, Piece)] == [
        (one.path, one.value) for one in opened(value, into, 1)
    ]
    assert len(streamed) == sum(1 for _ in opened(value, into, 1))


@given(st.binary(max_size=300), st.sampled_from([None, *READERS]))
@settings(max_examples=300)
def test_no_bytes_make_a_reader_fail(data: bytes, form: Any) -> None:
    events(data, form)


@pytest.mark.slow
@given(st.lists(LIKELY, max_size=4), st.sampled_from([None, *READERS]), st.booleans())
@settings(max_examples=500)
def test_no_values_make_a_reader_fail(values: list[Any], form: Any, apart: bool) -> None:  # noqa: FBT001
    data = lines(values) if apart else document(values)

    events(data, form)


def test_a_part_that_is_too_large_is_skipped_and_what_follows_is_read() -> None:
    data = json.dumps(
        {"messages": [{"a": "x" * 5_000}, {"b": ["y" * 3_000, {"c": "z" * 3_000}]}, {"d": 1}], "e": 2}
    ).encode()

    found = list(document_pieces(Dripping(data, 100), lambda path: path in ((), ("messages",)), limit=1_000))

    assert [one.value if isinstance(one, Piece) else one.why for one in found] == [
        "messages/0 has more than 1000 bytes", "messages/1 has more than 1000 bytes", {"d": 1}, 2,
    ]  # fmt: skip


def test_lines_that_are_no_text_are_told_and_not_taken_for_read() -> None:
    events = list(read_transcript(io.BytesIO(b"a\0b\xff\nSee https://a.test/x")).events)

    assert [(one.line, one.why) for one in events if isinstance(one, Unread)] == [(1, "it is no text")]
    assert [one.line for one in events if isinstance(one, Said)] == [2]


def test_a_document_that_breaks_off_gives_what_came_before() -> None:
    whole = document({"messages": [{"role": "user", "content": "one"}, {"role": "user", "content": "two"}]})

    found = events(whole[:-40])

    assert [one.blocks for one in found if isinstance(one, Said)][:1] == [("one",)]
    assert isinstance(found[-1], Unread)


OPAQUE = [
    ({"type": "reasoning", "encrypted_content": "gA"}, [Sealed]),
    ({"type": "compaction", "encrypted_content": "gA"}, [Sealed]),
    ({"type": "agent_message", "content": [{"type": "encrypted_content", "encrypted_content": "gA"}]}, [Sealed]),
    ({"type": "function_call", "name": "f", "encrypted_function_args": "gA"}, [Sealed]),
    ({"type": "program", "code": "x", "fingerprint": "gA"}, [Sealed]),
    ({"type": "web_search_result", "url": "u", "encrypted_content": "Eo"}, [Sealed]),
    ({"type": "text", "citations": [{"type": "web_search_result_location", "encrypted_index": "Eo"}]}, [Sealed]),
    ({"type": "redacted_thinking", "data": "Eo"}, [Sealed]),
    ({"type": "thinking", "thinking": "hm", "signature": "Eo"}, [Sealed]),
    ({"type": "thinking", "thinkingSignature": "Eo"}, [Sealed]),
    ({"type": "text", "text": "x", "textSignature": "Eo"}, [Sealed]),
    ({"parts": [{"functionCall": {"name": "f"}, "thoughtSignature": "Eo"}]}, [Sealed]),
    ({"searchEntryPoint": {"renderedContent": "<div>", "sdkBlob": "Eo"}}, [Sealed]),
    ({"type": "bash_code_execution_result", "encrypted_stdout": "Eo"}, [Sealed]),
    ({"previous_response_id": "resp_1", "input": []}, [ServerHeld]),
    ({"conversation": {"id": "conv_1"}, "input": []}, [ServerHeld]),
    ({"prompt": {"id": "pmpt_1"}}, [ServerHeld]),
    ({"previous_interaction_id": "i", "steps": []}, [ServerHeld]),
    ({"cachedContent": "cachedContents/1", "contents": []}, [ServerHeld]),
    ({"type": "input_file", "file_id": "file-1"}, [RemoteFile]),
    ({"type": "document", "source": {"type": "file", "file_id": "file_1"}}, [RemoteFile]),
    ({"type": "container_upload", "file_id": "file_1"}, [RemoteFile]),
    ({"type": "code_interpreter_call", "container_id": "cntr_1"}, [RemoteFile]),
    ({"tools": [{"type": "file_search", "vector_store_ids": ["vs_1", "vs_2"]}]}, [RemoteFile, RemoteFile]),
    ({"tools": [{"fileSearch": {"fileSearchStoreNames": ["s"]}}]}, [RemoteFile]),
    # ordinary names in what tools were given and gave back
    ({"type": "tool_use", "name": "f", "input": {"signature": "s", "container": "c", "file_id": "f"}}, []),
    ({"type": "function_call", "arguments": {"encrypted_content": "x", "type": "reasoning"}}, []),
    ({"functionCall": {"name": "f", "args": {"type": "thinking", "signature": "s"}}}, []),
    ({"type": "text", "text": "signature", "container": "c"}, []),
    ({"container": "box", "file_id": "7", "signature": "s", "conversation": "x", "fingerprint": "y"}, []),
    ({"type": "reasoning", "encrypted_content": None}, []),
]


@pytest.mark.parametrize(("value", "kinds"), OPAQUE)
def test_opaque_items_are_known_by_type_and_key(value: Any, kinds: list[type]) -> None:
    assert [type(one) for one in opaque(value, 1)] == kinds


def test_addresses_in_text_lose_the_punctuation_of_their_sentence() -> None:
    text = "See [the page](https://a.test/x_(y)), https://b.test/c. And (https://d.test/e_(f)) and <https://g.test>; https://b.test/c!"

    assert [one.url for one in links(text)] == [
        "https://a.test/x_(y)",
        "https://b.test/c",
        "https://d.test/e_(f)",
        "https://g.test",
    ]
    assert next(links(text)) == Citation("https://a.test/x_(y)", "the page")


@pytest.mark.parametrize(
    "text",
    [
        '{{"record": "{0}", "x": 1}}',
        '{{"end_record":"{0}"}}',
        '{{"request_id": "{0}"}}',
        '"{{\\"record\\":\\"{0}\\"}}"',
        "Citator record {0}\nSearch: toll",
        "Citator keeps this reply as record {0}",
    ],
)
def test_each_door_names_the_record_of_its_reply(text: str) -> None:
    record = "sha256:" + "ab" * 32

    assert records_named(text.format(record)) == (record,)
    assert records_named(f"[{record}] {record}") == ()


def test_an_object_that_a_function_gave_to_gemini_is_taken_whole() -> None:
    given = {"record": "sha256:" + "a" * 64, "text": "a part", "kind": "passage"}
    part = {"functionResponse": {"name": "get_evidence", "response": given}}

    found = events(document({"contents": [{"role": "user", "parts": [part]}], "model": "m"}))

    assert [json.loads(one.text) for one in found if isinstance(one, Resulted)] == [given]
