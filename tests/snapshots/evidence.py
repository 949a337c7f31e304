"""Small records for tests, made from as few words as possible."""

from collections.abc import Sequence

from snapshots import (
    Candidate,
    Capture,
    Document,
    PassageRef,
    Result,
    Search,
    Serving,
    digest,
    passage_of,
)

AT = "2026-11-29T19:28:36.123Z"


def time_at(second: int) -> str:
    """A time on one day, so many seconds after noon."""
    return f"2026-11-29T12:{second // 60:02d}:{second % 60:02d}.000Z"


def body_of(text: str) -> bytes:
    return f"<html><body><p>{text}</p></body></html>".encode()


def document_of(text: str) -> Document:
    return Document(
        source=digest(body_of(text)), media_type="text/html", base="https://a.example/", text=text, visible=text
    )


def capture_of(url: str, text: str | None, *, at: str = AT, outcome: str = "ok", asked: str | None = None) -> Capture:
    """A capture of a page with this text; None: nothing was got."""
    return Capture(
        asked=asked or url,
        final=url,
        body=None if text is None else digest(body_of(text)),
        body_length=0 if text is None else len(body_of(text)),
        method="http",
        outcome=outcome,
        page_state="ok" if text is not None else "unknown",
        started_at=at,
        retrieved_at=at,
        document=None if text is None else document_of(text).id,
    )


def ref_to(capture: Capture, text: str) -> PassageRef:
    """The passage that is the whole text."""
    return passage_of(capture, document_of(text), ordinal=0, start=0, end=len(text)).ref


def search_of(
    shown: Sequence[tuple[Capture, str]], *, considered: Sequence[Capture] = (), urls: Sequence[str] = (), at: str = AT
) -> Search:
    """A search that showed some captures, dropped others and addresses without capture."""
    found = [(capture.final, capture.id, "kept") for capture, _ in shown]
    found += [(capture.final, capture.id, "below_limit") for capture in considered]
    candidates = [
        Candidate(url=url, capture=capture, rank=rank, decision=decision)
        for rank, (url, capture, decision) in enumerate([*found, *((url, None, "not_fetched") for url in urls)], 1)
    ]
    return Search(
        query="q",
        retrieved_at=at,
        state="ok",
        candidates=candidates,
        candidates_total=len(candidates),
        results=[
            Result(rank=rank, url=capture.final, capture=capture.id, passages=[ref_to(capture, text)])
            for rank, (capture, text) in enumerate(shown, 1)
        ],
    )


def serving_of(record: Search, body: bytes, *, at: str = AT) -> Serving:
    return Serving(record=record.id, surface="http", body=digest(body), media_type="application/json", served_at=at)
