from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler import Found
from service.merging import MAX_CANDIDATES, Limits, merged


def found(*urls: str, **fields: str) -> list[Found]:
    return [Found(url, rank, **fields) for rank, url in enumerate(urls, start=1)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://a.test/x", "http://a.test/x"),
        ("https://www.a.test/x/", "https://a.test/x"),
        ("https://a.test/x?utm_source=m&id=3", "https://a.test/x?id=3"),
        ("https://A.test/x#part", "https://a.test/x"),
        ("https://a.test:443/x?fbclid=1", "https://a.test/x"),
    ],
)
def test_addresses_of_one_page_are_joined(one: str, other: str) -> None:
    pages = merged({"p": found(one), "q": found(other)}, Limits())

    assert len(pages) == 1
    assert pages[0].ranks == {"p": 1, "q": 1}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://a.test/x?id=3", "https://a.test/x?id=4"),
        ("https://a.test/x", "https://a.test/X"),
        ("https://a.test/x", "https://b.test/x"),
        ("https://a.test:8443/x", "https://a.test/x"),
    ],
)
def test_addresses_of_different_pages_are_not(one: str, other: str) -> None:
    assert len(merged({"p": found(one, other)}, Limits())) == 2


def test_a_page_that_two_propose_goes_before_one_that_either_puts_first() -> None:
    pages = merged(
        {"p": found("https://a.test/", "https://c.test/"), "q": found("https://b.test/", "https://c.test/")}, Limits()
    )

    assert pages[0].url == "https://c.test/"
    assert [page.rank for page in pages] == [1, 2, 3]


def test_domains_and_claimed_days_put_candidates_out_with_the_reason() -> None:
    limits = Limits((("a.test",),), ("no.a.test",), date(2026, 1, 1), date(2026, 1, 31))
    proposed = [
        Found("https://a.test/1", 1, published="2026-01-15"),
        Found("https://x.a.test/2", 2),
        Found("https://no.a.test/3", 3),
        Found("https://b.test/4", 4),
        Found("https://a.test/5", 5, published="2026-02-01"),
        Found("ftp://a.test/6", 6),
    ]

    pages = merged({"p": proposed}, limits)

    assert [page.drop for page in pages] == [
        None, None, "domain_excluded", "domain_not_included", "published_outside", "not_an_address",
    ]  # fmt: skip


def test_there_are_never_more_candidates_than_a_record_holds() -> None:
    pages = merged({"p": found(*(f"https://a.test/{n}" for n in range(300)))}, Limits())

    assert len(pages) == MAX_CANDIDATES


@given(st.lists(st.sampled_from(["https://a.test/", "https://b.test/", "x", "https://c.test/?q=1"]), max_size=12))
def test_no_candidate_is_lost_and_the_order_is_the_same_each_time(urls: list[str]) -> None:
    pages = merged({"p": found(*urls)}, Limits())

    assert len(pages) == len(set(urls))
    assert pages == merged({"p": found(*urls)}, Limits())
