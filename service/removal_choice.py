"""Which captures and replies a removal means: by page, by a pattern of addresses, by session, by time.

Conditions narrow each other. A page that a session was shown goes with it only if no reply outside the session shows
it: what others rest on stays, and is told.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crawler import BadAddress, parse_address
from service.parts import Parts
from service.requests import RemovalRequest
from service.sessions_claimed import servings_of_session
from snapshots import Archive, CaptureRow, Fetch, Search, Selection, Session, UnknownId
from snapshots import BadId as NoId

STEP = 1_000
"""Captures read from the catalogue at a time."""


@dataclass(frozen=True)
class Choice:
    """What is to be removed. `shared` are captures that the session was shown and that stay, since others were too.

    `forks` are sessions that share events with one that is to go: they go along if that was asked for.
    """

    selection: Selection
    shared: tuple[str, ...] = ()
    forks: tuple[str, ...] = ()


def choice(parts: Parts, request: RemovalRequest) -> Choice:
    """What a request means. Blocking; reads the catalogue, and for a session every serving.

    Raises:
        UnknownId, RemovedId, AmbiguousId, BadId: for ids.
    """
    archive = parts.archive
    ids = [archive.resolve(text) for text in request.ids]
    narrowed = (request.pattern, request.since, request.until, request.session)
    if all(one is None for one in narrowed):
        forks = forks_of(archive, ids)
        chosen = (*ids, *(forks if request.forks else ()))
        return Choice(Selection(ids=chosen, pages=(request.url,) if request.url else ()), forks=forks)
    rows = list(_matching(archive, request))
    shared: tuple[str, ...] = ()
    if request.session is not None:
        told = _Told(archive, request.session)
        rows = [row for row in rows if row.id in told.captures]
        shared = tuple(row.id for row in rows if told.is_shared(row.id))
        rows = [row for row in rows if row.id not in set(shared)]
        if all(one is None for one in (request.url, request.pattern, request.since, request.until)):
            ids += told.said
    forks = forks_of(archive, ids)
    ids += [row.id for row in rows] + [*(forks if request.forks else ())]
    return Choice(Selection(ids=tuple(dict.fromkeys(ids)), asked=_asked(request)), shared, forks)


def forks_of(archive: Archive, ids: Sequence[str]) -> tuple[str, ...]:
    """The sessions that were forked from those among `ids`, and from these, and are not among them. Blocking."""
    chosen = set(ids)
    found: dict[str, None] = {}
    waiting = [one for one in ids if _is_session(archive, one)]
    while waiting:
        session = waiting.pop()
        for naming in archive.catalogue.naming(session, kind="session"):
            record = archive.record(naming.id)
            if isinstance(record, Session) and record.parent == session and naming.id not in chosen | found.keys():
                found[naming.id] = None
                waiting.append(naming.id)
    return tuple(found)


def _is_session(archive: Archive, ident: str) -> bool:
    position = archive.catalogue.position_of(ident)
    return position is not None and archive.catalogue.entries(position, 1)[0].kind == "session"


def _asked(request: RemovalRequest) -> dict[str, str]:
    """The conditions as a deletion record shows them. An address is no secret there; a session is a claim."""
    given = {
        "url": request.url,
        "pattern": request.pattern,
        "session": request.session,
        "since": request.since.isoformat() if request.since else None,
        "until": request.until.isoformat() if request.until else None,
    }
    return {name: value for name, value in given.items() if value is not None}


def _matching(archive: Archive, request: RemovalRequest) -> Iterator[CaptureRow]:
    """The captures that address, pattern and time mean."""
    fits = address_pattern(request.pattern) if request.pattern is not None else None
    page = _address(request.url) if request.url is not None else None
    after = -1
    while rows := archive.catalogue.captures_between(request.since, request.until, after=after, limit=STEP):
        after = rows[-1].position
        for row in rows:
            if page is not None and page not in (row.asked, row.final):
                continue
            if fits is None or fits.fullmatch(row.asked) or fits.fullmatch(row.final):
                yield row


def address_pattern(pattern: str) -> "re.Pattern[str]":
    """A pattern of addresses: `*` stands for anything, all else for itself."""
    return re.compile(
        "".join(".*" if part == "*" else re.escape(part) for part in re.split(r"(\*)", pattern)), re.DOTALL
    )


def _address(url: str) -> str:
    try:
        return parse_address(url).href
    except BadAddress:
        return url


class _Told:
    """What was served for a session: its replies, and the captures that they show."""

    def __init__(self, archive: Archive, session: str) -> None:
        self._archive = archive
        self._servings = {serving.id: serving for serving in servings_of_session(archive, session)}
        self._records = {serving.record for serving in self._servings.values()}
        self.captures = {name for record in self._records for name in self._shown(record)}
        self.said = [*self._servings, *_session_record(archive, session)]

    def _shown(self, record: str) -> Iterator[str]:
        found = self._archive.record(record)
        if isinstance(found, Fetch):
            yield found.capture
        elif isinstance(found, Search):
            yield from (result.capture for result in found.results)

    def is_shared(self, capture: str) -> bool:
        """Whether a reply outside the session shows the capture too."""
        for naming in self._archive.catalogue.naming(capture):
            if naming.kind not in ("fetch", "search") or naming.id in self._records:
                continue
            if capture in self._shown(naming.id):
                return True
        return any(
            one.id not in self._servings
            for record in self._records
            if capture in self._shown(record)
            for one in self._archive.catalogue.naming(record, kind="serving")
        )


def _session_record(archive: Archive, session: str) -> Iterator[str]:
    """The session itself, if its name is the id of one that is kept here."""
    try:
        found = archive.resolve(session)
    except (NoId, UnknownId):
        return
    if archive.kind_of(found) == "session" and isinstance(archive.record(found), Session):
        yield found
