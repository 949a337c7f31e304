"""Reads one page: bytes in, text and what is said about it out."""

from datetime import datetime

from crawler.reading import Reading


def read_page(
    body: bytes, *, media_type: str | None, charset: str | None, url: str, at: datetime, status: int | None = None
) -> Reading:
    """Read BODY, which was got from URL at AT.

    `media_type` and `charset` are what the Content-Type header said; `status` is the HTTP status if there was one.
    Never raises for what a page holds, but may take long and much memory on a hostile one: `ReaderPool` sets limits.
    """
    raise NotImplementedError
