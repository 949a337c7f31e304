"""Attaches evidence: finds what a file cites, keeps what is missing, checks each quotation, and bundles all of it."""

import io
import re
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import orjson
from anyio.to_thread import run_sync

from service.attaching.asked import MAX_ARTEFACTS, Artefact, AttachRequest
from service.attaching.gathering import Gathered, of_report, of_transcript
from service.attaching.noting import appendix, html_with_appendix, with_appendix, with_footnotes
from service.attaching.sourcing import Sourced, Sourcing
from service.bundling import Bundles
from service.check_requests import CitationsRequest
from service.doors import Citator, Progress
from service.failures import BadRequest
from service.parts import Parts
from service.requests import BundleRequest, Caller, Made
from service.transcripts.auditing import audit
from service.transcripts.detecting import LOOKED_AT, detected
from snapshots import NothingToBundle, digest, stamp

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_HTML: Final = re.compile(
    rb"^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*+-->\s*+)*+<(?:!doctype\s+html|html|head|body|article)\b",
    re.IGNORECASE | re.DOTALL,
)


async def attach(
    citator: Citator, parts: Parts, bundles: Bundles, request: AttachRequest, caller: Caller, progress: Progress
) -> Made:
    """The bundle of a file and the evidence for what it cites. `told` of it says what was found.

    Raises:
        BadRequest: too many files, or nothing that could be read.
        EvidenceError: nothing is kept of anything that it cites, or the archive does not do its part.
    """
    if len(request.artefacts) > MAX_ARTEFACTS:
        raise BadRequest(f"at most {MAX_ARTEFACTS} files go along with one")
    kind, found = await _gathered(parts, request.file)
    report = None
    if kind == "transcript":
        progress("auditing", 0, None)
        report = await audit(citator, io.BytesIO(request.file.body), name=request.file.name)
    written_at = stamp(request.written_at) if request.written_at else None
    sourcing = Sourcing(citator, caller, written_at, request.capture_missing)
    sourced: list[Sourced] = []
    for done, cited in enumerate(found.sources.values()):
        progress("looking for sources", done, len(found.sources))
        sourced.append(await sourcing.source(cited))
    form = "html" if found.form == "html" else "markdown"
    checked = await citator.check_citations(CitationsRequest(text=found.text, format=form))
    attachment = _attachment(request, kind, found, sourced, checked, report)
    ids = _ids(sourced, checked, report)
    if not ids:
        raise NothingToBundle(f"nothing is kept of what {request.file.name} cites")
    files = _files(request, kind, attachment, report)
    with tempfile.TemporaryDirectory(prefix="citator-attached-") as folder:
        paths = await run_sync(_put_down, Path(folder), files)
        made = await bundles.make(BundleRequest(ids=tuple(ids)), progress, attached=paths)
    return Made(made.file, made.size, made.digest, made.media_type, made.name, _told(made.told, attachment, paths))


async def _gathered(parts: Parts, file: Artefact) -> tuple[str, Gathered]:
    """What kind of file it is (`transcript`, `report`, `pdf`), and what it cites."""
    if file.body[:1024].lstrip().startswith(b"%PDF-"):
        reading = await parts.readers.read(
            file.body, media_type="application/pdf", charset=None, url="urn:report", at=parts.clock()
        )
        if not reading.text.strip():
            raise BadRequest(f"no text can be read from {file.name}: {reading.detail or reading.outcome}")
        return "pdf", await run_sync(of_report, reading.text, "text")
    if _HTML.match(file.body[:4096]):
        return "report", await run_sync(of_report, file.body.decode("utf-8", "replace"), "html")
    form, _ = detected(file.body[:LOOKED_AT])
    if form == "markdown":
        return "report", await run_sync(of_report, file.body.decode("utf-8", "replace"), "markdown")
    return "transcript", await run_sync(of_transcript, file.body)


def _attachment(
    request: AttachRequest,
    kind: str,
    found: Gathered,
    sourced: list[Sourced],
    checked: Mapping[str, Any],
    report: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """What was found, as it stands in the bundle."""
    citations = [
        {
            "line": found.line_of(one["line"]),
            "quote": one["quote"],
            "sources": [source["source"] for source in one["sources"]],
            "verdict": one["verdict"],
            "reason": one["reason"],
            "support": one["support"],
            "elsewhere": one["elsewhere"],
        }
        for one in checked["citations"]
    ]
    verdicts = Counter(str(one["verdict"]) for one in citations)
    standings = Counter(one.standing for one in sourced)
    return {
        "kind": "attachment",
        "version": 1,
        "file": {"name": request.file.name, "kind": kind, "format": found.form, "bytes": len(request.file.body)},
        "written_at": stamp(request.written_at) if request.written_at else None,
        "summary": _sentence(verdicts, standings, sum(one.cited.hosted for one in sourced)),
        "counts": {"citations": dict(sorted(verdicts.items())), "sources": dict(sorted(standings.items()))},
        "citations": citations,
        "sources": [one.told() for one in sourced],
        "audit": {key: report[key] for key in ("holds", "summary")} if report else None,
        "notes": found.notes + (["Not all citations were checked: there are too many."] if checked["cut"] else []),
    }


def _sentence(verdicts: Counter[str], standings: Counter[str], hosted: int) -> str:
    quoted = sum(count for verdict, count in verdicts.items() if verdict != "named")
    parts = [f"{verdicts['supported']} of {quoted} quotations stand in what is kept"]
    parts += [f"{verdicts['edited']} are changed"] if verdicts["edited"] else []
    parts += [f"{verdicts['misattributed']} stand in another source"] if verdicts["misattributed"] else []
    parts += [f"{verdicts['not_in_evidence']} stand nowhere"] if verdicts["not_in_evidence"] else []
    sources = [f"{count} {standing.replace('_', ' ')}" for standing, count in sorted(standings.items())]
    told = f"{', '.join(parts)}. Of the sources, {', '.join(sources)}" if sources else ", ".join(parts)
    return told + (f"; {hosted} came out of a provider's own search." if hosted else ".")


def _ids(sourced: list[Sourced], checked: Mapping[str, Any], report: Mapping[str, Any] | None) -> list[str]:
    """Everything that goes into the bundle, each once."""
    found: dict[str, None] = {}
    for one in sourced:
        found.update(dict.fromkeys(one.ids))
    for citation in checked["citations"]:
        for support in (*([citation["support"]] if citation["support"] else []), *citation["elsewhere"]):
            found[support["passage"] or support["capture"]] = None
            found[support["capture"]] = None
    for result in report["results"] if report else ():
        if result["record"] and result["serving"]:
            found[result["record"]] = None
            found[result["serving"]] = None
    return list(found)


def _files(
    request: AttachRequest, kind: str, attachment: dict[str, Any], report: Mapping[str, Any] | None
) -> dict[str, bytes]:
    """What goes along below `attached/`, by names that a bundle may have. Lists it in the attachment too."""
    files: dict[str, bytes] = {}
    if report is not None:
        files["audit.json"] = orjson.dumps(report)
    noted = _noted(request, kind, attachment)
    if noted is not None:
        files[f"with-sources{noted[0]}"] = noted[1]
    taken = {*files, "attachment.json"}
    listed = []
    for one in (request.file, *request.artefacts):
        member = _name(one.name, taken)
        files[member] = one.body
        listed.append(
            {"member": f"attached/{member}", "name": one.name, "bytes": len(one.body), "id": digest(one.body)}
        )
    attachment["files"] = listed
    files["attachment.json"] = orjson.dumps(attachment, option=orjson.OPT_INDENT_2)
    return files


def _noted(request: AttachRequest, kind: str, attachment: Mapping[str, Any]) -> tuple[str, bytes] | None:
    """A copy of the report that tells its sources; of what is no report, or a PDF, the appendix alone."""
    if request.notes == "none":
        return None
    if kind != "report":
        return ".md", "\n".join([*appendix(attachment), ""]).encode("utf-8", "replace")
    text = request.file.body.decode("utf-8", "replace")
    if attachment["file"]["format"] == "html":
        return ".html", html_with_appendix(text, attachment).encode("utf-8", "replace")
    write = with_footnotes if request.notes == "footnotes" else with_appendix
    return ".md", write(text, attachment).encode("utf-8", "replace")


def _name(name: str, taken: set[str]) -> str:
    """A name for a member: plain ASCII without folders or a dot in front, different from all others."""
    parts = [_UNSAFE.sub("-", part).strip(".-") for part in name.replace("\\", "/").split("/")]
    safe = "--".join(part for part in parts if part)[-150:].lstrip(".-") or "file"
    stem, dot, ending = safe.rpartition(".")
    number, found = 1, safe
    while found.lower() in taken:
        number += 1
        found = f"{stem}-{number}.{ending}" if dot else f"{safe}-{number}"
    taken.add(found.lower())
    return found


def _put_down(folder: Path, files: Mapping[str, bytes]) -> dict[str, Path]:
    paths = {}
    for number, (name, body) in enumerate(files.items()):
        path = folder / str(number)
        path.write_bytes(body)
        paths[name] = path
    return paths


def _told(told: Mapping[str, Any], attachment: Mapping[str, Any], paths: Mapping[str, Path]) -> dict[str, Any]:
    """What the door says at once; all of it stands in the bundle."""
    return {
        **told,
        "summary": attachment["summary"],
        "citations": attachment["counts"]["citations"],
        "sources": attachment["counts"]["sources"],
        "attached": [f"attached/{name}" for name in list(paths)[:20]],
        "notes": [*attachment["notes"], *told["notes"]],
    }
