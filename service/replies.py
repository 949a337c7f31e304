"""What answers look like, for the OpenAPI document. Answers themselves are sent as the bytes that were kept.

Readers must expect further members: answers gain members within a version of the API and never lose any.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Told(BaseModel):
    """The base of all answers: further members may come."""

    model_config = ConfigDict(extra="allow")


class PassageTold(Told):
    """A passage: `text[start:end]` of the document, in code points."""

    id: str = Field(examples=["sha256:5f5f…"], description="Names exactly these bytes, for ever.")
    cite: str = Field(description="Ready to stand behind a sentence.")
    text: str | None = None
    start: int
    end: int
    page: int | None = Field(default=None, description="The page of a PDF that it begins on; missing elsewhere.")
    page_end: int | None = Field(default=None, description="The page that it ends on, if that is another.")


class ResultTold(Told):
    """One page among the results. `passages` is empty when the token budget had no room."""

    rank: int
    url: str
    title: str | None = None
    capture: str
    retrieved_at: str
    passages: list[PassageTold]


class DroppedTold(Told):
    """A candidate that is not among the results."""

    url: str
    title: str | None = None
    provider: str | None = None
    rank: int | None = None
    reason: str


_EXAMPLE_ID = "sha256:" + "5f" * 32


class SearchTold(Told):
    """The whole result of a search."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {
                    "record": "sha256:" + "a1" * 32,
                    "query": "context manager protocol",
                    "state": "no_provider",
                    "retrieved_at": "2026-11-29T19:28:36.123Z",
                    "providers": [],
                    "results": [
                        {
                            "rank": 1,
                            "url": "https://docs.example.org/stdtypes.html",
                            "title": "Built-in Types",
                            "capture": "sha256:" + "c4" * 32,
                            "retrieved_at": "2026-11-29T18:02:11.480Z",
                            "passages": [
                                {
                                    "id": _EXAMPLE_ID,
                                    "cite": "Built-in Types, https://docs.example.org/stdtypes.html, "
                                    "retrieved 2026-11-29 [5f5f5f5f5f5f]",
                                    "text": "The with statement supports the concept of a runtime context …",
                                    "start": 1200,
                                    "end": 1734,
                                }
                            ],
                        }
                    ],
                    "dropped": [
                        {
                            "url": "https://docs.example.org/old/stdtypes.html",
                            "title": "Built-in Types",
                            "provider": "own index",
                            "rank": 2,
                            "reason": "near_duplicate",
                        }
                    ],
                    "versions": {},
                    "timings": {"total": 9},
                }
            ]
        },
    )

    record: str | None = Field(description="The id of the search record; null with `store=false`.")
    query: str
    state: Literal["ok", "no_match", "no_provider", "provider_failed", "all_filtered", "fetch_failed", "budget_cut"]
    retrieved_at: str
    providers: list[dict[str, Any]]
    results: list[ResultTold]
    dropped: list[DroppedTold]
    versions: dict[str, Any]
    timings: dict[str, Any]


class CaptureTold(Told):
    """A page as it was captured, and its text for reading."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {
                    "record": "sha256:" + "b2" * 32,
                    "capture": "sha256:" + "c4" * 32,
                    "outcome": "ok",
                    "page_state": "ok",
                    "title": "Example Domain",
                    "text": "This domain is for use in illustrative examples in documents.",
                    "passages": [
                        {"id": _EXAMPLE_ID, "cite": "Example Domain, … [5f5f5f5f5f5f]", "start": 0, "end": 61}
                    ],
                }
            ]
        },
    )

    record: str | None = Field(description="The id of the fetch record; null with `store=false`.")
    capture: str
    outcome: str = Field(description="Did we get it.", examples=["ok"])
    page_state: str = Field(description="What it is.", examples=["ok"])
    title: str | None = None
    text: str
    passages: list[PassageTold]


class CaptureListed(Told):
    """One line in a list of captures."""

    capture: str
    retrieved_at: str


class CapturesTold(Told):
    """Captures of one address, newest first. `next` is the `before` of the rest; null at the end."""

    url: str
    captures: list[CaptureListed]
    next: str | None = None


class RecordListed(Told):
    """One line in a list of records."""

    id: str
    kind: str
    position: int = Field(description="Its place in the log.")
    at: str | None = None
    about: str = Field(description="What a person knows it by: a query, an address.")
    state: str | None = None


class RecordsTold(Told):
    """Records, newest first. `next` is the `before` of the rest; null at the end."""

    records: list[RecordListed]
    next: int | None = None


class ProofTold(Told):
    """How an id is proven to be in the log."""

    id: str
    leads: list[str] = Field(description="From the id up to the logged record that leads to it.")
    record: str = Field(description="The logged record.")
    index: int = Field(description="Its place in the log.")
    proof: str = Field(description="The text of a `.tlog-proof` (c2sp.org/tlog-proof@v1).")
    vkey: str = Field(description="The log's public key, as notes name it.")
    foreign: list[dict[str, str]] = Field(
        default=[],
        description="Of a record that was imported: `{import, origin, vkey, proof}`, as it was proven there.",
    )


class DependentsTold(Told):
    """The records that name an id."""

    id: str
    dependents: list[dict[str, Any]]


class SessionTold(Told):
    """A session as it stands."""

    id: str
    title: str | None = None
    state: Literal["idle", "running", "awaiting_tool", "awaiting_approval", "completed", "failed"]
    locked_by: dict[str, Any] | None = Field(description="`{run, until}`: who alone may write, and how long.")
    head: str = Field(description="The newest event, or the session itself.")
    created_at: str
    updated_at: str
    parent: str | None = None
    forked_at: str | None = None


class SessionsTold(Told):
    """Sessions, newest first."""

    sessions: list[SessionTold]
    next: int | None = None


class StepTold(Told):
    """An event that was added, and the session's state from then on."""

    id: str
    session: str
    type: str
    state: str


class RunTold(Told):
    """A run as it stands."""

    id: str
    session: str
    state: str
    lease: dict[str, Any] | None = Field(description="`{until}`; null once the run has ended.")


class AgentTold(Told):
    """An agent's definition."""

    id: str
    name: str | None = None
    system: str | None = None
    tools: list[Any] | None = None


class RemovalTold(Told):
    """What was removed, or with `dry_run` would be."""

    dry_run: bool
    deletion: str | None = Field(description="The id of the deletion record; null with `dry_run`.")
    removed: list[dict[str, Any]]
    counts: dict[str, Any]
    held: list[dict[str, Any]] = Field(default=[], description="What of it is held; then it would be refused.")
    staying: dict[str, Any] = Field(
        default={}, description="Records that name what is removed and stay: `counts` by kind, and the first `records`."
    )
    forks: list[str] = Field(
        default=[], description="Sessions that were forked from one that is to go, and go along if that is asked for."
    )


class KeyTold(Told):
    """An API key without its secret."""

    id: str
    name: str
    scopes: list[str]


class NewKeyTold(KeyTold):
    """A key that was just made. `key` is shown this once."""

    key: str


class RevokedTold(Told):
    """A key that is refused from now on."""

    id: str
    revoked_at: str


class KeysTold(Told):
    """All keys."""

    keys: list[KeyTold]


class HealthTold(Told):
    """How the service is."""

    status: str = "ok"


class ReadyTold(Told):
    """Whether requests can be served now."""

    ready: bool


class ProblemTold(Told):
    """RFC 9457 problem details."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {
                    "type": "urn:citator:problem:unknown-id",
                    "title": "Nothing is kept under this id.",
                    "status": 404,
                    "detail": "nothing is kept under sha256:5f5f…",
                    "id": "sha256:5f5f…",
                }
            ]
        },
    )

    type: str = Field(examples=["urn:citator:problem:unknown-id"])
    title: str
    status: int
    detail: str
