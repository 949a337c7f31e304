"""Pages for reading tests: filler that looks like prose, and one call that reads a page as if it had just been got."""

from datetime import UTC, datetime

from crawler import Reading, read_page

AT = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
URL = "https://harbour.example/news/lock-gates"

PROSE = (
    "The harbour office publishes its notice each spring, so that skippers can plan the season before it begins.",
    "Visitors who stay longer than one night pay the winter rate, which the council looked at and left alone.",
    "Repairs to the eastern lock begin after the holidays and take about six weeks if the weather holds.",
    "Boats of more than twelve metres use the outer basin, where the depth was measured again last year.",
)


def paragraphs(*texts: str) -> str:
    return "".join(f"<p>{text}</p>" for text in texts or PROSE)


def page(body: str, head: str = "", attributes: str = ' lang="en"') -> str:
    return f'<!doctype html><html{attributes}><head><meta charset="utf-8">{head}</head><body>{body}</body></html>'


def read(html: str | bytes, *, url: str = URL, media_type: str | None = "text/html", charset: str | None = None,
         status: int | None = 200, at: datetime = AT, asked: str | None = None,
         headers: tuple[tuple[str, str], ...] = ()) -> Reading:  # fmt: skip
    body = html.encode() if isinstance(html, str) else html
    return read_page(body, media_type=media_type, charset=charset, url=url, at=at, status=status, asked=asked,
                     headers=headers)  # fmt: skip
