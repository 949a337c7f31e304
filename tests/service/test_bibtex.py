"""Bibliographies: what entries quote, and where they say that it stands."""

import pytest

from service.bibtex import bibliography
from service.citations import find_citations


def cited(source: str) -> list[tuple[int, str | None, tuple[str, ...]]]:
    found = bibliography(source)
    return [(found.line_of(one.line), one.quote, one.sources) for one in find_citations(found.text).citations]


@pytest.mark.parametrize(
    ("entry", "quote", "source"),
    [
        ("@online{a, url = {https://a.test/b}, quote = {Fees rise in spring}}", "Fees rise in spring", "https://a.test/b"),
        ('@misc{a, url="https://a.test/b", quotation="Fees {rise} in spring"}', "Fees rise in spring", "https://a.test/b"),
        (r"@misc{a, howpublished={\url{https://a.test/b}}, note={``Fees rise now'' it says}}", "Fees rise now", "https://a.test/b"),
        (r"@misc(a, url={https://a.test/a\_b?x=1\&y=2})", None, "https://a.test/a_b?x=1&y=2"),
        ("@article{a, title={T}, doi={https://doi.org/10.1000/x.1}}", None, "https://doi.org/10.1000/x.1"),
        ("@article{a, title={T}, doi={10.1000/x.1}}", None, "https://doi.org/10.1000/x.1"),
        ("@misc{a, eprint={2401.01234v2}, archivePrefix={arXiv}}", None, "https://arxiv.org/abs/2401.01234v2"),
        (r"@misc{a, url={https://a.test/b}, quote={M{\"u}lheim, Ast\'erix, Stra{\ss}e}}", "Mülheim, Astérix, Straße", "https://a.test/b"),
        ("@misc{a, url={https://a.test/b}, quote={Fees } # {rise in spring}}", "Fees rise in spring", "https://a.test/b"),
        ("@misc{a, url={https://a.test/b", None, "https://a.test/b"),
    ],
)  # fmt: skip
def test_an_entry_names_its_source_and_what_it_quotes(entry: str, quote: str | None, source: str) -> None:
    assert cited(entry) == [(1, quote, (source,))]


def test_entries_are_told_by_their_lines_and_what_is_none_is_passed_over() -> None:
    source = (
        "% mine\n@string{x = {https://a.test/no}}\n\n@misc{one,\n  url = {https://a.test/1},\n  year = 2024\n}\n"
        "@comment{@misc{no}}\n@book{two, title = {Nothing to visit}}\n@misc{three, url={https://a.test/3}}"
    )

    assert [(line, sources) for line, _, sources in cited(source)] == [
        (4, ("https://a.test/1",)),
        (10, ("https://a.test/3",)),
    ]


@pytest.mark.parametrize(
    "source", ["@a{b," * 30_000, "@a{b,c={" * 30_000, "@a{b,c=" + "{" * 200_000, '@a{b,c="' * 30_000]
)
def test_what_begins_without_end_is_read_once(source: str) -> None:
    assert bibliography(source).text == ""
