"""What verifying gives: claims, each with its result, the trust it rests on, and what failed."""

from dataclasses import dataclass, field

HOLDS = "holds"
FAILS = "fails"
NOT_CHECKABLE = "not-checkable"

MAX_FAILURES = 100
"""Failures of one claim that are listed; a file that is wrong everywhere is not told line by line."""

MAX_TOLD = 300
"""Characters of a place or detail that are told: what is wrong may be of any length."""

CLAIMS = (
    "container",
    "members",
    "statement",
    "signer",
    "wacz-signature",
    "records",
    "closure",
    "blobs",
    "passages",
    "log",
    "time",
    "text",
    "replay",
)
"""All claims, in the order in which they are told."""


@dataclass(frozen=True)
class Failure:
    """One thing that is wrong: `reason` for machines, `where` (a member, line or id), `detail` for a person."""

    reason: str
    where: str
    detail: str


@dataclass(frozen=True)
class Claim:
    """What was checked, whether it holds, and on what that rests. `unlisted` failures were more than are listed."""

    claim: str
    result: str
    detail: str
    trust: str
    failures: tuple[Failure, ...] = ()
    unlisted: int = 0


@dataclass(frozen=True)
class Verification:
    """All claims about one file. It holds if no claim fails and every required one holds."""

    file: str
    claims: tuple[Claim, ...]
    required: frozenset[str] = frozenset()

    @property
    def holds(self) -> bool:
        """Whether nothing fails, and nothing that had to be checked was not."""
        return not any(
            claim.result == FAILS or (claim.claim in self.required and claim.result != HOLDS) for claim in self.claims
        )


@dataclass
class Faults:
    """Collects what is wrong with one claim while its members are read."""

    claim: str
    failures: list[Failure] = field(default_factory=list)
    count: int = 0

    def add(self, reason: str, where: str, detail: str) -> None:
        """Notes a failure; after the first MAX_FAILURES they are only counted."""
        self.count += 1
        if len(self.failures) < MAX_FAILURES:
            self.failures.append(Failure(reason, cut_short(where), cut_short(detail)))

    def verdict(self, detail: str, trust: str) -> Claim:
        """The claim: it fails if anything was noted, and holds as `detail` says otherwise."""
        if not self.count:
            return Claim(self.claim, HOLDS, detail, trust)
        first = self.failures[0]
        more = f" (and {self.count - 1} more)" if self.count > 1 else ""
        told = f"{first.where}: {first.detail}{more}"
        return Claim(self.claim, FAILS, told, trust, tuple(self.failures), self.count - len(self.failures))


def not_checkable(claim: str, detail: str) -> Claim:
    """A claim about which nothing can be said, and why."""
    return Claim(claim, NOT_CHECKABLE, detail, "")


def cut_short(text: str) -> str:
    """`text` on one line, without what a terminal would obey, and not longer than MAX_TOLD characters."""
    plain = "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text[: MAX_TOLD + 1])
    return plain if len(plain) <= MAX_TOLD else plain[:MAX_TOLD] + "…"
