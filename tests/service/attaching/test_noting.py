"""What a copy of a report says of its sources."""

from typing import Any

from service.attaching.noting import with_appendix, with_footnotes

FARES, HISTORY = "http://ferry.test/fares", "http://ferry.test/history"


def support(url: str, digit: str) -> dict[str, Any]:
    return {
        "passage": f"sha256:{digit * 64}",
        "capture": f"sha256:{digit * 64}",
        "url": url,
        "title": url.rpartition("/")[2].title(),
        "retrieved_at": "2026-11-29T19:28:36.123Z",
    }


def source(url: str, standing: str = "kept") -> dict[str, Any]:
    return {"source": url, "standing": standing, "reason": None, "hosted": False}


def attachment(verdict: str, named: dict[str, Any], elsewhere: list[dict[str, Any]]) -> dict[str, Any]:
    citation = {
        "line": 1,
        "quote": "was built in 1962",
        "sources": [named["source"]],
        "verdict": verdict,
        "support": support(FARES, "a") if named["standing"] == "kept" else None,
        "elsewhere": elsewhere,
    }
    return {"summary": "One quotation.", "citations": [citation], "sources": [named]}


def test_a_quotation_from_another_source_names_the_one_that_says_it() -> None:
    found = attachment("misattributed", source(FARES), [support(HISTORY, "b")])

    for copy in (with_footnotes("It “was built in 1962”.", found), with_appendix("It “was built in 1962”.", found)):
        assert f"another source says so. History, {HISTORY}, retrieved 2026-11-29 [bbbbbbbbbbbb]." in copy
        assert f"{FARES}, which is named, does not." in copy
        assert "aaaaaaaaaaaa" not in copy


def test_a_named_source_that_is_not_kept_is_not_said_to_be_silent() -> None:
    found = attachment("misattributed", source(FARES, "not_kept"), [support(HISTORY, "b")])

    copy = with_footnotes("It “was built in 1962”.", found)

    assert f"{FARES} is not kept." in copy
    assert "does not" not in copy


def test_a_quotation_that_stands_names_its_source() -> None:
    copy = with_footnotes("It “was built in 1962”.", attachment("supported", source(FARES), []))

    assert copy.startswith("It “was built in 1962”.[^citator-1]\n")
    assert f"the source says so. Fares, {FARES}, retrieved 2026-11-29 [aaaaaaaaaaaa]." in copy
    assert "does not" not in copy
