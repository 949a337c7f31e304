"""When to ask once more within one fetch, and after how long."""

import random
from typing import Final

from crawler.errors import BrokenExchange, CrawlError

PASSING: Final = frozenset({429, 500, 502, 503, 504})
"""Statuses that may be otherwise in a moment."""
FIRST_WAIT: Final = 0.5
"""Seconds before the second attempt; twice as many before each further one."""
MAX_WAIT: Final = 10.0
"""Seconds that a fetch waits for a site at most; who asks for more is left alone until then (`crawler.pace`)."""


def wait_before(attempt: int, *, status: int | None, failure: CrawlError | None, asked: float | None) -> float | None:
    """Seconds to wait before asking again after attempt number ATTEMPT (from 0); None if that makes no sense.

    `asked` is what the site's Retry-After says. Part of the wait is chance, so that many who were turned away together
    do not come back together.
    """
    passing = status in PASSING if failure is None else isinstance(failure, BrokenExchange)
    if not passing or (failure is not None and failure.reason != "connection_lost"):
        return None
    wait = FIRST_WAIT * 2**attempt * (1 + random.random())  # noqa: S311 - nothing is secret about it
    if asked is not None:
        wait = max(asked, FIRST_WAIT * random.random())  # noqa: S311 - as above
    return wait if wait <= MAX_WAIT else None
