"""`citator crawl` with all that bounds it, and `citator crawls`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.crawl_requests import CrawlRequest
from tests.service.running import Shell
from tests.service.serving import served
from tests.service.small_citator import SmallCitator


@pytest.fixture
def run(citator: SmallCitator, tmp_path: Path) -> Iterator[Shell]:
    (tmp_path / "data").mkdir()
    with served(citator, tmp_path / "data") as running:
        yield Shell(running.data)


def test_every_bound_of_a_crawl_arrives(run: Shell, citator: SmallCitator) -> None:
    ran = run(
        "crawl", "http://site.test/a", "--include", "/a*", "--exclude", "*x", "--exclude", "*y", "--scope", "path",
        "--max-seconds", "60", "--render", "never", "--min-interval", "60", "--max-interval", "600", "--json",
    )  # fmt: skip
    wrong = run("crawl", "http://site.test/a", "--min-interval", "60", "--json")
    nowhere = run("crawl", "--json")

    asked = next(asked for asked in citator.asked if isinstance(asked, CrawlRequest))
    assert ran.status == 0
    assert asked == CrawlRequest(
        urls=("http://site.test/a",), include=("/a*",), exclude=("*x", "*y"), scope="path", max_seconds=60,
        render="never", min_interval=60, max_interval=600,
    )  # fmt: skip
    assert (wrong.status, nowhere.status) == (2, 2)


def test_a_list_of_addresses_is_read_from_a_file_and_from_stdin(
    run: Shell, citator: SmallCitator, tmp_path: Path
) -> None:
    (tmp_path / "list").write_text("# notices\n\nhttp://site.test/a\n  http://site.test/b \n", encoding="utf-8")

    ran = run("crawl", "--list", str(tmp_path / "list"), "--json")
    piped = run("crawl", "--list", "-", "--json", given=b"http://site.test/a\n")
    missing = run("crawl", "--list", str(tmp_path / "none"), "--json")

    asked = [asked for asked in citator.asked if isinstance(asked, CrawlRequest)]
    assert [(one.seeds, one.max_depth) for one in asked] == [
        (("http://site.test/a", "http://site.test/b"), 0),
        (("http://site.test/a",), 0),
    ]
    assert (ran.status, piped.status, missing.status) == (0, 0, 2)


def test_crawls_are_listed_shown_paused_gone_on_with_and_ended(run: Shell) -> None:
    crawl = run("crawl", "http://site.test/a", "--json").json["id"]

    listed = run("crawls", "list", "--json").json["crawls"]
    paused = run("crawls", "pause", crawl, "--json").json
    resumed = run("crawls", "resume", crawl).stdout.decode()
    shown = run("crawls", "show", crawl, "--json").json
    ended = run("crawls", "cancel", crawl, "--json").json
    unknown = run("crawls", "pause", "sha256:" + "0" * 64, "--json")

    assert [one["id"] for one in listed] == [crawl]
    assert (paused["state"], shown["state"], ended["state"]) == ("paused", "running", "cancelled")
    assert resumed.startswith("running: ")
    assert unknown.status == 3
