"""What the tests of fetching share: a fetcher that may go to loopback and does not wait for anybody's pace."""

from typing import Any

from crawler import Clock, Fetcher, FetchSettings, Resolver

LOOPBACK = ("127.0.0.0/8", "::1/128")


def fetcher(*, resolver: Resolver | None = None, clock: Clock | None = None, **settings: Any) -> Fetcher:
    """Make a fetcher; `settings` go over those of the tests."""
    given = {"allow_addresses": LOOPBACK, "delay": 0.0, "connect_timeout": 2.0, "read_timeout": 2.0, "deadline": 10.0}
    return Fetcher(FetchSettings(**{**given, **settings}), resolver=resolver, clock=clock)
