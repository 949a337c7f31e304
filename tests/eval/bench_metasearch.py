"""Asking around: three providers and eight static pages on loopback, the whole HTTP call with all of it durable.

Each page lies at an address of its own, so that no pace between requests to one host counts. What a call is compared
with is its slowest part, as its own record tells: asking the providers, fetching and reading the pages, or the rest.
"""

import itertools
import json
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.acceptance.installation import Installation, Server
from tests.eval.bench_index import Prose
from tests.eval.measure import line, percentile
from tests.service.provider_shapes import SHAPES, finding, settings_of
from tests.sites import Route, Site

CALLS = 40
PAGES = 8
DEADLINE = 2.0
LATE_CALLS = 10


def article(prose: Prose, title: str) -> str:
    paragraphs = "".join(f"<p>{prose.text(90).capitalize()}.</p>" for _ in range(8))
    body = f"<article><h1>{title}</h1>{paragraphs}</article>"
    return f'<html lang="en"><head><title>{title}</title></head><body>{body}</body></html>'


@contextmanager
def sites() -> Iterator[list[Site]]:
    """Eight servers at addresses of their own."""
    with ExitStack() as stack:
        yield [stack.enter_context(Site([], address=f"127.0.0.{2 + n}")) for n in range(PAGES)]


def call(server: Server, query: str, **options: Any) -> tuple[float, dict[str, Any]]:
    """Seconds of a search, and what it told."""
    begun = time.perf_counter()
    status, body = server.post("/api/v1/search", {"query": query, "max_results": PAGES} | options)
    took = time.perf_counter() - begun
    assert status == 200, body
    return took, json.loads(body)


def parts(took: float, told: dict[str, Any]) -> list[float]:
    """Seconds of each part of a call."""
    known = [told["timings"][name] / 1000 for name in ("providers", "fetch", "passages")]
    return [*known, took - sum(known)]


def run() -> None:
    print(f"\nAsking three providers and opening {PAGES} pages")
    with tempfile.TemporaryDirectory() as place, sites() as pages, Site([]) as services:
        rates = ",".join(f"{name}=0" for name in SHAPES)
        settings = settings_of(services) | {"provider_rates": rates}
        env = {f"CITATOR_{name.upper()}": str(value) for name, value in settings.items()}
        prose, draw = Prose(5), random.Random(5)
        with Installation(Path(place) / "data", env).serving() as server:
            fresh = [once(server, services, pages, prose, draw, number) for number in range(CALLS + 5)][5:]
            query = " ".join(prose.queries(1))
            again = [call(server, query) for _ in range(CALLS + 5)][5:]
            assert all(one["from_store"] for _, told in again for one in told["results"])
        hurried = env | {"CITATOR_SEARCH_DEADLINE": str(DEADLINE)}
        with Installation(Path(place) / "data", hurried).serving() as server:
            for site in pages:  # the workers start when they are first needed
                site.routes = [Route("/", body=article(prose, "Notice"))]
                server.post("/api/v1/captures", {"url": site.url("/"), "max_age": 0})
            late = over_the_deadline(server, services, pages, prose)
    whole, repeated = ([took for took, _ in calls] for calls in (fresh, again))
    slowest = [max(parts(took, told)) for took, told in fresh]
    ratio = percentile([one / other for one, other in zip(whole, slowest, strict=True)], 0.5)
    line("p50 of the whole call", milliseconds(whole, 0.5), f"its slowest part {milliseconds(slowest, 0.5)}")
    line("ratio, p50", f"{ratio:.2f}", "", "under 3")
    shares = zip(*(parts(*one) for one in fresh), strict=True)
    for name, share in zip(("providers", "fetch and read", "passages", "the rest"), shares, strict=True):
        line(f"  of it {name}", milliseconds(share, 0.5))
    line(
        "the same again, all fresh, p50",
        milliseconds(repeated, 0.5),
        f"p99 {milliseconds(repeated, 0.99)}",
        "under 30 ms",
    )
    shares = zip(*(parts(*one) for one in again), strict=True)
    for name, share in zip(("providers", "store", "passages", "the rest"), shares, strict=True):
        line(f"  of it {name}", milliseconds(share, 0.5))
    most = f"at most {milliseconds(late, 1)}"
    line("beyond the deadline, a page hanging, p50", milliseconds(late, 0.5), most, "under 200 ms")


def once(
    server: Server, services: Site, pages: Sequence[Site], prose: Prose, draw: random.Random, number: int
) -> tuple[float, dict[str, Any]]:
    """A search that finds eight pages that nobody has seen yet, each service in an order of its own."""
    urls = []
    for site in pages:
        site.routes = [Route(f"/{number}", body=article(prose, f"Notice {number}"))]
        urls.append(site.url(f"/{number}"))
    services.routes = [finding(name, draw.sample(urls, len(urls))) for name in SHAPES]
    took, told = call(server, " ".join(prose.queries(1)))
    assert len(told["results"]) == PAGES, told
    return took, told


def over_the_deadline(server: Server, services: Site, pages: Sequence[Site], prose: Prose) -> list[float]:
    """How much later than its deadline a search answers of whose pages one never comes."""
    late = []
    for number in itertools.islice(itertools.count(1000), LATE_CALLS):
        urls = []
        for place, site in enumerate(pages):
            hangs = {"before": 30.0, "then": "hold"} if place == 0 else {}
            site.routes = [Route(f"/{number}", body=article(prose, f"Notice {number}"), **hangs)]
            urls.append(site.url(f"/{number}"))
        services.routes = [finding(name, urls) for name in SHAPES]
        took, told = call(server, " ".join(prose.queries(1)))
        assert told["results"], told
        late.append(max(0.0, took - DEADLINE))
    return late


def milliseconds(values: Sequence[float], share: float) -> str:
    return f"{percentile(values, share) * 1000:.1f} ms"
