"""Time stamps in the bucket: kept beside the log, written once, found again by the size of the tree they cover.

`log/stamps/<size>-<SHA-256 of the checkpoint>/` holds the `checkpoint` that was stamped and for each token
`<authority>-<n>.tsr`, `.tsq`, `.pem` and `.json`, the authority being the first 16 hex digits of the SHA-256 of its
address. See `docs/formats/log.md`.
"""

import hashlib
import re
import threading
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from snapshots.canonical import dump
from snapshots.errors import BadProof, BadStamp, Missing
from snapshots.log_lock import STAMPS
from snapshots.note import parse_checkpoint, parse_note
from snapshots.stamp_der import read_answer
from snapshots.stamps import Checked, Token
from snapshots.store import Store
from snapshots.times import stamp

MAX_SAME: Final = 10_000
"""Tokens of one authority over one checkpoint."""

_NAME = re.compile(r"log/stamps/(0|[1-9][0-9]{0,18})-([0-9a-f]{64})/([0-9a-f]{16})-([1-9][0-9]{0,4})\.tsr")


class _About(BaseModel):
    """What stands beside a token: who was asked and how far it was checked when it was kept."""

    model_config = ConfigDict(strict=True, extra="forbid")

    authority: str
    time: str
    size: int
    checked: Checked
    detail: str | None
    ends: str | None


@dataclass(frozen=True, order=True, slots=True)
class Place:
    """Where a token lies. In the order of the places, an authority's tokens are in the order of their times."""

    size: int
    number: int
    imprint: str
    authority: str

    @property
    def folder(self) -> str:
        """The checkpoint's folder."""
        return f"{STAMPS}{self.size}-{self.imprint}/"

    @property
    def name(self) -> str:
        """The token's files, without what tells them apart."""
        return f"{self.folder}{self.authority}-{self.number}"


class Stamps:
    """The tokens of one log. Thread-safe. `refresh` finds what other processes have kept since."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._turn = threading.Lock()
        self._places: dict[str, list[Place]] | None = None
        self._read: dict[Place, Token] = {}

    def refresh(self) -> None:
        """Lists anew what lies in the bucket. Raises StoreError."""
        found: defaultdict[str, list[Place]] = defaultdict(list)
        for stat in self._store.list(STAMPS):
            named = _NAME.fullmatch(stat.name)
            if named is not None:
                found[named[3]].append(Place(int(named[1]), int(named[4]), named[2], named[3]))
        with self._turn:
            self._places = {authority: sorted(places) for authority, places in found.items()}

    def keep(self, token: Token) -> str:
        """Keeps a token, durably; returns the name it lies under. Raises StoreError."""
        beside = _About(
            authority=token.authority,
            time=token.time,
            size=token.size,
            checked=token.checked,
            detail=token.detail,
            ends=token.ends,
        )
        authority = authority_id(token.authority)
        for number in range(1, MAX_SAME):
            place = Place(token.size, number, token.imprint, authority)
            # What identifies the attempt is claimed first: whoever finds the name taken goes on to the next one.
            if f"{place.name}.tsq" in self._store.put_new({f"{place.name}.tsq": token.request}):
                continue
            self._store.put_new(
                {
                    f"{place.folder}checkpoint": token.checkpoint,
                    f"{place.name}.pem": token.chain_pem,
                    f"{place.name}.json": dump(beside.model_dump()),
                }
            )
            # The token last: where it is, everything about it is.
            self._store.put_new({f"{place.name}.tsr": token.response})
            with self._turn:
                if self._places is not None:
                    self._places[authority] = sorted([*self._places.get(authority, ()), place])
                self._read[place] = token
            return f"{place.name}.tsr"
        raise BadStamp(f"there are {MAX_SAME} tokens of {token.authority} over one checkpoint")

    def newest(self, authority: str) -> Token | None:
        """The last whole token of the authority at this address, over the largest tree that it has stamped."""
        return next(self._whole(self._listed().get(authority_id(authority), [])[::-1]), None)

    def tokens_for(self, size: int, *, within: int | None = None) -> tuple[Token, ...]:
        """For each authority the earliest token that covers the first `size` entries; else the one that covers most.

        Where that one's certificate ends before that of a later token, the later one comes too: it is the renewal.
        Tokens over more than `within` entries (the size of the tree that they are to be shown with) are left out.
        Sorted by authority and time.
        """
        chosen: list[Token] = []
        for authority in sorted(self._listed()):
            fit = [place for place in self._listed()[authority] if within is None or place.size <= within]
            covering = [place for place in fit if place.size >= size]
            first = next(self._whole(covering), None) or next(self._whole(fit[::-1]), None)
            if first is None:
                continue
            chosen.append(first)
            last = next(self._whole(covering[::-1]), None)
            if last is not None and (last.ends or "") > (first.ends or ""):
                chosen.append(last)
        return tuple(sorted(chosen, key=lambda token: (token.authority, token.time)))

    def damaged(self) -> tuple[str, ...]:
        """The names of tokens that cannot be read. Reads each."""
        listed = self._listed()
        return tuple(
            f"{place.name}.tsr"
            for places in listed.values()
            for place in places
            if next(self._whole([place]), None) is None
        )

    def _listed(self) -> dict[str, list[Place]]:
        if self._places is None:
            self.refresh()
        with self._turn:
            return dict(self._places or {})

    def _whole(self, places: list[Place]) -> Iterator[Token]:
        for place in places:
            with self._turn:
                token = self._read.get(place)
            if token is None:
                try:
                    token = self._token(place)
                except (BadStamp, Missing):
                    continue
                with self._turn:
                    self._read[place] = token
            yield token

    def _token(self, place: Place) -> Token:
        """Reads a token and holds it against its place. Raises BadStamp, Missing."""
        response = self._store.get(f"{place.name}.tsr")
        checkpoint = self._store.get(f"{place.folder}checkpoint")
        try:
            about = _About.model_validate(orjson.loads(self._store.get(f"{place.name}.json")))
            size = parse_checkpoint(parse_note(checkpoint).text).size
        except (BadProof, ValidationError, ValueError) as error:
            raise BadStamp(f"{place.name} is damaged: {error}") from None
        answer = read_answer(response)
        imprint = hashlib.sha256(checkpoint).hexdigest()
        same = (imprint, answer.imprint.hex(), size, about.size, about.time, authority_id(about.authority))
        if same != (place.imprint, place.imprint, place.size, place.size, stamp(answer.time), place.authority):
            raise BadStamp(f"{place.name} is damaged: its parts do not belong together")
        return Token(
            authority=about.authority,
            time=about.time,
            size=size,
            response=response,
            checkpoint=checkpoint,
            chain_pem=self._store.get(f"{place.name}.pem"),
            request=self._store.get(f"{place.name}.tsq"),
            checked=about.checked,
            detail=about.detail,
            ends=about.ends,
        )


def authority_id(authority: str) -> str:
    """What stands for an authority's address in names."""
    return hashlib.sha256(authority.encode()).hexdigest()[:16]
