import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from index import BadOption, IndexDamaged
from service.crawl_requests import CrawlRequest
from service.failures import BadSetting, DataInUse, DataVersion
from service.requests import CaptureRequest, SearchRequest, UploadRequest
from snapshots.errors import DamagedObject, StoreFull, StoreUnreachable, WrongLogKey
from tests.service.running import Shell
from tests.service.serving import Served, served
from tests.service.small_citator import SmallCitator, id_of

UNKNOWN = "sha256:" + "0" * 64


@pytest.fixture
def server(citator: SmallCitator, tmp_path: Path) -> Iterator[Served]:
    (tmp_path / "data").mkdir()
    with served(citator, tmp_path / "data") as running:
        yield running


@pytest.fixture
def run(server: Served) -> Shell:
    """Runs a command beside a running server, which it finds by its data directory."""
    return Shell(server.data)


def test_search_gives_the_reply_as_it_was_kept_and_nothing_else(run: Shell, citator: SmallCitator) -> None:
    ran = run("search", "bread", "--json", "--max-results", "3", "--include-domain", "site.test", "--no-fold")

    assert ran.status == 0
    assert ran.json["results"][0]["passages"][0]["text"] == "Bread is baked in ovens."
    assert any(kept[0] == ran.stdout.rstrip(b"\n") + b" served" for kept in citator.kept.values())
    asked = SearchRequest(query="bread", max_results=3, include_domains=("site.test",), fold=False)
    assert citator.asked[-1] == asked
    assert citator.callers[-1].surface == "cli"


def test_search_is_readable_without_json(run: Shell) -> None:
    ran = run("search", "bread")

    assert "1. http://site.test/a" in ran.stdout.decode()
    assert "1 result, state ok" in ran.stdout.decode()


def test_text_of_pages_cannot_steer_the_terminal(run: Shell, citator: SmallCitator) -> None:
    citator.web["http://site.test/evil"] = "bread \x1b]0;owned\x07 \x9b31m \u202e gnp.exe\nend"

    ran = run("fetch", "http://site.test/evil")

    shown = ran.stdout.decode()
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(shown)
    assert shown.endswith("gnp.exe\nend\n")


def test_queries_are_answered_a_line_each_with_their_ids(run: Shell, tmp_path: Path) -> None:
    file = tmp_path / "queries"
    file.write_text('bread\n\n{"id": 7, "query": "bread", "max_results": 1}\n{"id": "x", "query": "nothing"}\n')

    ran = run("search", "--queries", str(file), "--json", "--no-store")

    first, second, third = ran.lines
    assert ran.status == 0
    assert "id" not in first
    assert (second["id"], second["results"][0]["rank"], second["record"]) == (7, 1, None)
    assert (third["id"], third["state"]) == ("x", "no_match")


def test_a_query_that_fails_is_told_on_its_line(run: Shell) -> None:
    given = b'{"id": 1, "query": "bread", "max_result": 3}\n{oops\n{"id": 3, "query": "bread"}\n'

    ran = run("search", "--queries", "-", given=given)

    first, second, third = ran.lines
    assert ran.status == 2
    assert (first["id"], first["type"]) == (1, "urn:citator:problem:bad-request")
    assert (second["line"], second["status"]) == (2, 422)
    assert third["state"] == "ok"


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("search",),
        ("search", "q", "--queries", "f"),
        ("search", "q", "--max-results", "many"),
        ("search", "q", "--nonsense"),
        ("search", "q", "--max-results", "0"),
        ("search", "q", "--published-after", "yesterday"),
        ("add",),
        ("add", "a", "b", "--url", "http://x/"),
        ("add", "/no/such/file"),
        ("delete",),
        ("delete", "http://a/", "http://b/"),
        ("keys", "create", "x", "--scope", "everything"),
        ("extract",),
        ("extract", "/no/such/file"),
        ("crawl",),
        ("nonsense",),
        ("show", "hello"),
    ],
)
def test_wrong_use_ends_with_two_and_says_why(run: Shell, arguments: tuple[str, ...]) -> None:
    ran = run(*arguments)

    assert ran.status == 2
    assert ran.stdout == b""
    assert ran.stderr


def test_fetch_gives_a_page(run: Shell, citator: SmallCitator) -> None:
    ran = run("fetch", "http://site.test/a", "--json", "--max-age", "60", "--render", "never")

    assert (ran.status, ran.json["text"]) == (0, "Bread is baked in ovens.")
    assert citator.asked[-1] == CaptureRequest(url="http://site.test/a", max_age=60, render="never")


@pytest.mark.parametrize(
    ("url", "outcome", "slug"),
    [
        ("http://nobody.test/", None, "site-unreachable"),
        ("http://slow.test/", ("timeout", None), "time-out"),
        ("http://big.test/", ("too_large", None), "page-too-large"),
        ("http://10.0.0.1/", ("refused", "address_refused"), "address-refused"),
        ("http://no.test/", ("refused", "robots_disallowed"), "robots-refused"),
        ("http://noise.test/", ("error", "unreadable"), "unreadable-page"),
        ("http://site.test/empty", None, "empty-page"),
    ],
)
def test_a_page_that_gave_nothing_is_not_done_and_told_on_both_streams(
    run: Shell, citator: SmallCitator, url: str, outcome: tuple[str, str | None] | None, slug: str
) -> None:
    if outcome is not None:
        citator.outcomes[url] = outcome

    ran = run("fetch", url, "--json")

    assert ran.status == 3
    assert ran.json["type"] == f"urn:citator:problem:{slug}"
    assert ran.json["capture"] == id_of(url.encode())
    assert ran.stderr.startswith("citator: ")


@pytest.mark.parametrize(
    ("error", "status", "slug"),
    [
        (DamagedObject(UNKNOWN), 3, "damaged-object"),
        (StoreUnreachable("no answer"), 3, "bucket-unreachable"),
        (StoreFull("no room"), 3, "disk-full"),
        (WrongLogKey("other key"), 3, "wrong-log-key"),
        (DataVersion("newer"), 3, "data-version"),
        (DataInUse("held"), 3, "data-in-use"),
        (BadOption("a limit of none"), 2, "bad-query"),
        (IndexDamaged("cut short"), 3, "index-damaged"),
        (BadSetting("CITATOR_X: no"), 2, "bad-setting"),
        (RuntimeError("secret 1234"), 3, "internal"),
    ],
)
def test_each_fault_has_its_exit_status_and_its_problem(
    run: Shell, citator: SmallCitator, error: Exception, status: int, slug: str
) -> None:
    citator.broken = error

    told = run("search", "bread", "--json")
    shown = run("search", "bread")

    assert (told.status, told.json["type"]) == (status, f"urn:citator:problem:{slug}")
    assert (shown.status, shown.stdout) == (status, b"")
    assert b"1234" not in told.stdout
    assert told.stderr


def test_crawl_tells_each_page_that_failed_and_why(run: Shell, citator: SmallCitator) -> None:
    ran = run("crawl", "http://site.test/a", "http://gone.test/", "--max-pages", "5", "--json")
    shown = run("crawl", "http://site.test/a", "http://gone.test/")
    nothing = run("crawl", "http://gone.test/", "--json")

    assert (ran.status, ran.json["counts"]) == (0, {"captured": 1, "failed": 1})
    assert ran.json["captures"][0]["url"] == "http://site.test/a"
    assert ran.json["failures"][0]["reason"] == "name_not_found"
    assert "failed  http://gone.test/  name_not_found: the name has no address\n" in shown.stdout.decode()
    assert nothing.status == 3
    crawls = [asked for asked in citator.asked if isinstance(asked, CrawlRequest)]
    assert crawls[0] == CrawlRequest(urls=("http://site.test/a", "http://gone.test/"), max_pages=5)


def test_crawl_shows_its_progress_on_a_terminal(server: Served) -> None:
    main, other = os.openpty()
    command = [sys.executable, "-c", "from service.cli import main; main()", "crawl", "http://site.test/a", "--json"]
    environment = {"PATH": os.environ["PATH"], "CITATOR_DATA": str(server.data), "TERM": "xterm", "COLUMNS": "120"}

    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=other, env=environment) as process:
        os.close(other)
        assert process.stdout is not None
        result = process.stdout.read()
        seen = b""
        try:
            while part := os.read(main, 65536):
                seen += part
        except OSError:  # how Linux says that the other end is closed
            pass
    os.close(main)

    assert json.loads(result)["counts"]["captured"] == 1
    assert b"http://site.test/a" in seen
    assert b"1/100" in seen


def test_add_keeps_a_file_with_what_is_known_of_it(run: Shell, citator: SmallCitator, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(b"<p>Hi \xff")

    ran = run("add", str(page), "--url", "http://mine.test/", "--at", "2024-05-06", "--json")
    several = run("add", str(page), str(page), "--json")

    assert (ran.status, ran.json["url"]) == (0, "http://mine.test/")
    asked = next(asked for asked in citator.asked if isinstance(asked, UploadRequest))
    assert (asked.body, asked.media_type, asked.name) == (b"<p>Hi \xff", "text/html", "page.html")
    assert len(several.json) == 2


def test_add_takes_files_whose_names_are_no_text(run: Shell, citator: SmallCitator, tmp_path: Path) -> None:
    page = tmp_path / os.fsdecode(b"p\xfcge.html")
    page.write_bytes(b"<p>Hi")

    ran = run("add", str(page), "--json")

    assert ran.status == 0
    asked = next(asked for asked in citator.asked if isinstance(asked, UploadRequest))
    assert (asked.name, asked.media_type) == ("p\ufffdge.html", "text/html")


def test_a_file_that_cannot_be_read_leaves_the_others_alone(run: Shell, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(b"<p>Hi")

    ran = run("add", str(page), str(tmp_path / "none"), str(page), "--json")

    first, second, third = ran.json
    assert ran.status == 2
    assert (first["outcome"], third["outcome"]) == ("ok", "ok")
    assert (second["type"], second["file"]) == ("urn:citator:problem:bad-request", str(tmp_path / "none"))
    assert "none cannot be read" in ran.stderr


def test_add_takes_lines(run: Shell, citator: SmallCitator) -> None:
    given = (
        b'{"id": "a", "url": "http://l.test/1", "title": "One", "html": "<p>\\u00fc", "at": "2024-01-02"}\n'
        b'{"url": "http://l.test/2", "text": "plain"}\n{"id": "c", "url": "http://l.test/3"}\n'
    )

    ran = run("add", "--jsonl", "-", given=given)

    first, second, third = ran.lines
    assert ran.status == 2
    assert (first["id"], first["url"], second["url"]) == ("a", "http://l.test/1", "http://l.test/2")
    assert (third["id"], third["type"]) == ("c", "urn:citator:problem:bad-request")
    asked = sorted((one for one in citator.asked if isinstance(one, UploadRequest)), key=lambda one: one.url or "")
    one, two = asked
    assert (one.body, one.media_type, one.title) == ("<p>ü".encode(), "text/html; charset=utf-8", "One")
    assert (two.body, two.media_type) == (b"plain", "text/plain; charset=utf-8")


def test_versions_of_one_page_are_kept_in_the_order_of_their_lines(run: Shell, citator: SmallCitator) -> None:
    given = b"".join(b'{"url": "http://l.test/", "text": "version %d"}\n' % number for number in range(40))
    citator.slow = 0.002

    ran = run("add", "--jsonl", "-", given=given)

    asked = [one.body for one in citator.asked if isinstance(one, UploadRequest)]
    assert ran.status == 0
    assert asked == [b"version %d" % number for number in range(40)]


def test_show_gives_exactly_the_bytes(run: Shell, citator: SmallCitator) -> None:
    found = citator.keep(bytes(range(256)))

    ran = run("show", found)

    assert (ran.status, ran.stdout) == (0, bytes(range(256)))


def test_proof_gives_the_proof_as_a_file_or_with_all_that_leads_to_it(run: Shell, citator: SmallCitator) -> None:
    found = citator.keep(b"x")

    shown = run("proof", found)
    told = run("proof", found[:19], "--json")

    assert shown.stdout.decode() == "c2sp…\n"
    assert told.json["record"] == found


def test_unknown_and_removed_ids_are_not_done(run: Shell, citator: SmallCitator) -> None:
    found = citator.keep(b"secret")
    run("delete", found, "--yes")

    unknown = run("show", UNKNOWN)
    removed = run("proof", found, "--json")

    assert (unknown.status, unknown.stdout) == (3, b"")
    assert (removed.status, removed.json["type"]) == (3, "urn:citator:problem:removed")
    assert removed.json["deletion_record"]["kind"] == "deletion"


def test_delete_plans_and_removes(run: Shell, citator: SmallCitator) -> None:
    citator.keep(citator.web["http://site.test/a"].encode())

    planned = run("delete", "http://site.test/a", "--dry-run", "--json")
    done = run("delete", "--url", "http://site.test/a", "--reason", "asked", "--json")

    assert planned.json["dry_run"] is True
    assert planned.json["deletion"] is None
    assert done.json["removed"] == planned.json["removed"]
    assert done.json["deletion"] in citator.kept


def test_doctor_ends_with_one_when_a_check_does_not_hold(run: Shell) -> None:
    good, bad = run("doctor"), run("doctor", "--deep", "--json")

    assert (good.status, bad.status) == (0, 1)
    assert bad.json["holds"] is False


def test_rebuild_and_backup_say_what_they_did(run: Shell, tmp_path: Path) -> None:
    rebuilt = run("rebuild", "--json")
    backed = run("backup", str(tmp_path / "b"))

    assert rebuilt.json == {"entries": 2}
    assert f"path: {tmp_path / 'b'}" in backed.stdout.decode()


def test_keys_are_made_listed_rotated_and_revoked(run: Shell) -> None:
    made = run("keys", "create", "agent", "--scope", "search", "--scope", "read", "--json").json
    rotated = run("keys", "rotate", made["id"], "--json").json
    listed = run("keys", "list")
    revoked = run("keys", "revoke", rotated["id"])
    unknown = run("keys", "revoke", made["id"])

    assert set(made) == {"id", "name", "scopes", "key"}
    assert made["scopes"] == ["search", "read"]
    assert rotated["id"] in listed.stdout.decode()
    assert rotated["key"] not in listed.stdout.decode()
    assert (revoked.status, unknown.status) == (0, 3)


def test_the_log_key_is_shown_and_copied(run: Shell, tmp_path: Path) -> None:
    shown = run("log-key", "show", "--json")
    copied = run("log-key", "backup", str(tmp_path / "k"), "--json")

    assert shown.json["vkey"] == "x+1+y"
    assert copied.json["path"] == str(tmp_path / "k")


def test_url_and_key_point_elsewhere(run: Shell, server: Served, citator: SmallCitator, tmp_path: Path) -> None:
    elsewhere = {"CITATOR_DATA": str(tmp_path / "none"), "CITATOR_URL": server.url}

    good = run("search", "bread", "--json", CITATOR_KEY=server.key, **elsewhere)
    keyless = run("search", "bread", "--json", CITATOR_KEY="", **elsewhere)
    dead = run("search", "bread", "--json", **elsewhere | {"CITATOR_URL": "http://127.0.0.1:1"})

    assert (good.status, citator.callers[-1].surface) == (0, "http")
    assert (keyless.status, keyless.json["type"]) == (3, "urn:citator:problem:key-missing")
    assert (dead.status, dead.json["type"]) == (3, "urn:citator:problem:server-unreachable")
    assert not (tmp_path / "none").exists()


def test_a_bad_setting_is_named(run: Shell) -> None:
    ran = run("search", "bread", "--json", CITATOR_LISTEN="nowhere")

    assert (ran.status, ran.json["type"]) == (2, "urn:citator:problem:bad-setting")
    assert "CITATOR_LISTEN" in ran.stderr


def test_help_imports_nothing_that_it_does_not_need() -> None:
    script = (
        "import sys\nfrom service.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'pydantic', 'fastapi', 'rich.console', 'asyncio', 'structlog', 'service.settings', 'snapshots'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": os.environ["PATH"]},
    )

    assert "Usage" in done.stdout
    assert done.stderr.strip() == "[]"
