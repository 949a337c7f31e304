"""What answers about citations look like, for the OpenAPI document."""

from typing import Any, Literal

from pydantic import Field

from service.replies import Told


class RecheckedTold(Told):
    """A page that was visited again, and what was cited of it from one capture."""

    record: str = Field(description="The recheck record.")
    url: str
    verdict: str = Field(description="What became of the page as a whole.", examples=["changed"])
    page_state: str
    passages: list[dict[str, Any]] = Field(description="`passage`, `verdict`, `quote`, `matched`, `differences`, …")


class RecheckTold(Told):
    """What became of what was cited. `holds` is false if something does not stand there any more."""

    record: str | None = Field(description="The first recheck record; null with `store=false`.")
    checked_at: str
    holds: bool
    conclusive: bool = Field(description="False if a page could not be judged.")
    counts: dict[str, int] = Field(description="Passages by verdict.")
    pages: list[RecheckedTold]
    document: dict[str, Any] | None = Field(
        default=None, description="Of a document: its `format`, and `citations` with line, quote, source and verdict."
    )


class CitationTold(Told):
    """One citation and what bears it out."""

    line: int
    quote: str | None
    verdict: Literal["supported", "edited", "misattributed", "not_in_evidence", "named"]
    reason: str | None
    support: dict[str, Any] | None = Field(description="The passage or page that says it, or something else instead.")
    elsewhere: list[dict[str, Any]] = Field(description="Other kept pages that say it.")


class CitationsTold(Told):
    """What bears out a text. `holds` is false if a citation is not borne out as it stands."""

    holds: bool
    counts: dict[str, int]
    citations: list[CitationTold]
    too_short: int = Field(description="Words in quotation marks too few to be a quotation.")
