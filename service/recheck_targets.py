"""From what is to be checked (ids, addresses, a session) to the pages to visit, each once."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from crawler import parse_address
from service.citing import passages_of
from service.failures import BadRequest
from service.following import ANSWERS
from service.sessions_claimed import records_of_session
from snapshots import (
    Archive,
    Capture,
    Crawl,
    Document,
    EvidenceError,
    Fetch,
    Passage,
    PassageRef,
    Recheck,
    Search,
    Serving,
    Watch,
    read_passage,
)

if TYPE_CHECKING:
    from service.revisiting import Version

PARTIAL: Final = frozenset({"paywall"})
"""States of pages that show a part of themselves."""
MOST_PAGES: Final = 1_000
"""Pages visited for one request: they are politely asked one after another, and the caller waits."""
MOST_PASSAGES: Final = 20_000
"""Passages compared for one request."""


@dataclass(frozen=True)
class Wanted:
    """A quotation to look for; `passage` is null if it was not taken from a kept page."""

    text: str
    prefix: str = ""
    suffix: str = ""
    passage: Passage | None = None

    @property
    def key(self) -> str:
        """What two that are looked for once have in common."""
        return self.passage.id if self.passage else f"{self.prefix}\0{self.text}\0{self.suffix}"


@dataclass
class Target:
    """One address to visit, and by the capture they were taken from (None: none is kept) what to look for there."""

    url: str
    wanted: dict[str | None, dict[str, Wanted]] = field(default_factory=dict)
    befores: dict[str | None, "Version | None"] = field(default_factory=dict)
    """The captures by their names, read."""
    linked: bool = False
    """Whether somebody only leads there: it need not be known from before."""

    def add(self, capture: str | None, wanted: Wanted) -> str:
        """Look for a quotation too; the same one twice is one. Returns its key."""
        self.wanted.setdefault(capture, {})[wanted.key] = wanted
        return wanted.key


class Targets:
    """Collects what to visit. Blocking; raises what reading raises."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self.pages: dict[str, Target] = {}
        self._count = 0

    def add_id(self, text: str) -> None:
        """What an id, or a unique prefix of one, stands for.

        Raises:
            BadRequest: it names nothing that a page can be checked for.
        """
        found = self._archive.resolve(text)
        kind = self._archive.kind_of(found)
        if kind == "passage":
            self._passage(read_passage(self._archive.get(found)))
        elif kind == "blob":
            raise BadRequest(f"{found} is neither a passage, a capture nor a record that shows any")
        else:
            self._record(self._archive.record(found))

    def add_session(self, session: str) -> None:
        """All that was served for a session.

        Raises:
            BadRequest: nothing was.
        """
        names = list(records_of_session(self._archive, session))
        if not names:
            raise BadRequest(f"nothing was served for a session {session!r}")
        for name in names:
            self._record(self._archive.record(name))

    def add_pages(self, addresses: Iterable[str]) -> None:
        """All passages of the last good capture of each address; where none is kept, only the page itself."""
        urls = [parse_address(address).href for address in addresses]
        newest = self._archive.catalogue.newest(urls, ANSWERS - PARTIAL)
        # What a paywall leaves of a page takes the place of nothing: it counts where there never was more.
        newest |= self._archive.catalogue.newest([url for url in urls if url not in newest], PARTIAL)
        for url in urls:
            if url in newest:
                self._capture(self._archive.capture(newest[url].id))
            else:
                self._page(url)

    def add_quotation(self, address: str, wanted: Wanted) -> None:
        """A quotation and the address that it is said to stand at."""
        self.add_wanted(parse_address(address).href, None, wanted)

    def add_wanted(self, url: str, capture: str | None, wanted: Wanted) -> str:
        """Something at an address that was cited from a capture, if that is known. Returns its key."""
        self._counted()
        return self._page(url).add(capture, wanted)

    def add_link(self, url: str, capture: str | None) -> str | None:
        """A page that is only linked to, and its last capture if there is one; returns that under which it is told."""
        page = self._page(url)
        if not page.wanted:
            page.linked = True
            page.wanted[capture if capture is None or self._kept(capture) else None] = {}
        return next(iter(page.wanted))

    def add_passage(self, passage: Passage) -> str:
        """A passage, at its page as it was asked for; one of elsewhere is looked for in words. Returns its key."""
        if self._kept(passage.capture):
            return self._passage(passage)
        return self.add_wanted(passage.url, None, Wanted(passage.text, passage.prefix, passage.suffix))

    def _kept(self, capture: str) -> bool:
        try:
            self._archive.capture(capture)
        except EvidenceError:
            return False
        return True

    def _record(self, record: object) -> None:  # noqa: C901, PLR0912 - a table of kinds
        match record:
            case Capture():
                self._capture(record)
            case Document():
                for naming in self._archive.catalogue.naming(record.id, kind="capture"):
                    self._capture(self._archive.capture(naming.id))
                    return
                raise BadRequest(f"no capture of {record.id} is kept")
            case Search():
                for result in record.results:
                    self._refs(result.passages)
            case Fetch():
                self._refs(record.passages)
            case Recheck():
                self._refs([one.passage for one in record.passages if one.passage is not None])
            case Serving():
                self._record(self._archive.record(record.record))
            case Crawl():
                for row in self._archive.catalogue.of_crawl(record.crawl or record.id, limit=MOST_PAGES + 1):
                    if row.document is not None:
                        self._capture(self._archive.capture(row.id))
            case Watch():
                for source in record.sources:
                    self._refs(source.passages)
            case _:
                raise BadRequest("this record shows no passages that could be checked")

    def _refs(self, refs: Iterable[PassageRef]) -> None:
        for ref in refs:
            self._passage(self._archive.passage(ref))

    def _passage(self, passage: Passage) -> str:
        capture = self._archive.capture(passage.capture)
        wanted = Wanted(passage.text, passage.prefix, passage.suffix, passage)
        return self.add_wanted(capture.asked, capture.id, wanted)

    def _capture(self, capture: Capture) -> None:
        page = self._page(capture.asked)
        page.wanted.setdefault(capture.id, {})
        if capture.document is None:
            return
        for passage in passages_of(capture, self._archive.document(capture.document)):
            page.add(capture.id, Wanted(passage.text, passage.prefix, passage.suffix, passage))
            self._counted()

    def _page(self, url: str) -> Target:
        page = self.pages.setdefault(url, Target(url))
        if len(self.pages) > MOST_PAGES:
            raise BadRequest(f"this means more than {MOST_PAGES} pages; check fewer at a time")
        return page

    def _counted(self) -> None:
        self._count += 1
        if self._count > MOST_PASSAGES:
            raise BadRequest(f"this means more than {MOST_PASSAGES} passages; check fewer at a time")
