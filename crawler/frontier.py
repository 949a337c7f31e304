"""Which address comes next in the crawl of a site. Pure: no network, no clock; the same answers give the same order.

    crawl = SiteCrawl(["https://example.org/docs/"], max_pages=300)
    crawl.look_for_sitemaps()
    while (step := crawl.next()) is not None:
        ...  # fetch step.url, then tell what came of it:
        crawl.page_read(step, final=visit.final, links=reading.links, follow=True)

To go on with a crawl that was interrupted, make it again from the same seeds with the pages it `had`: these are handed
out for their links, which are to be read from what was kept.
"""

import heapq
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from crawler.addresses import Address, joined, parse_address, same_site
from crawler.errors import BadAddress
from crawler.patterns import Patterns
from crawler.sitemap import Sitemap, read_sitemap

Scope = Literal["origin", "path", "site"]
Place = tuple[int, int, int, str]
"""Links from a seed, the page that named it first, its place there, and the address: in this order pages come."""

MAX_REMEMBERED: Final = 1_000_000
"""Addresses remembered (about 200 bytes each); further ones are dropped and counted."""
MAX_SITEMAPS: Final = 500
"""Sitemap files read in one crawl."""
MAX_LINKS: Final = 10_000
"""Different links taken from one page; honest ones have a few hundred."""
MAX_REPEATS: Final = 4
"""Times that one segment may occur in a path; more is a trap (`/a/b/a/b/a/b/…`)."""
AFTER_LINKS: Final = 1 << 62
"""Place of sitemap entries among addresses of the same depth: behind what pages link to."""
# fmt: off
NOT_PAGES: Final = frozenset({
    "7z", "avi", "bin", "bmp", "bz2", "css", "deb", "dmg", "eot", "exe", "flac", "gif", "gz", "ico", "iso", "jar",
    "jpeg", "jpg", "js", "m4a", "m4v", "mjs", "mkv", "mov", "mp3", "mp4", "mpeg", "mpg", "msi", "ogg", "ogv", "otf",
    "png", "rar", "rpm", "svg", "tar", "tgz", "tif", "tiff", "ttf", "wasm", "wav", "webm", "webp", "whl", "woff",
    "woff2", "xz", "zip", "zst",
})
# fmt: on
"""Endings of paths behind which no text to read is expected; a crawl skips them, a single fetch does not."""


@dataclass(frozen=True, slots=True)
class Step:
    """One address to be fetched: a page `depth` links away from a seed, a sitemap, or a robots.txt that names some."""

    url: str
    depth: int
    kind: Literal["page", "sitemap", "robots"] = "page"
    place: int = 0


class SiteCrawl:
    """The crawl of one site (or of several seeds, each within its own site).

    `scope`: `origin` keeps to the scheme, host and port of the seeds, `path` also below the folder of each seed, `site`
    to their registrable domains. `max_pages` bounds the pages handed out, `max_depth` the links from a seed (None: no
    bound). `include` and `exclude` are patterns (`crawler.patterns`) of what links may lead to; starts are exempt.
    `had` are addresses whose pages are there from before: they count as pages from the beginning, and are handed out as
    long as further pages may be. What was asked for in `vain` is neither handed out nor counted.

    Raises:
        BadAddress: a seed is no address that can be asked.
    """

    def __init__(
        self,
        seeds: Sequence[str],
        *,
        max_pages: int,
        max_depth: int | None = None,
        scope: Scope = "origin",
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        had: Iterable[str] = (),
        vain: Iterable[str] = (),
        max_remembered: int = MAX_REMEMBERED,
    ) -> None:
        self.dropped: Counter[str] = Counter()
        """Links that were not taken (each once a page), by reason.

        seen, out_of_scope, too_deep, bad_address, not_a_page, not_wanted, trap, full; elsewhere (sitemaps that one of
        another site names).
        """
        self._seeds = [parse_address(seed) for seed in seeds]
        self._scope = scope
        self._patterns = Patterns(include, exclude)
        self._max_pages = max_pages
        self._max_depth = max_depth
        self._max_remembered = max_remembered
        self._had = {parse_address(url).href for url in had}
        self._seen = {parse_address(url).href for url in vain}
        self._hosts: dict[str, list[Place]] = {}
        """What waits, by host."""
        self._heads: list[tuple[int, int, int, str]] = []
        """Where each host's first place is among those of all hosts; those that are not first any more stay in it."""
        self._count = 0
        self._sitemaps: deque[Step] = deque()
        self._sitemaps_seen: set[str] = set()
        self._handed = len(self._had)
        self._places = 0
        for place, seed in enumerate(self._seeds):
            self._add(seed, depth=0, parent=0, place=place)

    @property
    def handed_out(self) -> int:
        """Pages handed out so far, with those that are there from before."""
        return self._handed

    @property
    def waiting(self) -> int:
        """Pages known and not yet handed out, but for those that are there from before."""
        return self._count

    @property
    def left(self) -> int:
        """Pages that can still be handed out, as far as is known."""
        return max(0, min(self._count, self._max_pages - self._handed))

    def look_for_sitemaps(self) -> None:
        """Have each seed's robots.txt handed out, once for each origin."""
        origins = dict.fromkeys(seed.origin for seed in self._seeds)
        self._sitemaps.extend(Step(origin + "/robots.txt", 0, "robots") for origin in origins)

    def next(self, may: Callable[[str, int], bool] | None = None) -> Step | None:
        """Hand out what is to be fetched next: sitemaps first, then pages, nearest first. None if nothing is there.

        `may` says of a host, and of how many links away its next page is, whether one of it is wanted now.
        """
        if self._sitemaps:
            return self._sitemaps.popleft()
        if self._handed >= self._max_pages:
            return None
        passed_over: list[tuple[int, int, int, str]] = []
        found: Step | None = None
        while self._heads and found is None:
            head = heapq.heappop(self._heads)
            host = head[3]
            queue = self._hosts.get(host)
            if queue is None or queue[0][:3] != head[:3]:
                continue
            if may is not None and not may(host, head[0]):
                passed_over.append(head)
                continue
            found = self._take(host, queue)
        for head in passed_over:
            heapq.heappush(self._heads, head)
        return found

    def _take(self, host: str, queue: "list[Place]") -> Step:
        depth, _, _, url = heapq.heappop(queue)
        self._places += 1
        if url not in self._had:
            self._count -= 1
            self._handed += 1
        if queue:
            heapq.heappush(self._heads, (*queue[0][:3], host))
        else:
            del self._hosts[host]
        return Step(url, depth, place=self._places)

    def give_back(self) -> None:
        """Let the page handed out last not count: nothing was had there (refused, unreachable)."""
        self._handed -= 1

    def page_read(
        self, step: Step, *, final: str, links: Iterable[str], follow: bool = True, anywhere: bool = False
    ) -> int:
        """Say what came of a page: the address it ended at, and its links (absolute, or relative to `final`).

        `follow` is False where the page asks not to follow its links; `anywhere` if they are taken wherever they lead
        (the entries of a feed from which the crawl starts). Gives how many addresses are new.
        """
        landed = _parsed(final)
        if landed is None:
            return 0
        self._seen.add(landed.href)
        if not follow or not (anywhere or self.covers(landed)):  # what lies behind a redirect to elsewhere is elsewhere
            return 0
        new = 0
        # Most links of a page lead to what is known: within it, to the same menu, or to pages seen before.
        texts = dict.fromkeys(link.partition("#")[0] for link in links)
        for place, text in enumerate(texts):
            if place >= MAX_LINKS:
                self.dropped["full"] += len(texts) - MAX_LINKS
                break
            href = joined(text, landed.href) if text else landed.href
            if href in self._seen:
                self.dropped["seen"] += 1
            elif href is None or (address := _parsed(href)) is None:
                self.dropped["bad_address"] += 1
            else:
                new += self._add(address, depth=step.depth + 1, parent=step.place, place=place, anywhere=anywhere)
        return new

    def add_sitemaps(self, urls: Iterable[str]) -> None:
        """Have sitemaps read: those that robots.txt names (they may lie anywhere), or what lies in the usual place."""
        for url in urls:
            address = _parsed(url)
            if address is None or address.href in self._sitemaps_seen:
                continue
            if len(self._sitemaps_seen) >= MAX_SITEMAPS:
                self.dropped["full"] += 1
                continue
            self._sitemaps_seen.add(address.href)
            self._sitemaps.append(Step(address.href, 0, "sitemap"))

    def sitemap_read(self, step: Step, body: bytes | Sitemap) -> int:
        """Take in a sitemap, as bytes or already read (see `read_sitemap`); gives how many addresses are new.

        Raises:
            BadSitemap: it cannot be read; the crawl goes on without it.
        """
        found = read_sitemap(body, step.url) if isinstance(body, bytes) else body
        at_home = [url for url in found.sitemaps if same_site(url, step.url)]
        self.dropped["elsewhere"] += len(found.sitemaps) - len(at_home)
        self.add_sitemaps(at_home)
        new = 0
        for place, url in enumerate(found.pages):
            address = _parsed(url)
            if address is not None:
                new += self._add(address, depth=1, parent=AFTER_LINKS, place=place)
        return new

    def covers(self, address: Address) -> bool:
        """Whether an address belongs to what is crawled."""
        match self._scope:
            case "origin":
                return any(address.origin == seed.origin for seed in self._seeds)
            case "path":
                return any(
                    address.origin == seed.origin and address.path.startswith(_folder(seed.path))
                    for seed in self._seeds
                )
            case "site":
                return any(same_site(address.href, seed.href) for seed in self._seeds)

    def _add(self, address: Address, *, depth: int, parent: int, place: int, anywhere: bool = False) -> int:
        reason = self._reason_against(address, depth, anywhere=anywhere)
        if reason is not None:
            self.dropped[reason] += 1
            return 0
        self._seen.add(address.href)
        queue = self._hosts.setdefault(address.host, [])
        heapq.heappush(queue, (depth, parent, place, address.href))
        self._count += address.href not in self._had
        if queue[0][3] == address.href:
            heapq.heappush(self._heads, (depth, parent, place, address.host))
        return 1

    def _reason_against(self, address: Address, depth: int, *, anywhere: bool) -> str | None:  # noqa: PLR0911 - a list
        if address.href in self._seen:
            return "seen"
        if not anywhere and not self.covers(address):
            return "out_of_scope"
        if self._max_depth is not None and depth > self._max_depth:
            return "too_deep"
        if depth and not self._patterns.take(address.href):
            return "not_wanted"
        segments = [segment for segment in address.path.split("/") if segment]
        if depth and segments and segments[-1].rpartition(".")[2].lower() in NOT_PAGES and "." in segments[-1]:
            return "not_a_page"
        if len(segments) > MAX_REPEATS and max(Counter(segments).values()) > MAX_REPEATS:
            return "trap"
        return "full" if len(self._seen) >= self._max_remembered else None


def _parsed(text: str, base: str | None = None) -> Address | None:
    try:
        return parse_address(text, base)
    except BadAddress:
        return None


def _folder(path: str) -> str:
    """Give the folder that a seed's path stands for: `/docs/guide.html` and `/docs/` are `/docs/`."""
    return path[: path.rfind("/") + 1]
