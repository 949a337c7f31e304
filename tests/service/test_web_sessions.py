"""The pages of sessions: what was said, on what evidence, where it forks."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.service.asking import Answer
from tests.service.opened import HARBOUR, captured, searched
from tests.service.talking import Talk, talking
from tests.sites import Site

BROWSER = {"accept": "text/html"}


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with talking(tmp_path / "data") as found:
        yield found


async def get(talk: Talk, path: str) -> Answer:
    return await talk.ask("GET", path, headers=BROWSER)


async def test_a_session_shows_its_steps_and_what_they_rest_on(talk: Talk) -> None:
    with Site(HARBOUR) as site:
        await captured(talk.actions, site.url("/bridge"))
    passage = (await searched(talk.actions, "toll"))["results"][0]["passages"][0]["id"]
    session = await talk.session(title="Tolls <b>")
    await talk.say(session, "Is there <script>alert(1)</script> a toll?")
    await talk.say(session, f"Until Friday [{passage}].", "assistant", model="m1", pinned=True)
    item = {"type": "sealed", "role": "assistant", "sealed": {"x": "y"}, "provider": "elsewhere"}
    await talk.post(f"sessions/{session}/messages", item)

    shown = (await get(talk, f"/sessions/{session[7:19]}")).body.decode()
    listed = (await get(talk, "/sessions?q=tolls")).body.decode()
    led = await get(talk, f"/e/{session[7:19]}")

    assert "Tolls &lt;b&gt;" in shown
    assert "<script>alert" not in shown
    assert passage[7:19] in shown
    assert "sealed by elsewhere" in shown
    assert "pinned" in shown
    assert session[7:19] in listed
    assert led.status == 303


async def test_a_fork_is_made_from_a_step_and_both_show_each_other(talk: Talk) -> None:
    session = await talk.session(title="One")
    first = await talk.say(session, "First.")
    await talk.say(session, "Second.")

    made = await talk.ask(
        "POST",
        f"/sessions/{session[7:19]}/fork",
        body=f"at={first}".encode(),
        headers=BROWSER | {"content-type": "application/x-www-form-urlencoded"},
    )
    fork = (await get(talk, made.headers["location"])).body.decode()
    parent = (await get(talk, f"/sessions/{session[7:19]}")).body.decode()

    assert "First." in fork
    assert "Second." not in fork
    assert session[7:19] in fork
    assert made.headers["location"].removeprefix("/sessions/")[:12] in parent


async def test_a_long_session_is_shown_in_parts_and_what_was_gone_back_on_when_asked(talk: Talk) -> None:
    session = await talk.session()
    first = await talk.say(session, "Kept.")
    await talk.say(session, "Given up.")
    await talk.post(f"sessions/{session}/rollback", {"to": first})

    path = (await get(talk, f"/sessions/{session[7:19]}")).body.decode()
    whole = (await get(talk, f"/sessions/{session[7:19]}?whole=true")).body.decode()

    assert "Given up." not in path
    assert "Given up." in whole
