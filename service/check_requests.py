"""What can be asked of what was cited: do sources still say it, and is a text borne out by what is kept."""

from __future__ import annotations

from typing import Final, Literal, Self

from pydantic import Field, model_validator

from service.requests import MAX_QUERY, SESSION_DOC, STORE_DOC, Asked, IdText, Session, Text, Url

MAX_REPORT: Final = 2_000_000
"""Characters of a text whose citations are checked: a thick book."""

MAX_DATA: Final = 64 * 1024 * 1024
"""Characters of a file in base64."""

DocumentFormat = Literal["markdown", "text", "html", "bibtex", "pdf", "bundle"]

MAX_CHECKED: Final = 1_000
"""Things to check in one request; each may mean a visit to a page, and whoever asks waits for it."""


class QuotationAsked(Asked):
    """A quotation and the address that it is said to stand at."""

    url: Url
    quote: Text = Field(min_length=1, max_length=MAX_QUERY, description="What was quoted.")
    prefix: Text = Field(default="", max_length=MAX_QUERY, description="What stood before it.")
    suffix: Text = Field(default="", max_length=MAX_QUERY, description="What stood after it.")


class DocumentAsked(Asked):
    """A document whose quotations and links are checked. It is not kept itself."""

    text: Text | None = Field(default=None, max_length=MAX_REPORT, description="What stands in it.")
    data: Text | None = Field(
        default=None, max_length=MAX_DATA, description="Its bytes in base64: for PDF, or whatever is at hand as a file."
    )
    format: DocumentFormat | None = Field(
        default=None,
        description="How it is written; `bundle` is one of Citator's. Without, it is told by how it begins.",
    )

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.text is None) == (self.data is None):
            raise ValueError("give `text` or `data`")
        if self.text is not None and self.format in {"pdf", "bundle"}:
            raise ValueError(f"give a {self.format} as `data`")
        return self


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
    document: DocumentAsked | None = Field(
        default=None,
        description="A report, page, bibliography or bundle: what it quotes, and the pages that it links to.",
    )
    session: Session | None = Field(default=None, description=SESSION_DOC)
    store: bool = Field(default=True, description=STORE_DOC)

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not (self.ids or self.urls or self.quotations or self.of_session or self.document):
            raise ValueError("give `ids`, `urls`, `of_session`, `quotations` or `document`")
        return self


class CitationsRequest(Asked):
    """A text whose citations are to be checked against what is kept. It is not kept itself."""

    text: Text = Field(max_length=MAX_REPORT, description="An answer or report with quotations, passage ids or links.")
    format: Literal["markdown", "text", "html"] = Field(default="markdown", description="How it is written.")
