import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler import BadAddress, SiteCrawl, Step
from crawler.patterns import matches

ROOT = "https://example.org/"


def walk(crawl: SiteCrawl, links: dict[str, list[str]]) -> list[str]:
    """Walk to the end of a site that is given as pages and their links."""
    order = []
    while (step := crawl.next()) is not None:
        order.append(step.url)
        crawl.page_read(step, final=step.url, links=links.get(step.url, []))
    return order


def test_pages_come_nearest_first_in_the_order_of_their_links_each_once() -> None:
    links = {
        ROOT: ["/b", "/a#top", "b", "https://example.org:443/a", "HTTPS://EXAMPLE.ORG/c"],
        ROOT + "b": ["/b/1", "/", "/a"],
        ROOT + "a": ["/a/1", "/b/1"],
    }

    order = walk(SiteCrawl([ROOT], max_pages=100), links)

    assert [url.removeprefix(ROOT) for url in order] == ["", "b", "a", "c", "b/1", "a/1"]


@pytest.mark.parametrize(
    ("scope", "taken"),
    [
        ("path", ["docs/x", "docs/y/z"]),
        ("origin", ["docs/x", "docs/y/z", "blog"]),
        ("site", ["docs/x", "docs/y/z", "blog", "http", "sub", "port"]),
    ],
)
def test_a_crawl_keeps_to_its_scope_and_counts_what_it_leaves_out(scope: str, taken: list[str]) -> None:
    links = {
        "docs/x": "/docs/x",
        "docs/y/z": "y/z",
        "blog": "/blog",
        "http": "http://example.org/docs/",
        "sub": "https://sub.example.org/docs/x",
        "port": "https://example.org:8443/docs/x",
        "other": "https://example.com/docs/x",
        "beside": "https://notexample.org/",
        "mail": "mailto:a@example.org",
    }
    crawl = SiteCrawl([ROOT + "docs/index.html"], max_pages=100, scope=scope)  # type: ignore[arg-type]  # a table
    step = crawl.next()
    assert step is not None

    new = crawl.page_read(step, final=step.url, links=links.values())

    assert new == crawl.waiting == len(taken)
    assert crawl.dropped == {"out_of_scope": len(links) - 1 - len(taken), "bad_address": 1}


def test_limits_on_pages_depth_and_memory_hold() -> None:
    chain = {f"{ROOT}{n}": [f"/{n + 1}"] for n in range(50)}
    fan = {ROOT + "0": [f"/f{n}" for n in range(500)]}

    pages = SiteCrawl([ROOT + "0"], max_pages=7)
    depth = SiteCrawl([ROOT + "0"], max_pages=100, max_depth=3)
    memory = SiteCrawl([ROOT + "0"], max_pages=1000, max_remembered=20)

    assert len(walk(pages, chain)) == pages.handed_out == 7
    assert walk(depth, chain) == [f"{ROOT}{n}" for n in range(4)]
    assert depth.dropped == {"too_deep": 1}
    assert len(walk(memory, fan)) == 20
    assert memory.dropped["full"] == 481


def test_a_page_that_was_not_had_need_not_count() -> None:
    crawl = SiteCrawl([ROOT], max_pages=2)
    step = crawl.next()
    assert step is not None
    crawl.page_read(step, final=ROOT, links=["/1", "/2", "/3"])

    first = crawl.next()
    crawl.give_back()
    second = crawl.next()

    assert [first and first.url, second and second.url, crawl.next()] == [ROOT + "1", ROOT + "2", None]


def test_what_must_not_be_followed_is_not() -> None:
    crawl = SiteCrawl([ROOT], max_pages=10)
    step = crawl.next()
    assert step is not None

    nofollow = crawl.page_read(step, final=ROOT, links=["/a"], follow=False)
    elsewhere = crawl.page_read(step, final="https://example.com/", links=[ROOT + "b", "/c"])

    assert (nofollow, elsewhere, crawl.next()) == (0, 0, None)


def test_an_address_reached_by_redirect_is_not_asked_for_again() -> None:
    crawl = SiteCrawl([ROOT], max_pages=10)
    step = crawl.next()
    assert step is not None

    crawl.page_read(step, final=ROOT + "home", links=["/home", "/x"])

    assert [step.url for step in iter(crawl.next, None)] == [ROOT + "x"]


def test_traps_and_files_are_left_out_but_seeds_are_not() -> None:
    crawl = SiteCrawl([ROOT + "start.zip"], max_pages=10)
    step = crawl.next()
    assert step is not None

    crawl.page_read(
        step,
        final=step.url,
        links=["/a/b/a/b/a/b/a/b/a/b/", "/pic.JPG", "/style.css?v=3", "/paper.pdf", "/zip", "/v1.zip/read", "/a/a/a/a"],
    )

    assert [step.url.removeprefix(ROOT) for step in iter(crawl.next, None)] == [
        "paper.pdf",
        "zip",
        "v1.zip/read",
        "a/a/a/a",
    ]
    assert crawl.dropped == {"trap": 1, "not_a_page": 2}


def test_sitemaps_come_first_and_their_pages_after_the_links_of_the_same_depth() -> None:
    crawl = SiteCrawl([ROOT], max_pages=10)
    crawl.add_sitemaps(["https://cdn.example.com/index.xml", ROOT + "sitemap.xml"])
    index = (
        "<sitemapindex><sitemap><loc>/more.xml</loc></sitemap>"
        "<sitemap><loc>http://evil.test/s.xml</loc></sitemap></sitemapindex>"
    )
    pages = f"<urlset><url><loc>{ROOT}m</loc></url><url><loc>https://example.com/x</loc></url></urlset>"

    first = crawl.next()
    assert first == Step("https://cdn.example.com/index.xml", 0, "sitemap")
    crawl.sitemap_read(first, index.encode())
    second = crawl.next()
    assert second is not None
    crawl.sitemap_read(second, pages.encode())
    third = crawl.next()
    assert third == Step("https://cdn.example.com/more.xml", 0, "sitemap")

    assert second.url == ROOT + "sitemap.xml"
    assert walk(crawl, {ROOT: ["/l"]}) == [ROOT, ROOT + "l", ROOT + "m"]
    assert crawl.dropped["out_of_scope"] == 1


def test_each_host_is_a_queue_of_its_own_and_what_is_passed_over_comes_later() -> None:
    seeds = [f"https://{host}.example/{n}" for n in range(3) for host in ("a", "b")]
    crawl = SiteCrawl(seeds, max_pages=10)

    first = [crawl.next(lambda host, _depth: host == "b.example") for _ in range(4)]
    rest = [crawl.next() for _ in range(4)]

    assert [step and step.url for step in first] == [f"https://b.example/{n}" for n in range(3)] + [None]
    assert [step and step.url for step in rest] == [f"https://a.example/{n}" for n in range(3)] + [None]
    assert (crawl.waiting, crawl.left) == (0, 0)


@given(st.text("ab*", max_size=12), st.text("ab", max_size=12))
def test_a_pattern_means_what_a_regular_expression_would(pattern: str, text: str) -> None:
    assert matches(pattern, text) == bool(re.fullmatch(".*".join(pattern.split("*")), text))


def test_a_seed_must_be_an_address() -> None:
    with pytest.raises(BadAddress):
        SiteCrawl(["ftp://example.org/"], max_pages=1)


graphs = st.dictionaries(st.integers(0, 30), st.lists(st.integers(0, 30), max_size=6), max_size=30)


@given(graphs, st.integers(1, 30))
def test_the_same_site_gives_the_same_order_and_going_on_asks_for_the_rest(
    graph: dict[int, list[int]], stopped: int
) -> None:
    links = {f"{ROOT}{page}": [f"{ROOT}{target}" for target in targets] for page, targets in graph.items()}
    whole = walk(SiteCrawl([ROOT + "0"], max_pages=1000), links)

    done = whole[:stopped]
    rest = SiteCrawl([ROOT + "0"], max_pages=1000, had=random.Random(stopped).sample(done, len(done)))
    few = SiteCrawl([ROOT + "0"], max_pages=stopped + 2, had=done)
    left = (rest.left, rest.waiting)

    assert walk(SiteCrawl([ROOT + "0"], max_pages=1000), links) == whole
    assert walk(rest, links) == whole
    assert left == (0, 0)
    assert [url for url in walk(few, links) if url not in done] == whole[stopped : stopped + 2]
    assert len(set(whole)) == len(whole)


def test_what_is_there_from_before_counts_and_what_was_asked_for_in_vain_is_left_alone() -> None:
    crawl = SiteCrawl([ROOT], max_pages=3, had=[ROOT, ROOT + "gone-since"], vain=[ROOT + "no"])
    step = crawl.next()
    assert step is not None

    crawl.page_read(step, final=ROOT, links=["/no", "/a", "/b"])

    assert (crawl.waiting, crawl.left) == (2, 1)
    assert [step.url for step in iter(crawl.next, None)] == [ROOT + "a"]
    assert crawl.handed_out == 3


def test_the_robots_txt_of_each_site_is_handed_out_once_to_look_for_sitemaps() -> None:
    crawl = SiteCrawl([ROOT, ROOT + "a", "http://other.example/x/y"], max_pages=10)

    crawl.look_for_sitemaps()

    robots = [Step(f"{origin}/robots.txt", 0, "robots") for origin in (ROOT[:-1], "http://other.example")]
    assert [crawl.next(), crawl.next()] == robots


def test_each_link_and_sitemap_beyond_the_limits_is_counted() -> None:
    crawl = SiteCrawl([ROOT], max_pages=10)
    step = crawl.next()
    assert step is not None

    crawl.page_read(step, final=ROOT, links=[f"/{n}" for n in range(10_007)])
    links = crawl.dropped["full"]
    crawl.add_sitemaps([f"{ROOT}map{n}.xml" for n in range(505)])

    assert (links, crawl.dropped["full"]) == (7, 7 + 5)
