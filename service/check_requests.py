"""What can be asked of what was cited: do sources still say it, and is a text borne out by what is kept."""

from __future__ import annotations

from typing import Final, Literal, Self

from pydantic import Field, model_validator

from service.requests import MAX_QUERY, SESSION_DOC, STORE_DOC, Asked, IdText, Session, Text, Url

MAX_REPORT: Final = 2_000_000
"""Characters of a text whose citations are checked: a thick book."""

MAX_CHECKED: Final = 1_000
"""Things to check in one request; each may mean a visit to a page, and whoever asks waits for it."""


class QuotationAsked(Asked):
    """A quotation and the address that it is said to stand at."""

    url: Url
    quote: Text = Field(min_length=1, max_length=MAX_QUERY, description="What was quoted.")
    prefix: Text = Field(default="", max_length=MAX_QUERY, description="What stood before it.")
    suffix: Text = Field(default="", max_length=MAX_QUERY, description="What stood after it.")


class RecheckRequest(Asked):
    """What to check again. Every page is visited once, however much was cited of it, and again before an alarm."""

    ids: tuple[IdText, ...] = Field(
        default=(),
        max_length=MAX_CHECKED,
        description="Passages, captures, searches, fetches, crawls or earlier rechecks: ids, or unique prefixes.",
    )
    urls: tuple[Url, ...] = Field(
        default=(), max_length=MAX_CHECKED, description="Pages: all passages of the last good capture of each."
    )
    of_session: Session | None = Field(default=None, description="All that was served for this session.")
    quotations: tuple[QuotationAsked, ...] = Field(
        default=(), max_length=MAX_CHECKED, description="Quotations and where they are said to stand."
    )
    session: Session | None = Field(default=None, description=SESSION_DOC)
    store: bool = Field(default=True, description=STORE_DOC)

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not (self.ids or self.urls or self.quotations or self.of_session):
            raise ValueError("give `ids`, `urls`, `of_session` or `quotations`")
        return self


class CitationsRequest(Asked):
    """A text whose citations are to be checked against what is kept. It is not kept itself."""

    text: Text = Field(max_length=MAX_REPORT, description="An answer or report with quotations, passage ids or links.")
    format: Literal["markdown", "text", "html"] = Field(default="markdown", description="How it is written.")
