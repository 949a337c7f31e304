"""A hostile site is crawled by the installed command, without and with a browser.

Each address comes to what it should and says so, a listener inside the network hears nothing, nothing is left running,
what was kept verifies, and a second crawl finds the same.
"""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest

from tests.acceptance.installation import Installation, Server
from tests.acceptance.test_crawl_killed import standing
from tests.crawler.reading_pages import page
from tests.hostile.address import ARTICLE, LIMIT, SECRET, Address, html, scripted
from tests.hostile.canary import Canary
from tests.hostile.site import every, routes
from tests.network import Authority
from tests.sites import Route, Site, robots

pytestmark = pytest.mark.slow

HERE = "127.0.0.2"
"""The only address that may be reached; the canary is at its neighbour."""
SETTINGS = {
    "CITATOR_ALLOW_ADDRESSES": f"{HERE}/32",
    "CITATOR_MAX_BODY": str(LIMIT),
    "CITATOR_FETCH_DEADLINE": "3",
    "CITATOR_FETCH_RETRIES": "0",
    "CITATOR_RENDER_DEADLINE": "45",
    "CITATOR_RENDER_CONCURRENCY": "3",
    "CITATOR_HOST_CONCURRENCY": "16",
    "CITATOR_CRAWL_CONCURRENCY": "16",
}
Mode = Literal["never", "always"]
Kept = dict[str, dict[str, Any]]
"""Path to what was kept of it: the capture, with the text of its document."""


def crawl(installation: Installation, starts: Sequence[str], mode: Mode) -> dict[str, Any]:
    """Crawl the site from its start pages; what the command says."""
    options = ("--max-depth", "1", "--max-pages", "1000", "--render", mode)
    return dict(installation.run("crawl", *starts, *options, "--json").json)


@contextmanager
def encrypted(authority: Authority) -> Iterator[list[str]]:
    """Sites whose certificates are none for them, and one whose is; their start pages."""
    contexts = {
        "/certificate": authority.server(HERE),
        "/certificate-of-last-month": authority.server(HERE, days=(-60, -30)),
        "/certificate-of-next-month": authority.server(HERE, days=(30, 60)),
        "/certificate-of-another": authority.server("127.0.0.3", "other.test"),
        "/certificate-of-its-own": authority.server(HERE, alone=True),
    }
    with ExitStack() as stack:
        sites = {
            path: Site([robots(), replace(html(page(ARTICLE)), path=path)], HERE, context)
            for path, context in contexts.items()
        }
        for site in sites.values():
            stack.enter_context(site)
        yield [site.url(path) for path, site in sites.items()]


def kept(server: Server, report: dict[str, Any]) -> Kept:
    """What the records say of each page of a crawl."""
    found = {}
    for line in (*report["captures"], *report["failures"]):
        capture = evidence(server, line["capture"])
        document = evidence(server, capture["document"]) if capture["document"] else None
        path = "/" + line["url"].split("/", 3)[3]
        found[path] = capture | {"text": document["text"] if document else ""}
        assert (line["outcome"], line["page_state"]) == (capture["outcome"], capture["page_state"])
    return found


def evidence(server: Server, name: str) -> dict[str, Any]:
    status, body = server.get(f"/api/v1/evidence/{name}")
    assert status == 200, body
    return dict(json.loads(body))


def faults(address: Address, mode: Mode, seen: dict[str, Any]) -> list[str]:
    """What of an address is not as it should be."""
    wanted = address.found(mode)
    told = {
        f"outcome {seen['outcome']}, not {wanted.outcome}": seen["outcome"] == wanted.outcome,
        f"state {seen['page_state']}, not {wanted.state}": seen["page_state"] == wanted.state,
        f"reason {seen['reason']}, not {wanted.reason}": wanted.reason in (None, seen["reason"]),
        f"no warning {wanted.warning}": wanted.warning is None
        or any(warning.startswith(wanted.warning) for warning in seen["warnings"]),
        f"does not say {wanted.says!r}": wanted.says is None or wanted.says in seen["text"],
        "says what only the inner network knows": SECRET not in seen["text"],
        "a reason without a failure, or none with one": (seen["reason"] is None) == (seen["outcome"] == "ok"),
        "no hop": seen["hops"] != [],
        "was somewhere else": {hop["remote"].rpartition(":")[0] for hop in seen["hops"] if hop["remote"]} <= {HERE},
        "no robots.txt on record": seen["robots"] is not None,
    }
    found = [fault for fault, holds in told.items() if not holds]
    return [*found, f"which says {seen['reason']}: {seen['warnings']}"] if found else []


def left(data: Path) -> list[str]:
    """Processes that were started for this installation and still run: each has its address in its environment."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit() and f"CITATOR_DATA={data}\0".encode() in (entry / "environ").read_bytes():
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ")[:200].decode(errors="replace"))
    return found


def outcome(seen: dict[str, Any]) -> tuple[str, str, str | None]:
    return seen["outcome"], seen["page_state"], seen["reason"]


@pytest.mark.parametrize("mode", ["never", "always"])
def test_each_address_of_a_hostile_site_comes_to_what_it_should(tmp_path: Path, mode: Mode) -> None:
    authority = Authority(tmp_path)
    installation = Installation(tmp_path / "data", SETTINGS | {"SSL_CERT_FILE": str(authority.file)})
    with Canary() as canary, encrypted(authority) as starts:
        addresses = every(f"http://127.0.0.1:{canary.port}", f"http://localhost:{canary.port}")
        with Site(routes(addresses, f"http://127.0.0.1:{canary.port}"), address=HERE) as site:
            starts.append(site.url("/"))
            report = crawl(installation, starts, mode)
            again = crawl(installation, starts, mode) if mode == "never" else None
        running = left(installation.data)
        with installation.serving() as server:
            found = kept(server, report)
            second = kept(server, again) if again else found
        doctor = installation.run("doctor", "--deep", "--json").json
        heard = list(canary.heard)

    wrong = {one.path: faults(one, mode, found[one.path]) for one in addresses if one.path in found}
    differing = {path: (outcome(seen), outcome(second[path])) for path, seen in found.items() if path in second}

    certificates = {path: outcome(seen) for path, seen in found.items() if path.startswith("/certificate")}
    lying = ("error", "unknown", "tls_certificate")
    assert certificates == dict.fromkeys(certificates, lying) | {"/certificate": ("ok", "ok", None)}
    assert all(found[path]["hops"][-1]["tls"]["chain"] for path in certificates)
    assert len(addresses) >= 40
    assert {path: why for path, why in wrong.items() if why} == {}
    assert set(found) == {"/", *certificates, *(one.path for one in addresses)} == set(second)
    assert {path: both for path, both in differing.items() if both[0] != both[1]} == {}
    assert heard == []
    assert running == []
    assert doctor["holds"]


TURNS = [[HERE], ["127.0.0.1"]]
NAMES = {
    "turns-once.test": TURNS,
    "turns-again-and-again.test": TURNS * 8,
    "turns-later.test": [[HERE]] * 2 + TURNS * 4,
    "here-and-there.test": [[HERE, "127.0.0.1"]],
    "there-and-here.test": [["127.0.0.1", HERE]],
    "here-and-six.test": [[HERE, "::1"]],
    "inner.test": [["127.0.0.1"]],
    "six.test": [["::1"]],
    "mapped.test": [["::ffff:127.0.0.1"]],
    "translated.test": [["64:ff9b::7f00:1"]],
    "zero.test": [["0.0.0.0"]],
    "cloud.test": [["169.254.169.254"]],
}
PULLED = {f"pulled-{n}.test": TURNS * 3 for n in range(6)}


@pytest.mark.parametrize("mode", ["never", "always"])
def test_names_that_lead_elsewhere_from_one_look_up_to_the_next_lead_nowhere_inside(tmp_path: Path, mode: Mode) -> None:
    script = tmp_path / "names.json"
    script.write_text(json.dumps(NAMES | PULLED))
    installation = Installation(tmp_path / "data", SETTINGS | {"NAMES": str(script)})
    command = (sys.executable, "-m", "tests.acceptance.scripted_names_server")
    one_request_each = html(page(ARTICLE), ("Connection", "close"))
    with (
        Site([robots(), replace(one_request_each, path="/page"), pulling()], address=HERE) as site,
        Canary(site.port) as canary,
        installation.serving(command=command) as server,
    ):
        asked = [site.url("/pulls"), *(site.url("/page", host=name) for name in NAMES)]
        status, body = server.post("/api/v1/crawls", {"urls": asked, "max_depth": 0, "render": mode})
        assert status == 202, body
        while (told := standing(server, json.loads(body)["id"]))["state"] in {"queued", "running"}:
            time.sleep(0.1)
        lines = {urlsplit(line["url"]).hostname: line for line in (*told["captures"], *told["failures"])}
        found = {name: evidence(server, line["capture"]) for name, line in lines.items()}
        reached = {urlsplit(f"//{request.get('host')}").hostname for request in site.requests}
        heard = list(canary.heard)

    turning = {name for name in NAMES if name.startswith("turns")}
    closed = {name: found[name]["reason"] for name in NAMES if name not in turning}
    assert closed == dict.fromkeys(closed, "address_refused")
    assert {found[name]["outcome"] for name in turning} <= {"ok", "refused"}
    assert found[HERE]["outcome"] == "ok"
    assert bool(reached & set(PULLED)) == (mode == "always")
    assert any(one.startswith("requests_refused: ") for one in found[HERE]["warnings"]) == (mode == "always")
    assert all(hop["remote"] in (None, f"{HERE}:{site.port}") for seen in found.values() for hop in seen["hops"])
    assert heard == []


def pulling() -> Route:
    """A page that pulls from each name again and again, in each way."""
    places = [f"//{name}:{{port}}" for name in PULLED]
    pictures = "".join(f"<img src='{place}/{n}'>" for place in places for n in range(3))
    frames = "".join(f"<iframe src='{place}/f'></iframe>" for place in places)
    script = f"for (const at of {json.dumps(places)}) (fetch(at + '/x', mode), new WebSocket('ws:' + at + '/w'))"
    return Route("/pulls", body=scripted(f"const mode = {{mode: 'no-cors'}}; {script}", ARTICLE + pictures + frames))
