"""The demonstration: a site is crawled, searched, changed, proven, and its views are thrown away and made again."""

import hashlib
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import orjson
from rich.console import Console

from service.build import build
from service.crawl_requests import CrawlRequest
from service.data_directory import hold
from service.demo.site import Site
from service.demo.telling import Teller, short
from service.doors import Citator
from service.failures import BadRequest
from service.requests import Caller, Scope, SearchRequest
from service.settings import Settings, load_settings
from snapshots import BadProof, ed25519_holds, parse_proof, parse_vkey, verify_proof

QUESTION: Final = "What does a ticket for children cost?"
WORDS: Final = ("ticket for children", "pounds")
MARK: Final = "citator-demo.txt"
"""The file that says a directory was made by the demonstration, and may be emptied by the next one."""

NOTE: Final = "Made by `citator demo`; the next run empties this directory.\n"
CALLER: Final = Caller(key=None, name="demo", scopes=frozenset({Scope.ADMIN}), surface="cli")


def settings_for(data: Path) -> Settings:
    """An installation of its own: whatever the environment says of buckets and databases is left alone."""
    return load_settings(
        data=data,
        bucket=None,
        database_url=None,
        log_key_file=None,
        log_origin="citator-demo",
        allow_addresses=("127.0.0.0/8",),
        host_delay=0.0,
        log_level="error",
    )


def fresh(data: Path) -> None:
    """Make an empty data directory, in the place of an earlier demonstration if there was one.

    Raises:
        BadRequest: there is something else at this place, or no directory can be; it is left alone.
        DataInUse: a process has the earlier one open.
    """
    try:
        if data.exists() and not (data / MARK).is_file() and any(data.iterdir()):
            raise BadRequest(f"{data} was not made by the demonstration; name another place with --data")
        if data.exists():
            with hold(data):
                shutil.rmtree(data)
        data.mkdir(parents=True, mode=0o700)
        (data / MARK).write_text(NOTE, encoding="utf-8")
    except OSError as error:
        raise BadRequest(f"{data} cannot be used: {error.strerror}") from error


async def tour(data: Path, console: Console | None = None) -> bool:
    """Run the whole demonstration in `data`; whether everything held that it claims.

    Raises:
        BadRequest: `data` holds something that no demonstration made.
    """
    fresh(data)
    teller = Teller(console or Console())
    settings = settings_for(data)
    teller.say("[bold]Citator keeps its receipts.[/bold] This shows how, on a small site that it serves itself.")
    with Site() as site:
        async with build(settings) as citator:
            await _crawl(teller, citator, site)
            first = await _ask(teller, citator)
            second = await _changed(teller, citator, site, first)
            held = await _receipt(teller, citator, first)
        teller.step("Catalogue and index are thrown away")
        gone = _throw_away(data)
        teller.say(f"Deleted: {gone}. What is left is the bucket, the log in it, and its key.")
        async with build(settings) as citator:
            held = await _again(teller, citator, second) and held
    _farewell(teller, data, first)
    return held


async def _crawl(teller: Teller, citator: Citator, site: Site) -> None:
    teller.step("A site is crawled")
    teller.say(f"The site of a tide mill is at {site.address} for as long as this runs.")
    status = await _run_crawl(teller, citator, site)
    teller.say(
        f"{len(status['captures'])} pages were kept: the bytes that came, the text that was read, and how it was done. "
        "Each is named by the hash of its content, and each name stands in a signed log."
    )


async def _run_crawl(teller: Teller, citator: Citator, site: Site) -> dict[str, Any]:
    started = await citator.crawl_start(CrawlRequest(url=site.address, max_pages=50), CALLER)
    with teller.progress() as bar:
        task = bar.add_task("Crawling", total=None)
        async for event in citator.crawl_events(started["id"]):
            counts: Mapping[str, int] = event.get("counts") or {}
            done = counts.get("captured", 0) + counts.get("failed", 0)
            bar.update(task, completed=done, total=max(done + counts.get("waiting", 0), 1))
    return await citator.crawl(started["id"])


async def _ask(teller: Teller, citator: Citator) -> dict[str, Any]:
    teller.step("A question is asked")
    teller.say(f"[bold]{QUESTION}[/bold]")
    reply = await _search(citator)
    teller.answer(reply, WORDS)
    teller.say(
        f"This reply is kept too, with its ranking and what was dropped: record [cyan]{short(reply['record'])}[/cyan]. "
        "It was sent only after it was on disk and in the log."
    )
    return reply


async def _search(citator: Citator) -> dict[str, Any]:
    reply = await citator.search(SearchRequest(query=QUESTION, fetch="never"), CALLER)
    found: dict[str, Any] = orjson.loads(reply.body)
    return found


async def _changed(teller: Teller, citator: Citator, site: Site, first: Mapping[str, Any]) -> dict[str, Any]:
    teller.step("The site changes")
    teller.say("Say a season has passed: prices have gone up, and one page was taken down. The site is crawled again.")
    site.show("second")
    await _run_crawl(teller, citator, site)
    reply = await _search(citator)
    teller.say(f"[bold]{QUESTION}[/bold] Asked again, the answer is the new price:")
    teller.answer(reply, WORDS, limit=1)
    before = first["results"][0]["passages"][0]
    teller.say(
        f"Whoever cited the old price is not left without proof: [cyan]{short(before['id'])}[/cyan] is still "
        "there, word for word."
    )
    return reply


async def _receipt(teller: Teller, citator: Citator, first: Mapping[str, Any]) -> bool:
    teller.step("A passage is asked for by its hash, and proven")
    wanted = first["results"][0]["passages"][0]["id"]
    evidence = await citator.evidence(wanted)
    computed = f"sha256:{hashlib.sha256(evidence.body).hexdigest()}"
    passage = orjson.loads(evidence.body)
    teller.say(f"[dim]citator show {short(wanted)}[/dim] gives {len(evidence.body)} bytes. Among them:")
    teller.quote(f"url           {passage['url']}")
    teller.quote(f"retrieved_at  {passage['retrieved_at']}")
    teller.quote(f"text          {_price(passage['text'])}")
    same = computed == wanted
    teller.say(f"Their SHA-256 is {_verdict(same, 'the id itself', 'NOT the id')}.")

    proof = await citator.proof(wanted)
    record = proof["record"]
    holds = _proven(proof)
    kind = (await citator.evidence(record)).kind
    teller.say(
        f"[dim]citator proof {short(wanted)}[/dim] leads from the passage to the {kind} record "
        f"[cyan]{short(record)}[/cyan] that names it. That is entry {proof['index']} of the log, under this checkpoint:"
    )
    checkpoint = (await citator.checkpoint()).decode()
    teller.quote(checkpoint)
    teller.say(f"The proof {_verdict(holds, 'holds', 'DOES NOT HOLD')} against the public key of the log.")
    return same and holds


def _proven(proof: Mapping[str, Any]) -> bool:
    """Whether the proof holds for its record under the log's public key; nothing of the archive is asked."""
    entry = bytes.fromhex(proof["record"].removeprefix("sha256:"))
    try:
        verify_proof(parse_proof(proof["proof"]), entry, [parse_vkey(proof["vkey"])], ed25519_holds)
    except BadProof:
        return False
    return True


def _price(text: str) -> str:
    flat = " ".join(text.split())
    at = max(0, flat.find(WORDS[0]))
    return f"… {flat[at : at + 58].rpartition(' ')[0]} …"


def _throw_away(data: Path) -> str:
    gone = []
    for path in sorted(data.iterdir()):
        if path.name == "index":
            shutil.rmtree(path)
        elif path.name.startswith("catalogue.db"):
            path.unlink()
        else:
            continue
        gone.append(path.name)
    return ", ".join(gone)


async def _again(teller: Teller, citator: Citator, before: Mapping[str, Any]) -> bool:
    with teller.progress() as bar:
        task = bar.add_task("Rebuilding", total=None)
        await citator.rebuild(lambda what, done, total: bar.update(task, description=what, completed=done, total=total))
    after = await _search(citator)
    same = _ids(after) == _ids(before)
    teller.say(f"[bold]{QUESTION}[/bold]")
    teller.answer(after, WORDS, limit=1)
    teller.say(
        f"{_verdict(same, 'The same answer', 'NOT THE SAME ANSWER')}: "
        f"{len(_ids(after))} passage ids in {len(after['results'])} results, in the same order."
    )
    return same


def _ids(reply: Mapping[str, Any]) -> list[str]:
    return [passage["id"] for result in reply["results"] for passage in result["passages"]]


def _verdict(good: bool, yes: str, no: str) -> str:  # noqa: FBT001 - reads as a question with its two answers
    return f"[bold green]{yes}[/bold green]" if good else f"[bold red]{no}[/bold red]"


def _farewell(teller: Teller, data: Path, first: Mapping[str, Any]) -> None:
    teller.step("What you have now")
    files = [path for path in data.rglob("*") if path.is_file()]
    objects = sum("objects" in path.parts for path in files)
    size = sum(path.stat().st_size for path in files)
    example = short(first["results"][0]["passages"][0]["id"]).rstrip("…")
    teller.say(
        f"Everything lies in [bold]{data}[/bold]: {objects} objects, {size // 1024} KiB in {len(files)} files. "
        "The site is gone again; what it said is not. Go on with:"
    )
    found = (
        {} if shutil.which("citator") else {f'export PATH="{Path(sys.executable).parent}:$PATH"': "find the command"}
    )
    teller.commands(
        found
        | {
            f"export CITATOR_DATA={data}": "work with what was kept here",
            f"citator show {example}": "the old price, byte for byte",
            f"citator proof {example}": "its proof, for anyone to check",
            'citator search "sea gate"': "ask something else",
            "citator doctor --deep": "check every object and the log",
            "citator serve": "the same over HTTP",
        }
    )
