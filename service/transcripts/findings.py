"""What an audit gathers while it reads: bounded lists with exact counts. Values that become the report."""

from dataclasses import dataclass, field
from typing import Any, Final

from service.transcripts.comparing import Compared, Verdict

MAX_LISTED: Final = 10_000
"""Results listed one by one; all are counted. A report of more is read by nobody."""

MAX_LINES: Final = 100
"""Line numbers given for one kind of finding; all are counted."""

WHOLE: Final[frozenset[Verdict]] = frozenset({"exact", "exact_after_client_wrapper"})
WRONG: Final[frozenset[Verdict]] = frozenset({"altered", "unknown_hash"})
HOSTED: Final[frozenset[Verdict]] = frozenset({"sealed", "hosted_url_only"})
PASSING: Final[frozenset[Verdict]] = frozenset(
    {"exact", "exact_after_client_wrapper", "partial", "spilled", "unreferenced"}
)
"""Verdicts that give way to `later_removed`; what is wrong stays wrong."""


@dataclass
class Result:
    """One result of a tool, or of a hosted search, with what can be said of it."""

    line: int
    place: int
    """The step it stands in, counted from 1."""
    step: str | None
    lane: str
    at: str | None
    tool: str
    call: str | None
    compared: Compared
    web: bool
    record: str | None = None
    copy: str | None = None
    """The verdict on the second copy of the result that the transcript holds."""
    spill: str | None = None
    spill_read: int | None = None
    candidates: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    removed_by: tuple[str, int] | None = None
    on_path: bool = True

    @property
    def verdict(self) -> Verdict:
        """The verdict, with what happened later taken into account."""
        return "later_removed" if self.removed_by and self.compared.verdict in PASSING else self.compared.verdict

    def told(self) -> dict[str, Any]:
        """As replies tell it."""
        found = self.compared
        fields: dict[str, Any] = {
            "line": self.line,
            "tool": self.tool,
            "call": self.call,
            "at": self.at,
            "verdict": self.verdict,
            "compared": found.verdict,
            "reason": found.reason,
            "how": list(found.how),
            "record": self.record or (found.served.record if found.served else None),
            "serving": found.served.serving if found.served else None,
            "web": self.web,
        }
        if found.whole or found.lost:
            fields["passages"] = {"whole": list(found.whole), "lost": list(found.lost)}
        if self.removed_by:
            fields["removed_by"] = {"how": self.removed_by[0], "line": self.removed_by[1]}
        if self.spill:
            fields["spill"] = {"file": self.spill, "read_at_line": self.spill_read}
        optional = {"copy": self.copy, "candidates": list(self.candidates), "urls": list(self.urls)}
        fields |= {key: value for key, value in optional.items() if value}
        if not self.on_path:
            fields["branch"] = "other"
        return fields


@dataclass
class Tally:
    """How often something was found, and on which lines first."""

    count: int = 0
    lines: list[int] = field(default_factory=list)

    def add(self, line: int) -> None:
        """Count one."""
        self.count += 1
        if len(self.lines) < MAX_LINES and (not self.lines or self.lines[-1] != line):
            self.lines.append(line)

    def told(self, what: str) -> dict[str, Any]:
        """As replies tell it."""
        return {"what": what, "count": self.count, "lines": list(self.lines)}


class Tallies:
    """Tallies by name, made when first counted."""

    def __init__(self) -> None:
        self.by_name: dict[str, Tally] = {}

    def add(self, what: str, line: int) -> None:
        """Count one of `what`."""
        self.by_name.setdefault(what, Tally()).add(line)

    def count(self, *names: str) -> int:
        """How many of these there were."""
        return sum(self.by_name[one].count for one in names if one in self.by_name)

    def told(self, *names: str) -> list[dict[str, Any]]:
        """Those of these names that were found."""
        return [self.by_name[one].told(one) for one in names if one in self.by_name]


@dataclass
class Copy:
    """Something that lies with a provider."""

    where: str
    value: str
    expiring: bool
    tally: Tally = field(default_factory=Tally)
