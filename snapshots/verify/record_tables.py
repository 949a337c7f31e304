"""The members of each kind of record and what their values may be, as tables."""

from typing import Any, Final

from snapshots.verify.forms import (
    Form,
    is_code,
    is_count,
    is_counts,
    is_flag,
    is_flat,
    is_hex,
    is_id_text,
    is_integer,
    is_loose,
    is_moment,
    is_number_text,
    is_pair,
    is_rank,
    is_text,
    list_of,
    maybe,
    object_of,
    one_of,
)

_PAGE_STATE = one_of("ok", "not_found", "blocked", "login", "consent", "paywall", "empty", "error", "unknown")
_EXTRACTORS = list_of(object_of(name=is_text, version=is_text))
_BLOCK_TYPES = frozenset({"heading", "paragraph", "list", "table", "code", "quote"})
_LINK_KEYS = {"text", "url"}
_BLOCK_KEYS = frozenset({"type", "start", "end", "level"})
_BLOCK_TYPES_2 = _BLOCK_TYPES | {"caption"}
_BLOCK_KEYS_2 = _BLOCK_KEYS | {"page"}
_MAX_HEADING_LEVEL = 6  # HTML has no more

_TLS = object_of(
    protocol=maybe(is_text), cipher=maybe(is_text), chain=list_of(is_id_text), verified=is_flag, error=maybe(is_text)
)
_HOP = object_of(
    url=is_text,
    method=is_text,
    request_headers=list_of(is_pair),
    status=maybe(is_count),
    response_headers=list_of(is_pair),
    protocol=maybe(is_text),
    remote=maybe(is_text),
    tls=maybe(_TLS),
    started_at=is_moment,
    ended_at=is_moment,
    error=maybe(is_text),
)
_DATED = maybe(object_of(value=is_text, how=is_text, firm=is_flag))


def _is_reference(value: Any) -> bool:
    return _REFERENCE(value) and value["start"] < value["end"]


_REFERENCE = object_of(id=is_id_text, capture=is_id_text, ordinal=is_count, start=is_count, end=is_count)


def _is_blocks(value: Any, keys: frozenset[str] = _BLOCK_KEYS, types: frozenset[str] = _BLOCK_TYPES) -> bool:
    if type(value) is not list:
        return False
    for block in value:
        if type(block) is not dict or block.keys() != keys:
            return False
        if type(block["type"]) is not str or block["type"] not in types:
            return False
        level = block["level"]
        right = type(level) is int and 1 <= level <= _MAX_HEADING_LEVEL if block["type"] == "heading" else level is None
        if not right or not is_count(block["start"]) or not is_count(block["end"]):
            return False
    return True


def _is_blocks_2(value: Any) -> bool:
    return _is_blocks(value, _BLOCK_KEYS_2, _BLOCK_TYPES_2) and all(
        block["page"] is None or is_rank(block["page"]) for block in value
    )


def _is_links(value: Any) -> bool:
    """A list of `{text, url}`; the longest lists in records, so that it is looked through in one go."""
    if type(value) is not list:
        return False
    for link in value:
        if type(link) is not dict or link.keys() != _LINK_KEYS:
            return False
        if type(link["text"]) is not str or type(link["url"]) is not str:
            return False
    return True


_CAPTURE: Final[dict[str, Form]] = {
    "asked": is_text,
    "final": is_text,
    "hops": list_of(_HOP),
    "body": maybe(is_id_text),
    "body_length": is_count,
    "wire_length": maybe(is_count),
    "wire_digest": maybe(is_id_text),
    "rendered": maybe(is_id_text),
    "screenshot": maybe(is_id_text),
    "pdf": maybe(is_id_text),
    "method": one_of("http", "browser", "upload", "import"),
    "settings": is_flat,
    "locale": maybe(is_text),
    "time_zone": maybe(is_text),
    "user_agent": maybe(is_text),
    "clock_offset_ms": maybe(is_integer),
    "outcome": one_of("ok", "incomplete", "timeout", "too_large", "refused", "rate_limited", "error"),
    "reason": maybe(is_code),
    "detail": maybe(is_text),
    "page_state": _PAGE_STATE,
    "page_state_evidence": list_of(is_text),
    "warnings": list_of(is_text),
    "media_type": maybe(is_text),
    "charset": maybe(object_of(name=is_text, source=is_text)),
    "robots": maybe(object_of(decision=is_text, source=maybe(is_text), overridden=is_flag)),
    "started_at": is_moment,
    "retrieved_at": is_moment,
    "document": maybe(is_id_text),
    "crawl": maybe(is_id_text),
}
_DOCUMENT: Final[dict[str, Form]] = {
    "source": is_id_text,
    "media_type": is_text,
    "base": is_text,
    "text": is_text,
    "visible": is_text,
    "title": maybe(is_text),
    "author": maybe(is_text),
    "published": _DATED,
    "modified": _DATED,
    "language": maybe(object_of(tag=is_text, how=is_text)),
    "canonical": maybe(is_text),
    "blocks": _is_blocks,
    "links": _is_links,
    "links_total": is_count,
    "flags": list_of(is_text),
    "extractors": _EXTRACTORS,
    "settings": is_flat,
}
_SEARCH: Final[dict[str, Form]] = {
    "query": is_text,
    "options": is_loose,
    "retrieved_at": is_moment,
    "providers": list_of(
        object_of(name=is_text, state=is_code, reply=maybe(is_id_text), candidates=is_count, detail=maybe(is_text))
    ),
    "candidates": list_of(
        object_of(
            url=is_text,
            capture=maybe(is_id_text),
            ranks=list_of(object_of(provider=is_text, rank=is_rank)),
            scores=list_of(object_of(part=is_text, value=is_number_text)),
            rank=is_rank,
            decision=is_code,
        )
    ),
    "candidates_total": is_count,
    "results": list_of(object_of(rank=is_rank, url=is_text, capture=is_id_text, passages=list_of(_is_reference))),
    "state": one_of("ok", "no_match", "no_provider", "provider_failed", "all_filtered", "fetch_failed", "budget_cut"),
    "relaxed": list_of(is_text),
    "index": maybe(is_loose),
    "versions": is_loose,
    "timings": is_counts,
}
_FETCH: Final[dict[str, Form]] = {
    "capture": is_id_text,
    "start": is_count,
    "end": is_count,
    "total": is_count,
    "cut": maybe(is_text),
    "passages": list_of(_is_reference),
    "options": is_loose,
    "retrieved_at": is_moment,
}
_SERVING: Final[dict[str, Form]] = {
    "record": is_id_text,
    "surface": is_code,
    "caller": maybe(is_text),
    "session": maybe(is_text),
    "body": is_id_text,
    "media_type": is_text,
    "served_at": is_moment,
}
_CRAWL: Final[dict[str, Form]] = {
    "phase": one_of("started", "finished"),
    "crawl": maybe(is_id_text),
    "seeds": list_of(is_text),
    "options": is_loose,
    "at": is_moment,
    "counts": maybe(is_counts),
    "state": one_of("running", "done", "cancelled", "failed"),
}
_CRAWL_2: Final[dict[str, Form]] = {
    "phase": one_of("paused", "resumed"),
    "crawl": is_id_text,
    "at": is_moment,
    "by": maybe(is_text),
}
_DELETION: Final[dict[str, Form]] = {
    "at": is_moment,
    "selector": is_loose,
    "removed": list_of(object_of(id=is_id_text, kind=is_code, bytes=is_count)),
    "counts": is_counts,
    "reason": maybe(is_text),
    "by": maybe(is_text),
}
_SESSION: Final[dict[str, Form]] = {
    "at": is_moment,
    "title": maybe(is_text),
    "system": maybe(is_id_text),
    "agent": maybe(is_id_text),
    "parent": maybe(is_id_text),
    "forked_at": maybe(is_id_text),
    "by": maybe(is_text),
    "labels": is_loose,
}
_EVENT: Final[dict[str, Form]] = {
    "session": is_id_text,
    "previous": maybe(is_id_text),
    "at": is_moment,
    "type": is_code,
    "state": one_of("idle", "running", "awaiting_tool", "awaiting_approval", "completed", "failed"),
    "run": maybe(is_id_text),
    "author": maybe(is_text),
    "recipient": maybe(is_text),
    "agent": maybe(is_id_text),
    "parent": maybe(is_id_text),
    "name": maybe(is_text),
    "call": maybe(is_text),
    "content": maybe(is_id_text),
    "media_type": maybe(is_text),
    "length": is_count,
    "tokens": maybe(is_count),
    "evidence": list_of(is_id_text),
    "pinned": is_flag,
    "sealed": maybe(object_of(provider=is_text, model=maybe(is_text))),
    "masked": is_count,
    "provider": maybe(is_text),
    "model": maybe(is_text),
    "api_schema": maybe(is_text),
    "details": is_loose,
    "by": maybe(is_text),
}
_AGENT: Final[dict[str, Form]] = {
    "at": is_moment,
    "name": maybe(is_text),
    "system": maybe(is_id_text),
    "tools": maybe(is_id_text),
    "provider": maybe(is_text),
    "model": maybe(is_text),
    "api_schema": maybe(is_text),
    "parameters": is_loose,
    "by": maybe(is_text),
}
_IMPORT: Final[dict[str, Form]] = {
    "at": is_moment,
    "form": is_code,
    "name": maybe(is_text),
    "sha256": is_hex,
    "size": is_count,
    "origin": maybe(is_text),
    "vkey": maybe(is_text),
    "tree": maybe(is_count),
    "members": list_of(object_of(member=is_text, id=is_id_text)),
    "claims": list_of(
        object_of(claim=is_code, result=one_of("holds", "fails", "not-checkable"), detail=is_text),
    ),
    "records": list_of(is_id_text),
    "absent": list_of(is_hex),
    "deletions": list_of(is_id_text),
    "counts": is_counts,
    "by": maybe(is_text),
}
_RECHECK_EDIT = object_of(
    change=one_of("insert", "delete", "replace"),
    quote_start=is_count,
    quote_end=is_count,
    page_start=is_count,
    page_end=is_count,
)
_PASSAGE_CHECK = object_of(
    passage=maybe(_is_reference),
    verdict=one_of(
        "exact", "typography", "moved", "edited", "ambiguous", "absent", "page_gone", "redirected", "inconclusive"
    ),
    where=one_of("text", "visible", None),
    start=maybe(is_count),
    end=maybe(is_count),
    occurrences=is_count,
    flags=list_of(is_code),
    edits=list_of(_RECHECK_EDIT),
    edits_total=is_count,
)


def _is_passage_check(value: Any) -> bool:
    return (
        _PASSAGE_CHECK(value)
        and len({value["where"] is None, value["start"] is None, value["end"] is None}) == 1
        and value["edits_total"] >= len(value["edits"])
    )


_RECHECK: Final[dict[str, Form]] = {
    "at": is_moment,
    "url": is_text,
    "old": maybe(is_id_text),
    "new": maybe(is_id_text),
    "visits": list_of(is_id_text),
    "page": one_of("unchanged", "changed", "gone", "redirected", "inconclusive"),
    "page_state": _PAGE_STATE,
    "redirected": maybe(is_text),
    "reason": maybe(is_text),
    "extractors": _EXTRACTORS,
    "passages": list_of(_is_passage_check),
    "watch": maybe(is_id_text),
}
_SOURCE = object_of(url=is_text, capture=is_id_text, passages=list_of(_is_reference))
_WATCH: Final[dict[str, Form]] = {
    "phase": one_of("started", "paused", "resumed", "ended"),
    "watch": maybe(is_id_text),
    "at": is_moment,
    "name": maybe(is_text),
    "sources": list_of(_SOURCE),
    "min_seconds": maybe(is_count),
    "max_seconds": maybe(is_count),
    "webhook": maybe(is_text),
    "by": maybe(is_text),
}
_HOLD: Final[dict[str, Form]] = {
    "phase": one_of("held", "released"),
    "hold": maybe(is_id_text),
    "at": is_moment,
    "ids": list_of(is_id_text),
    "urls": list_of(is_text),
    "patterns": list_of(is_text),
    "reason": maybe(is_text),
    "by": maybe(is_text),
}
_RETENTION: Final[dict[str, Form]] = {
    "phase": one_of("set", "lifted"),
    "retention": maybe(is_id_text),
    "at": is_moment,
    "patterns": list_of(is_text),
    "keep_seconds": maybe(is_count),
    "keep_last": maybe(is_rank),
    "reason": maybe(is_text),
    "by": maybe(is_text),
}
KIND_FORMS: Final[dict[tuple[str, int], dict[str, Form]]] = {
    ("capture", 1): _CAPTURE,
    ("document", 1): _DOCUMENT,
    ("document", 2): _DOCUMENT | {"blocks": _is_blocks_2},
    ("search", 1): _SEARCH,
    ("fetch", 1): _FETCH,
    ("serving", 1): _SERVING,
    ("serving", 2): _SERVING | {"structured": maybe(is_id_text), "claims": is_flat},
    ("crawl", 1): _CRAWL,
    ("crawl", 2): _CRAWL_2,
    ("deletion", 0): _DELETION,
    ("session", 1): _SESSION,
    ("event", 1): _EVENT,
    ("agent", 1): _AGENT,
    ("import", 1): _IMPORT,
    ("recheck", 1): _RECHECK,
    ("watch", 1): _WATCH,
    ("hold", 1): _HOLD,
    ("retention", 1): _RETENTION,
}
"""The forms that are known, without what all records have."""
