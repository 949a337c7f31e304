"""Captures and uploads over the real parts: what is answered, what is kept, and what is told when nothing comes."""

import json
from pathlib import Path

import pytest

from crawler import BadAddress, NoBrowser
from service.failures import BadRequest
from service.requests import CaptureRequest, UploadRequest
from snapshots import Capture, Fetch, Serving, UnknownId, digest
from tests.service.opened import HARBOUR, ME, TOLL, captured, opened, searched, told
from tests.sites import Route, Site, robots


async def test_a_page_is_answered_with_ids_that_give_the_same_bytes(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            reply = await actions.capture(CaptureRequest(url=site.url("/bridge")), ME)
            said = told(reply)

            fetch = json.loads((await actions.evidence(said["record"])).body)
            capture = json.loads((await actions.evidence(said["capture"])).body)
            document = json.loads((await actions.evidence(said["document"])).body)
            body = (await actions.evidence(capture["body"])).body
            served = (await actions.evidence(reply.record or "", view="reply")).body

    assert reply.status == 200
    assert TOLL in said["text"]
    assert fetch["capture"] == said["capture"]
    assert document["text"] == said["text"]
    assert digest(body) == document["source"]
    assert served == reply.body


async def test_each_passage_is_a_slice_of_the_text_and_proven_by_the_log(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            said = await captured(actions, site.url("/ferry"))
            passages = [json.loads((await actions.evidence(one["id"])).body) for one in said["passages"]]
            proof = await actions.proof(said["passages"][0]["id"])

    assert passages
    for passage in passages:
        assert passage["text"] == said["text"][passage["start"] : passage["end"]]
        assert passage["capture"] == said["capture"]
    assert proof["leads"] == [said["passages"][0]["id"], said["record"]]
    assert proof["proof"].startswith("c2sp.org/tlog-proof@v1\n")


async def test_a_budget_cuts_the_text_and_says_so(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            whole = await captured(actions, site.url("/ferry"))
            short = await captured(actions, site.url("/ferry"), max_tokens=20)

    assert (whole["cut"], short["cut"]) == (None, "max_tokens")
    assert short["text"] == whole["text"][: short["end"]]
    assert short["total"] == len(whole["text"])
    assert short["tokens"]["estimate"] <= 20


async def test_a_capture_that_is_young_enough_is_not_fetched_again(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            first = await captured(actions, site.url("/ferry"))
            again = await captured(actions, site.url("/ferry"), max_age=3600)
            fresh = await captured(actions, site.url("/ferry"), max_age=0)
        asked = [request.path for request in site.requests].count("/ferry")

    assert (first["from_store"], again["from_store"], fresh["from_store"]) == (False, True, False)
    assert again["capture"] == first["capture"]
    assert fresh["document"] == first["document"]
    assert asked == 2


async def test_without_storing_nothing_stays_and_the_reply_holds_the_records(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            before = (await actions.health())["sizes"]["log"]
            reply = await actions.capture(CaptureRequest(url=site.url("/bridge"), store=False), ME)
            said = told(reply)
            after = (await actions.health())["sizes"]["log"]
            with pytest.raises(UnknownId):
                await actions.evidence(said["capture"])

    assert (reply.record, reply.serving, said["record"], said["stored"]) == (None, None, None, False)
    assert [record["kind"] for record in said["records"]] == ["document", "capture", "fetch"]
    assert TOLL in said["text"]
    assert before == after


@pytest.mark.parametrize(
    ("path", "slug", "status"),
    [
        ("/private", "robots-refused", 403),
        ("/picture", "unreadable-page", 422),
        ("/void", "empty-page", 422),
    ],
)
async def test_a_page_that_gives_no_text_is_a_named_problem_and_kept(
    tmp_path: Path, path: str, slug: str, status: int
) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            reply = await actions.capture(CaptureRequest(url=site.url(path)), ME)
            said = told(reply)
            kept = json.loads((await actions.evidence(said["capture"])).body)

    assert (reply.status, reply.media_type) == (status, "application/problem+json")
    assert said["type"] == f"urn:citator:problem:{slug}"
    assert kept["kind"] == "capture"
    assert said["text"] == ""


async def test_sites_that_do_not_answer_are_told_apart(tmp_path: Path) -> None:
    silent = [Route("/robots.txt", 404), Route("/slow", then="hold", framing="as-is"), Route("/big", body=b"x" * 5000)]
    with Site(silent) as site:
        async with opened(tmp_path, fetch_deadline=0.5, max_body=2048, allow_addresses=("127.0.0.0/8",)) as actions:
            slow = await captured(actions, site.url("/slow"))
            big = await captured(actions, site.url("/big"))
            inward = await captured(actions, "http://10.0.0.1/")
        port = site.port
    async with opened(tmp_path, fetch_deadline=2.0) as actions:
        dead = await captured(actions, f"http://127.0.0.1:{port}/")

    assert slow["type"].endswith(":time-out")
    assert big["type"].endswith(":page-too-large")
    assert inward["type"].endswith(":address-refused")
    assert (dead["outcome"], dead["status"]) == ("error", 502)


async def test_what_is_no_address_is_refused_before_anything_is_kept(tmp_path: Path) -> None:
    async with opened(tmp_path) as actions:
        for text in ("not an address", "file:///etc/passwd", "http://user:secret@example.org/"):
            with pytest.raises(BadAddress):
                await captured(actions, text)

        assert (await actions.health())["sizes"]["log"] == 0


async def test_what_needs_a_browser_is_refused_rather_than_done_without_one(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path, chromium="off") as actions:
            for options in ({"render": "always"}, {"screenshot": True}, {"pdf": True}):
                with pytest.raises(NoBrowser):
                    await captured(actions, site.url("/ferry"), **options)
            with pytest.raises(BadRequest, match="rendered"):
                await captured(actions, site.url("/ferry"), render="never", screenshot=True)
            with pytest.raises(BadRequest, match="screenshot"):
                await captured(actions, site.url("/ferry"), screenshot_of="viewport")


async def test_an_upload_is_kept_with_its_claim_and_found(tmp_path: Path) -> None:
    text = b"Minutes of the harbour board. The dredging of the eastern basin was put off until the spring tide."

    async with opened(tmp_path) as actions:
        request = UploadRequest(body=text, at="2024-03-05T10:00:00Z", media_type="text/plain", title="Minutes")
        said = told(await actions.upload(request, ME))
        found = await searched(actions, "dredging eastern basin")
        capture = json.loads((await actions.evidence(said["capture"])).body)

    assert said["url"] == f"urn:{digest(text)}"
    assert said["retrieved_at"] == "2024-03-05T10:00:00.000Z"
    assert any(warning.startswith("retrieved_at_claimed") for warning in said["warnings"])
    assert capture["method"] == "upload"
    assert found["results"][0]["title"] == "Minutes"
    assert found["results"][0]["capture"] == said["capture"]


async def test_captures_of_an_address_are_listed_newest_first_in_parts(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            made = [(await captured(actions, site.url("/ferry")))["capture"] for _ in range(3)]
            first = await actions.captures(site.url("/ferry"), limit=2, before=None, caller=ME)
            rest = await actions.captures(site.url("/ferry"), limit=2, before=first["next"], caller=ME)

    assert [one["capture"] for one in first["captures"] + rest["captures"]] == made[::-1]
    assert rest["next"] is None


async def test_a_reply_names_its_serving_and_the_session_that_was_claimed(tmp_path: Path) -> None:
    with Site(HARBOUR) as site:
        async with opened(tmp_path) as actions:
            caller = ME.__class__(**{**ME.__dict__, "session": "chat-7"})
            reply = await actions.capture(CaptureRequest(url=site.url("/ferry")), caller)
            serving = actions.parts.archive.record(reply.serving or "")
            record = actions.parts.archive.record(reply.record or "")
            capture = actions.parts.archive.record(record.capture) if isinstance(record, Fetch) else None

    assert isinstance(serving, Serving)
    assert (serving.record, serving.session, serving.surface) == (reply.record, "chat-7", "cli")
    assert serving.body == digest(reply.body)
    assert isinstance(capture, Capture)


@pytest.mark.parametrize("before", ["-1", "one", "9" * 30])
async def test_captures_are_listed_only_before_a_place_that_there_can_be(tmp_path: Path, before: str) -> None:
    async with opened(tmp_path) as actions:
        with pytest.raises(BadRequest, match="`next`"):
            await actions.captures("http://site.test/", limit=1, before=before, caller=ME)


async def test_a_page_of_no_bytes_is_told_to_be_empty(tmp_path: Path) -> None:
    with Site([Route("/*", body=b"")]) as site:
        async with opened(tmp_path) as actions:
            reply = await actions.capture(CaptureRequest(url=site.url("/nothing")), ME)

    said = told(reply)
    assert (reply.status, said["type"]) == (422, "urn:citator:problem:empty-page")
    assert (said["outcome"], said["page_state"], said["text"]) == ("ok", "empty", "")


async def test_a_page_that_broke_off_is_a_problem_that_says_how(tmp_path: Path) -> None:
    with Site([robots(), Route("/*", body="<p>The mill stands at the w", declared=5000, then="close")]) as site:
        async with opened(tmp_path) as actions:
            said = await captured(actions, site.url("/mill"))

    assert (said["type"], said["status"]) == ("urn:citator:problem:site-unreachable", 502)
    assert (said["outcome"], said["reason"], said["text"]) == ("incomplete", "length_mismatch", "")
    assert "before its end" in said["detail"]


async def test_a_page_without_text_that_was_not_rendered_says_why_not(tmp_path: Path) -> None:
    shell = "<noscript>Please enable JavaScript.</noscript><div id=root></div><script src=/app.js></script>"
    with Site([Route("/*", body=shell)]) as site:
        async with opened(tmp_path, chromium="off") as actions:
            said = await captured(actions, site.url("/app"))

    assert said["type"] == "urn:citator:problem:empty-page"
    assert "rendering" in said["detail"]
