"""The whole story of a session: begun on one installation, taken along, gone on with on another, and removed there."""

import hashlib
import http.client
import json
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.installation import Installation, Server
from tests.acceptance.scripted_models import JSON_TYPE, anthropic, calling, openai, scripted
from tests.acceptance.test_elsewhere import plain, stored
from tests.acceptance.traces import traces
from tests.postgres import Cluster, postgres_cluster
from tests.seaweed import Seaweed, seaweed
from tests.service.opened import HARBOUR, page
from tests.sites import Route, Site

pytestmark = pytest.mark.slow

PRICE = "A season ticket for the swing bridge costs 418 crowns and is sold at the harbour office only."
VALID = "It is valid from May until the first ice. " * 4
TARIFF = Route("/tariff", body=page("Tariff of the harbour", PRICE, VALID))
RAISED = Route("/tariff", body=page("Tariff of the harbour", PRICE.replace("418", "481"), VALID))
RAISED = Route(
    "/tariff",
    body=page("Tariff of the harbour", PRICE.replace("418", "481"), "It is valid from May until the first ice. " * 4),
)
QUESTION = "compare the third source with the first, re-check the disputed number"
SECRET_WORDS = "Nobody but the two of us knows of the marmalade."
SEALED = {"type": "reasoning", "encrypted_content": "gAAAAopaque"}
FORMS = ("openai", "responses", "anthropic", "gemini")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with postgres_cluster() as running:
        yield running


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seaweed]:
    with seaweed(tmp_path_factory.mktemp("seaweed")) as running:
        yield running


def api(server: Server, method: str, path: str, body: object = None, status: int | None = None) -> Any:
    got, answer = server.ask(method, f"/api/v1/{path}", body)
    expected = status or (200 if method in ("GET", "PATCH") or path == "removals" else 201)
    assert got == expected, (path, got, answer[:1000])
    return json.loads(answer)


def driven(server: Server, session: str) -> dict[str, Any]:
    run = api(server, "POST", f"sessions/{session}/runs", {"drive": True})["id"]
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        found: dict[str, Any] = api(server, "GET", f"sessions/{session}/runs/{run}")
        if found["ended_at"]:
            return found
        time.sleep(0.1)
    raise AssertionError("the run did not end")


def contexts(server: Server, session: str) -> dict[str, Any]:
    return {form: api(server, "GET", f"sessions/{session}/context?format={form}") for form in FORMS}


def told_on_a(server: Server, pages: Site) -> tuple[str, str, str]:
    """What happens on the first installation; the session, its fork, and the passage with the price."""

    def do(session: str, verb: str, **body: Any) -> Any:
        return api(server, "POST", f"sessions/{session}/{verb}", body)

    def say(session: str, content: Any, role: str = "user", **fields: Any) -> str:
        return str(do(session, "messages", role=role, content=content, **fields)["id"])

    agent = {"name": "clerk", "system": "Answer briefly, with sources.", "model": "old-1"}
    session = api(server, "POST", "sessions", {"title": "Tolls and ferries", "agent": agent})["id"]
    for path in ("/bridge", "/ferry", "/tariff"):
        api(server, "POST", "captures", {"url": pages.url(path), "session": session}, status=200)
    say(session, "What does the harbour charge for? Never answer in dollars.", pinned=True)
    assert driven(server, session)["state"] == "completed"
    asked = {"query": "season ticket swing bridge crowns", "session": session}
    found = api(server, "POST", "search", asked, status=200)
    passage = next(one["id"] for result in found["results"] for one in result["passages"] if "418" in one["text"])

    do(session, "checkpoint", name="sources found")
    say(session, SECRET_WORDS)
    say(session, "That was beside the point.", "assistant", model="old-1")
    fork = api(server, "POST", f"sessions/{session}/fork?title=Aside")["id"]
    say(fork, "On the fork the marmalade matters.")
    do(session, "rollback", to="sources found")

    runner = {"model": "old-small", "tools": ["search"]}
    task = say(session, "Find it.", "assistant", type="agent_task", author="clerk", recipient="runner", **runner)
    result = {"type": "agent_result", "author": "runner", "recipient": "clerk", "parent": task}
    say(session, f"418 crowns [{passage}].", "assistant", **result)
    item = {"type": "sealed", "role": "assistant", "sealed": SEALED, "provider": "old.example", "model": "old-1"}
    do(session, "messages", **item, handover="It weighed two prices against each other.")
    say(session, f"The tariff says 418 crowns [{passage}]; the ferry page says twelve.", "assistant", model="old-1")
    made = do(session, "compactions", summary="Tols were discussed.", keep_last=4, model="old-1")
    edited = {"supersedes": made["id"], "until": made["details"]["until"]}
    do(session, "compactions", summary="Tolls were discussed: bridge, ferry, tariff.", **edited)
    do(session, "artifacts", name="prices.csv", media_type="text/csv", text="what,crowns\nseason,418\n")
    return session, fork, passage


def ids_in(bundle: Path) -> dict[str, str]:
    """Every id that a bundle holds, and what it is."""
    found = {}
    with zipfile.ZipFile(bundle) as members:
        for name in ("evidence/records.jsonl", "evidence/passages.jsonl"):
            for line in members.read(name).splitlines():
                found["sha256:" + hashlib.sha256(line).hexdigest()] = json.loads(line)["kind"]
        for line in members.read("evidence/blobs.jsonl").splitlines():
            found[json.loads(line)["id"]] = "blob"
    return found


def script(bundle: Path, *arguments: str) -> Any:
    """What the bundle's script says, unpacked beside it, in an empty environment."""
    folder = bundle.with_suffix("")
    if not folder.exists():
        with zipfile.ZipFile(bundle) as members:
            members.extractall(folder)
    command = [sys.executable, "-I", "-S", str(folder / "session" / "rebuild.py"), *arguments]
    done = subprocess.run(command, capture_output=True, check=True, env={})
    return json.loads(done.stdout) if "--check" not in arguments else done.stdout


def test_a_session_is_taken_from_one_provider_and_installation_to_others(
    tmp_path: Path, s3: Seaweed, cluster: Cluster
) -> None:
    asks, says = openai(None, calling("search", query="toll of the swing bridge")), openai("For the bridge.")
    with Site([TARIFF, *HARBOUR]) as pages, Site(scripted("/v1/chat/completions", [asks, says])) as old, Site() as new:
        settings = {"CITATOR_MODEL_URL": old.url("/v1"), "CITATOR_MODEL_NAME": "old-1", "CITATOR_MODEL_KEY": "old-key"}
        first = Installation(tmp_path / "a", settings)
        with first.serving() as server:
            session, fork, passage = told_on_a(server, pages)
            before = contexts(server, session)
            bundles = [exported(server, one, tmp_path) for one in (session, fork)]

        # The first installation is no more, and its provider refuses everything.
        shutil.rmtree(first.data)
        first.data.with_name("a.serve.log").unlink()
        old.routes = [Route("/*", 403, body="no")]
        old.reset_counts()
        pages.routes = [RAISED, *HARBOUR]

        # On the way: verified offline, and rebuilt by the script alone.
        for bundle in bundles:
            assert script(bundle, "--check") == b"the records say the same\n"
            verifier = str(bundle.with_suffix("") / "evidence" / "verify.py")
            subprocess.run([sys.executable, "-I", "-S", verifier, str(bundle)], check=True, capture_output=True, env={})
        for form in FORMS:
            assert script(bundles[0], "--format", form) == before[form]
        assert "Never answer in dollars" in json.dumps(script(bundles[0], "--budget", "200"))

        # The second installation: another kind of store, another database, another provider.
        settings = {"CITATOR_MODEL_URL": new.url(), "CITATOR_MODEL_NAME": "new-1", "CITATOR_MODEL_FORM": "anthropic"}
        settings |= {**s3.environment, "CITATOR_DATABASE_URL": cluster.create()}
        second = Installation(tmp_path / "b", settings)
        for bundle in bundles:
            second.run("sessions", "import", str(bundle), "--json")
        with second.serving() as server:
            assert contexts(server, session) == before
            ids = ids_in(bundles[0])
            every_id_resolves(server, ids)
            goes_on(server, new, session, passage, [name for name, what in ids.items() if what == "capture"])
            assert old.requests == []
            events = api(server, "GET", f"sessions/{fork}/events?limit=1000")["events"]
            texts = [one["body"]["content"] for one in events if one["type"] == "message"]
            assert SECRET_WORDS in texts
            assert texts[-1] == "On the fork the marmalade matters."

        # Removed there: no word of the conversation and of its pages is left.
        assert len(left_in(second, s3, cluster, tmp_path / "before")) > 1
        second.run("delete", session, "--forks", "--yes", "--json")
        second.run("delete", "--pattern", pages.url("/*"), "--yes", "--json")
        assert left_in(second, s3, cluster, tmp_path / "after") == {}
        assert second.run("doctor", "--deep", "--json").json["holds"] is True


def exported(server: Server, session: str, folder: Path) -> Path:
    status, data = server.get(f"/api/v1/sessions/{session}/export?format=bundle")
    assert status == 200
    path = folder / f"{session[7:19]}.wacz"
    path.write_bytes(data)
    return path


def every_id_resolves(server: Server, ids: dict[str, str]) -> None:
    for name, what in ids.items():
        status, data = server.get(f"/api/v1/evidence/{name}")
        assert (status, "sha256:" + hashlib.sha256(data).hexdigest()) == (200, name), what


def goes_on(server: Server, model: Site, session: str, passage: str, captures: list[str]) -> None:
    """The question is answered by another provider's model, with the tools of this installation."""
    assert len(captures) >= 3
    compared = [calling("get_evidence", id=captures[place], view="text") for place in (2, 0)]
    model.routes = scripted("/v1/messages", [
        anthropic("I compare.", *compared), anthropic(None, calling("recheck", ids=[passage])),
        anthropic("The number is 481 now."),
    ])  # fmt: skip

    api(server, "POST", f"sessions/{session}/messages", {"content": QUESTION})
    run = driven(server, session)
    events = api(server, "GET", f"sessions/{session}/events?limit=1000")["events"]

    assert (run["state"], run["model"]) == ("completed", "new-1")
    results = [one["body"]["content"] for one in events if one["type"] == "tool_result"]
    assert "418" in results[-1]
    assert "481" in results[-1]
    assert events[-2]["body"]["content"] == "The number is 481 now."
    assert any(one["type"] == "schema_changed" for one in events)
    shown = b"".join(request.body for request in model.requests)
    assert b"gAAAAopaque" not in shown
    assert b"It weighed two prices against each other." in shown


def left_in(installation: Installation, s3: Seaweed, cluster: Cluster, folder: Path) -> dict[str, list[bytes]]:
    """Which words of it all are found where: in the bucket, on the installation's disk, in the databases' files."""
    words = (
        SECRET_WORDS, QUESTION, PRICE, "marmalade matters", "season,418", "Tolls and ferries", "weighed two prices",
        "gAAAAopaque", "sources found", "prices.csv", "The number is 481 now.",
    )  # fmt: skip
    for name, data in stored(s3).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        digits = name.rpartition("/")[2]
        (folder / name).write_bytes(plain(data, digits) if name.startswith("objects/") else data)
    return traces([word.encode() for word in words], folder, installation.data, cluster.folder)


def test_of_two_servers_one_is_killed_in_the_middle_and_the_other_goes_on(
    tmp_path: Path, s3: Seaweed, cluster: Cluster
) -> None:
    slow = Route("/v1/chat/completions", 200, (JSON_TYPE,), openai("Too late."), hit=1, before=120.0)
    with Site([slow, Route("/v1/chat/completions", 200, (JSON_TYPE,), openai("All the same."))]) as model:
        settings = {"CITATOR_MODEL_URL": model.url("/v1"), "CITATOR_MODEL_NAME": "m"}
        settings |= {
            **s3.environment, "CITATOR_DATABASE_URL": cluster.create(), "CITATOR_BUCKET": f"s3://{s3.bucket}/two",
            "CITATOR_LOG_KEY_FILE": str(tmp_path / "log.key"),
        }  # fmt: skip
        here, there = Installation(tmp_path / "here", settings), Installation(tmp_path / "there", settings)
        with here.serving() as dying, like(there, here).serving() as staying:
            written, driven_one, held = (api(dying, "POST", "sessions", {})["id"] for _ in range(3))
            api(staying, "POST", f"sessions/{driven_one}/messages", {"content": "Go."})
            run = api(dying, "POST", f"sessions/{driven_one}/runs", {"drive": True})["id"]
            lock = api(staying, "POST", f"sessions/{held}/runs", {"lease_seconds": 2})["id"]
            api(dying, "POST", f"sessions/{held}/messages", {"content": "Mine.", "run": lock})
            refused = api(dying, "POST", f"sessions/{held}/messages", {"content": "Not mine."}, status=409)

            with ThreadPoolExecutor(2) as pool:
                writers = [pool.submit(write, who, written, (dying, staying)) for who in "ab"]
                until(lambda: len(model.requests) > 0 and events_of(staying, written) > 60)
                dying.kill()
                ids = [one.result() for one in writers]

            until(lambda: api(staying, "GET", f"sessions/{driven_one}/runs/{run}")["ended_at"] is not None)
            api(staying, "POST", f"sessions/{held}/messages", {"content": "Free again."})
            steps = {
                one: api(staying, "GET", f"sessions/{one}/events?limit=1000&whole=true")["events"]
                for one in (written, driven_one, held)
            }

    assert refused["locked_by"] == lock
    assert [one["type"] for one in steps[held]] == ["run_started", "message", "run_failed", "message"]
    kinds = ["message", "run_started", "run_resumed", "message", "run_completed"]
    assert [one["type"] for one in steps[driven_one]] == kinds
    assert steps[driven_one][3]["body"]["content"] == "All the same."
    chain = steps[written]
    assert len(chain) == 200
    assert [one["previous"] for one in chain] == [None, *(one["id"] for one in chain[:-1])]
    for who, made in zip("ab", ids, strict=True):
        own = [one for one in chain if one["body"]["content"].startswith(who)]
        assert [one["id"] for one in own] == made
        assert [one["body"]["content"] for one in own] == [f"{who} {number}" for number in range(100)]


def like(there: Installation, here: Installation) -> Installation:
    """An installation that shares its databases, and so its keys, with one that runs already."""
    there.data.mkdir(mode=0o700)
    shutil.copy2(here.data / "first-key", there.data / "first-key")
    return there


def write(who: str, session: str, servers: tuple[Server, Server]) -> list[str]:
    """A hundred messages, one after the other, to either server in turn; what was not answered is sent again."""
    made = []
    for number in range(100):
        for attempt in range(10):
            server = servers[(number + attempt) % 2]
            try:
                status, answer = server.ask(
                    "POST",
                    f"/api/v1/sessions/{session}/messages",
                    {"content": f"{who} {number}"},
                    headers={"Idempotency-Key": f"{who}-{number}"},
                )
            except (OSError, http.client.HTTPException):
                continue
            assert status in (200, 201), answer
            made.append(json.loads(answer)["id"])
            break
    return made


def events_of(server: Server, session: str) -> int:
    return int(api(server, "GET", f"sessions/{session}")["events"])


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 180
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.2)
