"""The bundle that mutations are done to: five pages, a search with its reply, a fetch, a removal, a time stamp."""

import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from snapshots import (
    Block,
    Candidate,
    Capture,
    Crawl,
    Document,
    Extractor,
    Fetch,
    Hop,
    LogKey,
    PassageRef,
    ProviderReply,
    Result,
    Search,
    Selection,
    Serving,
    Tls,
    digest,
    joined_script,
    passage_of,
)
from snapshots.bundles.signing import BundleKey
from tests.snapshots.bench import Bench
from tests.snapshots.bundled import bundled
from tests.snapshots.verify.stamping import STAMPED_AT, Stamping, token

PAGES = ("plain", "redirected", "rendered", "encoded", "uploaded")
SITE = "https://harbour.test"
REMOVED = f"{SITE}/removed"
WORDS = {
    "plain": "The ferry leaves at noon. It is the only one before the tide turns. The mate sells tickets on board.",
    "redirected": "The bridge opens for ships at ten. It stays open until the last mast has passed below it.",
    "rendered": "The tower keeps a light for boats that come in late. A keeper lives there with two dogs.",
    "encoded": "The market sells fish and rope. It ends when the bell of the chapel has rung three times.",
    "uploaded": "The pilot's notes were handed down on paper. They say where the sand moves in winter.",
    "removed": "The harbour master keeps a list of all debts. Nobody was meant to read that list.",
}
FILLING = 320
"""Entries of the log that are no part of the bundle."""


def time_at(minute: int) -> str:
    return f"2026-03-05T10:{minute:02d}:00.250Z"


def text_of(name: str) -> str:
    return f"Harbour\n\nThe {name} notice\n\n{WORDS[name]}"


def document_of(name: str) -> Document:
    text = text_of(name)
    at = text.index(WORDS[name])
    return Document(
        source=digest(body_of(name)),
        media_type="text/html",
        base=f"{SITE}/{name}",
        text=text,
        visible=f"Menu\n{text}",
        title=f"The {name} notice",
        blocks=[
            Block(type="heading", start=0, end=7, level=1),
            Block(type="heading", start=9, end=at - 2, level=2),
            Block(type="paragraph", start=at, end=len(text)),
        ],
        extractors=[Extractor(name="reader-of-tests", version="1")],
    )


def body_of(name: str) -> bytes:
    return f"<!DOCTYPE html>\n<title>The {name} notice</title><h1>Harbour</h1><p>{WORDS[name]}</p>\n".encode()


def picture() -> bytes:
    """A PNG of one pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">L", len(data)) + kind + data + struct.pack(">L", zlib.crc32(kind + data))

    head = struct.pack(">2L5B", 1, 1, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")


def hop(url: str, minute: int, *headers: tuple[str, str], status: int = 200, tls: Tls | None = None) -> Hop:
    return Hop(
        url=url,
        method="GET",
        request_headers=[("Host", "harbour.test"), ("Accept-Language", "en")],
        status=status,
        response_headers=[("Content-Type", "text/html; charset=utf-8"), *headers],
        protocol="HTTP/1.1",
        remote="127.0.0.1:8080",
        tls=tls,
        started_at=time_at(minute),
        ended_at=time_at(minute),
        error=None,
    )


DOM = b"<!DOCTYPE html><title>The rendered notice</title><p>The tower keeps a light.</p>"
CERTIFICATE = b"0\x03\x02\x01\x05"


def captures() -> dict[str, Capture]:
    tls = Tls(protocol="TLSv1.3", cipher="x", chain=[digest(CERTIFICATE)], verified=True, error=None)
    hops = {
        "plain": [hop(f"{SITE}/plain", 1, ("Content-Length", str(len(body_of("plain")))), tls=tls)],
        "redirected": [
            hop(f"{SITE}/old", 2, ("Location", "/redirected"), ("Content-Length", "12"), status=301),
            hop(f"{SITE}/redirected", 2),
        ],
        "rendered": [hop(f"{SITE}/rendered", 3)],
        "encoded": [hop(f"{SITE}/encoded", 4, ("Content-Encoding", "gzip"), ("Content-Length", "99"))],
        "uploaded": [],
        "removed": [hop(REMOVED, 6)],
    }
    made = {}
    for minute, name in enumerate(hops, 1):
        made[name] = Capture(
            asked=f"{SITE}/old" if name == "redirected" else f"{SITE}/{name}",
            final=f"{SITE}/{name}",
            hops=hops[name],
            body=digest(body_of(name)),
            body_length=len(body_of(name)),
            rendered=digest(DOM) if name == "rendered" else None,
            screenshot=digest(picture()) if name == "rendered" else None,
            method={"rendered": "browser", "uploaded": "upload"}.get(name, "http"),
            outcome="ok",
            page_state="ok",
            media_type="text/html",
            started_at=time_at(minute),
            retrieved_at=time_at(minute),
            document=document_of(name).id,
        )
    return made


def passages(capture: Capture, name: str, count: int) -> list[PassageRef]:
    """A sentence each."""
    text = text_of(name)
    starts = [text.index(WORDS[name])]
    starts += [at + 2 for at in range(starts[0], len(text)) if text[at : at + 2] == ". "]
    ends = [*(start - 1 for start in starts[1:]), len(text)]
    document = document_of(name)
    made = [
        passage_of(capture, document, ordinal=ordinal, start=start, end=end).ref
        for ordinal, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]
    return made[:count]


@dataclass(frozen=True)
class _Tokens:
    made: Any

    def tokens_for(self, size: int, *, within: int) -> list[Any]:
        assert size <= self.made.size <= within
        return [self.made]


@dataclass(frozen=True)
class Stamped:
    authority: str
    time: str
    size: int
    response: bytes
    checkpoint: bytes
    chain_pem: bytes


@dataclass(frozen=True, repr=False)
class Good:
    """The good bundle and everything that its keeper, and those who would like to be, have."""

    members: dict[str, bytes]
    captures: dict[str, Capture]
    search: Search
    fetch: Fetch
    reply: bytes
    provider: bytes
    keeper: LogKey
    stranger: LogKey
    wacz_key: BundleKey
    authority: Stamping
    older: bytes
    """The stamped checkpoint."""
    older_proofs: dict[str, str]
    outside: Crawl
    """A record of the log that is no part of the bundle, and its proof."""
    outside_proof: str
    folder: Path = field(compare=False)

    def __repr__(self) -> str:
        return "<the good bundle>"

    def _repr_pretty_(self, printer: Any, cycle: object) -> None:  # noqa: ARG002 - as it is called
        printer.text(repr(self))


def good_bundle(folder: Path, verifier: bytes | None = None) -> Good:
    """Makes it: captures, a removal, a search and its reply, a time stamp, and a log that goes on."""
    bench, authority = Bench(folder, now=lambda: STAMPED_AT), Stamping()
    made = captures()
    bench.keep(
        *(document_of(name) for name in made),
        *made.values(),
        blobs=[*map(body_of, made), DOM, picture(), CERTIFICATE],
    )
    first_provider, first_reply = b'{"results":["raw"]}', b'{"answer":"what was served"}'
    counts = {"plain": 3, "redirected": 1, "rendered": 1, "encoded": 1, "uploaded": 1, "removed": 1}
    found = Search(
        query="ferry",
        retrieved_at=time_at(20),
        state="ok",
        providers=[ProviderReply(name="web", state="ok", reply=digest(first_provider), candidates=6)],
        candidates=[
            Candidate(url=one.final, capture=one.id, rank=rank, decision="kept")
            for rank, one in enumerate(made.values(), 1)
        ],
        candidates_total=6,
        results=[
            Result(rank=rank, url=one.final, capture=one.id, passages=passages(one, name, counts[name]))
            for rank, (name, one) in enumerate(made.items(), 1)
        ],
    )
    text = text_of("plain")
    fetch = Fetch(
        capture=made["plain"].id, start=0, end=len(text), total=len(text), retrieved_at=time_at(21),
        passages=passages(made["plain"], "plain", 1),
    )  # fmt: skip
    # The removal takes along what was served of the removed page; so there is a second search, which never saw it.
    provider, reply = b'{"results":["raw, of another question"]}', b'{"answer":"what was served to another question"}'
    other = Search(
        query="market",
        retrieved_at=time_at(22),
        state="ok",
        providers=[ProviderReply(name="web", state="ok", reply=digest(provider), candidates=1)],
        candidates_total=0,
        results=[
            Result(
                rank=1,
                url=made["encoded"].final,
                capture=made["encoded"].id,
                passages=passages(made["encoded"], "encoded", 1),
            )
        ],
    )
    servings = [
        Serving(record=one.id, surface="http", body=digest(body), media_type="application/json", served_at=time_at(23))
        for one, body in ((found, first_reply), (other, reply))
    ]
    bench.keep(found, other, *servings, fetch, blobs=[first_provider, first_reply, provider, reply])
    bench.archive.remove(Selection(pages=(REMOVED,)))
    keeper = LogKey.load(folder / "log.key")
    older, size = bench.log.checkpoint, bench.log.size
    fillers = [Crawl(phase="started", seeds=[f"{SITE}/{n}"], at=time_at(30), state="running") for n in range(FILLING)]
    bench.keep(*fillers)
    stamped = Stamped(
        authority="http://time.harbour.test/",
        time=f"{STAMPED_AT:%Y-%m-%dT%H:%M:%S}.000Z",
        size=size,
        response=token(older, authority.leaf),
        checkpoint=older,
        chain_pem=authority.chain_pem,
    )
    bundle = bundled(bench, fetch.id, found.id, other.id, tokens=_Tokens(stamped), verifier=verifier or joined_script())
    records = [name for name, record in bundle.records.items() if record["kind"] != "document"]
    good = Good(
        members=dict(bundle.members),
        captures=made,
        search=found,
        fetch=fetch,
        reply=reply,
        provider=provider,
        keeper=keeper,
        stranger=LogKey.generate(keeper.origin),
        wacz_key=BundleKey.at(folder / "bundle.key"),
        authority=authority,
        older=older,
        older_proofs={name: _proof(bench, name, size, older) for name in records},
        outside=fillers[7],
        outside_proof=_proof(bench, fillers[7].id, bench.log.size, bench.log.checkpoint),
        folder=folder,
    )
    bench.close()
    return good


def _proof(bench: Bench, record: str, size: int, checkpoint: bytes) -> str:
    from snapshots.proof import Proof

    position = bench.catalogue.position_of(record)
    assert position is not None
    ((index, hashes),) = bench.log.inclusions([position], size)
    return Proof(index, tuple(hashes), checkpoint).text
