"""What can be asked and what is answered: the values that pass between the doors and the actions.

The request models are read from JSON, from command-line options and, later, from other doors. They hold the option
names, bounds and defaults once, and the OpenAPI document is made from them. Unknown options are refused, so that a
misspelt one is never silently without effect.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Protocol, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from service.forms import Form

MAX_QUERY: Final = 65_536
"""Characters in a query. People paste whole pages; the index looks at the beginning and says so."""

MAX_URL: Final = 8_192
"""Characters in an address. Servers refuse longer ones, 8 KB being the usual limit of a request line."""

MAX_RESULTS: Final = 100
"""Results of one search. The own index keeps 200 candidates; more than half of them is a listing, not an answer."""

MAX_TOKENS: Final = 1_000_000
"""Token budget of one reply: the largest context that models offer."""

MAX_LIST: Final = 200
"""Entries in a list of domains or providers."""

MAX_REMOVALS: Final = 10_000
"""Ids in one removal: the plan of a removal is held in memory and shown whole."""

MAX_BUNDLED: Final = 100_000
"""Ids asked for in one bundle; with their 71 characters each they fill a request."""

MAX_SESSION: Final = 256
"""Characters in a session claim, a media type, a key's name: labels, not texts."""

MAX_AGE: Final = 100 * 366 * 24 * 3600
"""Seconds. Nothing here is a hundred years old, and the calendar has room for that before any time it knows."""

MAX_POSITION: Final = 2**53 - 1
"""The largest number that every JSON reader keeps exactly; no log is that long and no link that deep."""

MAX_RATE: Final = 1_000_000
"""Requests a minute, or at a time: more than one process answers."""

MAX_REASON: Final = 2_000
"""Characters in a reason or a title."""


_TIME_FORM: Final = "a time is written like 2026-11-29T19:28:36Z or 2026-11-29"


def _to_utc(value: object) -> datetime:
    """Take RFC 3339 times, and dates as their first moment; without an offset, UTC.

    Numbers are refused: nobody can say whether they are seconds or milliseconds.
    """
    if not isinstance(value, (str, datetime)):
        raise ValueError(_TIME_FORM)  # noqa: TRY004 - pydantic turns this one into a validation error
    try:
        moment = datetime.fromisoformat(value.strip()) if isinstance(value, str) else value
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError(_TIME_FORM) from error


def _whole(text: str) -> str:
    """Refuse lone surrogates: what holds them has no UTF-8 bytes and could not be kept."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError("this is no whole Unicode text: it holds half of a surrogate pair") from error
    return text


Text = Annotated[str, AfterValidator(_whole)]
"""Any text that can be written as UTF-8."""

Moment = Annotated[datetime, BeforeValidator(_to_utc, json_schema_input_type=str)]
"""An aware datetime in UTC."""

Url = Annotated[Text, Field(min_length=1, max_length=MAX_URL)]
"""An address as it was given; whether it is one, the crawler decides."""

Session = Annotated[Text, Field(min_length=1, max_length=MAX_SESSION)]
Domain = Annotated[Text, Field(min_length=1, max_length=253)]
Seconds = Annotated[int, Field(ge=0, le=MAX_AGE)]
Position = Annotated[int, Field(ge=0, le=MAX_POSITION)]
Budget = Annotated[int, Field(ge=0, le=MAX_TOKENS)]
IdText = Annotated[str, Field(min_length=12, max_length=71)]

SESSION_DOC = "The caller's own name for its session; kept with the serving record as a claim."
STORE_DOC = "Keep record, reply and page. With false nothing stays and the full record is in the reply."
MAX_AGE_DOC = "A page that was fetched not more than this many seconds ago is good enough; 0 always asks the web."


MAX_DEPTH: Final = 100
"""Lists and objects within each other in a request: what is kept is read and shown again, and readers have limits."""


def _inside(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()


class Asked(BaseModel):
    """What every request shares: frozen, no unknown options, nothing nested deeper than can be kept and walked."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _shallow(cls, value: Any) -> Any:
        level = [value]
        for _ in range(MAX_DEPTH):
            level = [inner for one in level for inner in _inside(one)]
            if not level:
                return value
        raise ValueError(f"nothing may be nested deeper than {MAX_DEPTH} levels")


class SearchRequest(Asked):
    """One query. The reply names every candidate that was dropped and why."""

    query: Text = Field(
        max_length=MAX_QUERY, description="What is looked for, in plain words.", examples=["context manager protocol"]
    )
    max_results: int = Field(default=8, ge=1, le=MAX_RESULTS, description="Results listed at most.")
    max_tokens: Budget = Field(
        default=4000, description="Token budget of all passages; a result without room has `passages: []`."
    )
    max_tokens_per_url: Budget | None = Field(default=None, description="Token budget of the passages of one page.")
    providers: tuple[Annotated[Text, Field(min_length=1, max_length=64)], ...] | None = Field(
        default=None, max_length=MAX_LIST, description="Search providers to ask; none given: all that are set up."
    )
    fetch: Literal["auto", "never", "always"] = Field(
        default="auto",
        description="`auto` fetches the best candidates that are not fresh enough, `never` uses what is kept.",
    )
    max_age: Seconds | None = Field(default=None, description=MAX_AGE_DOC)
    published_after: Moment | None = Field(default=None, description="Only pages published at or after this time.")
    published_before: Moment | None = Field(default=None, description="Only pages published before this time.")
    as_of: Position | Moment | None = Field(
        default=None, description="Search what was known at this time, or at this position of the log."
    )
    include_domains: tuple[Domain, ...] = Field(
        default=(), max_length=MAX_LIST, description="Only these domains and those below them."
    )
    exclude_domains: tuple[Domain, ...] = Field(
        default=(), max_length=MAX_LIST, description="Not these domains nor those below them."
    )
    language: str | None = Field(
        default=None, pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$", description="BCP 47 tag, such as `en`."
    )
    fold: bool = Field(default=True, description="Show near-duplicates once.")
    store: bool = Field(default=True, description=STORE_DOC)
    session: Session | None = Field(default=None, description=SESSION_DOC)


class CaptureRequest(Asked):
    """Fetch one page, keep what was seen, give its text for reading."""

    url: Url = Field(description="The page.", examples=["https://www.example.org/"])
    render: Literal["auto", "never", "always"] | None = Field(
        default=None, description="Whether a browser renders the page; `auto`: when it needs it. None given: as set."
    )
    screenshot: bool = Field(default=False, description="Keep a picture of the rendered page.")
    screenshot_of: Literal["full", "viewport"] = Field(
        default="full", description="The picture: the whole page, or what its first screen shows."
    )
    pdf: bool = Field(default=False, description="Keep a printed copy of the rendered page.")
    accept_bad_certificate: bool = Field(
        default=False,
        description="Take the page though its server's certificate does not hold, on record as such: scope `admin`.",
    )
    max_age: Seconds | None = Field(default=None, description=MAX_AGE_DOC)
    start: Position = Field(default=0, description="Where in the text to begin, in code points: the `end` of before.")
    max_tokens: Budget | None = Field(default=None, description="Token budget of the text; none given: the whole text.")
    whole: bool = Field(default=False, description="Cut the text only between passages, where one fits at all.")
    store: bool = Field(default=True, description=STORE_DOC)
    session: Session | None = Field(default=None, description=SESSION_DOC)


class UploadRequest(Asked):
    """Bytes that the user has, kept as a capture of the method `upload`."""

    body: bytes = Field(description="The bytes as they are.", repr=False)
    url: Url | None = Field(default=None, description="Where they came from; none given: a name made from their hash.")
    at: Moment | None = Field(default=None, description="When they were seen; none given: now.")
    media_type: Text | None = Field(
        default=None, max_length=MAX_SESSION, description="Their media type; none given: found from name and content."
    )
    title: Text | None = Field(default=None, max_length=MAX_REASON, description="A title for what has none of its own.")
    name: Text | None = Field(default=None, max_length=1024, description="The file's name.")
    max_tokens: Budget | None = Field(default=None, description="Token budget of the text; none given: the whole text.")
    store: bool = Field(default=True, description=STORE_DOC)
    session: Session | None = Field(default=None, description=SESSION_DOC)


class ArchiveRequest(Asked):
    """A file with captures of others, or a bundle; its bytes come apart."""

    name: Text | None = Field(default=None, max_length=1024, description="The file's name.")


class BundleImport(Asked):
    """A bundle of another installation; its bytes come apart."""

    name: Text | None = Field(default=None, max_length=1024, description="The file's name.")
    trust_key: tuple[Annotated[Text, Field(min_length=1, max_length=1024)], ...] = Field(
        default=(),
        max_length=MAX_LIST,
        description="Public log keys: a bundle that none of them signed is refused. None given: any key will do.",
    )


class RemovalRequest(Asked):
    """What to remove. Several conditions narrow the choice, except `ids`, which names things outright."""

    ids: tuple[IdText, ...] = Field(default=(), max_length=MAX_REMOVALS, description="Ids, or unique prefixes of them.")
    url: Url | None = Field(default=None, description="All captures of this page, asked for or arrived at.")
    pattern: Text | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_URL,
        description="All captures whose address matches; `*` stands for anything.",
        examples=["https://www.example.org/private/*"],
    )
    session: Session | None = Field(default=None, description="What was captured for this session.")
    since: Moment | None = Field(default=None, description="Captured at or after this time.")
    until: Moment | None = Field(default=None, description="Captured before this time.")
    forks: bool = Field(default=False, description="With a session also those that were forked from it.")
    records: bool = Field(
        default=False, description="Also the records that name it: searches, fetches, rechecks, and watches that ended."
    )
    dry_run: bool = Field(default=False, description="Only list what would be removed.")
    reason: Text | None = Field(default=None, max_length=MAX_REASON, description="Kept in the deletion record.")

    @model_validator(mode="after")
    def _something(self) -> Self:
        chosen = (self.url, self.pattern, self.session, self.since, self.until)
        if not self.ids and all(part is None for part in chosen):
            raise ValueError(
                "give `ids`, `url`, `pattern`, `session`, `since` or `until`: nothing is removed by default"
            )
        return self


class BundleRequest(Asked):
    """What to take along as evidence that stands by itself. Everything that it names comes with it."""

    ids: tuple[IdText, ...] = Field(default=(), max_length=MAX_BUNDLED, description="Ids, or unique prefixes of them.")
    url: Url | None = Field(default=None, description="All captures of this page, asked for or arrived at.")
    search: IdText | None = Field(default=None, description="A search record, with what was served for it.")
    format: Literal["wacz", "jsonl", "markdown", "html", "annotations", "links", "anthropic"] = Field(
        default="wacz", description="`wacz` is the bundle itself; the others hold its quotations for use elsewhere."
    )
    stamp: bool = Field(default=False, description="Have the log time-stamped first, where nobody has yet.")

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.ids and self.url is None and self.search is None:
            raise ValueError("give `ids`, `url` or `search`: a bundle is of something")
        return self


class Scope(StrEnum):
    """What a key may do. `admin` includes the others, `fetch` does not include `search`."""

    SEARCH = "search"
    FETCH = "fetch"
    READ = "read"
    ADMIN = "admin"


class KeyRequest(Asked):
    """A new API key."""

    name: Text = Field(min_length=1, max_length=MAX_SESSION, description="What it is for.", examples=["my agent"])
    scopes: tuple[Scope, ...] = Field(min_length=1, description="What it may do; `admin` includes the others.")
    rate: Annotated[int, Field(ge=1, le=MAX_RATE)] | None = Field(
        default=None, description="Requests a minute; none given: what `CITATOR_KEY_RATE` says."
    )
    concurrency: Annotated[int, Field(ge=1, le=MAX_RATE)] | None = Field(
        default=None, description="Requests at a time; none given: what `CITATOR_KEY_CONCURRENCY` says."
    )


@dataclass(frozen=True)
class Caller:
    """Who asks, through which door.

    `session` is the caller's claim: the request's own, else the door's header. `claims` are the headers that say
    where the request comes from. `rate` and `concurrency` are its key's own limits. `form` writes the door's replies
    (None: the API's JSON), and `noted` is what the door was asked besides, for the record. `once` stands for its key
    of idempotency, and `told` hears how a search goes on.
    """

    key: str | None
    name: Text | None
    scopes: frozenset[str]
    surface: str
    session: str | None = None
    claims: Mapping[str, str] = field(default_factory=dict)
    rate: int | None = None
    concurrency: int | None = None
    form: Form | None = None
    noted: Mapping[str, Any] = field(default_factory=dict)
    once: str | None = None
    told: Callable[[dict[str, Any]], None] | None = None

    def may(self, scope: str) -> bool:
        """Whether this caller may do what `scope` covers."""
        return scope in self.scopes or Scope.ADMIN in self.scopes


@dataclass(frozen=True)
class Reply:
    """A reply that is already kept. Doors send exactly `body`. `record` and `serving` are None with `store=false`.

    A capture that gave nothing to read is a reply too: its body is problem details that also hold the members of a
    capture reply, `status` is the problem's and `media_type` is `application/problem+json`
    (see `service.errors.outcome_problem`).
    """

    body: bytes
    record: str | None
    serving: str | None
    media_type: str = "application/json"
    status: int = 200
    structured: bytes | None = None


class Readable(Protocol):
    """Bytes that are read from the beginning to the end."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end. Blocking."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


@dataclass(frozen=True)
class Made:
    """A file that was made for a caller: `size` bytes of `media_type`, `digest` their SHA-256 in hex.

    Whoever gets it reads `file` and closes it; nothing of it stays then. `told` is what there is to say about it.
    """

    file: Readable
    size: int
    digest: str
    media_type: str
    name: str
    told: dict[str, Any]


@dataclass(frozen=True)
class Evidence:
    """The exact bytes that `id` names. `kind` is the record's kind, `passage`, or `blob`."""

    body: bytes
    media_type: str
    id: str
    kind: str
