import json
from pathlib import Path

from tests.service.running import Shell

NOTICE = "<p>The harbour office publishes this notice every spring so that skippers can plan the season ahead.</p>"
RATE = "<p>Visitors who stay for longer than one night pay the winter rate, which the council left as it was.</p>"
QUOTE = "The toll at the swing bridge rises to 40 crowns a night."


def page(*parts: str) -> str:
    return f"<html lang=en><title>Harbour</title><body><article>{''.join(parts)}</article></body></html>"


def test_a_quotation_is_compared_with_a_page_and_no_data_directory_is_made(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "data", {"CITATOR_READERS": "1"})
    (tmp_path / "now.html").write_text(page(NOTICE, f"<p>{QUOTE.replace('40', '50')}</p>", RATE))
    (tmp_path / "then.html").write_text(page(NOTICE, f"<p>{QUOTE}</p>", RATE))
    given = ("quote", "--page", str(tmp_path / "now.html"), "--old", str(tmp_path / "then.html"), "--quote", QUOTE)

    told, ran = shell(*given), shell(*given, "--json")

    assert (told.status, ran.status) == (0, 0)
    assert (ran.json["verdict"], ran.json["flags"]) == ("edited", ["number"])
    (one,) = ran.json["differences"]
    assert (one["change"], one["quote"], one["page"]) == ("replace", "40", "50")
    assert QUOTE[one["quote_start"] : one["quote_end"]] == "40"
    assert ran.json["matched"] == QUOTE.replace("40", "50")
    assert told.stdout.decode().startswith("edited: ")
    assert not shell.data.exists()


def test_the_place_of_a_quotation_is_one_in_the_text_that_is_extracted(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "data", {"CITATOR_READERS": "1"})
    file = tmp_path / "page.html"
    file.write_text(page(NOTICE, "<p>The <a href=/b>toll</a> at the\n swing&nbsp;bridge <b>rises</b>.</p>", RATE))

    extracted = shell("extract", str(file), "--json").json
    ran = shell("quote", "--page", str(file), "--quote", "The toll at the swing bridge rises.", "--json").json

    assert ran["verdict"] in {"exact", "typography"}
    assert extracted[ran["where"]][ran["start"] : ran["end"]] == ran["matched"]


def test_quotations_are_compared_a_line_each_with_their_ids(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "data", {"CITATOR_READERS": "1"})
    (tmp_path / "page.html").write_text(page(NOTICE, f"<p>{QUOTE}</p>", RATE))
    (tmp_path / "page.txt").write_text(f"Of the harbour.\n\n{QUOTE}\n")
    (tmp_path / "empty.html").write_text("<html><body></body></html>")
    (tmp_path / "bytes.bin").write_bytes(bytes(range(256)))
    where = str(tmp_path)
    given = [
        {"id": "there", "quote": QUOTE, "page": f"{where}/page.html", "prefix": "the season ahead. ", "suffix": ""},
        {"id": "text", "quote": QUOTE, "page": f"{where}/page.txt", "old": f"{where}/page.html"},
        {"id": "gone", "quote": QUOTE, "page": f"{where}/empty.html"},
        {"id": "unread", "quote": QUOTE, "page": f"{where}/bytes.bin"},
        {"id": "none", "quote": QUOTE, "page": f"{where}/none.html"},
        {"id": "half", "page": f"{where}/page.html"},
    ]

    ran = shell("quote", "--jsonl", "-", given="\n".join(json.dumps(line) for line in given).encode())

    assert ran.status == 2
    assert [line["id"] for line in ran.lines] == [line["id"] for line in given]
    assert [line.get("verdict") for line in ran.lines] == ["exact", "exact", "page_gone", "inconclusive", None, None]
    assert ran.lines[3]["page_state"] == "unknown"
    assert {line["type"] for line in ran.lines[4:]} == {"urn:citator:problem:bad-request"}


def test_wrong_use_is_told(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "data")

    assert shell("quote", "--quote", QUOTE, "--json").status == 2
    assert shell("quote", "--page", "x.html", "--json").status == 2
