import re
import struct
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from snapshots import Block, Capture, Document, Hop, Language, Search, Selection, Tls, digest, passage_of
from snapshots.ids import hex_of
from tests.snapshots.bench import Bench
from tests.snapshots.bundled import Read, bundled
from tests.snapshots.evidence import AT, body_of, search_of, serving_of

EVIL = '<script>alert(1)</script><img src=x onerror="alert(2)">\u202e &amp; \x07'
TEXT = (
    "Tide tables\n\nHigh water at the northern pier is at four in the afternoon. Boats must leave the basin an hour "
    "before.\n\nThe harbour master decides in doubt."
)
ARABIC = "المد العالي عند الرصيف الشمالي في الرابعة بعد الظهر."


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    opened = Bench(tmp_path)
    yield opened
    opened.close()


def certificate(name: str) -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    issuer = x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Harbour Trust <Services>")])
    start = datetime(2026, 1, 1, tzinfo=UTC)
    made = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
    made = made.serial_number(7).not_valid_before(start).not_valid_after(start + timedelta(days=364))
    return made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.DER)


def png(width: int, height: int) -> bytes:
    """A picture of stripes, so that a person sees that it is shown."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\x00" + bytes([(80, 140, 200)[(row // 16) % 3]]) * width for row in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def page(
    bench: Bench, url: str, text: str, *, title: str, language: str = "en", asked: str | None = None
) -> tuple[Capture, Document]:
    """A captured page with a picture and a certificate, after a redirect if it was asked for elsewhere."""
    body, leaf, picture = body_of(text), certificate("tides.example"), png(640, 240)
    tls = Tls(protocol="TLSv1.3", cipher="x", chain=(digest(leaf),), verified=True, error=None)

    def hop(address: str, status: int) -> Hop:
        return Hop(
            url=address,
            method="GET",
            request_headers=(("Host", "tides.example"),),
            status=status,
            response_headers=(("Content-Type", "text/html"),),
            protocol="http/1.1",
            remote="192.0.2.7:443",
            tls=tls,
            started_at=AT,
            ended_at=AT,
            error=None,
        )

    document = Document(
        source=digest(body),
        media_type="text/html",
        base=url,
        text=text,
        visible=text,
        title=title,
        language=Language(tag=language, how="html"),
        blocks=[Block(type="heading", start=0, end=text.index("\n") if "\n" in text else 5, level=1)],
    )
    capture = Capture(
        asked=asked or url,
        final=url,
        hops=[*([hop(asked, 301)] if asked else []), hop(url, 200)],
        body=digest(body),
        body_length=len(body),
        screenshot=digest(picture),
        method="browser",
        outcome="ok",
        page_state="ok",
        started_at=AT,
        retrieved_at=AT,
        document=document.id,
    )
    bench.keep(document, capture, blobs=[body, leaf, picture])
    return capture, document


def shown(bench: Bench, *pages: tuple[Capture, Document, str]) -> Search:
    """A search that showed these words of these pages."""
    search = search_of([])
    results = []
    for rank, (capture, document, words) in enumerate(pages, 1):
        start = document.text.index(words)
        made = passage_of(capture, document, ordinal=rank, start=start, end=start + len(words))
        results.append({"rank": rank, "url": capture.final, "capture": capture.id, "passages": [made.ref]})
    search = Search.model_validate(search.model_dump() | {"results": results, "nonce": "0" * 32})
    bench.keep(search, serving_of(search, b"{}"), blobs=[b"{}"])
    return search


def tides(bench: Bench) -> Read:
    """A report with everything that one can have."""
    url = "https://tides.example/tables?day=1&port=2"
    tables, document = page(bench, url, TEXT, title="Tide tables of the port", asked="http://tides.example/")
    arabic, in_arabic = page(bench, "https://tides.example/ar", ARABIC, title="جداول المد", language="ar")
    evil, in_evil = page(bench, "https://tides.example/evil", f"{EVIL} says it", title=EVIL, language='x" onload="y')
    gone, in_gone = page(bench, "https://tides.example/gone", "It was here once.", title="Gone")
    search = shown(
        bench,
        (tables, document, "Boats must leave the basin an hour before."),
        (arabic, in_arabic, "عند الرصيف الشمالي"),
        (evil, in_evil, "says it"),
        (gone, in_gone, "here once"),
    )
    bench.archive.remove(Selection(ids=(gone.id,)))
    return bundled(bench, search.id)


class Outline(HTMLParser):
    """What a page is made of, and whether its elements are closed as they were opened."""

    VOID = frozenset({"meta", "img", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data

    def all(self, *tags: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.tags if tag in tags]


def report(bundle: Read) -> Outline:
    found = Outline(bundle.members["evidence/index.html"].decode())
    assert found.open == []
    return found


def test_what_pages_say_stays_text(bench: Bench) -> None:
    bundle = tides(bench)

    found = report(bundle)

    assert found.all("script", "iframe", "object", "link", "form") == []
    assert not any(name.startswith("on") for _, attributes in found.tags for name in attributes)
    assert "alert(1)" in found.words
    assert "\x07" not in bundle.members["evidence/index.html"].decode()


def test_it_loads_nothing_but_the_pictures_beside_it(bench: Bench) -> None:
    bundle = tides(bench)

    found = report(bundle)

    sources = {attributes["src"] for attributes in found.all("img")}
    assert sources
    assert all(f"evidence/{source}" in bundle.members for source in sources)
    style = bundle.members["evidence/index.html"].decode().partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style
    (policy,) = [one["content"] for one in found.all("meta") if one.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert policy.startswith("default-src 'none'")


def test_each_passage_stands_in_its_context_with_page_time_and_ids(bench: Bench) -> None:
    bundle = tides(bench)

    page_text = report(bundle).words

    for line in bundle.lines("evidence/passages.jsonl"):
        assert line["text"].strip() in page_text
        assert line["capture"] in page_text
    assert "Boats must leave the basin an hour before." in page_text
    assert "four in the afternoon. " in page_text
    assert "2026-11-29 19:28:36 UTC" in page_text
    assert "Harbour Trust <Services>" in page_text
    assert "valid until 2026-12-31" in page_text


def test_quotations_have_their_language_and_their_own_direction(bench: Bench) -> None:
    found = report(tides(bench))

    quotations = found.all("blockquote")

    assert sorted(str(one.get("lang")) for one in quotations) == ["None", "ar", "en"]
    assert {one["dir"] for one in quotations} == {"auto"}


def test_tables_and_headings_can_be_followed_without_seeing_them(bench: Bench) -> None:
    found = report(tides(bench))

    levels = [int(tag[1]) for tag, _ in found.tags if re.fullmatch("h[1-6]", tag)]

    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))
    assert {one.get("scope") for one in found.all("th")} == {"col", "row"}
    assert all(one.get("alt") for one in found.all("img"))
    (document,) = found.all("html")
    assert document["lang"] == "en"
    targets = {one["href"] for one in found.all("a") if str(one["href"]).startswith("#")}
    assert targets <= {f"#{attributes['id']}" for _, attributes in found.tags if "id" in attributes}


def test_what_is_missing_and_what_is_not_proven_is_said(bench: Bench) -> None:
    bundle = tides(bench)
    missing = bundle.json("evidence/bundle.json")["missing"]

    words = report(bundle).words

    assert missing
    assert all(one["id"] in words and one["deletion"] in words for one in missing)
    assert "Servers do not sign what they send." in words
    assert "It does not prove" in words
    readme = " ".join(bundle.members["evidence/README.txt"].decode().split())
    assert "Servers do not sign what they send." in readme
    assert bench.log.vkey in words
    assert bench.log.vkey in readme


def test_a_search_is_told_with_what_it_showed_and_what_it_did_not(bench: Bench) -> None:
    shown_one, document = page(bench, "https://tides.example/", TEXT, title="Tides")
    dropped, _ = page(bench, "https://tides.example/other", "Nothing of the kind.", title="Other")
    plain = shown(bench, (shown_one, document, "High water"))
    told = plain.model_dump() | {"query": "tide <b>tables</b>", "nonce": "2" * 32, "candidates_total": 2}
    told["candidates"] = [
        {"url": dropped.final, "capture": dropped.id, "rank": 2, "decision": "near_duplicate"},
        {"url": "https://tides.example/never", "capture": None, "rank": 3, "decision": "not_fetched"},
    ]
    search = Search.model_validate(told)
    serving = serving_of(search, b"the reply")
    bench.keep(search, serving, blobs=[b"the reply"])

    found = report(bundled(bench, search.id))

    assert "tide <b>tables</b>" in found.words
    assert "Not shown: 1 near duplicate, 1 not fetched" in found.words
    assert "https://tides.example/never" in found.words
    assert serving.body in found.words
    assert f"#p-{search.results[0].passages[0].id[7:19]}" in {one["href"] for one in found.all("a")}


def test_pictures_that_are_none_are_not_shown_as_such(bench: Bench) -> None:
    capture, document = page(bench, "https://tides.example/", TEXT, title="Tides")
    strange = b"<svg onload=alert(1)>"
    changed = Capture.model_validate(capture.model_dump() | {"screenshot": digest(strange), "nonce": "1" * 32})
    bench.keep(changed, blobs=[strange])
    search = shown(bench, (changed, document, "High water"))

    bundle = bundled(bench, search.id)

    assert f"evidence/{hex_of(digest(strange))}.bin" in bundle.members
    assert report(bundle).all("img") == []
