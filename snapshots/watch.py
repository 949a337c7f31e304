"""`watch`, `hold` and `retention`: what is visited again, what must not be removed, and what is not kept for ever."""

from collections.abc import Iterator
from typing import Literal, Self

from pydantic import model_validator

from snapshots.answers import PassageRef
from snapshots.record import Count, Id, LoggedRecord, Part, Rank, Seq, Time


class WatchedSource(Part):
    """An address, the capture that says what stood there, and the passages of it that are looked for."""

    url: str
    capture: Id
    passages: Seq[PassageRef] = ()


class Watch(LoggedRecord):
    """A watch begins (`started`), or something becomes of it; then `watch` is the record it started with.

    Between two visits of a source pass `min_seconds` to `max_seconds`. `webhook` is the origin that alarms are sent
    to: the address may be a secret and stands elsewhere.
    """

    kind: Literal["watch"] = "watch"
    version: Literal[1] = 1
    phase: Literal["started", "paused", "resumed", "ended"]
    watch: Id | None = None
    at: Time
    name: str | None = None
    sources: Seq[WatchedSource] = ()
    min_seconds: Count | None = None
    max_seconds: Count | None = None
    webhook: str | None = None
    by: str | None = None

    @model_validator(mode="after")
    def _phases_fit(self) -> Self:
        if (self.phase == "started") == (self.watch is not None):
            raise ValueError("a watch that starts names none, and all that becomes of it names its start")
        if (self.phase == "started") != bool(self.sources):
            raise ValueError("a watch says what it watches when it starts, and only then")
        bounds = (self.min_seconds, self.max_seconds)
        if any((self.phase == "started") != (bound is not None) for bound in bounds):
            raise ValueError("a watch has both its bounds when it starts, and only then")
        if self.min_seconds is not None and self.max_seconds is not None and self.min_seconds > self.max_seconds:
            raise ValueError("the shortest time between visits is longer than the longest")
        return self

    def named(self) -> Iterator[str]:
        """The start, then the captures, each with its passages."""
        if self.watch is not None:
            yield self.watch
        for source in self.sources:
            yield source.capture
            for ref in source.passages:
                yield ref.id
                yield ref.capture


class Hold(LoggedRecord):
    """What must not be removed (`held`), until a later record that names it says otherwise (`released`).

    `ids` are records, captures, documents, blobs or passages; `urls` addresses; in `patterns` of addresses `*` stands
    for anything. What is captured of them later is held too.
    """

    kind: Literal["hold"] = "hold"
    version: Literal[1] = 1
    phase: Literal["held", "released"]
    hold: Id | None = None
    at: Time
    ids: Seq[Id] = ()
    urls: Seq[str] = ()
    patterns: Seq[str] = ()
    reason: str | None = None
    by: str | None = None

    @model_validator(mode="after")
    def _phases_fit(self) -> Self:
        held = self.phase == "held"
        if held == (self.hold is not None):
            raise ValueError("a release names its hold, and a hold names none")
        if held != bool(self.ids or self.urls or self.patterns):
            raise ValueError("a hold says what it holds, and its release does not")
        return self

    def named(self) -> Iterator[str]:
        """The hold that is released, and the ids that are held."""
        if self.hold is not None:
            yield self.hold
        yield from self.ids


class Retention(LoggedRecord):
    """How long captures are kept (`set`), until a later record that names it says otherwise (`lifted`).

    A capture whose address fits one of `patterns` goes once it was kept `keep_seconds` ago, or once `keep_last` later
    ones of its address are kept; one of the two is given at least. What is held stays.
    """

    kind: Literal["retention"] = "retention"
    version: Literal[1] = 1
    phase: Literal["set", "lifted"]
    retention: Id | None = None
    at: Time
    patterns: Seq[str] = ()
    keep_seconds: Count | None = None
    keep_last: Rank | None = None
    reason: str | None = None
    by: str | None = None

    @model_validator(mode="after")
    def _phases_fit(self) -> Self:
        begins = self.phase == "set"
        if begins == (self.retention is not None):
            raise ValueError("what is lifted is named, and a new rule names none")
        limited = self.keep_seconds is not None or self.keep_last is not None
        if begins != bool(self.patterns) or begins != limited:
            raise ValueError("a rule says what goes and when, and its end does not")
        return self

    def named(self) -> Iterator[str]:
        """The rule that is lifted."""
        if self.retention is not None:
            yield self.retention
