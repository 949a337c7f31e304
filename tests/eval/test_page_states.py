"""The set of labelled pages is what its README says; nothing here knows how a page's state is told."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.eval.page_states.make import pages

FOLDER = Path(__file__).parent / "page_states"
SETS = {
    folder: [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    for folder, name in (("sources", "pages"), ("later", "later"))
}
PAGES = SETS["sources"]
LATER = SETS["later"]
STATES = {"ok", "not_found", "blocked", "login", "consent", "paywall", "empty", "error"}
LANGUAGES = {"en", "de", "fr", "es", "zh", "ja", "ar", "ru"}
LATER_LANGUAGES = {*LANGUAGES, "it", "pt", "nl", "pl", "tr", "ko"}
FIELDS = ["id", "language", "state", "note", "asked", "final", "status", "headers", "html"]


def test_half_of_at_least_eighty_eight_pages_are_what_was_asked_for() -> None:
    counted = Counter(page["state"] for page in PAGES)

    assert len(PAGES) >= 88
    assert counted["ok"] * 2 >= len(PAGES)
    assert set(counted) == STATES
    assert min(counted.values()) >= 6
    assert len({page["id"] for page in PAGES}) == len({page["asked"] for page in PAGES}) == len(PAGES)


def test_each_language_has_pages_of_both_sorts() -> None:
    counted = Counter((page["language"], page["state"] == "ok") for page in PAGES)

    assert {language for language, _ in counted} == LANGUAGES
    assert min(counted.values()) >= 5


def test_half_of_the_later_pages_are_what_was_asked_for_in_each_language() -> None:
    states = Counter(page["state"] for page in LATER)
    languages = Counter((page["language"], page["state"] == "ok") for page in LATER)

    assert len(LATER) >= 140
    assert states["ok"] * 2 >= len(LATER)
    assert set(states) == STATES
    assert {language for language, _ in languages} == LATER_LANGUAGES
    assert min(languages.values()) >= 3
    assert len({page["id"] for page in LATER}) == len({page["asked"] for page in LATER}) == len(LATER)


def test_states_cannot_be_told_by_the_status_alone() -> None:
    failures = [page for page in PAGES if page["state"] != "ok"]

    assert {page["status"] for page in PAGES if page["state"] == "ok"} == {200}
    assert sum(page["status"] == 200 for page in failures) * 2 > len(failures)


@pytest.mark.parametrize("page", [*PAGES, *LATER], ids=lambda page: page["id"])
def test_a_page_is_whole(page: dict[str, Any]) -> None:
    assert list(page) == FIELDS
    assert page["asked"].startswith("https://")
    assert page["asked"].split("/")[2].endswith(".example")
    assert all(len(header) == 2 for header in page["headers"])
    assert page["note"]
    assert page["html"].rstrip().lower().endswith("</html>")
    assert len(page["html"].encode()) < 15_000


@pytest.mark.parametrize("folder", SETS)
def test_the_committed_list_is_what_the_script_makes(folder: str) -> None:
    assert list(pages(folder)) == SETS[folder]
