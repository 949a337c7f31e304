"""Asks a Citator what it kept, for results of a transcript: by ids, by their bytes, by their time."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal, Protocol

import orjson

from service.doors import Json
from service.errors import problem_of
from service.requests import Evidence
from service.transcripts.comparing import Compared, Served, Verdict
from service.transcripts.events import Resulted
from service.transcripts.wrappers import views
from snapshots import digest

HELD: Final = 64
"""Records whose replies are kept at hand: the same one is named by call, result and copy, close to one another."""

MAX_SERVINGS: Final = 50
"""Replies looked at of one record; a record is mostly served once."""

MAX_PASSAGES: Final = 200
"""Passages looked at of one reply."""

MAX_LISTING: Final = 1_000
"""Records among which a reply is looked for by time and words, the newest first."""

NEAR: Final = timedelta(minutes=10)
"""How far the clocks of a client and of Citator, and the time that a tool takes, may set two times apart."""

MIN_BYTES: Final = 32
"""Characters of a text that is looked for by its hash: shorter ones are said by anything."""

Standing = Literal["known", "unknown", "removed", "ambiguous"]


class Kept(Protocol):
    """What is asked; every `Citator` can be."""

    async def evidence(self, text: str, /, *, view: str | None = None) -> Evidence:
        """The exact bytes of an id, or one view of its record."""
        ...

    async def dependents(self, text: str, /) -> Json:
        """The records that name an id."""
        ...

    async def recent(self, kinds: Sequence[str], /, *, limit: int, before: int | None) -> Json:
        """Records of some kinds, newest first."""
        ...


@dataclass(frozen=True)
class Found:
    """What is known of an id: its standing, whole id, kind and bytes."""

    standing: Standing
    id: str
    kind: str | None = None
    body: bytes = b""
    reason: str = ""


@dataclass(frozen=True)
class Replies:
    """The replies that were given for a record. With none, `standing` and `reason` say why."""

    standing: Standing
    served: tuple[Served, ...] = ()
    reason: str = ""


_STANDINGS: Final[dict[str, Standing]] = {
    "unknown-id": "unknown", "bad-id": "unknown", "removed": "removed", "ambiguous-id": "ambiguous",
}  # fmt: skip


class Lookup:
    """Asks, and holds what was asked last."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._replies: OrderedDict[str, Replies] = OrderedDict()
        self._listing: list[Mapping[str, Any]] | None = None
        self.listing_cut = False

    async def find(self, text: str) -> Found:
        """What is known of an id or the beginning of one."""
        try:
            found = await self._kept.evidence(text)
        except Exception as error:
            problem = problem_of(error)
            standing = _STANDINGS.get(problem.slug)
            if standing is None:
                raise
            return Found(standing, text, reason=problem.detail)
        return Found("known", found.id, found.kind, found.body)

    async def replies(self, record: str) -> Replies:
        """The replies that were given for a record, or for what shows a passage or a capture."""
        held = self._replies.get(record)
        if held is None:
            held = self._replies[record] = await self._look(record)
        self._replies.move_to_end(record)
        while len(self._replies) > HELD:
            self._replies.popitem(last=False)
        return held

    async def _look(self, record: str) -> Replies:
        found = await self.find(record)
        if found.standing != "known":
            return Replies(found.standing, reason=found.reason)
        if found.kind == "serving":
            return await self._read([found.id])
        servings = await self._naming(found.id, ("serving",))
        if not servings and found.kind in ("passage", "capture"):
            showing = await self._naming(found.id, ("search", "fetch"))
            servings = [one for name in showing for one in await self._naming(name, ("serving",))]
        return await self._read(servings[:MAX_SERVINGS])

    async def _naming(self, name: str, kinds: tuple[str, ...]) -> list[str]:
        try:
            told = await self._kept.dependents(name)
        except Exception as error:
            if problem_of(error).slug in _STANDINGS:
                return []
            raise
        return [one["id"] for one in told["dependents"] if one["kind"] in kinds][:MAX_SERVINGS]

    async def _read(self, servings: Iterable[str]) -> Replies:
        served, gone = [], ""
        for name in servings:
            found = await self.find(name)
            fields = orjson.loads(found.body) if found.standing == "known" else {}
            if not isinstance(fields.get("body"), str):
                continue
            body = await self.find(fields["body"])
            if body.standing != "known":
                gone = body.reason
                continue
            structured = await self.find(fields["structured"]) if isinstance(fields.get("structured"), str) else None
            form = structured.body if structured and structured.standing == "known" else None
            served.append(Served(fields["record"], name, body.body, form))
        if served:
            return Replies("known", tuple(served))
        if gone:
            return Replies("removed", reason=f"the reply was removed: {gone}")
        return Replies("known", reason="it is kept, and was never the answer to anybody")

    async def passages(self, record: str) -> dict[str, str]:
        """The texts of the passages that a record shows, by id."""
        found = await self.find(record)
        if found.standing != "known" or found.kind not in ("search", "fetch"):
            return {}
        fields = orjson.loads(found.body)
        shown = [one["id"] for result in fields.get("results", ()) for one in result["passages"]]
        shown += [one["id"] for one in fields.get("passages", ())]
        texts = {}
        for name in dict.fromkeys(shown[:MAX_PASSAGES]):
            try:
                texts[name] = (await self._kept.evidence(name, view="text")).body.decode("utf-8", "replace")
            except Exception as error:
                if problem_of(error).slug not in _STANDINGS:
                    raise
        return texts

    async def by_bytes(self, result: Resulted) -> tuple[str, Compared] | None:
        """What is kept whose exact bytes stand in a result, whatever the result names; None if nothing is."""
        for view in views(result.text, result.blocks):
            if len(view.text) < MIN_BYTES:
                continue
            found = await self.find(digest(view.text.encode("utf-8", "surrogatepass")))
            if found.standing != "known":
                continue
            verdict: Verdict = "exact_after_client_wrapper" if view.taken_off else "exact"
            replies = await self._read(await self._naming(found.id, ("serving",)))
            if replies.served:
                served = replies.served[0]
                return served.record, Compared(verdict, served, view.taken_off, "it is a reply that was served")
            return found.id, Compared(
                verdict, None, view.taken_off, f"it is the exact bytes of a {found.kind} kept here"
            )
        return None

    async def page_with(self, pieces: Sequence[str], captures: Sequence[str]) -> str | None:
        """The first of some captures in whose text all of these pieces stand, as clients cut and hand them on."""
        wanted = [piece.strip() for piece in pieces if piece.strip()]
        for capture in captures if wanted else ():
            try:
                text = (await self._kept.evidence(capture, view="text")).body.decode("utf-8", "replace")
            except Exception as error:
                if problem_of(error).slug not in {*_STANDINGS, "bad-request"}:
                    raise
                continue
            if all(piece in text for piece in wanted):
                return capture
        return None

    async def candidates(self, words: Iterable[str], at: str | None) -> tuple[str, ...]:
        """Records that a result without an id may be of: asked in the same words, near the same time."""
        wanted = {" ".join(word.split()).lower() for word in words} - {""}
        if not wanted:
            return ()
        moment = _moment(at)
        found = []
        for one in await self._listed():
            near = moment is None or (then := _moment(one.get("at"))) is None or abs(then - moment) <= NEAR
            if near and " ".join(str(one.get("about")).split()).lower() in wanted:
                found.append(str(one["id"]))
        return tuple(found[:10])

    async def _listed(self) -> list[Mapping[str, Any]]:
        if self._listing is None:
            told = await self._kept.recent(("search", "fetch"), limit=MAX_LISTING, before=None)
            self._listing = list(told["records"])
            self.listing_cut = told["next"] is not None
        return self._listing


def _moment(text: str | None) -> datetime | None:
    try:
        found = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return found if found is not None and found.tzinfo is not None else None
