"""The records of a crawl, for `make_records.py`."""

from collections.abc import Callable

from snapshots import Crawl, Crawl2, Record


def crawls(nonce_for: Callable[[str], str], at: str) -> dict[str, Record]:
    """Its start, a pause, and its end."""
    started = Crawl(
        nonce=nonce_for("crawl"),
        phase="started",
        seeds=["https://harbour.example/"],
        options={"max_pages": 300},
        at="2026-11-29T19:28:30.000Z",
        state="running",
    )
    return {
        "crawl-started": started,
        "crawl-paused": Crawl2(nonce=nonce_for("crawl-paused"), phase="paused", crawl=started.id, at=at, by="k1"),
        "crawl-finished": Crawl(
            nonce=nonce_for("crawled"),
            phase="finished",
            crawl=started.id,
            seeds=["https://harbour.example/"],
            at=at,
            counts={"captures": 2, "failed": 1},
            state="done",
        ),
    }
