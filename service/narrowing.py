"""What a search is narrowed to: by the options of the request and by operators in the query, for everybody alike."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from crawler import Query
from index import read_query
from service.requests import SearchRequest

INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True)
class Narrowed:
    """The limits of one search. Days are inclusive.

    A page must lie within one of each of `within`, be in one of `languages` if there are any, and in none of
    `other_languages`. `text` is the query as it was typed, without the operators that became limits.
    """

    text: str
    within: tuple[tuple[str, ...], ...]
    without: tuple[str, ...]
    languages: tuple[str, ...]
    other_languages: tuple[str, ...]
    after: date | None
    before: date | None

    def query(self, limit: int, today: date) -> Query:
        """What providers are asked. They take one list of domains: the one that a caller or the query gave last."""
        return Query(
            text=self.text,
            limit=limit,
            language=self.languages[0] if len(self.languages) == 1 else None,
            published_after=self.after,
            published_before=self.before,
            include_domains=self.within[-1] if self.within else (),
            exclude_domains=self.without,
            today=today,
        )

    def speaks(self, language: str | None) -> bool:
        """Whether a page in this language is looked for; one whose language nobody knows is."""
        if language is None:
            return True
        spoken = _base(language)
        wanted = {_base(one) for one in self.languages}
        return (not wanted or spoken in wanted) and spoken not in {_base(one) for one in self.other_languages}


def narrowed(request: SearchRequest) -> Narrowed:
    """The limits of a request."""
    asked = read_query(request.query)
    first = request.published_after.date() if request.published_after else None
    last = last_day(request.published_before)
    return Narrowed(
        text=asked.plain or request.query,
        within=tuple(sites for sites in (request.include_domains, asked.sites) if sites),
        without=(*request.exclude_domains, *asked.other_sites),
        languages=(request.language,) if request.language else asked.languages,
        other_languages=asked.other_languages,
        after=max(filter(None, (first, asked.after)), default=None),
        before=min(filter(None, (last, asked.before)), default=None),
    )


def last_day(before: datetime | None) -> date | None:
    """The last day that lies before a time, at least in part."""
    if before is None:
        return None
    return (before - INSTANT).date() if before > datetime.min.replace(tzinfo=UTC) else before.date()


def _base(language: str) -> str:
    return language.replace("_", "-").partition("-")[0].lower()
