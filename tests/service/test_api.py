import base64
import hashlib

import orjson
import pytest

from index import BadOption, IndexDamaged
from service.errors import TABLE
from service.failures import DataInUse
from service.requests import UploadRequest
from snapshots.errors import (
    CatalogueVersion,
    DamagedObject,
    LogReadOnly,
    StoreFull,
    StoreRefused,
    StoreUnreachable,
    WrongLogKey,
)
from tests.service.asking import Asker
from tests.service.small_citator import TILE, SmallCitator, id_of

UNKNOWN = "sha256:" + "0" * 64


async def test_a_search_is_answered_with_the_exact_bytes_that_were_kept(ask: Asker, citator: SmallCitator) -> None:
    answer = await ask("POST", "/api/v1/search", {"query": "bread", "session": "s1"})

    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-evidence-record"] == answer.json["record"]
    served = citator.kept[answer.headers["x-evidence-serving"]][0]
    assert served == answer.body + b" served"
    assert citator.callers[0].session == "s1"


async def test_a_search_that_is_not_stored_names_no_record(ask: Asker) -> None:
    answer = await ask("POST", "/api/v1/search", {"query": "bread", "store": False})

    assert answer.status == 200
    assert "x-evidence-record" not in answer.headers
    assert answer.json["record"] is None


async def test_the_session_claim_may_come_in_a_header(ask: Asker, citator: SmallCitator) -> None:
    await ask("POST", "/api/v1/search", {"query": "bread"}, headers={"x-session-id": "chat-7"})

    assert citator.callers[0].session == "chat-7"


@pytest.mark.parametrize(
    ("body", "where"),
    [
        (b'{"query": "bread", "max_result": 3}', "max_result"),
        (b'{"query": "bread", "max_results": 0}', "max_results"),
        (b'{"query": "bread"', ""),
        (b"[]", ""),
        (b'{"query": "\\ud800"}', "query"),
        (b'{"query": "bread", "body": 3}', "body"),
        (b'{"query": "bread", "as_of": -1}', "as_of"),
        (b'{"query": "bread", "max_age": 99999999999999}', "max_age"),
    ],
)
async def test_a_misspelt_request_is_told_its_mistakes(ask: Asker, body: bytes, where: str) -> None:
    answer = await ask("POST", "/api/v1/search", body=body, headers={"content-type": "application/json"})

    assert (answer.status, answer.problem) == (422, "bad-request")
    assert answer.json["errors"][0]["where"] == where


async def test_a_capture_gives_the_page(ask: Asker) -> None:
    answer = await ask("POST", "/api/v1/captures", {"url": "http://site.test/a"})

    assert answer.status == 200
    assert answer.json["text"] == "Bread is baked in ovens."


@pytest.mark.parametrize(
    ("url", "outcome", "status", "slug"),
    [
        ("http://nobody.test/", None, 502, "site-unreachable"),
        ("http://slow.test/", ("timeout", None), 504, "time-out"),
        ("http://big.test/", ("too_large", None), 502, "page-too-large"),
        ("http://10.0.0.1/", ("refused", "address_refused"), 403, "address-refused"),
        ("http://no.test/", ("refused", "robots_disallowed"), 403, "robots-refused"),
        ("http://noise.test/", ("error", "unreadable"), 422, "unreadable-page"),
        ("http://site.test/empty", None, 422, "empty-page"),
    ],
)
async def test_a_page_that_gave_nothing_is_a_problem_that_names_what_was_kept(
    ask: Asker, citator: SmallCitator, url: str, outcome: tuple[str, str | None] | None, status: int, slug: str
) -> None:
    if outcome is not None:
        citator.outcomes[url] = outcome

    answer = await ask("POST", "/api/v1/captures", {"url": url})

    assert (answer.status, answer.problem) == (status, slug)
    assert answer.json["capture"] == id_of(url.encode())
    assert answer.headers["x-evidence-record"] == answer.json["record"]


async def test_captures_of_an_address_are_listed(ask: Asker, citator: SmallCitator) -> None:
    answer = await ask("GET", "/api/v1/captures?url=http%3A%2F%2Fsite.test%2Fa&limit=5")

    assert answer.json["captures"][0]["capture"] == id_of(b"http://site.test/a")
    assert citator.asked == [("http://site.test/a", 5, None)]


async def test_an_upload_is_taken_raw_and_as_a_form(ask: Asker, citator: SmallCitator) -> None:
    form = (
        b'--b\r\nContent-Disposition: form-data; name="url"\r\n\r\nhttp://mine.test/\r\n'
        b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.html"\r\n'
        b"Content-Type: text/html\r\n\r\n<p>Hi\x00\xff\r\n--b--\r\n"
    )  # fmt: skip

    raw = await ask("POST", "/api/v1/uploads?url=http://mine.test/&at=2024-01-01", body=b"<p>Hi\x00\xff",
                    headers={"content-type": "text/html; charset=x"})  # fmt: skip
    formed = await ask(
        "POST", "/api/v1/uploads", body=form, headers={"content-type": "multipart/form-data; boundary=b"}
    )

    assert (raw.status, formed.status) == (200, 200)
    first, second = (asked for asked in citator.asked if isinstance(asked, UploadRequest))
    assert first.body == second.body == b"<p>Hi\x00\xff"
    assert first.url == second.url == "http://mine.test/"
    assert (first.media_type, second.media_type, second.name) == ("text/html; charset=x", "text/html", "a.html")
    assert str(first.at) == "2024-01-01 00:00:00+00:00"


async def test_an_upload_with_a_misspelt_option_is_refused(ask: Asker) -> None:
    answer = await ask("POST", "/api/v1/uploads?ur=http://mine.test/", body=b"x")

    assert (answer.status, answer.problem, answer.json["errors"][0]["where"]) == (422, "bad-request", "ur")


async def test_a_crawl_is_started_followed_and_read(ask: Asker) -> None:
    started = await ask("POST", "/api/v1/crawls", {"urls": ["http://site.test/a", "http://gone.test/"]})
    crawl = started.json["id"]

    events = await ask("GET", f"/api/v1/crawls/{crawl}/events")
    rest = await ask("GET", f"/api/v1/crawls/{crawl}/events", headers={"last-event-id": "2"})
    found = await ask("GET", f"/api/v1/crawls/{crawl}")
    stopped = await ask("DELETE", f"/api/v1/crawls/{crawl}")

    assert started.status == 202
    assert events.headers["content-type"].startswith("text/event-stream")
    first, second, third, end = events.body.split(b"\n\n")
    assert first.startswith(b"id: 1\nevent: page\ndata: {")
    assert second.startswith(b"id: 2\nevent: failed\n")
    assert orjson.loads(third.partition(b"data: ")[2])["counts"] == {"captured": 1, "failed": 1}
    assert end == b""
    assert rest.body == third + b"\n\n"
    assert found.json["failures"][0]["reason"] == "name_not_found"
    assert stopped.json["state"] == "cancelled"


async def test_an_unknown_crawl_is_a_problem_and_no_broken_stream(ask: Asker) -> None:
    for path in ("", "/events"):
        answer = await ask("GET", f"/api/v1/crawls/{UNKNOWN}{path}")

        assert (answer.status, answer.problem) == (404, "unknown-crawl")


async def test_evidence_is_the_exact_bytes_and_cacheable_for_ever(ask: Asker, citator: SmallCitator) -> None:
    found = citator.keep(b'{"kind":"search"}', kind="search")

    answer = await ask("GET", f"/api/v1/evidence/{found}")

    assert answer.body == b'{"kind":"search"}'
    assert answer.headers["etag"] == f'"{found[7:]}"'
    wanted = base64.b64encode(hashlib.sha256(answer.body).digest()).decode()
    assert answer.headers["repr-digest"] == f"sha-256=:{wanted}:"
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["x-evidence-kind"] == "search"


async def test_evidence_that_the_caller_has_is_not_sent_again(ask: Asker, citator: SmallCitator) -> None:
    found = citator.keep(b"text", "text/plain")

    answer = await ask("GET", f"/api/v1/evidence/{found}", headers={"if-none-match": f'"x", W/"{found[7:]}"'})

    assert (answer.status, answer.body) == (304, b"")


async def test_a_prefix_finds_evidence_and_is_not_cached_for_ever(ask: Asker, citator: SmallCitator) -> None:
    found = citator.keep(b"text", "text/plain")

    answer = await ask("GET", f"/api/v1/evidence/{found[7:19]}")

    assert answer.headers["content-location"] == f"/api/v1/evidence/{found}"
    assert "immutable" not in answer.headers["cache-control"]


async def test_a_view_has_a_digest_of_its_own(ask: Asker, citator: SmallCitator) -> None:
    found = citator.keep(b"text", "text/plain")

    answer = await ask("GET", f"/api/v1/evidence/{found}?view=candidates")

    assert answer.body == b"t"
    assert answer.headers["etag"] == f'"{hashlib.sha256(b"t").hexdigest()}"'
    assert "immutable" not in answer.headers["cache-control"]


@pytest.mark.parametrize(
    "kind", ["text/html", "TEXT/HTML; charset=utf-8", "image/svg+xml", "application/pdf", "text/xml"]
)
async def test_captured_pages_never_run_here(ask: Asker, citator: SmallCitator, kind: str) -> None:
    found = citator.keep(b"<script>alert(1)</script>", kind)

    answer = await ask("GET", f"/api/v1/evidence/{found}")

    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-evidence-media-type"] == kind


async def test_what_was_removed_is_gone_with_its_deletion_record(ask: Asker, citator: SmallCitator) -> None:
    found = citator.keep(b"secret", "text/plain")

    planned = await ask("DELETE", f"/api/v1/evidence/{found}?dry_run=true&reason=asked")
    still = await ask("GET", f"/api/v1/evidence/{found}")
    removed = await ask("DELETE", f"/api/v1/evidence/{found}?reason=asked")
    answer = await ask("GET", f"/api/v1/evidence/{found}")

    assert planned.json["removed"] == [{"id": found, "kind": "blob", "bytes": 6}]
    assert still.status == 200
    assert (answer.status, answer.problem) == (410, "removed")
    assert answer.json["deletion"] == removed.json["deletion"]
    assert answer.json["deletion_record"] == {"kind": "deletion", "reason": "asked"}


@pytest.mark.parametrize("option", ["dryrun=true", "dry-run=true", "dry_run=true&body=1"])
async def test_a_misspelt_option_of_a_removal_removes_nothing(ask: Asker, citator: SmallCitator, option: str) -> None:
    found = citator.keep(b"secret", "text/plain")

    answer = await ask("DELETE", f"/api/v1/evidence/{found}?{option}")
    still = await ask("GET", f"/api/v1/evidence/{found}")

    assert (answer.status, answer.problem) == (422, "bad-request")
    assert answer.json["errors"][0]["where"] == option.rpartition("&")[2].partition("=")[0]
    assert still.status == 200


async def test_a_removal_by_nothing_is_refused(ask: Asker) -> None:
    answer = await ask("POST", "/api/v1/removals", {"dry_run": True})

    assert (answer.status, answer.problem) == (422, "bad-request")


async def test_unknown_ambiguous_and_impossible_ids_are_told_apart(ask: Asker, citator: SmallCitator) -> None:
    citator.kept["sha256:" + "ab" * 31 + "01"] = citator.kept["sha256:" + "ab" * 31 + "02"] = (b"", "", "")

    unknown = await ask("GET", f"/api/v1/evidence/{UNKNOWN}/proof")
    several = await ask("GET", "/api/v1/evidence/abababababab/proof")
    wrong = await ask("GET", "/api/v1/evidence/hello/dependents")

    assert (unknown.status, unknown.problem, unknown.json["id"]) == (404, "unknown-id", UNKNOWN)
    assert (several.status, several.problem, len(several.json["candidates"])) == (409, "ambiguous-id", 2)
    assert (wrong.status, wrong.problem) == (400, "bad-id")


@pytest.mark.parametrize(
    ("error", "status", "slug"),
    [
        (DamagedObject(UNKNOWN), 500, "damaged-object"),
        (StoreUnreachable("no answer"), 503, "bucket-unreachable"),
        (StoreFull("no room"), 507, "disk-full"),
        (StoreRefused("no", setting="CITATOR_S3_SECRET_KEY"), 503, "bucket-refused"),
        (LogReadOnly("no key"), 503, "log-read-only"),
        (WrongLogKey("other key"), 503, "wrong-log-key"),
        (CatalogueVersion("newer"), 503, "data-version"),
        (DataInUse("held"), 503, "data-in-use"),
        (BadOption("a limit of none"), 400, "bad-query"),
        (IndexDamaged("cut short"), 503, "index-damaged"),
    ],
)
async def test_each_fault_behind_the_door_has_its_problem(
    ask: Asker, citator: SmallCitator, error: Exception, status: int, slug: str
) -> None:
    citator.broken = error

    answer = await ask("POST", "/api/v1/search", {"query": "bread"})

    assert (answer.status, answer.problem) == (status, slug)
    assert answer.json["detail"] == str(error)


async def test_the_log_is_served_as_its_readers_expect(ask: Asker) -> None:
    checkpoint = await ask("GET", "/api/v1/log/checkpoint")
    tile = await ask("GET", "/api/v1/log/tile/entries/000.p/1")
    missing = await ask("GET", "/api/v1/log/tile/0/999")

    assert checkpoint.headers["content-type"] == "text/plain; charset=utf-8"
    assert "no-cache" in checkpoint.headers["cache-control"]
    assert (tile.body, tile.headers["content-type"]) == (TILE, "application/octet-stream")
    assert "immutable" in tile.headers["cache-control"]
    assert (missing.status, missing.problem) == (404, "no-route")


async def test_keys_are_made_rotated_and_revoked(ask: Asker) -> None:
    made = await ask("POST", "/api/v1/keys", {"name": "agent", "scopes": ["search"]})
    rotated = await ask("POST", f"/api/v1/keys/{made.json['id']}/rotate")
    listed = await ask("GET", "/api/v1/keys")
    revoked = await ask("DELETE", f"/api/v1/keys/{rotated.json['id']}")
    unknown = await ask("DELETE", f"/api/v1/keys/{made.json['id']}")

    assert made.status == 201
    assert rotated.json["key"] != made.json["key"]
    assert all("key" not in key for key in listed.json["keys"])
    assert revoked.json["id"] == rotated.json["id"]
    assert (unknown.status, unknown.problem) == (404, "unknown-key")


async def test_long_work_tells_its_progress_and_its_result(ask: Asker) -> None:
    answer = await ask("POST", "/api/v1/maintenance/rebuild")

    *progress, result, end = answer.body.split(b"\n\n")
    assert progress
    assert all(b"event: progress" in one for one in progress)
    assert result == b'event: result\ndata: {"type":"result","result":{"entries":2}}'
    assert end == b""


async def test_long_work_that_fails_ends_with_its_problem(ask: Asker, citator: SmallCitator) -> None:
    citator.broken = StoreFull("no room")

    answer = await ask("POST", "/api/v1/maintenance/doctor")

    assert b"event: problem" in answer.body
    assert b"urn:citator:problem:disk-full" in answer.body


async def test_paths_of_the_machine_are_taken_only_on_the_machine(ask: Asker) -> None:
    for path in ("maintenance/backup", "log-key/backup"):
        far = await ask("POST", f"/api/v1/{path}", {"path": "/backup"})
        near = await Asker(ask.app, client=None)("POST", f"/api/v1/{path}", {"path": "/backup"})

        assert (far.status, far.problem) == (403, "local-only")
        assert near.status == 200


async def test_health_tells_strangers_only_that_it_answers(ask: Asker, citator: SmallCitator) -> None:
    stranger = await Asker(ask.app)("GET", "/healthz")
    reader = await ask("GET", "/healthz")
    ready = await Asker(ask.app)("GET", "/readyz")
    citator.broken = StoreUnreachable("no answer")
    unready = await Asker(ask.app)("GET", "/readyz")

    assert stranger.json == {"status": "ok"}
    assert "sizes" in reader.json
    assert (ready.status, unready.status) == (200, 503)


async def test_unknown_paths_and_methods_are_problems_too(ask: Asker) -> None:
    nowhere = await ask("GET", "/api/v1/nothing")
    method = await ask("PUT", "/api/v1/search")

    assert (nowhere.status, nowhere.problem) == (404, "no-route")
    assert (method.status, method.problem, method.headers["allow"]) == (405, "no-route", "POST")


async def test_the_api_describes_itself(ask: Asker) -> None:
    document = (await Asker(ask.app)("GET", "/openapi.json")).json

    search = document["paths"]["/api/v1/search"]["post"]
    assert document["openapi"].startswith("3.1")
    assert search["requestBody"]["content"]["application/json"]["examples"]["plain"]["value"]["query"]
    assert "application/problem+json" in search["responses"]["401"]["content"]
    properties = document["components"]["schemas"]["SearchRequest"]["properties"]
    assert (properties["max_results"]["default"], properties["max_tokens"]["default"]) == (8, 4000)
    references = {
        part.split('"')[0] for part in orjson.dumps(document).decode().split('"$ref":"#/components/schemas/')[1:]
    }
    assert references <= set(document["components"]["schemas"])
    operations = [one for path in document["paths"].values() for one in path.values() if isinstance(one, dict)]
    assert len({one["operationId"] for one in operations if "operationId" in one}) >= len(document["paths"])


def test_every_status_of_the_table_is_documented() -> None:
    from service.api_documents import _WHY

    assert {meaning.status for meaning in TABLE.values()} <= set(_WHY)


async def test_a_search_can_be_followed_by_its_events(ask: Asker) -> None:
    told = await ask("POST", "/api/v1/search", {"query": "bread"}, headers={"accept": "text/event-stream"})
    broken = await ask("POST", "/api/v1/search", {"query": 7}, headers={"accept": "text/event-stream"})

    *_, last = [orjson.loads(part.partition("data: ")[2]) for part in told.body.decode().strip().split("\n\n")]
    assert told.headers["content-type"].startswith("text/event-stream")
    assert last["type"] == "reply"
    assert last["reply"]["query"] == "bread"
    assert broken.problem == "bad-request"
