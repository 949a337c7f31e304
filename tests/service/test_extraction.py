import json
from pathlib import Path

from tests.service.running import Shell

PAGE = (
    "<html lang=en><head><title>Bread</title><meta name=author content='Ann Bee'></head><body><p>Bread is baked in "
    "ovens that are heated with wood, early in the morning, by people who have done so for most of their lives.</p>"
    "<p>Most of it is <a href='/eaten'>eaten</a> on the same day, while it is still warm.</p></body></html>"
)


def test_a_page_in_a_file_is_read_and_no_data_directory_is_made(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "data", {"CITATOR_READERS": "1"})
    (tmp_path / "page.html").write_text(PAGE)

    ran = shell("extract", str(tmp_path / "page.html"), "--url", "http://bakery.test/", "--json")
    bare = shell("extract", "-", given=PAGE.encode())

    assert (ran.status, bare.status) == (0, 0)
    assert (ran.json["title"], ran.json["author"], ran.json["outcome"]) == ("Bread", "Ann Bee", "ok")
    assert ran.json["links"][0]["url"] == "http://bakery.test/eaten"
    block = ran.json["blocks"][0]
    assert ran.json["text"][block["start"] : block["end"]].startswith("Bread is baked")
    assert bare.stdout.decode().strip() == ran.json["text"]
    assert not shell.data.exists()


def test_pages_are_read_a_line_each_with_their_ids(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "data", {"CITATOR_READERS": "1"})
    (tmp_path / "page.html").write_text(PAGE)
    (tmp_path / "bytes.bin").write_bytes(bytes(range(256)))
    given = [
        {"id": "file", "path": str(tmp_path / "page.html")},
        {"id": "inline", "html": PAGE, "url": "http://bakery.test/"},
        {"id": "none", "path": str(tmp_path / "none")},
        {"id": "bytes", "path": str(tmp_path / "bytes.bin")},
    ]

    ran = shell("extract", "--jsonl", "-", given="\n".join(json.dumps(line) for line in given).encode())

    first, second, third, fourth = ran.lines
    assert ran.status == 2
    assert [line["id"] for line in ran.lines] == ["file", "inline", "none", "bytes"]
    assert first["text"] == second["text"]
    assert (first["links"][0]["url"], second["links"][0]["url"]) == ("/eaten", "http://bakery.test/eaten")
    assert third["type"] == "urn:citator:problem:bad-request"
    assert fourth["outcome"] == "unreadable"


def test_lines_that_make_no_sense_are_told_as_such(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "data", {"CITATOR_READERS": "1"})
    given = [
        {"id": "url", "html": PAGE, "url": 5},
        {"id": "type", "html": PAGE, "type": 5},
        {"id": "nul", "path": "a\0b"},
        {"id": "half", "path": "\ud800"},
        {"id": "nothing"},
    ]

    ran = shell("extract", "--jsonl", "-", given="\n".join(json.dumps(line) for line in given).encode())

    assert ran.status == 2
    assert [line["id"] for line in ran.lines] == ["url", "type", "nul", "half", "nothing"]
    assert {line["type"] for line in ran.lines} == {"urn:citator:problem:bad-request"}
