"""Makes pages for tests: short texts at made-up addresses."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from index import Block, Page, headings, split

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

SEEN = datetime(2026, 3, 1, 12, tzinfo=UTC)


def page(
    position: int,
    text: str,
    *,
    url: str | None = None,
    title: str | None = None,
    language: str | None = None,
    published: date | None = None,
    blocks: Sequence[Block] = (),
) -> Page:
    spans = tuple(split(text, blocks, language))
    return Page(
        capture=f"sha256:{position:064x}",
        document=f"sha256:{position + 10**9:064x}",
        url=url or f"https://harbour.test/{position}",
        retrieved_at=SEEN,
        position=position,
        text=text,
        spans=spans,
        headings=headings(text, blocks, spans),
        title=title,
        language=language,
        published=published,
    )
