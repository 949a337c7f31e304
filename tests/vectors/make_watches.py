"""The records of watches, holds and retention, for `make_records.py`."""

from collections.abc import Callable, Sequence

from snapshots import Capture, Hold, Passage, Record, Retention, Watch, WatchedSource


def watches(seen: Capture, passages: Sequence[Passage], nonce_for: Callable[[str], str], at: str) -> dict[str, Record]:
    """A watch over both passages of a page, and its pause."""
    started = Watch(
        nonce=nonce_for("watch"),
        phase="started",
        at=at,
        name="what the report rests on",
        sources=[WatchedSource(url=seen.asked, capture=seen.id, passages=[one.ref for one in passages[:2]])],
        min_seconds=3_600,
        max_seconds=604_800,
        webhook="https://hooks.example",
        by="k1",
    )
    return {"watch": started, "watch-paused": Watch(nonce=nonce_for("paused"), phase="paused", watch=started.id, at=at)}


def holds(seen: Capture, nonce_for: Callable[[str], str], at: str) -> dict[str, Record]:
    """A hold by id, address and pattern, and its release."""
    held = Hold(
        nonce=nonce_for("hold"),
        phase="held",
        at=at,
        ids=[seen.id],
        urls=["https://harbour.example/notices/1"],
        patterns=["https://harbour.example/tariffs/*"],
        reason="a case before the court",
    )
    return {"hold": held, "hold-released": Hold(nonce=nonce_for("released"), phase="released", hold=held.id, at=at)}


def retention(nonce_for: Callable[[str], str], at: str) -> dict[str, Record]:
    """A rule that keeps a month and ten captures of each address, and its end."""
    rule = Retention(
        nonce=nonce_for("retention"),
        phase="set",
        at=at,
        patterns=["https://harbour.example/tariffs/*"],
        keep_seconds=2_592_000,
        keep_last=10,
        reason="no longer than needed",
        by="k1",
    )
    lifted = Retention(nonce=nonce_for("lifted"), phase="lifted", retention=rule.id, at=at)
    return {"retention": rule, "retention-lifted": lifted}
