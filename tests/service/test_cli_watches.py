"""`citator watch` and `citator hold`, beside a running server; and their doors over HTTP."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.gate import App
from tests.service.asking import Asker
from tests.service.running import Shell
from tests.service.serving import served
from tests.service.small_citator import SmallCitator


@pytest.fixture
def run(citator: SmallCitator, tmp_path: Path) -> Iterator[Shell]:
    (tmp_path / "data").mkdir()
    with served(citator, tmp_path / "data") as running:
        yield Shell(running.data)


def test_a_watch_is_begun_listed_shown_paused_and_ended(run: Shell) -> None:
    begun = run("watch", "add", "http://site.test/a", "--webhook", "https://hooks.test/", "--name", "bread", "--json")
    watch = begun.json["id"]
    shown, listed = run("watch", "show", watch), run("watch", "list", "--json")
    states = [run("watch", what, watch, "--json").json["state"] for what in ("pause", "resume", "remove")]
    none = run("watch", "show", "0" * 64, "--json")

    assert begun.json["secret"].startswith("whsec_")
    assert begun.json["secret"] not in shown.stdout.decode()
    assert "http://site.test/a" in shown.stdout.decode()
    assert [one["name"] for one in listed.json["watches"]] == ["bread"]
    assert states == ["paused", "active", "ended"]
    assert (none.status, none.json["type"]) == (3, "urn:citator:problem:unknown-watch")


def test_bounds_that_contradict_each_other_and_watches_of_nothing_are_wrong_use(run: Shell) -> None:
    backwards = run("watch", "add", "http://site.test/a", "--min-interval", "7200", "--max-interval", "3600", "--json")

    assert (backwards.status, backwards.json["status"]) == (2, 422)
    assert run("watch", "add").status == 2
    assert run("hold", "add").status == 2


def test_feeds_come_as_they_are(run: Shell) -> None:
    watch = run("watch", "add", "http://site.test/a", "--json").json["id"]

    assert (
        run("watch", "feed").stdout
        == run("watch", "feed", watch).stdout
        == (b'<feed xmlns="http://www.w3.org/2005/Atom"/>')
    )
    assert run("watch", "feed", "..").status == 3


def test_a_hold_is_made_listed_and_released(run: Shell) -> None:
    made = run("hold", "add", "http://site.test/a", "--pattern", "http://site.test/*", "--reason", "a case", "--json")
    listed = run("hold", "list")
    released = run("hold", "release", made.json["id"], "--json")
    again = run("hold", "release", made.json["id"])

    assert (made.json["urls"], made.json["patterns"]) == (["http://site.test/a"], ["http://site.test/*"])
    assert "a case" in listed.stdout.decode()
    assert "released_at" in released.json
    assert again.status == 3


async def test_feeds_are_shown_as_nothing_but_feeds_and_what_holds_needs_an_admin(
    ask: Asker, app: App, citator: SmallCitator
) -> None:
    feed = await ask("GET", "/api/v1/watches/feed.atom")
    reader = Asker(app, citator.key("fetch"))
    begun = await reader("POST", "/api/v1/watches", {"urls": ["http://site.test/a"]})
    held = await reader("POST", "/api/v1/holds", {"urls": ["http://site.test/a"]})

    assert feed.headers["content-type"].startswith("application/atom+xml")
    assert "sandbox" in feed.headers["content-security-policy"]
    assert (begun.status, held.status) == (201, 403)
