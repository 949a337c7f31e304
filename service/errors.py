"""What every error means to a caller: HTTP status, problem type, exit status and a sentence. One table.

The libraries and the actions raise errors by what happened; statuses are decided here and nowhere else. The table holds
class names, not classes, so that a command that only talks to a server imports no library to report what that server
said. A test holds every name to a real class, and every class of the three trees to an entry.

A *problem* is told over HTTP as RFC 9457 problem details, on the command line as a sentence on stderr and an exit
status (and, with `--json`, the same problem details on stdout).
"""

import errno
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from service.failures import ServiceError

DONE: Final = 0
NOT_HELD: Final = 1
WRONG_USE: Final = 2
NOT_DONE: Final = 3

TYPE_PREFIX: Final = "urn:citator:problem:"
"""Problem types are names, not addresses: an installation has no address that would stay."""


class DoorError(ServiceError):
    """What a door itself refuses, before any action is asked."""


class KeyMissing(DoorError):
    """The request carries no key, or one that is unknown or revoked."""


class ScopeMissing(DoorError):
    """The key is good and may not do this."""


class ForeignOrigin(DoorError):
    """A page of another origin tries to write, or to use this machine's keyless access."""


class ForeignHost(DoorError):
    """The request is addressed to a name that this server was not told it has."""


class RequestTooLarge(DoorError):
    """The request's body is larger than is taken here."""


class RequestTooSlow(DoorError):
    """The request's body did not arrive in time."""


class RateLimited(DoorError):
    """This key asks too often. `retry_after` is in seconds."""

    def __init__(self, message: str, *, retry_after: int) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class LocalOnly(DoorError):
    """This can be asked only on the machine itself, through the data directory's socket."""


class NoRoute(DoorError):
    """Nothing answers at this path."""


class ServerUnreachable(DoorError):
    """The server that the command line was pointed to does not answer, or answers something else."""


@dataclass(frozen=True)
class Problem:
    """One problem as a caller is told it. `members` stand beside the standard ones in the problem details."""

    slug: str
    status: int
    exit: int
    title: str
    detail: str
    members: Mapping[str, Any] = field(default_factory=dict)

    def details(self) -> dict[str, Any]:
        """RFC 9457 problem details."""
        head = {"type": TYPE_PREFIX + self.slug, "title": self.title, "status": self.status, "detail": self.detail}
        return head | {name: value for name, value in self.members.items() if name not in head}


class ToldProblem(DoorError):
    """A problem that a server told, passed on as it was."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.detail)


@dataclass(frozen=True)
class Meaning:
    """One line of the table. `shown` names the error's attributes that are passed on as members."""

    slug: str
    status: int
    exit: int
    title: str
    shown: tuple[str, ...] = ()


NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
"""How the system says that a file cannot grow."""

INTERNAL: Final = Meaning("internal", 500, NOT_DONE, "Something went wrong in Citator itself.")

# Package and class name -> meaning. An error without a line takes the line of its nearest ancestor.
TABLE: Final[Mapping[str, Meaning]] = {
    # kept evidence
    "snapshots.EvidenceError": Meaning("evidence", 500, NOT_DONE, "The evidence could not be handled."),
    "snapshots.BadId": Meaning("bad-id", 400, WRONG_USE, "This is no id."),
    "snapshots.UnknownId": Meaning("unknown-id", 404, NOT_DONE, "Nothing is kept under this id.", ("id",)),
    "snapshots.AmbiguousId": Meaning("ambiguous-id", 409, WRONG_USE, "Several ids begin like this.", ("candidates",)),
    "snapshots.RemovedId": Meaning("removed", 410, NOT_DONE, "This was kept and has been removed.", ("id", "deletion")),
    "snapshots.DamagedObject": Meaning(
        "damaged-object", 500, NOT_DONE, "What is stored under this id is damaged and is not given out.", ("id",)
    ),
    "snapshots.LostObject": Meaning(
        "missing-object", 500, NOT_DONE, "The bucket lacks something that it should hold.", ("id",)
    ),
    "snapshots.BadRecord": Meaning("bad-record", 422, NOT_DONE, "These bytes are no record."),
    "snapshots.Unsound": Meaning("unsound", 422, NOT_HELD, "This is not what it should be."),
    "snapshots.BadTrust": Meaning("bad-trust", 400, WRONG_USE, "What you vouch for cannot be used."),
    "snapshots.ArchiveClosed": Meaning("closing", 503, NOT_DONE, "The service is stopping."),
    "snapshots.StoreError": Meaning("bucket", 503, NOT_DONE, "The bucket could not do what was asked."),
    "snapshots.StoreUnreachable": Meaning("bucket-unreachable", 503, NOT_DONE, "The bucket does not answer."),
    "snapshots.StoreFull": Meaning("disk-full", 507, NOT_DONE, "There is no room left to keep this."),
    "snapshots.StoreRefused": Meaning("bucket-refused", 503, NOT_DONE, "The bucket refuses.", ("setting",)),
    "snapshots.Conflict": Meaning("write-conflict", 503, NOT_DONE, "Another writer was faster."),
    "snapshots.Missing": Meaning("missing-object", 500, NOT_DONE, "The bucket lacks something that it should hold."),
    "snapshots.NoConditionalWrites": Meaning(
        "no-conditional-writes", 503, NOT_DONE, "This bucket cannot be shared by several writers."
    ),
    "snapshots.LogError": Meaning("log", 500, NOT_DONE, "The log could not do what was asked."),
    "snapshots.NoLog": Meaning("no-log", 503, NOT_DONE, "The bucket holds no log."),
    "snapshots.BadProof": Meaning("bad-proof", 422, NOT_HELD, "The proof does not hold."),
    "snapshots.BadStamp": Meaning("bad-stamp", 502, NOT_DONE, "There is no time stamp that holds."),
    "snapshots.LogReadOnly": Meaning(
        "log-read-only", 503, NOT_DONE, "The log is open without its key: nothing is kept."
    ),
    "snapshots.WrongLogKey": Meaning("wrong-log-key", 503, NOT_DONE, "This key is not the log's."),
    "snapshots.LogDamaged": Meaning("log-damaged", 500, NOT_DONE, "The log contradicts itself."),
    "snapshots.CatalogueError": Meaning("catalogue", 500, NOT_DONE, "The catalogue could not do what was asked."),
    "snapshots.CatalogueBusy": Meaning("catalogue-busy", 503, NOT_DONE, "The catalogue is held by another or away."),
    "snapshots.CatalogueDamaged": Meaning("database-damaged", 503, NOT_DONE, "A database file is damaged."),
    "snapshots.CatalogueVersion": Meaning(
        "data-version", 503, NOT_DONE, "The data directory was made by another version."
    ),
    "snapshots.BundleError": Meaning("bundle", 500, NOT_DONE, "The bundle could not be made."),
    "snapshots.NothingToBundle": Meaning("nothing-kept", 404, NOT_DONE, "Nothing is kept of what was asked for."),
    # asking the web
    "crawler.CrawlError": Meaning("crawl", 502, NOT_DONE, "The page could not be fetched."),
    "crawler.BadAddress": Meaning("bad-address", 400, WRONG_USE, "This is no address that can be fetched."),
    "crawler.BadArchive": Meaning("bad-archive", 422, NOT_DONE, "This file cannot be read."),
    "crawler.AddressRefused": Meaning("address-refused", 403, NOT_DONE, "Addresses like this are not fetched here."),
    "crawler.RobotsRefused": Meaning("robots-refused", 403, NOT_DONE, "The site's robots.txt does not want this."),
    "crawler.NoBrowser": Meaning(
        "no-browser", 503, NOT_DONE, "There is no browser here to render pages with; see CITATOR_CHROMIUM."
    ),
    "crawler.NotRendered": Meaning("not-rendered", 502, NOT_DONE, "The browser could not show the page."),
    # the search index
    "index.QueryError": Meaning("index", 500, NOT_DONE, "The search index could not do what was asked."),
    "index.BadOption": Meaning("bad-query", 400, WRONG_USE, "This query cannot be asked."),
    "index.IndexDamaged": Meaning(
        "index-damaged", 503, NOT_DONE, "The search index is damaged; `citator rebuild` makes it anew."
    ),
    "index.IndexBusy": Meaning("index-busy", 503, NOT_DONE, "The search index is held by another process."),
    "index.IndexVersion": Meaning(
        "index-version", 503, NOT_DONE, "The search index is of another version; `citator rebuild` makes it anew."
    ),
    # the service
    "service.ServiceError": Meaning("refused", 400, NOT_DONE, "This could not be done."),
    "service.BadSetting": Meaning("bad-setting", 500, WRONG_USE, "A setting cannot be used."),
    "service.BadRequest": Meaning(
        "bad-request", 422, WRONG_USE, "This request makes no sense as it stands.", ("errors",)
    ),
    "service.DataInUse": Meaning("data-in-use", 503, NOT_DONE, "Another process has the data directory open."),
    "service.DataVersion": Meaning("data-version", 503, NOT_DONE, "The data directory was made by another version."),
    "service.UnknownCrawl": Meaning("unknown-crawl", 404, NOT_DONE, "There is no such crawl."),
    "service.CrawlOver": Meaning("crawl-over", 409, WRONG_USE, "This crawl is over."),
    "service.UnknownKey": Meaning("unknown-key", 404, NOT_DONE, "There is no such key."),
    "service.UnknownWatch": Meaning("unknown-watch", 404, NOT_DONE, "There is no such watch."),
    "service.WatchEnded": Meaning("watch-ended", 409, WRONG_USE, "This watch is over."),
    "service.UnknownRule": Meaning("unknown-rule", 404, NOT_DONE, "There is no such retention rule."),
    "service.UnknownHold": Meaning("unknown-hold", 404, NOT_DONE, "There is no such hold."),
    "service.HeldBack": Meaning("held", 409, NOT_DONE, "This is held, and is not removed.", ("held",)),
    "service.UnknownSession": Meaning("unknown-session", 404, NOT_DONE, "There is no such session."),
    "service.SessionLocked": Meaning(
        "session-locked", 409, NOT_DONE, "A run holds this session.", ("session", "locked_by", "until")
    ),
    "service.ModelFailed": Meaning("model-failed", 502, NOT_DONE, "The model gave no answer."),
    "service.ModelMismatch": Meaning("model-mismatch", 409, NOT_DONE, "The session has another model.", ("changed",)),
    "service.SessionForked": Meaning(
        "session-forked", 409, NOT_DONE, "Other sessions were forked from this one and need its events.", ("forks",)
    ),
    "service.SessionDeleted": Meaning("session-deleted", 410, NOT_DONE, "This session was deleted."),
    "service.KeyReused": Meaning("key-reused", 409, WRONG_USE, "This Idempotency-Key stands for another request."),
    "service.StaleHead": Meaning("stale-head", 412, NOT_DONE, "The session has gone on.", ("session", "head")),
    "service.BackupRefused": Meaning("backup-refused", 409, NOT_DONE, "Nothing can be backed up to or restored there."),
    "service.BundleRefused": Meaning(
        "bundle-refused", 422, NOT_HELD, "This bundle does not verify, and is not taken in.", ("claims",)
    ),
    "service.Unreadable": Meaning("unreadable", 400, NOT_DONE, "This cannot be read."),
    "service.Closing": Meaning("closing", 503, NOT_DONE, "The service is stopping."),
    # the doors
    "service.KeyMissing": Meaning("key-missing", 401, NOT_DONE, "A key is needed, and this one is not known."),
    "service.ScopeMissing": Meaning("scope-missing", 403, NOT_DONE, "This key may not do that."),
    "service.ForeignOrigin": Meaning("foreign-origin", 403, NOT_DONE, "Pages of other origins may not do this."),
    "service.ForeignHost": Meaning("foreign-host", 421, NOT_DONE, "This server does not go by that name."),
    "service.RequestTooLarge": Meaning("request-too-large", 413, NOT_DONE, "The request is too large."),
    "service.RequestTooSlow": Meaning("request-too-slow", 408, NOT_DONE, "The request did not arrive in time."),
    "service.RateLimited": Meaning("rate-limited", 429, NOT_DONE, "This key asks too often.", ("retry_after",)),
    "service.LocalOnly": Meaning("local-only", 403, NOT_DONE, "This can be asked only on the machine itself."),
    "service.NoRoute": Meaning("no-route", 404, WRONG_USE, "Nothing answers at this path."),
    "service.ServerUnreachable": Meaning("server-unreachable", 503, NOT_DONE, "The server does not answer."),
}


def meaning_of(error: BaseException) -> Meaning | None:
    """The table's line for this error, or None if neither it nor an ancestor has one."""
    for kind in type(error).__mro__:
        found = TABLE.get(f"{kind.__module__.partition('.')[0]}.{kind.__name__}")
        if found is not None:
            return found
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return TABLE["snapshots.StoreFull"]
    return None


def problem_of(error: BaseException) -> Problem:
    """What `error` means to a caller. What the table does not know is `internal`, and its text is not told."""
    if isinstance(error, ToldProblem):
        return error.problem
    means = getattr(error, "means", None)
    if isinstance(means, Exception):  # it says more than that one, and means the same
        return replace(problem_of(means), detail=str(error))
    meaning = meaning_of(error)
    if meaning is None:
        return Problem(INTERNAL.slug, INTERNAL.status, INTERNAL.exit, INTERNAL.title, "See the service's log.")
    members = {name: getattr(error, name) for name in meaning.shown if hasattr(error, name)}
    return Problem(meaning.slug, meaning.status, meaning.exit, meaning.title, str(error), members)


def problem_told(details: Mapping[str, Any], status: int) -> Problem:
    """The problem that a server told in problem details, with the exit status this table gives its type."""
    slug = str(details.get("type", "")).removeprefix(TYPE_PREFIX)
    known = {meaning.slug: meaning.exit for meaning in (*TABLE.values(), *OUTCOMES.values())}
    head = {"type", "title", "status", "detail"}
    return Problem(
        slug=slug or INTERNAL.slug,
        status=status,
        exit=known.get(slug, NOT_DONE),
        title=str(details.get("title", "The server reported a problem.")),
        detail=str(details.get("detail", "")),
        members={name: value for name, value in details.items() if name not in head},
    )


# Outcome of a capture, or the beginning of its reason, or its page state -> meaning.
OUTCOMES: Final[Mapping[str, Meaning]] = {
    "robots": Meaning("robots-refused", 403, NOT_DONE, "By the site's robots.txt this page is not fetched."),
    "refused": Meaning("address-refused", 403, NOT_DONE, "Addresses like this are not fetched here."),
    "timeout": Meaning("time-out", 504, NOT_DONE, "The page did not come in time."),
    "too_large": Meaning("page-too-large", 502, NOT_DONE, "The page is larger than is taken."),
    "rate_limited": Meaning("site-rate-limited", 502, NOT_DONE, "The site says that it is asked too often."),
    "error": Meaning("site-unreachable", 502, NOT_DONE, "The site does not answer as sites should."),
    "proxy": Meaning("proxy-failed", 502, NOT_DONE, "The proxy that is set up makes no connection."),
    "unreadable": Meaning("unreadable-page", 422, NOT_DONE, "No text could be read from this page."),
    "empty": Meaning("empty-page", 422, NOT_DONE, "The page came and has no text."),
}


def outcome_problem(outcome: str, *, reason: str | None, page_state: str, detail: str | None) -> Problem | None:
    """What a capture that gave nothing to read means to the caller; None if it gave a page.

    A failed capture is kept and replied to like any other. Its reply is problem details that also hold the members of
    a capture reply: merge `Problem.details()` into the reply's body, give the reply `Problem.status` and
    `application/problem+json`.
    """
    code = reason or ""
    if outcome in ("ok", "incomplete"):
        key = "empty" if page_state == "empty" else None
    elif "robots" in code:
        key = "robots"
    elif code.startswith("proxy_"):
        key = "proxy"
    elif "unreadable" in code:
        key = "unreadable"
    else:
        key = outcome if outcome in OUTCOMES else "error"
    if key is None:
        return None
    meaning = OUTCOMES[key]
    told = detail or meaning.title
    if code == "address_refused" and "blocked_port" not in told:
        told += "; CITATOR_ALLOW_ADDRESSES opens ranges of addresses"
    return Problem(meaning.slug, meaning.status, meaning.exit, meaning.title, told)
