"""Documents whose sources are visited: what they quote and link to, in whatever form they come."""

import base64
from pathlib import Path
from typing import Any

import pytest

from service.actions import Actions
from service.check_requests import DocumentAsked, RecheckRequest
from service.failures import BadRequest
from service.requests import BundleRequest
from tests.service.opened import BRIDGE, FERRY, HARBOUR, ME, captured, opened, told
from tests.service.running import Shell
from tests.sites import HTML, Route, Site
from tests.small_pdf import linked_pdf

SHORTER = BRIDGE.replace("ends on Friday", "ends on Monday")
PLACES = [
    Route("/bridge", body=SHORTER),
    Route("/moved", 302, (("Location", "/ferry"),)),
    Route("/wall", 403, (HTML,), "<title>Just a moment...</title>"),
    *HARBOUR,
]
TICKET = "A single ticket costs twelve crowns"


async def of_document(actions: Actions, **document: Any) -> dict[str, Any]:
    return told(await actions.recheck(RecheckRequest(document=DocumentAsked(**document)), ME))


def verdicts(found: dict[str, Any]) -> list[tuple[int, str]]:
    return [(one["line"], one["verdict"]) for one in found["document"]["citations"]]


async def test_each_citation_of_a_report_has_its_line_and_its_verdict(tmp_path: Path) -> None:
    with Site(PLACES) as site:
        url = site.url
        report = (
            f'It says "The toll at the swing bridge ends on Friday" ({url("/bridge")}).\n\n'
            f'[They](<{url("/ferry")}>) write "{TICKET}".\n\nSee {url("/moved")}.\n\nSee {url("/none")}.\n\n'
            f'"They lived there for years" {url("/wall")}\n\n"Nobody says where this stands at all."\n\n'
            '"This is of an unknown passage" [0123456789ab]\n'
        )
        async with opened(tmp_path) as actions:
            found = await of_document(actions, text=report)
            records = {page["record"] for page in found["pages"]}
            rows = found["document"]["citations"]

    assert verdicts(found) == [
        (1, "edited"), (3, "exact"), (5, "there"), (7, "gone"), (9, "inconclusive"), (11, "no_source"),
        (13, "no_source"),
    ]  # fmt: skip
    assert not found["holds"]
    assert not found["conclusive"]
    assert {one["record"] for one in rows} == records | {None}
    assert rows[-1]["reason"] == "nothing is kept under this id"


async def test_a_report_that_only_links_to_good_pages_holds_and_says_all(tmp_path: Path) -> None:
    with Site(PLACES) as site:
        async with opened(tmp_path) as actions:
            first = await of_document(actions, text=f"See {site.url('/moved')} and {site.url('/bridge')}.")
            again = await of_document(actions, text=f"See {site.url('/moved')} and {site.url('/bridge')}.")

    assert (first["holds"], first["conclusive"]) == (True, True)
    assert verdicts(first) == [(1, "there"), (1, "there")]
    assert verdicts(again) == [(1, "unchanged"), (1, "unchanged")]


@pytest.mark.slow
async def test_a_quotation_is_compared_with_the_kept_page_that_had_it(tmp_path: Path) -> None:
    routes = [Route("/bridge", body=BRIDGE, hit=1), *PLACES]
    with Site(routes) as site:
        async with opened(tmp_path) as actions:
            seen = await captured(actions, site.url("/bridge"))
            by_address = await of_document(
                actions, text=f'"The toll at the swing bridge ends on Friday" {site.url("/bridge")}'
            )
            by_id = await of_document(
                actions, text=f'"swing bridge ends on Friday" [{seen["passages"][0]["id"][7:19]}]'
            )

    for found in (by_address, by_id):
        assert found["pages"][0]["old"]["capture"] == seen["capture"]
        assert verdicts(found) == [(1, "edited")]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["html", "bibtex", "pdf"])
async def test_other_forms_are_read_alike(tmp_path: Path, form: str) -> None:
    with Site(PLACES) as site:
        ferry, bridge = site.url("/ferry"), site.url("/bridge")
        body = {
            "html": f'<!DOCTYPE html><body><p><q>{TICKET}</q> (<a href="{ferry}">them</a>)</p>'
            f'<blockquote cite="{bridge}">The toll at the swing bridge ends on Friday.</blockquote></body>'.encode(),
            "bibtex": f"@misc{{a, url={{{ferry}}}, quote={{{TICKET}}}}}\n@online{{b,\n url = {{{bridge}}},\n"
            " note = {``The toll at the swing bridge ends on Friday'' they say}}".encode(),
            "pdf": linked_pdf(
                [f'They write "{TICKET}" there.', "", '"The toll at the swing bridge ends on Friday"', bridge],
                [(244, 697, 280, 713, ferry)],
            ),
        }[form]
        async with opened(tmp_path) as actions:
            found = await of_document(actions, data=base64.b64encode(body).decode())

    assert found["document"]["format"] == form
    assert [verdict for _, verdict in verdicts(found)] == ["exact", "edited"]


async def test_a_bundle_is_checked_here_and_where_nothing_of_it_is_kept(tmp_path: Path) -> None:
    with Site([Route("/bridge", body=BRIDGE, hit=1), *PLACES]) as site:
        async with opened(tmp_path / "here") as actions:
            seen = [await captured(actions, site.url(path)) for path in ("/bridge", "/ferry")]
            made = await actions.bundle(BundleRequest(ids=tuple(one["record"] for one in seen)), ME, lambda *_: None)
            with made.file:
                encoded = base64.b64encode(made.file.read(made.size)).decode()
            here = await of_document(actions, data=encoded)
        async with opened(tmp_path / "there") as actions:
            there = await of_document(actions, data=encoded)

    assert here["counts"] == {"edited": 1, "exact": 1}
    assert {page["old"]["capture"] for page in here["pages"]} == {one["capture"] for one in seen}
    assert there["counts"] == {"edited": 1, "exact": 1}


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ({"text": "Nothing is cited here."}, "cites nothing"),
        ({"data": "no base64!"}, "no base64"),
        ({"data": base64.b64encode(b"%PDF-1.7 broken").decode()}, "PDF cannot be"),
        ({"data": base64.b64encode(b"PK\x03\x04broken").decode()}, "no bundle"),
        ({"data": base64.b64encode(b"words").decode(), "format": "pdf"}, "no PDF"),
        ({"data": base64.b64encode(b"words").decode(), "format": "bundle"}, "no bundle"),
    ],
)  # fmt: skip
async def test_a_document_that_is_none_is_refused_by_name(tmp_path: Path, document: dict[str, str], why: str) -> None:
    async with opened(tmp_path) as actions:
        with pytest.raises(BadRequest, match=why):
            await of_document(actions, **document)


@pytest.mark.slow
def test_files_are_checked_by_the_command(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        run = Shell(tmp_path / "data", {"CITATOR_ALLOW_ADDRESSES": "127.0.0.0/8"})
        (tmp_path / "refs.bib").write_text(f"@misc{{a, url={{{site.url('/ferry')}}}, quote={{{TICKET}}}}}")
        (tmp_path / "report.md").write_text(f'"Bicycles cost twelve crowns" {site.url("/ferry")}')

        held = run("recheck", str(tmp_path / "refs.bib"))
        broken = run("recheck", str(tmp_path / "report.md"), "--json")
        none = run("recheck", str(tmp_path / "missing.md"))
        two = run("recheck", str(tmp_path / "refs.bib"), str(tmp_path / "report.md"))

    assert (held.status, broken.status, none.status, two.status) == (0, 1, 2, 2)
    assert f"line 1: exact: {TICKET}" in held.stdout.decode()
    assert FERRY.count(TICKET) == 1
    assert broken.json["document"]["citations"][0]["verdict"] in {"edited", "absent"}
