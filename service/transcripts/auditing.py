"""Audits a transcript: what of it can be proven, what is sealed, what lies elsewhere. Reads it once, as it streams."""

import re
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, Final

import orjson
from anyio.to_thread import run_sync

from service.transcripts.comparing import Compared, compare
from service.transcripts.detecting import Format
from service.transcripts.events import (
    BetweenAgents,
    Called,
    Event,
    HostedSearch,
    Origin,
    RemoteFile,
    Replaced,
    Resulted,
    Said,
    Sealed,
    ServerHeld,
    Step,
    Unknown,
    Unread,
)
from service.transcripts.findings import MAX_LISTED, WHOLE, WRONG, Copy, Result
from service.transcripts.lines import NO_JSON, Source, parsed
from service.transcripts.lookup import Kept, Lookup
from service.transcripts.naming import captures_in, mentioned, records_in, records_named
from service.transcripts.reading import Transcript, read_transcript
from service.transcripts.report import Audited, report
from service.transcripts.steps import Steps

AT_ONCE: Final = 200
"""Events read in one go by a thread."""

MAX_OPEN: Final = 10_000
"""Calls that wait for their result; a turn has dozens. The oldest are forgotten first."""

MAX_COPIES: Final = 10_000
"""Provider copies listed by name; all are counted."""

MAX_CITED: Final = 5_000
"""Ids in messages that are looked up, each once."""

MAX_TOOL: Final = 200
"""Characters of a tool's name that are looked at."""

_WEB: Final = re.compile(
    r"search|fetch|brows|web|scrape|crawl|extract|citator|tavily|firecrawl|searx|evidence|url|http|retriev",
    re.IGNORECASE,
)
# Tools whose output is what a program, a file or another agent said: it may show a part of a reply without being one.
_LOCAL: Final = re.compile(
    r"(?:\w*(?:bash|shell|exec|terminal|python|read|view|cat|grep|task|agent|notebook|repl)\w*)", re.IGNORECASE
)
_EXPIRING: Final = re.compile(r"vertexaisearch\.cloud\.google\.com/grounding-api-redirect/")


async def audit(kept: Kept, source: Source, *, name: str | None = None, form: Format | None = None) -> dict[str, Any]:
    """What of the transcript in `source` can be proven with what `kept` has.

    Never fails on what the transcript holds. Returns the report as `service.transcripts.report` makes it.

    Raises:
        Whatever asking `kept` raises, but for ids that it does not know.
    """
    transcript = await run_sync(read_transcript, source, form)
    auditor = _Auditor(Lookup(kept), transcript.format)
    async for event in _events(transcript):
        await auditor.take(event)
    found = await auditor.done()
    measured = transcript.measured
    found.file = {"name": name, "sha256": measured.digest, "bytes": measured.size, "format": transcript.format}
    return report(found)


async def _events(transcript: Transcript) -> AsyncIterator[Event]:
    def some(events: Iterator[Event]) -> list[Event]:
        return list(islice(events, AT_ONCE))

    while batch := await run_sync(some, transcript.events):
        for event in batch:
            yield event


class _Auditor:
    def __init__(self, lookup: Lookup, form: Format) -> None:
        self._lookup = lookup
        self._found = Audited(anthropic=form in ("anthropic", "claude-code"))
        self._tallies = self._found.tallies
        self._steps = Steps(is_tree=form in ("pi", "chatgpt", "open-webui"))
        self._calls: OrderedDict[str, Called] = OrderedDict()
        self._by_call: dict[str, Result] = {}
        self._spilled: list[Result] = []
        self._ids: dict[str, tuple[int, bool]] = {}
        self._copies: dict[tuple[str, str], Copy] = {}

    async def take(self, event: Event) -> None:  # noqa: C901, PLR0912 - a table of events
        match event:
            case Step():
                self._steps.begin(event)
            case Resulted():
                await self._result(event)
            case HostedSearch():
                self._hosted(event)
            case Called():
                self._called(event)
            case Said():
                self._said(event)
            case Sealed():
                self._tallies.add(f"sealed {event.what}", event.line)
                self._tallies.add(f"sealed: {event.where}", event.line)
                self._found.sealed.setdefault((event.what, event.where), []).append(event.size)
            case ServerHeld():
                self._tallies.add("server-held ids", event.line)
                self._copy(event.where, event.value, event.line)
            case RemoteFile():
                self._tallies.add("remote files", event.line)
                self._copy(event.where, event.value, event.line)
            case Replaced():
                self._tallies.add(
                    "context replaced" if event.readable else "context replaced by sealed text", event.line
                )
                self._tallies.add(f"replaced: {event.how}", event.line)
                self._steps.replaced(event)
            case BetweenAgents():
                self._tallies.add("agent messages" if event.readable else "unreadable agent messages", event.line)
            case Unknown():
                self._tallies.add("unknown kinds", event.line)
                self._found.unknown.setdefault(event.what, event.line)
            case Unread():
                self._tallies.add("unread", event.line)
                if len(self._found.unread) < MAX_LISTED:
                    self._found.unread.append({"line": event.line, "why": event.why, "bytes": event.size})
            case Origin():
                self._found.origins.setdefault((event.provider, event.model), event.line)

    # calls and messages

    def _called(self, event: Called) -> None:
        self._tallies.add("calls", event.line)
        if event.call:
            self._calls[event.call] = replace(event, arguments=event.arguments[:100_000])
            while len(self._calls) > MAX_OPEN:
                self._calls.popitem(last=False)
        for one in self._spilled:
            if one.spill_read is None and one.spill and one.spill in event.arguments:
                one.spill_read = event.line

    def _said(self, event: Said) -> None:
        self._tallies.add(f"messages of {event.role}", event.line)
        for citation in event.citations:
            self._tallies.add("cited addresses", event.line)
            if _EXPIRING.search(citation.url):
                self._tallies.add("expiring addresses", event.line)
        if event.role in ("assistant", "other"):
            for text in event.blocks:
                for one, certain in mentioned(text):
                    if len(self._ids) < MAX_CITED or one in self._ids:
                        line, before = self._ids.get(one, (event.line, False))
                        self._ids[one] = (line, before or certain)

    def _copy(self, where: str, value: str, line: int) -> None:
        key = (where, value)
        if key in self._copies or len(self._copies) < MAX_COPIES:
            self._copies.setdefault(key, Copy(where, value, expiring=True)).tally.add(line)

    def _hosted(self, event: HostedSearch) -> None:
        self._tallies.add("hosted searches", event.line)
        if not event.text:
            self._tallies.add("hosted searches without text", event.line)
        for url in event.urls:
            if _EXPIRING.search(url):
                self._tallies.add("expiring addresses", event.line)
        if event.text or event.kind in ("google_search_call", "url_context_call"):
            return
        if event.sealed:
            compared = Compared("sealed", reason="its text is sealed by the provider; only addresses are left")
        else:
            compared = Compared("hosted_url_only", reason="the provider searched; no page text is in the transcript")
        result = self._new(event.line, event.kind, event.call, compared, web=True)
        result.urls = event.urls[:50]
        self._keep(result)

    # results

    def _new(self, line: int, tool: str, call: str | None, compared: Compared, *, web: bool) -> Result:
        step = self._steps
        return Result(line, step.place, step.id, step.lane, step.at, tool, call, compared, web)

    def _keep(self, result: Result) -> None:
        self._found.results_total += 1
        if len(self._found.results) < MAX_LISTED:
            self._found.results.append(result)
        else:
            self._found.count_only(result)
        if result.call:
            self._by_call[result.call] = result
            if len(self._by_call) > MAX_OPEN:
                del self._by_call[next(iter(self._by_call))]

    async def _result(self, event: Resulted) -> None:
        called = self._calls.get(event.call or "")
        tool = event.tool or (called.tool if called else "unknown tool")
        web = _WEB.search(tool) is not None
        named = records_named(event.text) + records_in(event.meta)
        if event.structured is not None:
            named += records_named(event.structured.decode("utf-8", "replace"))
        record, compared = await self._compare(event, tuple(dict.fromkeys(named)), tool)
        if event.copy:
            earlier = self._by_call.get(event.call or "")
            if earlier is not None:
                earlier.copy = compared.verdict
                return
            self._tallies.add("copies without a result", event.line)
            return
        result = self._new(event.line, tool, event.call, compared, web=web or record is not None)
        result.record, result.spill = record, event.spill
        if compared.verdict == "unreferenced" and (web or event.inner):
            words = _words(called.arguments if called else "")
            result.candidates = await self._lookup.candidates(words, self._steps.at)
        if result.spill or compared.verdict == "spilled":
            self._spilled.append(result)
        if event.inner:
            self._tallies.add("calls made inside scripts", event.line)
        self._keep(result)

    async def _compare(self, event: Resulted, named: tuple[str, ...], tool: str) -> tuple[str | None, Compared]:
        """The record that a result is of, and what comparing says."""
        if event.inner:
            return None, Compared("unreferenced", reason="a script called it, and the transcript has not what it gave")
        record, compared = await self._by_name(event, named)
        if compared is not None and compared.verdict in WHOLE:
            return record, compared
        if _WEB.search(tool) or "sha256" in event.text:  # every reply names what it shows; other tools need no look-up
            kept = await self._lookup.by_bytes(event)
            if kept is not None:
                return kept
        if compared is not None and not (_LOCAL.fullmatch(tool[:MAX_TOOL]) and compared.verdict in WRONG):
            return record, compared
        return await self._unnamed(event, named=bool(named))

    async def _unnamed(self, event: Resulted, *, named: bool) -> tuple[str | None, Compared]:
        """What can be said of a result that is the reply of nothing that it names."""
        page = await self._lookup.page_with(event.blocks, captures_in(event.meta))
        if page is not None:
            return page, Compared(
                "partial", None, ("pieces of a page",), "each piece stands word for word in that capture"
            )
        if event.spill or "<persisted-output>" in event.text[:200]:
            return None, Compared("spilled", reason="it is in a file of the client's, and names no record")
        reason = "it names records and is the reply of none" if named else "it names no record"
        return None, Compared("unreferenced", reason=reason)

    async def _by_name(self, event: Resulted, named: tuple[str, ...]) -> tuple[str | None, Compared | None]:
        """What comparing with the replies of the records that a result names says; None if there are none."""
        missing: Compared | None = None
        best: tuple[str, Compared] | None = None
        for name in named:
            replies = await self._lookup.replies(name)
            if replies.standing == "removed":
                missing = missing or Compared("removed", reason=replies.reason)
            elif replies.standing != "known":
                missing = Compared("unknown_hash", reason=f"it names {name}, of which nothing is known here")
            elif replies.served:
                compared = compare(event, replies.served, {})
                if compared.verdict in WHOLE:
                    return name, compared
                if best is None or best[1].verdict == "altered":
                    best = (name, compared)
        if best is None:
            return (named[0] if missing else None), missing
        served = best[1].served
        passages = await self._lookup.passages(served.record if served else best[0])
        return best[0], compare(event, [served] if served else [], passages)

    # the end

    async def done(self) -> Audited:
        """Everything that was found, with what later lines say of earlier ones."""
        found = self._found
        self._steps.settle(found.results)
        for text, (line, certain) in self._ids.items():
            known = await self._lookup.find(text)
            if known.standing == "known":
                self._tallies.add("cited ids that are kept", line)
            elif known.standing == "removed":
                self._tallies.add("cited ids that were removed", line)
            elif certain or known.standing == "ambiguous":
                self._tallies.add("cited ids that are not known here", line)
                found.unknown_ids.append({"id": text, "line": line})
            else:
                self._tallies.add("words like ids that are not known here", line)
        found.copies = list(self._copies.values())
        found.listing_cut = self._lookup.listing_cut
        found.steps = self._steps.place
        return found


def _words(arguments: str) -> tuple[str, ...]:
    """What a call asked for: the strings of its arguments."""
    value = parsed(arguments)
    if isinstance(value, dict):
        return tuple(one for one in value.values() if isinstance(one, str))
    return (arguments,) if value is NO_JSON and arguments else ()


def as_json(told: dict[str, Any]) -> bytes:
    """The report as it is sent."""
    return orjson.dumps(told)
