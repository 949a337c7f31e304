"""`recheck`: a page was visited again, and what became of the passages that were taken from it. Holds no text."""

from collections.abc import Iterator
from typing import Literal, Self

from pydantic import model_validator

from snapshots.answers import PassageRef
from snapshots.capture import PageState
from snapshots.document import Extractor
from snapshots.record import Code, Count, Id, LoggedRecord, Part, Seq, Time

PageVerdict = Literal["unchanged", "changed", "gone", "redirected", "inconclusive"]
PassageVerdict = Literal[
    "exact", "typography", "moved", "edited", "ambiguous", "absent", "page_gone", "redirected", "inconclusive"
]


class RecheckEdit(Part):
    """One difference: `passage[quote_start:quote_end]` became `text[page_start:page_end]` of the new page."""

    change: Literal["insert", "delete", "replace"]
    quote_start: Count
    quote_end: Count
    page_start: Count
    page_end: Count


class PassageCheck(Part):
    """What became of one passage. `text[start:end]` of the new capture's document stands for it; null if nothing does.

    `passage` is null for a quotation that was not taken from a kept page. `where` says which text of the document is
    meant: `text` or `visible`.
    """

    passage: PassageRef | None
    verdict: PassageVerdict
    where: Literal["text", "visible"] | None = None
    start: Count | None = None
    end: Count | None = None
    occurrences: Count = 0
    flags: Seq[Code] = ()
    edits: Seq[RecheckEdit] = ()
    edits_total: Count = 0

    @model_validator(mode="after")
    def _place_is_whole(self) -> Self:
        if len({self.where is None, self.start is None, self.end is None}) > 1:
            raise ValueError("a place has a text, a start and an end, or none of them")
        if self.edits_total < len(self.edits):
            raise ValueError("edits_total is less than the edits that are listed")
        return self


class Recheck(LoggedRecord):
    """One page visited again. `old` is the capture its passages were taken from; null if none was kept.

    `visits` are the captures made for it, in order; `new` is the one that was judged. `extractors` read both sides.
    `watch` is the record of the watch that asked for it, if one did.
    """

    kind: Literal["recheck"] = "recheck"
    version: Literal[1] = 1
    at: Time
    url: str
    old: Id | None
    new: Id | None
    visits: Seq[Id] = ()
    page: PageVerdict
    page_state: PageState
    redirected: str | None = None
    reason: str | None = None
    extractors: Seq[Extractor] = ()
    passages: Seq[PassageCheck] = ()
    watch: Id | None = None

    def named(self) -> Iterator[str]:
        """The captures on both sides, the passages with theirs, and the watch."""
        for name in (self.old, self.new, *self.visits, self.watch):
            if name is not None:
                yield name
        for one in self.passages:
            if one.passage is not None:
                yield one.passage.id
                yield one.passage.capture
