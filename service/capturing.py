"""Fetches pages and takes uploads: looks, reads, keeps, and answers with the text."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import anyio.to_thread

from crawler import READER_VERSION, RobotsMode, Wanted, parse_address, saved_page
from service import tokens
from service.answering import Draft, answer
from service.citing import passages_of, shown
from service.errors import Problem, ScopeMissing, outcome_problem
from service.failures import BadRequest
from service.following import ANSWERS
from service.forms import API_FORM, Form, Shown
from service.looking import Wish, look
from service.observing import Given, Observation, observe_upload
from service.parts import Parts
from service.requests import MAX_POSITION, Caller, CaptureRequest, Reply, Scope, UploadRequest
from service.revisiting import kept_version, revisit
from snapshots import Capture, Document, EvidenceError, Fetch, Passage, digest, moment, stamp


@dataclass(frozen=True)
class Range:
    """Which part of a text is asked for: from `start`, as much as the budget allows, cut anywhere or at passages."""

    start: int = 0
    max_tokens: int | None = None
    whole: bool = False

    def of(self, text: str, passages: Sequence[Passage], form: Form, page: Shown) -> tuple[int, int]:
        """Start and end, within the text."""
        start = min(self.start, len(text))
        room = form.room([page], self.max_tokens)
        if room is None:
            return start, len(text)
        end = start
        if self.whole:
            for passage in passages:
                room -= form.cost(passage.text) if passage.start >= start else 0
                if room < 0:
                    break
                end = max(end, passage.end)
            if end >= max((passage.end for passage in passages), default=0):
                return start, len(text)
        room = form.room([page], self.max_tokens) or 0
        return start, end if end > start else start + tokens.fit(text[start:], room)


WALLS = frozenset({"blocked", "consent"})
"""Page states whose text is somebody else's: it is kept, and never handed out as the page's."""


SAVED: Final = "imported: saved by SingleFile; address and time are what the file says, and no headers are known"


@dataclass(frozen=True)
class Page:
    """A captured page ready to be handed out, new or from the store."""

    capture: Capture
    document: Document | None
    fresh: Observation | None
    """What still has to be kept; None if the capture came from the store."""


async def capture(parts: Parts, request: CaptureRequest, caller: Caller) -> Reply:
    """Answer with a page: a kept capture that is fresh enough, or a new one.

    Raises:
        ScopeMissing: what only an operator may decide.
    """
    if request.accept_bad_certificate and not caller.may(Scope.ADMIN):
        raise ScopeMissing("taking a page whose certificate does not hold needs a key with the scope admin")
    wish = _wish(request)
    url = parse_address(request.url).href
    page = await from_store(parts, url, request.max_age) if request.max_age else None
    if page is None or not _serves(page.capture, wish):
        page = await look_again(parts, url, wish)
    options = request.model_dump(mode="json", exclude_defaults=True, exclude={"url", "session"})
    part = Range(request.start, request.max_tokens, request.whole)
    return await _hand_out(parts, page, caller, options, part=part, store=request.store)


async def upload(parts: Parts, request: UploadRequest, caller: Caller) -> Reply:
    """Keep bytes that the user has, and answer with what could be read from them."""
    now = parts.clock()
    saved = saved_page(request.body)
    url = parse_address(request.url).href if request.url else saved.url if saved else f"urn:{digest(request.body)}"
    at = request.at or (saved.at if saved and saved.at and saved.at <= now else None)
    reading = await parts.readers.read(request.body, media_type=request.media_type, charset=None, url=url, at=at or now)
    given = Given(
        body=request.body,
        url=url,
        received_at=now,
        claimed_at=at,
        title=request.title,
        settings={"name": request.name, "declared_media_type": request.media_type},
        method="import" if saved else "upload",
        warnings=(SAVED,) if saved else (),
    )
    seen = observe_upload(given, reading)
    options = request.model_dump(
        mode="json", exclude_defaults=True, exclude={"url", "session", "body", "name", "title"}
    )
    page = Page(seen.capture, seen.document, seen)
    return await _hand_out(parts, page, caller, options, part=Range(max_tokens=request.max_tokens), store=request.store)


async def from_store(parts: Parts, url: str, max_age: int) -> Page | None:
    """The newest whole capture of `url` that is at most `max_age` seconds old, if there is one."""
    not_before = parts.clock() - timedelta(seconds=max_age)
    return await anyio.to_thread.run_sync(_from_store, parts, url, stamp(not_before))


def _from_store(parts: Parts, url: str, not_before: str) -> Page | None:
    found = parts.archive.catalogue.latest(url, not_before=not_before)
    # A wall or an error that was met before is no reason not to look again.
    return None if found is None or found.page_state not in ANSWERS else reopen(parts, found.id)


def reopen(parts: Parts, capture: str) -> Page:
    """A page as it was captured before. Blocking."""
    record = parts.archive.capture(capture)
    return Page(record, parts.archive.document(record.document) if record.document else None, None)


def captures(parts: Parts, url: str, limit: int, before: str | None) -> dict[str, Any]:
    """The captures of an address, newest first; `before` is what the page before this one gave as `next`. Blocking."""
    if before is not None and not (before.isdecimal() and int(before) <= MAX_POSITION):
        raise BadRequest("`before` is the number that an earlier list gave as `next`")
    rows = parts.archive.catalogue.captures(url, limit=limit, before=int(before) if before else None)
    listed = [
        {
            "capture": row.id,
            "asked": row.asked,
            "final": row.final,
            "retrieved_at": row.retrieved_at,
            "outcome": row.outcome,
            "page_state": row.page_state,
            "method": row.method,
            "document": row.document,
            "crawl": row.crawl,
        }
        for row in rows
    ]
    return {"url": url, "captures": listed, "next": str(rows[-1].position) if len(rows) == limit else None}


async def look_again(
    parts: Parts,
    url: str,
    wish: Wish,
    *,
    robots: RobotsMode | None = None,
    crawl: str | None = None,
    patient: bool = False,
) -> Page:
    """Look at a page; where its last capture can serve and the site can say that nothing changed, it is asked that.

    `robots` is as the settings say, unless it is given.
    """
    before = None
    # A server that may be anybody is not asked whether anything changed.
    plain = not (wish.wanted.screenshot or wish.wanted.pdf or wish.accept_bad_certificate)
    if plain and wish.asked(parts.settings.render) != "always":
        before = await anyio.to_thread.run_sync(_unchanged_if_said, parts, url)
    mode = robots or parts.settings.robots
    if before is None:
        seen = await look(parts, url, robots=mode, crawl=crawl, patient=patient, wish=wish)
        return Page(seen.capture, seen.document, seen)
    version = await kept_version(parts, before)
    visited = await revisit(parts, url, version, conditional=True, wish=wish, robots=mode, crawl=crawl, patient=patient)
    return Page(visited.seen.capture, visited.version.document, visited.seen)


def _unchanged_if_said(parts: Parts, url: str) -> Capture | None:
    """The last capture of `url`, if it was made as one would be made now, and is that of a page. Blocking."""
    row = parts.archive.catalogue.latest(url)
    if row is None or row.method != "http" or row.page_state not in ANSWERS or row.document is None:
        return None
    try:
        capture = parts.archive.capture(row.id)
        document = parts.archive.document(row.document)
    except EvidenceError:  # removed meanwhile, or damaged: the page is simply asked for
        return None
    read = any((one.name, one.version) == ("citator-reader", READER_VERSION) for one in document.extractors)
    whole = read and "needs_browser" not in document.flags
    return capture if whole and capture.locale == parts.settings.locale else None


def _wish(request: CaptureRequest) -> Wish:
    """What is wanted of a browser.

    Raises:
        BadRequest: a picture of a page that is not to be rendered.
    """
    if request.render == "never" and (request.screenshot or request.pdf):
        raise BadRequest("a picture or a print is one of a rendered page: leave `render` out, or ask for `always`")
    if request.screenshot_of != "full" and not request.screenshot:
        raise BadRequest("`screenshot_of` says what a picture shows: ask for a `screenshot` too")
    wanted = Wanted(request.screenshot_of if request.screenshot else None, request.pdf)
    return Wish(request.render, wanted, request.accept_bad_certificate)


def _serves(capture: Capture, wish: Wish) -> bool:
    """Whether a kept capture has what is wanted."""
    if wish.mode == "always" and capture.method != "browser":
        return False
    return (not wish.wanted.screenshot or capture.screenshot is not None) and (
        not wish.wanted.pdf or capture.pdf is not None
    )


async def _hand_out(
    parts: Parts, page: Page, caller: Caller, options: dict[str, Any], *, part: Range, store: bool
) -> Reply:
    """The reply of a capture or an upload."""
    capture, document = page.capture, page.document
    text = document.text if document and capture.page_state not in WALLS else ""
    citable = document if capture.page_state in ANSWERS else None
    every = await anyio.to_thread.run_sync(passages_of, capture, citable) if citable else ()
    shown_as = Shown(capture.final, document.title if document else None)
    start, end = part.of(text, every, caller.form or API_FORM, shown_as)
    passages = [passage for passage in every if start <= passage.start and passage.end <= end]
    now = parts.clock()
    record = Fetch(
        capture=capture.id,
        start=start,
        end=end,
        total=len(text),
        cut="max_tokens" if end < len(text) else None,
        passages=tuple(passage.ref for passage in passages),
        options=options,
        retrieved_at=capture.retrieved_at,
    )
    title = document.title if document else None
    fields = {
        "capture": capture.id,
        "document": capture.document,
        "url": capture.asked,
        "final": capture.final,
        "outcome": capture.outcome,
        "page_state": capture.page_state,
        "page_state_evidence": list(capture.page_state_evidence),
        "reason": capture.reason,
        "retrieved_at": capture.retrieved_at,
        "from_store": page.fresh is None,
        "age_seconds": max(0, int((now - moment(capture.retrieved_at)).total_seconds())),
        "http_status": capture.hops[-1].status if capture.hops else None,
        "media_type": capture.media_type,
        "method": capture.method,
        "rendered": capture.rendered,
        "screenshot": capture.screenshot,
        "pdf": capture.pdf,
        "title": title,
        "author": document.author if document else None,
        "published": document.published.model_dump() if document and document.published else None,
        "modified": document.modified.model_dump() if document and document.modified else None,
        "language": document.language.tag if document and document.language else None,
        "text": text[start:end],
        "start": start,
        "end": end,
        "total": len(text),
        "cut": record.cut,
        "tokens": {"estimate": tokens.estimate(text[start:end]), "estimator": tokens.ESTIMATOR},
        "passages": [shown(passage, document, text=False) for passage in passages] if document else [],
        "flags": list(document.flags) if document else [],
        "warnings": list(capture.warnings),
        "robots": capture.robots.model_dump() if capture.robots else None,
    }
    draft = Draft(
        record=record,
        fields=fields,
        records=page.fresh.records if page.fresh else (),
        blobs=page.fresh.blobs if page.fresh else (),
        problem=_problem(capture, document),
    )
    return await answer(parts, draft, caller, store=store)


def _problem(capture: Capture, document: Document | None) -> Problem | None:
    """What to tell a caller who gets no text."""
    unreadable = next((warning for warning in capture.warnings if warning.startswith("reading_")), None)
    if capture.outcome == "ok" and document is None and unreadable and capture.page_state != "empty":
        return outcome_problem(
            "error", reason="unreadable", page_state=capture.page_state, detail=unreadable.partition(": ")[2]
        )
    if capture.outcome == "incomplete" and document is None:
        return outcome_problem("error", reason=None, page_state=capture.page_state, detail=capture.detail)
    unseen = next((warning for warning in capture.warnings if warning.startswith("not_rendered")), None)
    detail = capture.detail or (unseen.partition(": ")[2] if unseen else None)
    return outcome_problem(capture.outcome, reason=capture.reason, page_state=capture.page_state, detail=detail)
