"""Commands that check what was cited, beside a running server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.check_requests import CitationsRequest, RecheckRequest
from tests.service.running import Shell
from tests.service.serving import served
from tests.service.small_citator import SmallCitator


@pytest.fixture
def run(citator: SmallCitator, tmp_path: Path) -> Iterator[Shell]:
    (tmp_path / "data").mkdir()
    with served(citator, tmp_path / "data") as running:
        yield Shell(running.data)


def test_recheck_ends_with_one_when_something_is_not_said_any_more(run: Shell, citator: SmallCitator) -> None:
    there, gone = citator.keep(b"Bread is baked in ovens."), citator.keep(b"Bread is free.")

    held, broken = run("recheck", there, "--json"), run("recheck", there, gone)
    open_ = run("recheck", "http://site.test/none", "--json", "--no-store")

    assert (held.status, broken.status, open_.status) == (0, 1, 3)
    assert held.json["counts"] == {"exact": 1}
    assert "nothing says this" in broken.stdout.decode()
    assert citator.asked[-1] == RecheckRequest(urls=("http://site.test/none",), store=False)


def test_recheck_of_a_quotation_needs_its_address(run: Shell, citator: SmallCitator) -> None:
    asked = run("recheck", "http://site.test/a", "--quote", "Bread is free.", "--json")

    assert asked.status == 1
    assert citator.asked[-1] == RecheckRequest.model_validate(
        {"quotations": [{"url": "http://site.test/a", "quote": "Bread is free."}]}
    )
    assert run("recheck", "--quote", "Bread is free.").status == 2
    assert run("recheck").status == 2


def test_a_quotation_that_stands_there_is_told_and_passages_that_do_are_not(run: Shell, citator: SmallCitator) -> None:
    passage = citator.keep(b"Bread is baked in ovens.")

    quotation = run("recheck", "http://site.test/a", "--quote", "Bread is baked in ovens.")
    passages = run("recheck", passage)

    assert (quotation.status, passages.status) == (0, 0)
    assert "  exact: Bread is baked." in quotation.stdout.decode()
    assert "exact" not in passages.stdout.decode()


def test_check_citations_ends_with_one_when_something_is_not_borne_out(run: Shell, citator: SmallCitator) -> None:
    held = run("check-citations", "-", "--json", given=b"Bread is baked in ovens.")
    broken = run("check-citations", "-", given=b"\xef\xbb\xbfBread is free.")
    wrong = run("check-citations", "-", "--format", "pdf", "--json", given=b"Bread")

    assert (held.status, broken.status, wrong.status) == (0, 1, 2)
    assert held.json["counts"] == {"supported": 1}
    assert "line 1: not_in_evidence: Bread is free." in broken.stdout.decode()
    assert citator.asked[-1] == CitationsRequest(text="Bread is free.")


def test_a_report_in_html_is_known_by_its_name(run: Shell, citator: SmallCitator, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("<p>Bread</p>")

    run("check-citations", str(tmp_path / "report.html"), "--json")

    assert citator.asked[-1] == CitationsRequest(text="<p>Bread</p>", format="html")
