"""The set of page pairs is what its README says; nothing here knows how quotes are compared."""

import json
import re
import unicodedata
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.eval.recheck_pairs.make import pairs

FOLDER = Path(__file__).parent / "recheck_pairs"
PAIRS = [json.loads(line) for line in (FOLDER / "pairs.jsonl").read_text(encoding="utf-8").splitlines()]
KINDS = {
    "attribution",
    "date",
    "deleted",
    "direction",
    "modality",
    "name",
    "negation",
    "number",
    "retraction",
    "swapped",
    "unit",
    "word",
}
ELSEWHERE = {"", "comment", "correction note", "metadata"}
SILENT = {"script", "style", "head"}
MARKS = str.maketrans(
    {
        **dict.fromkeys("\u201e\u201c\u201d\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2019\u2018", "'"),
        **dict.fromkeys("\u2013\u2014", "-"),
    },
)


class Text(HTMLParser):
    """Text outside of scripts, styles and the head."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.silent: list[str] = []

    def handle_starttag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        if tag in SILENT:
            self.silent.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.silent and self.silent[-1] == tag:
            self.silent.pop()

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.parts.append(data)


def text_of(name: str) -> str:
    parser = Text()
    parser.feed((FOLDER / name).read_text(encoding="utf-8"))
    parser.close()
    return "".join(parser.parts)


def folded(text: str) -> str:
    """The text without what typography may change: white space, invisible characters, shapes of marks, widths."""
    text = "".join(chr(ord(char) - 0xFEE0) if "\uff01" <= char <= "\uff5e" else char for char in text)
    text = text.replace("\ufb01", "fi").replace("\ufb02", "fl").replace("\u2026", "...")
    text = unicodedata.normalize("NFC", text.translate(MARKS))
    return "".join(char for char in text if not char.isspace() and unicodedata.category(char) != "Cf")


def quotes(pair: dict[str, Any], expected: str) -> list[str]:
    return [each["quote"] for each in pair["quotes"] if each["expect"] == expected]


def test_there_are_sixty_pairs_of_noise_and_sixty_with_a_change() -> None:
    counted = Counter(pair["change"] for pair in PAIRS)

    assert counted == {False: 60, True: 60}
    assert len({pair["id"] for pair in PAIRS}) == 120
    for pair in PAIRS:
        assert bool(quotes(pair, "changed")) == pair["change"], pair["id"]


def test_the_pairs_differ_in_language_site_article_and_markup() -> None:
    articles = list((FOLDER / "articles").glob("*.toml"))

    assert {pair["language"] for pair in PAIRS} >= {"en", "de", "fr", "es", "zh", "ja", "ar", "ru"}
    assert min(Counter(pair["language"] for pair in PAIRS).values()) >= 4
    assert len({pair["site"] for pair in PAIRS}) >= 7
    assert len(articles) >= 24
    assert len(list((FOLDER / "skeletons").glob("*.html"))) >= 6
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < 2_000_000


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["id"])
def test_what_a_pair_expects_agrees_with_its_pages(pair: dict[str, Any]) -> None:
    old, new = text_of(pair["old"]), text_of(pair["new"])
    one_line = re.sub(r"\s+", "", old)

    assert 1 <= len(pair["quotes"]) <= 3
    assert pair["noise"]
    assert pair["elsewhere"] in ELSEWHERE
    for each in pair["quotes"]:
        assert re.sub(r"\s+", "", each["quote"]) in one_line, each["quote"]
        assert set(each["kinds"]) <= KINDS
        assert bool(each["kinds"]) == (each["expect"] == "changed")
    for quote in quotes(pair, "same"):
        assert folded(quote) in folded(new), quote
    for quote in quotes(pair, "changed"):
        stands_elsewhere = quote == quotes(pair, "changed")[0] and pair["elsewhere"] in {"comment", "correction note"}
        assert (folded(quote) in folded(new)) == stands_elsewhere, quote


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["id"])
def test_both_pages_are_whole_and_differ(pair: dict[str, Any]) -> None:
    old, new = ((FOLDER / pair[side]).read_bytes() for side in ("old", "new"))

    assert old != new
    for page in (old, new):
        assert 3_000 <= len(page) <= 15_000
        assert b"{{" not in page
        assert page.rstrip().lower().endswith(b"</html>")


def test_the_committed_pages_are_what_the_script_makes() -> None:
    made = list(pairs())

    assert [line for line, _, _ in made] == PAIRS
    for line, old, new in made:
        assert (FOLDER / line["old"]).read_text(encoding="utf-8") == old
        assert (FOLDER / line["new"]).read_text(encoding="utf-8") == new
    assert len(list((FOLDER / "pages").iterdir())) == 240
