"""Visits a page again in the way it was visited before, and reads both versions with the same reader."""

from dataclasses import dataclass, replace

from anyio.to_thread import run_sync

from crawler import Like, Reading, RobotsMode
from service.following import ANSWERS
from service.looking import AS_SET, Wish, look_at
from service.observing import Observation, observe
from service.parts import Parts
from snapshots import Archive, Capture, Document, EvidenceError, Extractor, PageText, digest, moment, page_text

FOUND = 200
NOT_MODIFIED = 304
OWN_MARK = "main-text"
"""The entry among a document's extractors that says which way was taken for this page: not which program it was."""


@dataclass(frozen=True)
class Version:
    """A page at one time, ready to be compared. `texts` is None where nothing could be read, `why` then says so."""

    capture: Capture
    document: Document | None
    texts: PageText | None
    language: str | None = None
    extractors: tuple[Extractor, ...] = ()
    why: str | None = None

    @property
    def judged(self) -> bool:
        """Whether a whole answer came: what it is says its state."""
        return self.capture.outcome == "ok"


@dataclass(frozen=True)
class Visited:
    """One visit: what it brought and what has to be kept of it. `same` says how it is known that nothing changed."""

    version: Version
    seen: Observation
    same: str | None = None


async def revisit(
    parts: Parts,
    url: str,
    before: Version | None,
    *,
    conditional: bool,
    wish: Wish = AS_SET,
    robots: RobotsMode | None = None,
    crawl: str | None = None,
    patient: bool = False,
) -> Visited:
    """Ask for a page as it was asked for when BEFORE was captured; only for a change if CONDITIONAL.

    `robots`, `crawl` and `patient` are as in `looking.look`.

    Raises:
        BadAddress: `url` is no address that can be asked.
        NoBrowser: it was shown by a browser then, and there is none now.
    """
    old = before.capture if before else None
    like = _like(old, conditional=conditional) if old else None
    visit = await parts.fetcher.fetch(url, robots=robots or parts.settings.robots, like=like, patient=patient)
    if before is not None and _comparable(before) and visit.outcome == "ok" and visit.final == before.capture.final:
        if visit.status == NOT_MODIFIED and like is not None and like.conditions:
            return _same(before, observe(visit, None, crawl=crawl), "the site says that it has not changed")
        if visit.body is not None and visit.status == _status(old) and digest(visit.body) == before.capture.body:
            return _same(before, observe(visit, None, crawl=crawl), "the same bytes came again")
    shown = old is not None and old.method == "browser"
    seen = await look_at(parts, visit, crawl=crawl, wish=Wish(mode="always") if shown else wish)
    return Visited(version_of(seen.capture, seen.document, seen.reading), seen)


def _comparable(before: Version) -> bool:
    """Whether the page's own bytes say all: what a browser showed depends on much else."""
    return before.document is not None and before.capture.method != "browser"


def _status(old: Capture | None) -> int | None:
    """The status with which the page itself came: an answer that nothing changed stands for it."""
    status = old.hops[-1].status if old and old.hops else None
    return FOUND if status == NOT_MODIFIED else status


def _same(before: Version, seen: Observation, how: str) -> Visited:
    """A visit that brought what is kept already."""
    old = before.capture
    nothing_sent = seen.capture.hops[-1].status == NOT_MODIFIED
    body = {"body": old.body, "body_length": old.body_length} if nothing_sent else {}
    capture = seen.capture.model_copy(
        update=body
        | {
            "document": old.document,
            "page_state": old.page_state,
            "page_state_evidence": (f"as in {old.id}: {how}",),
            "media_type": old.media_type,
            "charset": old.charset,
        }
    )
    return Visited(replace(before, capture=capture), replace(seen, capture=capture), how)


def _like(old: Capture, *, conditional: bool) -> Like:
    """How a capture was asked for. Only a whole page that was fetched can be asked for conditionally."""
    like = Like(url=old.final, accept_language=old.locale)
    known = old.document is not None and old.page_state in ANSWERS
    whole = old.method == "http" and known and _status(old) == FOUND
    if not (conditional and whole):
        return like
    last = old.hops[-1]
    marks: dict[str, str | None] = {name.lower(): value for name, value in last.response_headers}
    if last.status == NOT_MODIFIED:
        # Such an answer need not repeat the marks of the page: they are those that it was asked with.
        asked = {name.lower(): value for name, value in last.request_headers}
        marks = {"etag": asked.get("if-none-match"), "last-modified": asked.get("if-modified-since")} | marks
    return replace(like, etag=marks.get("etag"), last_modified=marks.get("last-modified"))


async def kept_version(parts: Parts, capture: Capture) -> Version:
    """A page as it was kept, with the texts that were read from it then."""
    return await run_sync(version_kept, parts.archive, capture)


def version_kept(archive: Archive, capture: Capture) -> Version:
    """The same. Blocking."""
    if capture.document is None:
        return Version(capture, None, None, why="nothing was read from it")
    try:
        document = archive.document(capture.document)
    except EvidenceError as error:
        return Version(capture, None, None, why=str(error))
    return version_of(capture, document, None)


def version_of(capture: Capture, document: Document | None, reading: Reading | None) -> Version:
    """A version whose texts are those of its document."""
    if document is None:
        why = capture.detail or (reading.detail if reading else None) or "there is no text in it"
        return Version(capture, None, page_text("", "") if reading else None, why=why)
    language = document.language.tag if document.language else None
    texts = page_text(document.text, document.visible)
    return Version(capture, document, texts, language, document.extractors)


async def read_alike(parts: Parts, before: Version, now: Version) -> Version:
    """BEFORE, read by the program that read NOW: its body is read again if another one did."""
    if before.document is None or now.document is None or _programs(before) == _programs(now):
        return before
    old = before.capture
    try:
        body = await run_sync(parts.archive.get, before.document.source)
    except EvidenceError:
        return before
    reading = await parts.readers.read(
        body,
        media_type=old.media_type,
        charset="utf-8" if old.rendered else _charset(old),
        url=old.final,
        at=moment(old.retrieved_at),
        status=_status(old),
        asked=old.asked,
        headers=old.hops[-1].response_headers if old.hops else (),
    )
    if not reading.text and not reading.visible:
        return before
    extractors = tuple(Extractor(name=name, version=version) for name, version in reading.extractors)
    return replace(before, texts=page_text(reading.text, reading.visible), extractors=extractors)


def _charset(old: Capture) -> str | None:
    """The charset that the site named; one that was guessed is guessed again."""
    return old.charset.name if old.charset and old.charset.source == "header" else None


def _programs(version: Version) -> set[tuple[str, str]]:
    return {(one.name, one.version) for one in version.extractors if one.name != OWN_MARK}
