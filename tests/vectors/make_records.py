"""Makes the record vectors anew: `PYTHONPATH=. python tests/vectors/make_records.py [FOLDER]`.

`records/good/` holds records and passages as their exact bytes, `records/bad/` twins with one fault each, and
`records/index.json` says what a reader must find. Nothing here is random, so the files come out the same each time.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from make_recheck import recheck
from make_watches import holds, retention, watches
from record_crawls import crawls
from record_faults import PASSAGE_FAULTS, RECORD_FAULTS
from record_imports import bundle_taken_in
from record_pages import with_pages

from snapshots import (
    Agent,
    Block,
    Candidate,
    Capture,
    Charset,
    Dated,
    Deletion,
    Document,
    Event,
    Extractor,
    Fetch,
    Hop,
    Language,
    Link,
    PassageRef,
    ProviderRank,
    ProviderReply,
    Record,
    Removed,
    Result,
    Robots,
    ScorePart,
    Sealed,
    Search,
    Serving,
    Serving2,
    Session,
    Tls,
    digest,
    names,
    passage_of,
    read,
)
from snapshots.passages import Passage

HERE = Path(__file__).parent / "records"

TEXT = (
    "Harbour notice\n\nThe toll at the swing bridge ends on Friday.\n\nTariffs\n\n"
    "Visitors who stay longer than one night pay the winter rate \U0001f6a2 of 12 \u20ac.\n\n"
    "Small boats\n\nNothing changes for boats under six metres: "
    "na\u00efve as it sounds, \u6e2f\u306f\u958b\u3044\u3066\u3044\u308b."
)
BODY = digest(b"<!DOCTYPE html><title>Harbour notice</title>")
CERTIFICATE = digest(b"a certificate in DER")


def nonce_for(name: str) -> str:
    """A fixed stand-in for the random nonce."""
    return digest(name.encode())[7:39]


def block(kind: str, piece: str, level: int | None = None) -> Block:
    start = TEXT.index(piece)
    return Block(type=kind, start=start, end=start + len(piece), level=level)


def document() -> Document:
    return Document(
        source=BODY,
        media_type="text/html",
        base="https://harbour.example/notices/",
        text=TEXT,
        visible="Menu\n" + TEXT + "\nImprint",
        title="Harbour notice",
        author=None,
        published=Dated(value="2026-03-01", how="meta article:published_time", firm=True),
        modified=None,
        language=Language(tag="en", how="html lang"),
        canonical="https://harbour.example/notices/1",
        blocks=[
            block("heading", "Harbour notice", 1),
            block("paragraph", "The toll at the swing bridge ends on Friday."),
            block("heading", "Tariffs", 2),
            block("paragraph", "Visitors who stay longer than one night pay the winter rate \U0001f6a2 of 12 \u20ac."),
            block("heading", "Small boats", 3),
            block("paragraph", TEXT[TEXT.index("Nothing changes") :]),
        ],
        links=[Link(url="https://harbour.example/imprint", text="Imprint")],
        links_total=1,
        flags=["zero_width"],
        extractors=[Extractor(name="example", version="1.0")],
        settings={"tables": True},
    )


def capture(read_as: Document) -> Capture:
    return Capture(
        nonce=nonce_for("capture"),
        asked="http://harbour.example/notices/1",
        final="https://harbour.example/notices/1",
        hops=[
            Hop(
                url="http://harbour.example/notices/1",
                method="GET",
                request_headers=[("Accept", "text/html"), ("User-Agent", "Citator/1")],
                status=301,
                response_headers=[("Location", "https://harbour.example/notices/1"), ("X-Name", "caf\u00c3\u00a9")],
                protocol="HTTP/1.1",
                remote="192.0.2.7:80",
                tls=None,
                started_at="2026-11-29T19:28:35.900Z",
                ended_at="2026-11-29T19:28:35.950Z",
                error=None,
            ),
            Hop(
                url="https://harbour.example/notices/1",
                method="GET",
                request_headers=[("Accept", "text/html"), ("User-Agent", "Citator/1")],
                status=200,
                response_headers=[
                    ("Content-Type", "text/html; charset=utf-8"),
                    ("Set-Cookie", "a=1"),
                    ("Set-Cookie", "b=2"),
                ],
                protocol="HTTP/2",
                remote="[2001:db8::7]:443",
                tls=Tls(protocol="TLSv1.3", cipher="TLS_AES_128_GCM", chain=[CERTIFICATE], verified=True, error=None),
                started_at="2026-11-29T19:28:35.950Z",
                ended_at="2026-11-29T19:28:36.123Z",
                error=None,
            ),
        ],
        body=BODY,
        body_length=44,
        wire_length=39,
        wire_digest=digest(b"the same, compressed"),
        method="http",
        settings={"robots": "follow", "max_body": 10485760, "cookies": True, "proxy": None},
        locale="en-GB",
        time_zone="UTC",
        user_agent="Citator/1",
        clock_offset_ms=-3,
        outcome="ok",
        page_state="ok",
        page_state_evidence=["status 200", "text of 240 code points"],
        media_type="text/html",
        charset=Charset(name="utf-8", source="header"),
        robots=Robots(decision="allowed", source="https://harbour.example/robots.txt", overridden=False),
        started_at="2026-11-29T19:28:35.900Z",
        retrieved_at="2026-11-29T19:28:36.123Z",
        document=read_as.id,
    )


def passages() -> list[Passage]:
    read_as = document()
    seen = capture(read_as)
    starts = [TEXT.index(piece) for piece in ("Harbour", "Visitors", "Nothing changes")]
    ends = [TEXT.index("\n\nTariffs"), TEXT.index("\n\nSmall"), len(TEXT)]
    ranges = zip(starts, ends, strict=True)
    return [passage_of(seen, read_as, ordinal=i, start=start, end=end) for i, (start, end) in enumerate(ranges)]


def refs() -> list[PassageRef]:
    return [one.ref for one in passages()]


def answers(seen: Capture) -> dict[str, Record]:
    search = Search(
        nonce=nonce_for("search"),
        query="winter rate \u20ac",
        options={"max_results": 8, "language": "en", "fold": True, "published_after": None},
        retrieved_at="2026-11-29T19:30:00.000Z",
        providers=[
            ProviderReply(name="index", state="ok", candidates=2),
            ProviderReply(name="other", state="failed", reply=digest(b"503"), detail="answered 503"),
        ],
        candidates=[
            Candidate(
                url=seen.final,
                capture=seen.id,
                ranks=[ProviderRank(provider="index", rank=1)],
                scores=[ScorePart(part="bm25", value="7.25"), ScorePart(part="title", value="-0.5")],
                rank=1,
                decision="kept",
            ),
            Candidate(url="https://harbour.example/old", capture=None, rank=2, decision="same_text"),
        ],
        candidates_total=2,
        results=[Result(rank=1, url=seen.final, capture=seen.id, passages=refs()[1:2])],
        state="ok",
        relaxed=["winter"],
        index={"position": 12, "passages": 3, "terms": {"winter": 1}},
        versions={"citator": "0.1.0"},
        timings={"index": 3, "total": 9},
    )
    fetch = Fetch(
        nonce=nonce_for("fetch"),
        capture=seen.id,
        start=0,
        end=200,
        total=len(TEXT),
        cut="budget",
        passages=refs()[:1],
        options={"max_tokens": 100},
        retrieved_at="2026-11-29T19:31:00.000Z",
    )
    serving = Serving(
        nonce=nonce_for("serving"),
        record=search.id,
        surface="http",
        caller="k1",
        session="a client's claim",
        body=digest(b"{}"),
        media_type="application/json",
        served_at="2026-11-29T19:30:00.010Z",
    )
    served = {name: getattr(serving, name) for name in Serving.model_fields if name not in {"nonce", "version"}}
    twofold = Serving2(
        nonce=nonce_for("serving-2"),
        **served | {"surface": "mcp", "media_type": "text/plain; charset=utf-8"},
        structured=digest(b'{"a":1}'),
        claims={"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
    )
    return {"search": search, "fetch": fetch, "serving": serving, "serving-2": twofold}


def records() -> dict[str, Record]:
    """Every good record, by file name."""
    read_as = document()
    seen = capture(read_as)
    at = "2026-11-29T19:40:00.000Z"
    crawling = crawls(nonce_for, at)
    agent = Agent(
        nonce=nonce_for("agent"),
        at=at,
        name="clerk",
        system=BODY,
        provider="elsewhere",
        model="m",
        parameters={"limits": {"steps": 5}},
    )
    session = Session(
        nonce=nonce_for("session"),
        at=at,
        title="Tolls",
        agent=agent.id,
        parent=BODY,
        forked_at=BODY,
        by="k1",
        labels={"case": "7"},
    )
    return {
        "document": read_as,
        "document-2": with_pages(read_as),
        "capture": seen,
        "capture-failed": Capture(
            nonce=nonce_for("failed"),
            asked="https://gone.example/",
            final="https://gone.example/",
            body=None,
            body_length=0,
            method="http",
            outcome="error",
            reason="dns",
            detail="no address for gone.example",
            page_state="unknown",
            started_at="2026-11-29T19:28:35.000Z",
            retrieved_at="2026-11-29T19:28:35.500Z",
            document=None,
            crawl=crawling["crawl-started"].id,
        ),
        **answers(seen),
        **crawling,
        "deletion": Deletion(
            nonce=nonce_for("deletion"),
            at=at,
            selector={"ids": [], "pages": ["https://harbour.example/notices/1"]},
            removed=[
                Removed(id=seen.id, kind="capture", bytes=len(seen.encoded)),
                Removed(id=BODY, kind="blob", bytes=44),
            ],
            counts={"captures": 1, "blobs": 1},
            reason="asked for by the owner",
            by="k1",
        ),
        "recheck": recheck(seen, passages(), nonce_for("recheck"), at),
        "agent": agent,
        "session": session,
        "event": Event(
            nonce=nonce_for("event"),
            session=session.id,
            previous=None,
            at=at,
            type="message",
            state="idle",
            author="user",
            content=BODY,
            media_type="application/json",
            length=44,
            tokens=11,
            evidence=[seen.id],
            pinned=True,
        ),
        "event-sealed": Event(
            nonce=nonce_for("event-sealed"),
            session=session.id,
            previous=seen.id,
            at=at,
            type="sealed",
            state="running",
            run=seen.id,
            author="assistant",
            content=BODY,
            sealed=Sealed(provider="elsewhere", model="m"),
            masked=1,
            details={"handover": True},
        ),
        **watches(seen, passages(), nonce_for, at),
        **holds(seen, nonce_for, at),
        **retention(nonce_for, at),
        "import": bundle_taken_in(nonce_for("import"), at),
    }


UNKNOWN = b'{"at":"tomorrow","kind":"forecast","names":["' + BODY.encode() + b'"],"version":7}'


def files() -> Iterator[tuple[str, bytes]]:
    """Every vector file: path below `records/` and content."""
    good = {name: record.encoded for name, record in records().items()}
    index: dict[str, list[dict[str, object]]] = {"good": [], "passages": [], "bad": []}
    for name, data in {**good, "unknown-kind": UNKNOWN}.items():
        record = read(data)
        yield f"good/{name}.json", data
        index["good"].append(
            {
                "file": f"good/{name}.json",
                "id": digest(data),
                "kind": record.kind,
                "version": record.version,
                "names": list(names(record)),
            }
        )
    for one in passages():
        yield f"good/passage-{one.ordinal}.json", one.encoded
        index["passages"].append(
            {
                "file": f"good/passage-{one.ordinal}.json",
                "id": one.id,
                "capture": "good/capture.json",
                "document": "good/document.json",
                "ordinal": one.ordinal,
                "start": one.start,
                "end": one.end,
            }
        )
    for name, twin, fault, damage in RECORD_FAULTS:
        yield f"bad/{name}.json", damage(good[twin])
        index["bad"].append({"file": f"bad/{name}.json", "of": f"good/{twin}.json", "as": "record", "fault": fault})
    for name, fault, damage in PASSAGE_FAULTS:
        yield f"bad/{name}.json", damage(passages()[1].encoded)
        index["bad"].append({"file": f"bad/{name}.json", "of": "good/passage-1.json", "as": "passage", "fault": fault})
    yield "index.json", json.dumps(index, indent=1, ensure_ascii=True).encode() + b"\n"


def main(folder: Path) -> None:
    for path, data in files():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
