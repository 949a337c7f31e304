"""What was handed out: `search`, `fetch` and `serving`. They name captures and passages and hold no page text."""

from collections.abc import Iterator
from typing import Literal, Self

from pydantic import Field, model_validator

from snapshots.record import Code, Count, Flat, Id, LoggedRecord, Loose, Number, Part, Rank, Seq, Time

SearchState = Literal["ok", "no_match", "no_provider", "provider_failed", "all_filtered", "fetch_failed", "budget_cut"]

KEPT = "kept"
"""The decision on a candidate that made it into the results; any other decision is the reason it was dropped."""


class PassageRef(Part):
    """A passage by name and place: enough to make its exact bytes again from capture and document."""

    id: Id
    capture: Id
    ordinal: Count
    start: Count
    end: Count

    @model_validator(mode="after")
    def _holds_something(self) -> Self:
        if self.start >= self.end:
            raise ValueError("a passage ends after it starts")
        return self


class ProviderReply(Part):
    """How one provider (the own index is one) answered; `reply` is the blob of its raw answer."""

    name: str
    state: Code
    reply: Id | None = None
    candidates: Count = 0
    detail: str | None = None


class ProviderRank(Part):
    """The place one provider gave a candidate."""

    provider: str
    rank: Rank


class ScorePart(Part):
    """One part of a candidate's score, a decimal string."""

    part: str
    value: Number


class Candidate(Part):
    """An address that came into question, how it ranked, and what was decided: `kept` or the drop reason."""

    url: str
    capture: Id | None
    ranks: Seq[ProviderRank] = ()
    scores: Seq[ScorePart] = ()
    rank: Rank
    """The place after fusion of all providers' ranks."""
    decision: Code


class Result(Part):
    """A page that was handed out, with the passages that had room."""

    rank: Rank
    url: str
    capture: Id
    passages: Seq[PassageRef] = ()


class Search(LoggedRecord):
    """One query run: what was asked, what came into question, what was handed out and why."""

    kind: Literal["search"] = "search"
    version: Literal[1] = 1
    query: str
    options: Loose = Field(default_factory=dict)
    retrieved_at: Time
    providers: Seq[ProviderReply] = ()
    candidates: Seq[Candidate] = ()
    candidates_total: Count = 0
    """How many candidates there were; `candidates` may be cut short."""
    results: Seq[Result] = ()
    state: SearchState
    relaxed: Seq[str] = ()
    index: Loose | None = None
    versions: Loose = Field(default_factory=dict)
    timings: dict[Code, Count] = Field(default_factory=dict)
    """Milliseconds spent, by step."""

    def named(self) -> Iterator[str]:
        """Provider replies, captures of candidates and results, and passages."""
        for provider in self.providers:
            if provider.reply is not None:
                yield provider.reply
        for candidate in self.candidates:
            if candidate.capture is not None:
                yield candidate.capture
        for result in self.results:
            yield result.capture
            for passage in result.passages:
                yield passage.id
                yield passage.capture


class Fetch(LoggedRecord):
    """Page text handed out: `text[start:end]` of the capture's document, of `total` code points."""

    kind: Literal["fetch"] = "fetch"
    version: Literal[1] = 1
    capture: Id
    start: Count
    end: Count
    total: Count
    cut: str | None = None
    """Why less than the whole text was shown."""
    passages: Seq[PassageRef] = ()
    options: Loose = Field(default_factory=dict)
    retrieved_at: Time

    @model_validator(mode="after")
    def _range_lies_in_the_text(self) -> Self:
        if not self.start <= self.end <= self.total:
            raise ValueError("the range shown lies outside the text")
        return self

    def named(self) -> Iterator[str]:
        """The capture and the passages shown."""
        yield self.capture
        for passage in self.passages:
            yield passage.id
            yield passage.capture


class Serving(LoggedRecord):
    """One reply given: its exact bytes (before content coding), for which record, where and to whom."""

    kind: Literal["serving"] = "serving"
    version: Literal[1] = 1
    record: Id
    surface: Code
    caller: str | None = None
    """The id of the API key that was used."""
    session: str | None = None
    """The session the client claims; its word, not ours."""
    body: Id
    media_type: str
    served_at: Time

    def named(self) -> Iterator[str]:
        """The record that was answered with, and the bytes."""
        yield self.record
        yield self.body


class Serving2(Serving):
    """A reply of two forms that say the same, or one whose caller claimed more than a session."""

    version: Literal[2] = 2  # type: ignore[assignment]  # what is read as the first version is written as it
    structured: Id | None = None
    """The exact bytes of the structured form; `body` is the text then."""
    claims: Flat = Field(default_factory=dict)
    """What the request's headers said of where it comes from; the client's word, not ours."""

    def named(self) -> Iterator[str]:
        """The record that was answered with, and the bytes of each form."""
        yield from super().named()
        if self.structured is not None:
            yield self.structured
