"""What is attached to reports and transcripts, and what is said of each of their citations."""

import base64
import hashlib
import io
import json
import zipfile
from asyncio import to_thread
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from service.actions import Actions
from service.api import application
from service.attaching.asked import Artefact, AttachRequest
from service.check_requests import CitationsRequest
from service.cli import app
from service.gate import Rules
from service.requests import KeyRequest, Scope
from service.transcripts.auditing import audit
from tests.service.asking import Asker
from tests.service.opened import ME, captured, opened, page
from tests.service.running import Shell
from tests.service.transcripts.making import Exchange, document, openai_chat
from tests.sites import Route, Site, redirect, robots

RULES = Rules(hosts=frozenset(), loopback_without_key=False, max_request=8 * 1024 * 1024)

FACTS = (
    "The lighthouse on the outer rock was lit for the first time on the third of May.",
    "Its lamp burned 412 litres of oil in the first winter, more than anybody had foreseen.",
    "The keeper did not leave the rock between November and March.",
    "Supplies came by boat whenever the swell allowed it, at most twice in a month.",
    "A second lamp was set up in the lower gallery after two ships had run aground.",
    "The fog bell was rung by hand until a clockwork took over that work.",
    "Visitors may climb the tower on Sundays if the wind is below force six.",
    "The stairs have one hundred and ninety-four steps and no railing.",
)


@pytest.fixture
async def actions(tmp_path: Path) -> AsyncIterator[Actions]:
    async with opened(tmp_path / "data") as behind:
        yield behind


def around(fact: str, place: int) -> str:
    return page(f"Lighthouse, part {place}", fact, "The record office keeps the log of the tower. " * 5)


@pytest.fixture
async def lighthouse(actions: Actions, site: Callable[..., Site]) -> Site:
    """A site of which the first eight pages are kept."""
    running = site(
        robots(),
        *(Route(f"/{place}", body=around(fact, place)) for place, fact in enumerate(FACTS, 1)),
        Route("/later", body=around("The harbour master paid the keeper every quarter, in silver.", 9)),
        Route("/changed", body=around("The harbour master paid the keeper every month, in paper.", 10)),
        redirect("/redirect", "/1"),
        Route("/*", 404, body=page("Not found", "There is no such page here. It may have moved.")),
    )
    for place in range(1, len(FACTS) + 1):
        await captured(actions, running.url(f"/{place}"))
    return running


async def attached(
    actions: Actions, body: bytes, name: str = "report.md", **options: Any
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """What was found, and the members of the bundle."""
    made = await actions.attach(AttachRequest(Artefact(name, body), **options), ME, lambda *_: None)
    data = made.file.read(-1)
    made.file.close()
    assert hashlib.sha256(data).hexdigest() == made.digest
    with zipfile.ZipFile(io.BytesIO(data)) as bundle:
        members = {one: bundle.read(one) for one in bundle.namelist()}
    return json.loads(members["attached/attachment.json"]), members


def twenty(url: Callable[[str], str], passage: Any) -> list[tuple[str, str, str]]:
    """Twenty citations, each with its verdict and what is kept of its source."""
    return [
        (f"“{FACTS[0]}” ({url('/1')})", "supported", "kept"),
        (f"“{FACTS[1]}” ({url('/2')})", "supported", "kept"),
        (f"“{FACTS[2]}” [log]({url('/3')})", "supported", "kept"),
        (f"“{FACTS[3]}” <{url('/4')}>", "supported", "kept"),
        (f'"{FACTS[4]}" ({url("/5")})', "supported", "kept"),
        (f"> {FACTS[5]}\n\n— {url('/6')}", "supported", "kept"),
        (f"“{FACTS[6].replace(' if', '  if')}” ({url('/7')})", "supported", "kept"),
        (f"“{FACTS[7]}” ({passage['cite']})", "supported", "kept"),
        (f"“Its lamp burned 421 litres of oil in the first winter” ({url('/2')})", "edited", "kept"),
        (f"“The keeper did leave the rock between November and March.” ({url('/3')})", "edited", "kept"),
        (f"“The stairs have one hundred and ninety-nine steps and no railing.” ({url('/8')})", "edited", "kept"),
        (f"“{FACTS[0]}” ({url('/5')})", "misattributed", "kept"),
        (f"“{FACTS[5]}” ({url('/2')})", "misattributed", "kept"),
        (f"“Whales were counted from the gallery every evening.” ({url('/4')})", "not_in_evidence", "kept"),
        (f"The tower can be climbed, see {url('/redirect')}.", "named", "captured_later"),
        (
            f"“The harbour master paid the keeper every quarter, in silver.” ({url('/later')})",
            "supported",
            "captured_later",
        ),
        (
            f"“The harbour master was paid by the keepers daily, with fish.” ({url('/changed')})",
            "not_in_evidence",
            "captured_later",
        ),
        (f"“The old tower was pulled down in a single night.” ({url('/gone')})", "not_in_evidence", "gone"),
        ("“The parish paid for the oil until the war.” (http://10.1.2.3/oil)", "not_in_evidence", "refused"),
        (
            "“Nobody has ever heard the bell.” (Log, retrieved 2026-11-29 [ffffffffffff])",
            "not_in_evidence",
            "unknown",
        ),
    ]


async def test_a_report_with_twenty_citations_is_told_what_each_of_them_is(actions: Actions, lighthouse: Site) -> None:
    url = lighthouse.url
    passage = (await captured(actions, url("/8"), max_age=3600))["passages"][0]
    cases = twenty(url, passage)
    report = "# The lighthouse\n\n" + "\n\n".join(text for text, _, _ in cases) + "\n"
    before = datetime.now(UTC)

    offline, _ = await attached(actions, report.encode(), written_at=before)
    found, members = await attached(
        actions, report.encode(), written_at=before - timedelta(hours=5), capture_missing=True, notes="footnotes"
    )
    checked = await actions.check_citations(CitationsRequest(text=report))
    audited = await audit(actions, io.BytesIO(report.encode()))

    assert [one["verdict"] for one in found["citations"]] == [verdict for _, verdict, _ in cases]
    assert [one["verdict"] for one in checked["citations"]] == [verdict for _, verdict, _ in cases]
    standings = {one["source"]: one for one in found["sources"]}
    told = [standings[one["sources"][0]] for one in found["citations"]]
    expected = [
        "captured_later" if standing == "kept" and "://" in one["source"] else standing
        for (_, _, standing), one in zip(cases, told, strict=True)
    ]  # five hours before, nothing was kept
    assert [one["standing"] for one in told] == expected
    assert told[0]["captured_later_seconds"] >= 5 * 3600 - 60
    assert told[14]["final"] == url("/1")
    assert {one["standing"] for one in offline["sources"]} == {"kept", "not_kept", "unknown"}
    assert (audited["holds"], [one["id"] for one in audited["cited_unknown"]]) == (False, ["ffffffffffff"])
    copy = members["attached/with-sources.md"].decode()
    assert all(f"[^citator-{number}]" in copy for number in range(1, 21))
    assert copy.startswith("# The lighthouse\n")
    assert "[^citator-18]: nothing that is kept says so." in copy
    assert members["attached/report.md"] == report.encode()


async def test_the_bundle_verifies_with_what_is_attached(actions: Actions, lighthouse: Site, tmp_path: Path) -> None:

    made = await actions.attach(
        AttachRequest(
            Artefact("../../ré port.md", f"“{FACTS[0]}” ({lighthouse.url('/1')})".encode()),
            (
                Artefact("a/b.txt", b"one"),
                Artefact("A/B.txt", b"two"),
                Artefact(".hidden", b"three"),
                Artefact("a", b"4"),
            ),
        ),
        ME,
        lambda *_: None,
    )
    path = tmp_path / "bundle.wacz"
    path.write_bytes(made.file.read(-1))
    made.file.close()

    ran = await to_thread(CliRunner().invoke, app, ["verify", str(path), "--json"])
    names = [one for one in zipfile.ZipFile(path).namelist() if one.startswith("attached/")]

    assert json.loads(ran.stdout)["holds"], ran.stdout
    assert names == [
        "attached/A--B-2.txt",
        "attached/a",
        "attached/a--b.txt",
        "attached/attachment.json",
        "attached/hidden",
        "attached/r-port.md",
    ]


async def test_a_transcript_goes_along_with_the_replies_that_it_has(actions: Actions, lighthouse: Site) -> None:
    from service.mcp_tools.calling import ToolsHere

    reply = await ToolsHere(actions).call("search", {"query": "when was the lighthouse lit"}, ME)
    assert reply.structured is not None
    chat = openai_chat(Exchange("q", reply.text, dict(reply.structured), reply.text))
    answer = json.loads(chat)
    answer["messages"][-1]["content"] = f"“{FACTS[0]}” ({lighthouse.url('/1')})"

    found, members = await attached(actions, document(answer), "chat.json")

    records = {json.loads(line)["kind"] for line in members["evidence/records.jsonl"].splitlines()}
    assert {"search", "serving", "capture"} <= records
    assert found["file"]["format"] == "openai-chat"
    assert found["audit"]["holds"]
    assert [one["verdict"] for one in found["citations"]] == ["supported"]
    assert json.loads(members["attached/audit.json"])["results"][0]["verdict"] == "exact"
    assert members["attached/chat.json"] == document(answer)


async def test_what_was_sealed_behind_a_hosted_search_is_said_to_have_been(actions: Actions, lighthouse: Site) -> None:
    hosted = "http://hosted.test/page"
    result = {"type": "web_search_result", "url": hosted, "title": "A", "encrypted_content": "Eo8"}
    place = {"type": "web_search_result_location", "url": hosted, "cited_text": "Lit in the month of May."}
    content = [
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": [result]},
        {"type": "text", "text": "It was lit in May.", "citations": [place | {"encrypted_index": "Eo8"}]},
        {"type": "text", "text": f"“{FACTS[0]}” ({lighthouse.url('/1')})"},
    ]
    message = {"model": "m", "messages": [{"role": "assistant", "content": content}]}

    found, members = await attached(actions, document(message), "messages.json")

    sources = {one["source"]: one for one in found["sources"]}
    assert (sources[hosted]["hosted"], sources[hosted]["standing"]) == (True, "not_kept")
    assert sorted(one["verdict"] for one in found["citations"]) == ["not_in_evidence", "supported"]
    assert [one["verdict"] for one in json.loads(members["attached/audit.json"])["results"]] == ["sealed"]
    assert "1 came out of a provider's own search" in found["summary"]


async def test_of_twenty_citations_in_a_transcript_those_that_are_sealed_are_told_apart(
    actions: Actions, lighthouse: Site
) -> None:
    passage = (await captured(actions, lighthouse.url("/8"), max_age=3600))["passages"][0]
    cases = twenty(lighthouse.url, passage)[2:]
    hosted = ("http://hosted.test/page", "http://hosted.test/other")
    results = [{"type": "web_search_result", "url": one, "title": "A", "encrypted_content": "Eo8"} for one in hosted]
    place = {"type": "web_search_result_location", "cited_text": "Lit in the month of May.", "encrypted_index": "Eo8"}
    content = [
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": results},
        *({"type": "text", "text": "It was lit in May.", "citations": [place | {"url": one}]} for one in hosted),
        {"type": "text", "text": "\n\n".join(text for text, _, _ in cases)},
    ]
    chat = document({"model": "m", "messages": [{"role": "assistant", "content": content}]})

    found, members = await attached(actions, chat, "messages.json", capture_missing=True)

    told = [(one["verdict"], one["sources"][0] in hosted) for one in found["citations"]]
    assert sorted(told) == sorted([("not_in_evidence", True)] * 2 + [(verdict, False) for _, verdict, _ in cases])
    sources = {one["source"]: one for one in found["sources"]}
    assert all(sources[one]["hosted"] for one in hosted)
    audited = json.loads(members["attached/audit.json"])
    assert [one["verdict"] for one in audited["results"]] == ["sealed"]
    assert (audited["holds"], [one["id"] for one in audited["cited_unknown"]]) == (False, ["ffffffffffff"])


async def test_a_report_in_html_gets_its_appendix_before_the_end_of_its_body(
    actions: Actions, lighthouse: Site
) -> None:
    html = (
        "<!doctype html><html><body><p>It says “" + FACTS[0] + f"” <a href='{lighthouse.url('/1')}'>here</a>."
        "</p><script>var x = '<b>';</script></body></html>"
    )

    found, members = await attached(actions, html.encode(), "report.html", notes="appendix")

    copy = members["attached/with-sources.html"].decode()
    assert [one["verdict"] for one in found["citations"]] == ["supported"]
    assert copy.index("<section><h2>Evidence</h2>") < copy.index("</body>")
    assert copy.replace(copy[copy.index("<section>") : copy.index("</body>")], "") == html


async def test_over_http_the_file_comes_raw_or_in_a_form_with_others(actions: Actions, lighthouse: Site) -> None:
    key = await actions.keys_create(KeyRequest(name="reader", scopes=(Scope.READ,)))
    ask = Asker(application(actions, RULES), key["key"])
    report = f"“{FACTS[0]}” ({lighthouse.url('/1')})".encode()
    form = b'--b\r\nContent-Disposition: form-data; name="file"; filename="r.md"\r\n\r\n' + report
    form += b'\r\n--b\r\nContent-Disposition: form-data; name="artefact"; filename="x%2Fy.txt"\r\n\r\nabc\r\n--b--\r\n'

    raw = await ask("POST", "/api/v1/attachments?name=r.md", body=report)
    both = await ask(
        "POST", "/api/v1/attachments", body=form, headers={"content-type": "multipart/form-data; boundary=b"}
    )
    empty = await ask("POST", "/api/v1/attachments", body=b"")
    capturing = await ask("POST", "/api/v1/attachments?capture_missing=true", body=report)
    nothing = await ask("POST", "/api/v1/attachments", body=b"A report without any source.")

    digest = base64.b64encode(hashlib.sha256(raw.body).digest()).decode()
    assert raw.headers["repr-digest"] == f"sha-256=:{digest}:"
    assert json.loads(raw.headers["x-evidence-bundle"])["citations"] == {"supported": 1}
    with zipfile.ZipFile(io.BytesIO(both.body)) as bundle:
        assert bundle.read("attached/x--y.txt") == b"abc"
    assert (empty.problem, capturing.problem, nothing.problem) == ("bad-request", "scope-missing", "nothing-kept")


def test_the_command_writes_bundle_and_copy_and_takes_the_files_beside_a_transcript(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "data")
    tide = tmp_path / "page.html"
    tide.write_text("<title>Tide table</title><p>High water at the northern pier is at four in the afternoon.</p>")
    assert shell("add", str(tide), "--url", "https://tides.example/today", "--json").status == 0
    report = tmp_path / "report.md"
    report.write_text("“High water at the northern pier is at four” (https://tides.example/today).\n")
    chat = tmp_path / "session.jsonl"
    chat.write_text(json.dumps({"role": "assistant", "content": "See https://tides.example/today."}) + "\n")
    (tmp_path / "session" / "subagents").mkdir(parents=True)
    (tmp_path / "session" / "subagents" / "agent-1.jsonl").write_text("{}\n")
    (tmp_path / "session" / "secret.pem").write_text("no\n")

    one = shell("attach", str(report), "-o", str(tmp_path / "one.wacz"), "--report-out", str(tmp_path / "out.md"),
                "--footnotes", "--json")  # fmt: skip
    two = shell("attach", str(chat), "-o", str(tmp_path / "two.wacz"))

    assert (one.status, one.json["counts"]["citations"]) == (0, {"supported": 1})
    assert "[^citator-1]: the source says so. Tide table" in (tmp_path / "out.md").read_text()
    assert two.status == 0
    with zipfile.ZipFile(tmp_path / "two.wacz") as bundle:
        names = [name for name in bundle.namelist() if name.startswith("attached/session")]
    assert names == ["attached/session--subagents--agent-1.jsonl", "attached/session.jsonl"]
    assert shell("attach", str(report), "-o", str(tmp_path / "x"), "--footnotes", "--appendix").status == 2
    assert shell("attach", str(tmp_path / "none"), "-o", str(tmp_path / "x")).status == 2
