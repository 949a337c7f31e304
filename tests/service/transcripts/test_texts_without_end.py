"""Texts that begin something again and again and never end it: looked at anew each time, they would take hours."""

import io
import json

import pytest

from service.transcripts.markdown import links
from service.transcripts.reading import read_transcript
from service.transcripts.wrappers import views

BEGINNINGS = (
    " ", "\n", "[", "[](http://a", "1", "...", "<system-reminder>", "</system-reminder> ", "<persisted-output>\n",
    "<response clipped><NOTE>", "<result>", "```\n", "_",
)  # fmt: skip


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_results_and_texts_are_looked_at_in_time(beginning: str) -> None:
    text = beginning * (200_000 // len(beginning))

    seen = list(views(text))

    assert seen[0].text == text
    assert len(list(links(text))) <= 200_000 // 8_000


@pytest.mark.parametrize("beginning", ['<details type="tool_calls">', '<details type="tool_calls" a="b"', "a"])
def test_calls_within_answers_are_looked_for_in_time(beginning: str) -> None:
    content = f'<details type="tool_calls" {"a" * 50_000} >x</details>' + beginning * 10_000
    chat = {"chat": {"title": "t", "history": {"currentId": "1", "messages": {
        "1": {"id": "1", "parentId": None, "role": "assistant", "content": content}}}}}  # fmt: skip

    events = list(read_transcript(io.BytesIO(json.dumps(chat).encode()), "open-webui").events)

    assert events


def test_the_last_reminder_goes_and_what_stands_before_it_stays() -> None:
    text = "<system-reminder>one</system-reminder>\nThe toll ends.\n\n<system-reminder>two</system-reminder>\n"

    assert "<system-reminder>one</system-reminder>\nThe toll ends." in [view.text.rstrip() for view in views(text)]
