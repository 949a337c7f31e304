"""Reports whose citations hold, and reports whose do not."""

from pathlib import Path
from typing import Any

import pytest

from service.actions import Actions
from service.check_requests import CitationsRequest
from service.citations import find_citations
from service.citations_html import markdown_of
from service.requests import RemovalRequest
from tests.service.opened import HARBOUR, ME, TOLL, captured, opened
from tests.sites import Route, Site

FERRY = "A single ticket costs twelve crowns"


def cited(text: str) -> list[tuple[str | None, tuple[str, ...]]]:
    return [(one.quote, one.sources) for one in find_citations(text).citations]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('It says "fees rise in spring" [5f5f5f5f5f5f].', [("fees rise in spring", ("5f5f5f5f5f5f",))]),
        ("It says “fees *rise* in spring” (https://a.test/b).", [("fees rise in spring", ("https://a.test/b",))]),
        ("By [them](https://a.test/b): «les prix vont monter».", [("les prix vont monter", ("https://a.test/b",))]),
        ("„Die Preise steigen bald“ [1]\n\n[1]: https://a.test/c", [("Die Preise steigen bald", ("https://a.test/c",))]),
        ('"Fees rise in spring"[^n]\n\n[^n]: Them, https://a.test/d', [("Fees rise in spring", ("https://a.test/d",))]),
        ('"Fees rise in spring" [2]\n\n2. Them. https://a.test/e', [("Fees rise in spring", ("https://a.test/e",))]),
        ("> Fees rise\n> in spring.\n> — Them, https://a.test/f", [("Fees rise in spring.", ("https://a.test/f",))]),
        ("> Fees rise in spring.\n\n— Them, https://a.test/g", [("Fees rise in spring.", ("https://a.test/g",))]),
        ("「料金は春に上がります」sha256:5f5f5f5f5f5f5f5f", [("料金は春に上がります", ("sha256:5f5f5f5f5f5f5f5f",))]),
        ("See https://a.test/h, and go.", [(None, ("https://a.test/h",))]),
        ('A "funny" way to say "so what".', []),
        ('```\n"not a quotation at all" https://a.test/i\n```', []),
    ],
)  # fmt: skip
def test_a_quotation_belongs_to_the_source_beside_it(text: str, found: list[Any]) -> None:
    assert [one for one in cited(text) if one[0] or not found or found[0][0] is None] == found


def test_each_quotation_has_its_own_source_and_its_line() -> None:
    text = (
        'One.\n\n"Fees rise in spring" [aaaaaaaaaaaa] and "fees fall in autumn" [bbbbbbbbbbbb].'
        '\n\n"Nobody knows the rest."'
    )

    found = find_citations(text)

    assert [(one.line, one.sources) for one in found.citations] == [
        (3, ("aaaaaaaaaaaa",)),
        (3, ("bbbbbbbbbbbb",)),
        (5, ()),
    ]


def test_html_is_read_with_its_quotations_and_links() -> None:
    html = (
        "<script>“never read this”</script>"
        "<p>So: <q>fees rise in spring</q>, <a href='https://a.test/b'>they</a> say.</p>"
        "<blockquote cite='https://a.test/c'><p>Fees fall in autumn.</p></blockquote>"
    )

    assert cited(markdown_of(html)) == [
        ("fees rise in spring", ("https://a.test/b",)), ("Fees fall in autumn.", ("https://a.test/c",))
    ]  # fmt: skip


async def check(actions: Actions, text: str, **more: Any) -> dict[str, Any]:
    return await actions.check_citations(CitationsRequest(text=text, **more))


async def test_what_a_report_quotes_is_borne_out_or_not(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            bridge, ferry = await captured(actions, site.url("/bridge")), await captured(actions, site.url("/ferry"))
            passage = bridge["passages"][0]["id"]
            report = "\n\n".join(
                [
                    f'"{TOLL}" [{passage[7:19]}]',
                    f"“the toll at the swing bridge ends on Friday,” says {site.url('/bridge')}",
                    f'"The toll at the swing bridge ends on Monday." [{passage[7:19]}]',
                    f'"{FERRY}" [{passage[7:19]}]',
                    f'"{FERRY}"',
                    f'"Dogs travel free of charge at all times" ({site.url("/ferry")})',
                    f'"{TOLL}" (https://elsewhere.test/)',
                    f"Also see {ferry['capture']} and sha256:{'0' * 64}.",
                ]
            )

            found = await check(actions, report)

    told = [(one["verdict"], one["line"]) for one in found["citations"]]
    assert told == [
        ("supported", 1), ("supported", 3), ("edited", 5), ("misattributed", 7), ("supported", 9),
        ("not_in_evidence", 11), ("misattributed", 13), ("named", 15), ("not_in_evidence", 15),
    ]  # fmt: skip
    assert not found["holds"]
    first, _, edited, wrong = found["citations"][:4]
    assert first["support"]["passage"] == passage
    assert [(one["quote"], one["page"]) for one in edited["support"]["differences"]] == [("Monday", "Friday")]
    assert wrong["elsewhere"][0]["url"] == site.url("/ferry")


async def test_what_two_passages_are_as_much_like_is_called_edited_and_not_missing(tmp_path: Path) -> None:
    pages = (Route("/fares", body="<p>A car costs 14 crowns on Monday.</p><p>A lorry costs 19 crowns on Friday.</p>"),)
    with Site(pages) as site:
        async with opened(tmp_path) as actions:
            await captured(actions, site.url("/fares"))
            found = await check(actions, f"It “costs 15 crowns on” weekdays ({site.url('/fares')}).")

    (told,) = found["citations"]
    assert told["verdict"] == "edited"
    assert "several places" in told["reason"]
    assert told["support"]["differences"][0]["quote"] == "15"


async def test_a_report_that_holds_says_so_and_nothing_is_kept_of_it(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            await captured(actions, site.url("/bridge"))
            size = actions.parts.log.size
            found = await check(
                actions, f"<p>It says <q>{TOLL}</q> <a href='{site.url('/bridge')}'>here</a>.</p>", format="html"
            )
            after = actions.parts.log.size

    assert (found["holds"], found["counts"], after) == (True, {"supported": 1}, size)


async def test_what_was_removed_bears_nothing_out(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            seen = await captured(actions, site.url("/bridge"))
            await actions.remove(RemovalRequest(url=site.url("/bridge")), ME)
            found = await check(actions, f'"{TOLL}" [{seen["passages"][0]["id"][7:31]}]')

    assert not found["holds"]
    assert found["citations"][0]["sources"][0]["state"] == "removed"
