"""API keys over the state database, and the log's key: made, listed, changed, recognised."""

import time
from dataclasses import dataclass, field
from typing import Any

from service.clock import Clock
from service.failures import UnknownKey
from service.keys import hashed, new_key
from service.requests import Caller, KeyRequest, Scope
from snapshots import ApiKey, State, stamp

REMEMBERED = 5.0
"""Seconds for which a key that was looked up counts as good; one revoked by another process works that much longer."""
MAX_REMEMBERED = 10_000
"""Keys held in memory; more than that are being tried, not used."""


@dataclass
class Keyring:
    """The keys of one installation."""

    state: State
    clock: Clock
    _known: dict[str, tuple[float, Caller | None]] = field(default_factory=dict)
    _used: dict[str, str] = field(default_factory=dict)

    def listed(self) -> dict[str, Any]:
        """All keys, revoked ones included; never a key itself."""
        self.flush()
        return {"keys": [_told(key) for key in self.state.list_keys()]}

    def create(self, request: KeyRequest) -> dict[str, Any]:
        """A new key; the only time it is shown."""
        made = new_key()
        key = ApiKey(
            id=made.id,
            name=request.name,
            scopes=tuple(scope.value for scope in request.scopes),
            created_at=stamp(self.clock()),
            rate=request.rate,
            concurrency=request.concurrency,
        )
        self.state.add_key(key, f"sha256:{made.hashed}")
        self._known.pop(made.hashed, None)
        limits = {"rate": key.rate, "concurrency": key.concurrency}
        return {"id": key.id, "name": key.name, "scopes": list(key.scopes)} | limits | {"key": made.key}

    def rotate(self, key_id: str) -> dict[str, Any]:
        """A new key with the name, scopes and limits of an old one, which is refused from now on."""
        old = next((key for key in self.state.list_keys() if key.id == key_id and key.revoked_at is None), None)
        if old is None:
            raise UnknownKey(f"no key in force has the id {key_id}")
        scopes = tuple(Scope(scope) for scope in old.scopes)
        made = self.create(KeyRequest(name=old.name, scopes=scopes, rate=old.rate, concurrency=old.concurrency))
        self.revoke(key_id)
        return made | {"replaces": key_id}

    def revoke(self, key_id: str) -> dict[str, Any]:
        """Refuse a key from now on."""
        revoked = self.state.revoke_key(key_id, stamp(self.clock()))
        if revoked is None:
            raise UnknownKey(f"no key has the id {key_id}")
        self._known.clear()
        return {"id": revoked.id, "name": revoked.name, "revoked_at": revoked.revoked_at}

    def authenticate(self, key: str) -> Caller | None:
        """Who holds this key, if it is good. Blocking, unless `remembered` knows it."""
        found = self.state.key_of(f"sha256:{hashed(key)}")
        caller = (
            Caller(
                key=found.id,
                name=found.name,
                scopes=frozenset(found.scopes),
                surface="http",
                rate=found.rate,
                concurrency=found.concurrency,
            )
            if found and found.revoked_at is None
            else None
        )
        if len(self._known) >= MAX_REMEMBERED:
            self._known.clear()
        self._known[hashed(key)] = (time.monotonic() + REMEMBERED, caller)
        if caller and caller.key:
            self._used[caller.key] = stamp(self.clock())
        return caller

    def remembered(self, key: str) -> Caller | None:
        """The holder of a key that was recognised a moment ago."""
        until, caller = self._known.get(hashed(key), (0.0, None))
        return caller if time.monotonic() < until else None

    def flush(self) -> None:
        """Write down when keys were last used: gathered, since a write for each request would cost more than it."""
        used, self._used = self._used, {}
        self.state.used_keys(used)


def _told(key: ApiKey) -> dict[str, Any]:
    return {
        "id": key.id,
        "name": key.name,
        "scopes": list(key.scopes),
        "created_at": key.created_at,
        "revoked_at": key.revoked_at,
        "last_used": key.last_used,
        "rate": key.rate,
        "concurrency": key.concurrency,
    }
