"""Takes captures out of WARC and WACZ files of others: each response becomes a capture that says where it is from.

What the file says of address, time and headers is kept as the file's word. Responses whose digests do not hold are
refused by name, and the others are kept.
"""

import asyncio
import hashlib
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from anyio.to_thread import run_sync

from crawler import Archive, Archived, BadArchive, Turned, open_archive
from service.answering import keep
from service.doors import Json, Progress
from service.failures import BadRequest
from service.observing import Observation, observe
from service.parts import Parts
from service.requests import ArchiveRequest, Caller
from snapshots import Batch, Import, stamp

GROUP: Final = 32
"""Responses that are read and kept together."""
GROUP_BYTES: Final = 32 * 1024 * 1024
LISTED: Final = 10_000
"""Captures and refusals that are written out in a reply; the counts are of all."""
AHEAD: Final = timedelta(minutes=10)
"""How far a file's clock may be ahead of ours."""
PIECE: Final = 1024 * 1024


@dataclass
class _Told:
    """What is told in the end."""

    captures: list[Json] = field(default_factory=list)
    refused: list[Json] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def refuse(self, turned: Turned) -> None:
        self.counts["refused"] += 1
        if len(self.refused) < LISTED:
            told = {"url": turned.url, "member": turned.record, "offset": turned.offset}
            self.refused.append(told | {"reason": turned.reason, "detail": turned.detail})

    def take(self, seen: Observation) -> None:
        self.counts["captures"] += 1
        if len(self.captures) < LISTED:
            capture = seen.capture
            told = {"url": capture.final, "capture": capture.id, "retrieved_at": capture.retrieved_at}
            told |= {"outcome": capture.outcome, "page_state": capture.page_state}
            self.captures.append(told | {"warnings": list(capture.warnings)})


@dataclass(frozen=True)
class File:
    """The file that is taken in."""

    name: str
    sha256: str
    size: int


async def add_archive(
    parts: Parts, path: Path, request: ArchiveRequest, caller: Caller, progress: Progress
) -> dict[str, Any]:
    """Keep every response in the file at `path` as a capture.

    Raises:
        BadRequest: it is no WARC or WACZ file. BadArchive: it is one that cannot be read at all.
        EvidenceError: something could not be kept; what was kept before stays.
    """
    try:
        archive = await run_sync(open_archive, path)
        file = await run_sync(described, path, request.name)
    except OSError as error:
        raise BadRequest(f"{path} cannot be read: {error.strerror}") from error
    if archive is None:
        raise BadRequest(f"{file.name} is neither a WARC nor a WACZ file")
    told = _Told()
    broken: str | None = None
    responses = archive.responses(max_body=parts.settings.max_body)
    while True:
        try:
            group = await run_sync(_group, responses)
        except _Broken as end:
            group, broken = end.group, end.detail
        if not group:
            break
        await _keep_group(parts, group, _Source(archive, file, caller), told)
        progress("responses", told.counts["captures"] + told.counts["refused"], None)
        if broken:
            break
    return {
        "archive": file.name,
        "form": archive.form,
        "sha256": file.sha256,
        "bytes": file.size,
        "imports": told.imports,
        "captures": told.captures,
        "refused": told.refused,
        "counts": {"captures": told.counts["captures"], "refused": told.counts["refused"]},
        "passed_over": dict(archive.passed),
        "remarks": list(archive.remarks),
        "broken": broken,
        "whole": broken is None and not told.counts["refused"],
    }


def described(path: Path, name: str | None) -> File:
    """Name, hash and size of a file. Blocking."""
    hashed = hashlib.sha256()
    size = 0
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            hashed.update(piece)
            size += len(piece)
    return File(
        name or path.name.encode("utf-8", "surrogateescape").decode("utf-8", "replace"), hashed.hexdigest(), size
    )


class _Broken(Exception):
    """The file cannot be read any further; `group` is what came before."""

    def __init__(self, group: Sequence[Archived | Turned], detail: str) -> None:
        self.group = group
        self.detail = detail
        super().__init__(detail)


def _group(responses: Iterator[Archived | Turned]) -> Sequence[Archived | Turned]:
    """The next few responses."""
    group: list[Archived | Turned] = []
    held = 0
    try:
        for one in itertools.islice(responses, GROUP):
            group.append(one)
            held += len(one.visit.body or b"") if isinstance(one, Archived) else 0
            if held > GROUP_BYTES:
                break
    except BadArchive as error:
        raise _Broken(group, str(error)) from None
    return group


@dataclass(frozen=True)
class _Source:
    archive: Archive
    file: File
    caller: Caller


async def _keep_group(parts: Parts, group: Sequence[Archived | Turned], source: _Source, told: _Told) -> None:
    taken: list[Archived] = []
    latest = parts.clock() + AHEAD
    for one in group:
        if isinstance(one, Turned):
            told.refuse(one)
        elif one.visit.retrieved_at > latest:
            said = f"the record says that it was made at {stamp(one.visit.retrieved_at)}, which has not come yet"
            place = str(one.about["record"]) if one.about["record"] else None
            told.refuse(Turned(one.visit.asked, place, int(one.about["offset"] or 0), "future_date", said))
        else:
            taken.append(one)
    if not taken:
        return
    seen = await asyncio.gather(*(_seen(parts, one, source.file) for one in taken))
    record = Import(
        at=stamp(parts.clock()),
        form=source.archive.form,
        name=source.file.name,
        sha256=source.file.sha256,
        size=source.file.size,
        records=tuple(one.capture.id for one in seen),
        counts={"captures": len(seen)},
        by=source.caller.key,
    )
    blobs = tuple(dict.fromkeys(blob for one in seen for blob in one.blobs))
    records = {record.id: record for one in seen for record in one.records}
    await keep(parts, Batch(blobs=blobs, records=(record, *records.values())))
    told.imports.append(record.id)
    for observation in seen:
        told.take(observation)


async def _seen(parts: Parts, one: Archived, file: File) -> Observation:
    visit = one.visit
    reading = None
    if visit.outcome == "ok" and visit.body:
        reading = await parts.readers.read(
            visit.body,
            media_type=visit.media_type,
            charset=visit.charset_header,
            url=visit.final,
            at=visit.retrieved_at,
            status=visit.status,
            asked=visit.asked if visit.hops else None,
            headers=visit.hops[-1].response_headers if visit.hops else (),
        )
    checked = [f"{name} {one.about[name]}" for name in ("block_digest", "payload_digest")]
    remark = f"imported: out of {one.about['archive']}, whose word address, time and headers are; {', '.join(checked)}"
    settings = one.about | {"archive_sha256": file.sha256}
    if not visit.hops:
        settings |= {"declared_media_type": visit.media_type}  # what the reader was told, for whoever reads it again
    visit = replace(visit, settings=settings, warnings=(remark, *visit.warnings))
    return observe(visit, reading, imported=True)
