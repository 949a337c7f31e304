"""An archive with many pages, filled without a network: what benchmarks of bundles stand on."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from snapshots import (
    Archive,
    Batch,
    Block,
    BundleKey,
    BundleMaker,
    Capture,
    Catalogue,
    Document,
    Hop,
    PassageRef,
    Result,
    Search,
    digest,
    open_log,
    open_store,
    passage_of,
)

AT = "2026-11-29T19:28:36.123Z"
AT_ONCE = 100
PASSAGE = 600
_TAG = re.compile(r"(?s)<(script|style).*?</\1>|<[^>]+>")


@contextmanager
def archive_at(folder: Path) -> Iterator[BundleMaker]:
    """An archive on a directory, and what it takes to make bundles of it."""
    store = open_store(folder / "bucket")
    log = open_log(store, folder / "log.key", create=True, origin="bench.example/log")
    catalogue = Catalogue.open(f"sqlite:///{folder / 'catalogue.db'}")
    archive = Archive(store, log, catalogue)
    archive.catch_up()
    try:
        yield BundleMaker(archive, log, BundleKey.at(folder / "bundle.key"), b"", ("Citator", "bench"))
    finally:
        archive.close()
        log.close()
        catalogue.close()
        store.close()


def fill(archive: Archive, pages: Iterable[tuple[str, bytes]], *, passages: int) -> tuple[list[str], str]:
    """Keeps pages (address, body), and a search that shows one passage of each of the first; ids and the search's."""
    ids: list[str] = []
    shown: list[tuple[Capture, PassageRef]] = []
    batch: list[tuple[bytes, Document, Capture]] = []

    def keep() -> None:
        blobs = tuple(body for body, _, _ in batch)
        records = tuple(record for _, document, capture in batch for record in (document, capture))
        archive.keep(Batch(blobs, records)).result()
        batch.clear()

    for url, body in pages:
        document, capture = _page(url, body)
        ids.append(capture.id)
        if len(shown) < passages and len(document.text) > PASSAGE:
            made = passage_of(capture, document, ordinal=0, start=0, end=PASSAGE)
            shown.append((capture, made.ref))
        batch.append((body, document, capture))
        if len(batch) == AT_ONCE:
            keep()
    if batch:
        keep()
    results = [
        Result(rank=rank, url=capture.final, capture=capture.id, passages=[ref])
        for rank, (capture, ref) in enumerate(shown, 1)
    ]
    search = Search(query="bench", retrieved_at=AT, state="ok", results=results)
    archive.keep(Batch(records=(search,))).result()
    return ids, search.id


def _page(url: str, body: bytes) -> tuple[Document, Capture]:
    text = "\n".join(
        line.strip() for line in _TAG.sub(" ", body.decode("utf-8", "replace")).splitlines() if line.strip()
    )
    blocks, start = [], 0
    for line in text.split("\n"):
        blocks.append(Block(type="paragraph", start=start, end=start + len(line)))
        start += len(line) + 1
    document = Document(
        source=digest(body), media_type="text/html", base=url, text=text, visible=text, title=url, blocks=blocks
    )
    hop = Hop(
        url=url,
        method="GET",
        request_headers=(("Host", "bench.example"), ("Accept", "text/html")),
        status=200,
        response_headers=(("Content-Type", "text/html"), ("Content-Length", str(len(body)))),
        protocol="http/1.1",
        remote="192.0.2.1:80",
        tls=None,
        started_at=AT,
        ended_at=AT,
        error=None,
    )
    capture = Capture(
        asked=url,
        final=url,
        hops=[hop],
        body=digest(body),
        body_length=len(body),
        method="http",
        outcome="ok",
        page_state="ok",
        media_type="text/html",
        started_at=AT,
        retrieved_at=AT,
        document=document.id,
    )
    return document, capture
