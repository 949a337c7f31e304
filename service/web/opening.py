"""One id opened up: a record, a page as it was captured, a passage with its proof, a blob."""

from collections import Counter
from typing import Annotated, Any, Final

import anyio
import orjson
from fastapi import APIRouter, Path, Request, Response

from service.api_answers import actions
from service.doors import Actions
from service.errors import NoRoute
from service.failures import ServiceError
from service.requests import Caller, Evidence, Scope
from service.web.certificates import Certificate, read_certificate
from service.web.marking import marked, marked_beside
from service.web.rendering import page
from service.web.route import PageRoute, to, visitor
from snapshots import EvidenceError

router = APIRouter(route_class=PageRoute, include_in_schema=False)

MAX_TEXT: Final = 200_000  # characters of a text or blob on a page; more is for reading by other means
MAX_LISTED: Final = 200  # rows of a table that could be endless: dependents, links, removed things
HIDING: Final = frozenset({"hidden_text", "addresses_model"})
"""Flags of documents that may be about text which the page holds and does not show."""

OTHER_CAPTURES: Final = 20
"""Captures of the same address listed beside one."""

IMAGES: Final = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}

LOCAL_READER: Final = Caller(key=None, name=None, scopes=frozenset({Scope.READ}), surface="web")
"""Who lists the other captures of an address: the page was allowed to whoever asks for it already."""

Id = Annotated[str, Path(max_length=80)]
Json = dict[str, Any]


@router.get("/e/{evidence}")
async def evidence(request: Request, evidence: Id) -> Response:
    """Open what an id names."""
    visitor(request, Scope.READ)
    found = await actions(request).evidence(evidence)
    if found.kind == "blob":
        return page(request, "blob.html", id=found.id, **_blob(found), **await _around(actions(request), found.id))
    record = orjson.loads(found.body)
    if found.kind == "crawl" and record.get("phase") == "started":
        return to(f"/crawls/{found.id.removeprefix('sha256:')}")
    if found.kind == "session":
        return to(f"/sessions/{found.id.removeprefix('sha256:')}")
    describe = _PAGES.get(found.kind)
    if describe is None:
        pretty = orjson.dumps(record, option=orjson.OPT_INDENT_2).decode()
        around = await _around(actions(request), found.id)
        return page(request, "record.html", id=found.id, record=record, pretty=pretty[:MAX_TEXT], **around)
    template, values = describe
    return page(request, template, id=found.id, record=record, **await values(actions(request), found.id, record))


@router.get("/e/{evidence}/image")
async def image(request: Request, evidence: Id) -> Response:
    """Give a picture that was kept. Only what begins as a picture is given as one."""
    visitor(request, Scope.READ)
    found = await actions(request).evidence(evidence)
    media_type = next((kind for start, kind in IMAGES.items() if found.body.startswith(start)), None)
    if media_type is None:
        raise NoRoute("this is no picture")
    policy = "sandbox; default-src 'none'"
    return Response(found.body, 200, {"Content-Security-Policy": policy, "Cache-Control": "private"}, media_type)


async def _search(behind: Actions, ident: str, record: Json) -> Json:
    """Results with the texts of their passages, and everything that was considered."""
    results = []
    for result in record["results"]:
        passages = [await _passage_text(behind, one["id"]) for one in result["passages"]]
        title, capture = await _title(behind, result["capture"])
        results.append(result | {"title": title, "passages": passages, "capture_record": capture})
    shown = sum(len(result["passages"]) for result in record["results"])
    dropped = Counter(one["decision"] for one in record["candidates"] if one["decision"] != "kept").most_common()
    return {"results": results, "shown": shown, "dropped": dropped, **await _around(behind, ident)}


async def _fetch(behind: Actions, ident: str, record: Json) -> Json:
    """The text that was handed out."""
    title, capture = await _title(behind, record["capture"])
    document, problem = await _kept(behind, capture["document"]) if capture and capture["document"] else (None, None)
    text = document["text"][record["start"] : record["end"]] if document else None
    return {
        "title": title, "capture": capture, "problem": problem, "text": text and text[:MAX_TEXT],
        "cut": text is not None and len(text) > MAX_TEXT, **await _around(behind, ident),
    }  # fmt: skip


async def _capture(behind: Actions, ident: str, record: Json) -> Json:
    """A page as it was seen: its text, how it was got, and when else."""
    document, problem = await _kept(behind, record["document"]) if record["document"] else (None, None)
    text = document["text"] if document else ""
    listed = await behind.captures(record["final"], limit=OTHER_CAPTURES, before=None, caller=LOCAL_READER)
    chain: list[str] = next((hop["tls"]["chain"] for hop in reversed(record["hops"]) if hop["tls"]), [])
    certificates = [await _certificate(behind, one) for one in chain]
    flags = set(document["flags"]) if document else set()
    hidden = await _hidden(behind, ident) if flags & HIDING else ""
    parts = marked_beside(text[:MAX_TEXT], hidden, document["visible"] if document else "")
    return {
        "document": document, "problem": problem, "text": parts, "cut": len(text) > MAX_TEXT,
        "hidden": marked(hidden[:MAX_TEXT]), "others": listed["captures"], "certificates": certificates,
        **await _around(behind, ident),
    }  # fmt: skip


async def _document(behind: Actions, ident: str, record: Json) -> Json:
    """A text by itself."""
    text = record["text"]
    return {"text": text[:MAX_TEXT], "cut": len(text) > MAX_TEXT, **await _around(behind, ident)}


async def _passage(behind: Actions, ident: str, record: Json) -> Json:
    """A passage in its context, with the log's proof."""
    title, capture = await _title(behind, record["capture"])
    document, _ = await _kept(behind, record["document"])
    ends = (record["start"], record["end"] - 1)
    first, last = (_page_at(document, place) if document else None for place in ends)
    return {"title": title, "capture": capture, "first": first, "last": last, **await _around(behind, ident)}


def _page_at(document: Json, place: int) -> int | None:
    """The page of a PDF that the text up to a place reaches to."""
    begun = (block.get("page") for block in reversed(document["blocks"]) if block["start"] <= place)
    return next((page for page in begun if page is not None), None)


async def _serving(behind: Actions, ident: str, record: Json) -> Json:
    """A reply as it was given."""
    body, problem = None, None
    try:
        body = (await behind.evidence(record["body"])).body
    except (EvidenceError, ServiceError) as error:
        problem = str(error)
    text = None if body is None else body.decode("utf-8", "replace")
    return {
        "problem": problem, "text": text and text[:MAX_TEXT], "size": None if body is None else len(body),
        "cut": text is not None and len(text) > MAX_TEXT, **await _around(behind, ident),
    }  # fmt: skip


async def _deletion(behind: Actions, ident: str, record: Json) -> Json:
    """What was removed, in names and sizes."""
    return {"listed": record["removed"][:MAX_LISTED], **await _around(behind, ident)}


_PAGES: Final = {
    "search": ("search.html", _search),
    "fetch": ("fetch.html", _fetch),
    "capture": ("capture.html", _capture),
    "document": ("document.html", _document),
    "passage": ("passage.html", _passage),
    "serving": ("serving.html", _serving),
    "deletion": ("deletion.html", _deletion),
}


def _blob(found: Evidence) -> Json:
    """A blob for looking at: a certificate, a picture, or its beginning as text."""
    picture = any(found.body.startswith(start) for start in IMAGES)
    certificate = None if picture else read_certificate(found.body)
    text = None if picture or certificate else found.body[:MAX_TEXT].decode("utf-8", "replace")
    return {"size": len(found.body), "picture": picture, "certificate": certificate, "text": text,
            "cut": len(found.body) > MAX_TEXT}  # fmt: skip


async def _around(behind: Actions, ident: str) -> Json:
    """What stands on every such page: the proof, and who names it."""
    proof, unproven, naming = None, None, []
    try:
        proof = await behind.proof(ident)
        naming = (await behind.dependents(ident))["dependents"]
    except (EvidenceError, ServiceError) as error:
        unproven = str(error)
    return {
        "proof": proof, "unproven": unproven, "dependents": naming[:MAX_LISTED],
        "dependents_more": max(0, len(naming) - MAX_LISTED),
    }  # fmt: skip


async def _kept(behind: Actions, ident: str) -> tuple[Json | None, str | None]:
    """A record, or the sentence why there is none to show."""
    try:
        return orjson.loads((await behind.evidence(ident)).body), None
    except (EvidenceError, ServiceError) as error:
        return None, str(error)


async def _hidden(behind: Actions, capture: str) -> str:
    """What the page hides; nothing where it cannot be read again."""
    try:
        return (await behind.evidence(capture, view="hidden")).body.decode()
    except (EvidenceError, ServiceError):
        return ""


async def _title(behind: Actions, capture: str) -> tuple[str | None, Json | None]:
    """The title of a captured page, and the capture; neither where they have been removed."""
    record, _ = await _kept(behind, capture)
    if record is None or not record["document"]:
        return None, record
    document, _ = await _kept(behind, record["document"])
    return document["title"] if document else None, record


async def _passage_text(behind: Actions, ident: str) -> Json:
    record, problem = await _kept(behind, ident)
    return {"id": ident, "text": record["text"] if record else None, "headings": record["headings"] if record else [],
            "problem": problem}  # fmt: skip


async def _certificate(behind: Actions, ident: str) -> tuple[str, Certificate | None]:
    try:
        body = (await behind.evidence(ident)).body
    except (EvidenceError, ServiceError):
        return ident, None
    return ident, await anyio.to_thread.run_sync(read_certificate, body)
