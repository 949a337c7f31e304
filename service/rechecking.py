"""Does the source still say so: pages are visited again, and the verdicts on what was cited of them are kept."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

import orjson
from anyio.to_thread import run_sync

from crawler import BadAddress, NoBrowser
from service.answering import keep, serving_of
from service.check_requests import RecheckRequest
from service.citation_sources import Sources
from service.documents_cited import CitingDocument, read_document
from service.failures import BadRequest
from service.forms import Served
from service.judging import Judged, Page, concluded, judged
from service.parts import Parts
from service.recheck_documents import UNSOURCED, Place, add_document, told_citations
from service.recheck_reply import fields_of, record_of
from service.recheck_targets import Target, Targets, Wanted
from service.requests import Caller, Reply
from service.revisiting import Version, Visited, read_alike, revisit, version_kept
from snapshots import PRESENT, Batch, Record, nonce, stamp

AT_ONCE: Final = 8
"""Pages under way at a time; the pace of each site is the fetcher's."""
KEPT_AT_ONCE: Final = 64
"""Visits that are kept together, while others go on."""
BEFORE_ALARM: Final = 1.0
"""Seconds until a page is visited a second time: long enough for a page that varies from visit to visit to vary."""


@dataclass(frozen=True)
class Checked:
    """One page with its verdicts, for each capture that something was cited from."""

    pages: tuple[Page, ...]
    visits: tuple[Visited, ...]


async def recheck(parts: Parts, request: RecheckRequest, caller: Caller) -> Reply:
    """Check again what is asked for, keep what was seen and found, and answer with it.

    Raises:
        BadRequest: something that is named cannot be checked.
        EvidenceError: what is named is not there, or the verdicts could not be kept.
    """
    document = await read_document(parts.readers, request.document) if request.document is not None else None
    targets, cited = await run_sync(_targets, parts, request, document)
    turn = asyncio.Semaphore(AT_ONCE)

    waiting: list[Visited] = []
    keeping: list[asyncio.Task[None]] = []

    async def one(target: Target) -> Checked:
        async with turn:
            checked = await check(parts, target)
        waiting.extend(checked.visits)
        if request.store and len(waiting) >= KEPT_AT_ONCE:  # a long run that is ended keeps what it has seen
            keeping.append(asyncio.create_task(keep(parts, seen(waiting))))
            waiting.clear()
        return checked

    checked = await asyncio.gather(*(one(target) for target in targets))
    return await _answer(parts, request, checked, caller, keeping, unkept=waiting, cited=cited)


@dataclass(frozen=True)
class _Cited:
    """A document and where its citations are looked for."""

    document: CitingDocument
    places: list[Place]

    def told(self, checked: list[tuple[Page, str | None]]) -> dict[str, Any]:
        """What became of its citations."""
        one = self.document
        return {
            "format": one.format,
            "citations": list(told_citations(self.places, checked)),
            "too_short": one.short,
            "cut": one.cut,
        }


def _targets(
    parts: Parts, request: RecheckRequest, document: CitingDocument | None
) -> tuple[list[Target], _Cited | None]:
    targets = Targets(parts.archive)
    for text in request.ids:
        targets.add_id(text)
    targets.add_pages(request.urls)
    if request.of_session is not None:
        targets.add_session(request.of_session)
    for one in request.quotations:
        targets.add_quotation(one.url, Wanted(one.quote, one.prefix, one.suffix))
    cited = None
    if document is not None:
        cited = _Cited(document, add_document(targets, Sources(parts), document))
    if not targets.pages:
        what = "what is named shows no passages" if document is None else "the document cites nothing"
        raise BadRequest(f"{what} that could be checked")
    pages = list(targets.pages.values())
    for page in pages:
        for name in page.wanted or (None,):
            page.befores[name] = version_kept(parts.archive, parts.archive.capture(name)) if name else None
    return pages, cited


async def check(parts: Parts, target: Target) -> Checked:
    """Visit one page, once or, before an alarm, twice, and look for everything that was cited of it."""
    befores = target.befores
    newest = max((one for one in befores.values() if one), key=lambda one: one.capture.retrieved_at, default=None)
    if not target.url.startswith(("http://", "https://")):
        return Checked(tuple(_unvisited(target, befores, "it was handed in, and has no address to visit")), ())
    try:
        first = await revisit(parts, target.url, newest, conditional=True)
    except (BadAddress, NoBrowser) as error:
        return Checked(tuple(_unvisited(target, befores, str(error))), ())
    pages = [await _page(parts, target, name, before, first) for name, before in befores.items()]
    pages = [replace(page, linked=target.linked) for page in pages]
    if not any(page.alarming for page in pages):
        return Checked(tuple(pages), (first,))
    await asyncio.sleep(BEFORE_ALARM)
    second = await revisit(parts, target.url, newest, conditional=False)
    again = [await _page(parts, target, name, before, second) for name, before in befores.items()]
    settled = [concluded(one, other) for one, other in zip(pages, again, strict=True)]
    settled = [replace(page, linked=target.linked) for page in settled]
    return Checked(tuple(settled), (first, second))


async def _page(parts: Parts, target: Target, name: str | None, before: Version | None, visited: Visited) -> Page:
    old = await read_alike(parts, before, visited.version) if before else None
    wanted = tuple(target.wanted.get(name, {}).values())
    if visited.same is not None and old is not None and old.capture.document == visited.version.capture.document:
        return judged(target.url, old, visited, wanted)  # nothing to compare
    return await run_sync(judged, target.url, old, visited, wanted)


def _unvisited(target: Target, befores: dict[str | None, Version | None], why: str) -> Iterable[Page]:
    for name, before in befores.items():
        wanted = target.wanted.get(name, {}).values()
        unknown = tuple(Judged.unknown(one, why) for one in wanted)
        yield Page(target.url, before, None, "inconclusive", why, None, unknown)


def seen(visits: Iterable[Visited]) -> Batch:
    """What has to be kept of visits."""
    records: list[Record] = []
    blobs: list[bytes] = []
    for one in visits:
        records += [record for record in one.seen.records if record.kind != "document" or one.same is None]
        blobs += one.seen.blobs
    return Batch(blobs=tuple(blobs), records=tuple(records))


async def _answer(
    parts: Parts,
    request: RecheckRequest,
    checked: list[Checked],
    caller: Caller,
    keeping: list[asyncio.Task[None]],
    *,
    unkept: list[Visited],
    cited: _Cited | None,
) -> Reply:
    """Keep the visits that are not kept yet, verdicts and the reply in one batch, and give the reply.

    The verdicts rest on the visits: they are kept when those that are being kept are.
    """
    at = stamp(parts.clock())
    records = [record_of(page, one.visits, at) for one in checked for page in one.pages]
    pages = [page for one in checked for page in one.pages]
    visits = [visit for one in checked for visit in one.visits]
    found = [judgement.found.verdict for page in pages for judgement in page.passages]
    counts = {verdict: found.count(verdict) for verdict in sorted(set(found))}
    fields: dict[str, Any] = {
        "record": records[0].id if request.store else None,
        "checked_at": at,
        "holds": not any(page.alarming for page in pages),
        "conclusive": all(page.conclusive for page in pages),
        "counts": counts,
        "present": sum(count for verdict, count in counts.items() if verdict in PRESENT),
        "pages": [
            fields_of(page, one.visits, record)
            for (one, page), record in zip(((c, p) for c in checked for p in c.pages), records, strict=True)
        ],
    }
    if cited is not None:
        fields["document"] = told = cited.told(
            [(page, one["record"]) for page, one in zip(pages, fields["pages"], strict=True)]
        )
        fields["conclusive"] &= all(one["source"] is None or one["verdict"] != UNSOURCED for one in told["citations"])
    if not request.store:
        batch = seen(visits)
        shown = [orjson.loads(record.encoded) for record in (*batch.records, *records)]
        return Reply(orjson.dumps(fields | {"stored": False, "records": shown}), None, None)
    served = (caller.form.write(fields) if caller.form is not None else None) or Served(orjson.dumps(fields))
    first = serving_of(parts, records[0].id, served, caller)  # the others differ in what they are for, not in the reply
    servings = [first, *(first.model_copy(update={"record": one.id, "nonce": nonce()}) for one in records[1:])]
    bodies = (served.body,) if served.structured is None else (served.body, served.structured)
    fresh = seen(unkept)
    await asyncio.gather(*keeping)
    # The bodies name their records, which have nonces: nobody else can have kept the same bytes.
    await keep(parts, Batch(blobs=fresh.blobs, own=bodies, records=(*fresh.records, *records, *servings)))
    return Reply(
        body=served.body,
        record=records[0].id,
        serving=servings[0].id,
        media_type=served.media_type,
        status=served.status,
        structured=served.structured,
    )
