"""What a model is shown of a session: nothing disappears silently, and turn fifty still obeys turn two."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.sessions.credentials import found, masked
from tests.service.talking import Talk, talking

SEALED = {"type": "reasoning", "encrypted_content": "opaque"}


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with talking(tmp_path / "data") as one:
        yield one


async def fill(talk: Talk, turns: int, **fields: str) -> str:
    session = await talk.session(**fields)
    for turn in range(turns):
        await talk.say(session, f"Question {turn} about the harbour. " + "word " * 40)
        await talk.say(session, f"Answer {turn}. " + "word " * 40, "assistant")
    return session


async def test_all_of_it_is_shown_if_it_fits(talk: Talk) -> None:
    session = await fill(talk, 3, system="Be brief.")

    found = await talk.get(f"sessions/{session}/context?budget=100000")

    assert len(found["messages"]) == 6
    assert found["left_out"] == []
    assert found["system"] == "Be brief."


async def test_what_does_not_fit_is_listed_and_told_to_the_model(talk: Talk) -> None:
    session = await fill(talk, 20)

    found = await talk.get(f"sessions/{session}/context?budget=800")

    shown = [one for one in found["messages"] if one["event"]]
    notes = [one["content"] for one in found["messages"] if not one["event"]]
    assert shown[-1]["content"].startswith("Answer 19.")
    assert len(shown) + len(found["left_out"]) == 40
    assert notes == [f"[{len(found['left_out'])} messages of this session left out here for lack of room]"]
    assert found["tokens"] <= 800


async def test_what_was_pinned_stays_however_long_it_gets(talk: Talk) -> None:
    session = await talk.session()
    await talk.say(session, "Hello.")
    await talk.say(session, "Never name a price in dollars.", pinned=True)
    for turn in range(48):
        await talk.say(session, f"Turn {turn}. " + "word " * 50)

    found = await talk.get(f"sessions/{session}/context?budget=600")

    assert "Never name a price in dollars." in [one["content"] for one in found["messages"]]


async def test_a_tool_call_and_its_result_stand_or_fall_together(talk: Talk) -> None:
    session = await talk.session()
    call = {"id": "c1", "name": "search", "arguments": {"query": "q"}}
    await talk.post(f"sessions/{session}/messages", {"role": "assistant", "tool_calls": [call]})
    await talk.post(f"sessions/{session}/tool-results", {"results": [{"call": "c1", "content": "word " * 400}]})
    await talk.say(session, "And now?")

    found = await talk.get(f"sessions/{session}/context?budget=300")

    assert [one["role"] for one in found["messages"]] == ["user", "user"]
    assert len(found["left_out"]) == 2


async def test_by_relevance_what_the_last_message_is_about_stays(talk: Talk) -> None:
    session = await talk.session()
    await talk.say(session, "The lighthouse keeper is called Marten. " + "filler " * 30)
    for turn in range(20):
        await talk.say(session, f"Talk {turn} of the weather. " + "rain " * 60)
    await talk.say(session, "What is the lighthouse keeper called?")

    recent = await talk.get(f"sessions/{session}/context?budget=500")
    relevant = await talk.get(f"sessions/{session}/context?budget=500&mode=relevant")

    assert not any("Marten" in str(one["content"]) for one in recent["messages"])
    assert any("Marten" in str(one["content"]) for one in relevant["messages"])


async def test_a_sealed_item_goes_back_to_its_maker_and_to_nobody_else(talk: Talk) -> None:
    session = await talk.session()
    await talk.say(session, "Think.")
    item = {"type": "sealed", "role": "assistant", "sealed": SEALED, "provider": "p", "model": "m"}
    await talk.post(f"sessions/{session}/messages", item)
    await talk.post(f"sessions/{session}/messages", item | {"handover": "It weighed two dates."})

    same = await talk.get(f"sessions/{session}/context?provider=p&model=m&format=responses")
    other = await talk.get(f"sessions/{session}/context?provider=q&model=m&format=anthropic")

    assert same["request"]["input"].count(SEALED) == 2
    assert "opaque" not in str(other["request"])
    assert "It weighed two dates." in str(other["request"])
    assert "sealed by p" in other["left_out"][0]["why"]


@pytest.mark.parametrize("form", ["openai", "responses", "anthropic", "gemini"])
async def test_each_form_holds_the_same_conversation(talk: Talk, form: str) -> None:
    session = await talk.session(system="Be brief.")
    await talk.say(session, "How much is the toll?")
    call = {"id": "c1", "name": "search", "arguments": {"query": "toll"}}
    await talk.post(f"sessions/{session}/messages", {"role": "assistant", "content": "I look.", "tool_calls": [call]})
    await talk.post(
        f"sessions/{session}/tool-results", {"results": [{"call": "c1", "name": "search", "content": "4 crowns"}]}
    )
    await talk.say(session, "Four crowns.", "assistant")

    request = (await talk.get(f"sessions/{session}/context?format={form}"))["request"]

    text = str(request)
    places = [text.index(part) for part in ("How much is the toll?", "I look.", "'c1'", "4 crowns", "Four crowns.")]
    assert places == sorted(places)
    assert "Be brief." in text


async def test_a_summary_stands_for_older_messages_which_stay(talk: Talk) -> None:
    session = await fill(talk, 5)

    made = await talk.post(
        f"sessions/{session}/compactions", {"summary": "Five questions were answered.", "model": "m"}
    )
    found = await talk.get(f"sessions/{session}/context")
    events = await talk.get(f"sessions/{session}/events?limit=1000")

    assert len(made["body"]["replaces"]) == 6
    assert "written by m" in found["messages"][0]["content"]
    assert len(found["messages"]) == 5
    assert len(found["left_out"]) == 6
    assert len([event for event in events["events"] if event["type"] == "message"]) == 10


async def test_an_extract_is_named_so_and_a_better_summary_supersedes_it(talk: Talk) -> None:
    session = await fill(talk, 5)
    first = await talk.post(f"sessions/{session}/compactions", {"max_tokens": 60})

    second = await talk.post(
        f"sessions/{session}/compactions",
        {"summary": "Better.", "supersedes": first["id"], "until": first["body"]["replaces"][-1]},
    )
    found = await talk.get(f"sessions/{session}/context")

    assert first["body"]["how"] == "extractive"
    assert first["body"]["summary"]
    assert found["compactions"] == [second["id"]]
    assert "Better." in found["messages"][0]["content"]


@pytest.mark.parametrize(
    "secret",
    [
        "citator_0123456789ab_" + "x" * 43,
        "sk-proj-" + "aB3" * 20,
        "AKIA" + "ABCDEFGH12345678",
        "ghp_" + "a" * 36,
        "xoxb-1234567890-abcdef",
        "AIza" + "b" * 35,
        "Authorization: Bearer " + "c" * 40,
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nq83vEjRWeJA=\n-----END RSA PRIVATE KEY-----",
        "postgresql://user:hunter2@db.example/x",
        "PRIVATE+KEY+citator/ab+01020304+" + "A" * 44,
        "token=eyJ" + "h" * 20 + ".eyJ" + "p" * 30 + "." + "s" * 43,
        "-----BEGIN PRIVATE KEY-----\n" + "a-b" * 10 + "\n-----BEGIN PRIVATE KEY-----" + "A" * 64
        + "-----END PRIVATE KEY-----",
    ],
)  # fmt: skip
def test_a_credential_is_found_wherever_it_stands(secret: str) -> None:
    value, count = masked({"a": [f"before {secret} after"]})

    assert count == 1
    assert "before" in value["a"][0]
    assert "after" in value["a"][0] or "example" in value["a"][0]
    assert found({"a": [secret]}) is not None
    assert found(value) is None


@pytest.mark.parametrize(
    "text",
    [
        "the skeleton key of the risk-averse",
        "sk-1",
        "https://example.org/a:b@c",
        "AKIA is a prefix",
        "sha256:" + "a" * 64,
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert masked(text) == (text, 0)


@pytest.mark.parametrize("beginning", ["-----BEGIN PRIVATE KEY-----", "eyJ", "://a:", "PRIVATE+KEY+", "sk-", "ya29."])
def test_beginnings_that_never_end_cost_no_more_than_their_length(beginning: str) -> None:
    """A hundred thousand of them; were each searched to the end, this would take minutes."""
    text = beginning * 100_000

    kept, _ = masked(text)

    assert len(kept) <= len(text)


@given(st.recursive(st.none() | st.integers() | st.text(max_size=30), lambda one: st.lists(one, max_size=4)))
def test_masking_keeps_what_is_no_credential(value: object) -> None:
    kept, count = masked(value)

    assert count == 0
    assert kept == value
