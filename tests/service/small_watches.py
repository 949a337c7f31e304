"""The watches and holds of the small Citator."""

import hashlib
from typing import Any

from service.failures import UnknownHold, UnknownRule, UnknownWatch
from service.requests import Caller
from service.retention_requests import RetentionRequest, RetentionRound
from service.watch_requests import HoldRequest, WatchRequest

TIME = "2026-11-29T19:28:36.123Z"
STATES = {"paused": "paused", "resumed": "active", "ended": "ended"}


class SmallWatches:
    """Watches that nobody visits."""

    def __init__(self) -> None:
        self.all: dict[str, dict[str, Any]] = {}

    async def add(self, request: WatchRequest, _caller: Caller, /) -> dict[str, Any]:
        ident = "sha256:" + hashlib.sha256(f"watch {len(self.all)}".encode()).hexdigest()
        source = {"url": "http://site.test/a", "passages": 1, "verdict": None, "next_visit": TIME, "trouble": None,
                  "missed": []}  # fmt: skip
        self.all[ident] = {
            "id": ident, "name": request.name, "state": "active", "urls": list(request.urls), "alarms": 0,
            "standing": 0, "next_visit": TIME, "sources": [source], "alarms_shown": [], "webhook_lost": False,
            "deliveries": [],
        }  # fmt: skip
        return self.all[ident] | {"secret": "whsec_shown-once" if request.webhook else None}

    async def listed(self) -> dict[str, Any]:
        return {"watches": list(self.all.values())}

    async def show(self, watch: str, /) -> dict[str, Any]:
        if watch not in self.all:
            raise UnknownWatch(f"there is no watch {watch}")
        return self.all[watch]

    async def change(self, watch: str, phase: str, _caller: Caller, /) -> dict[str, Any]:
        found = await self.show(watch)
        found["state"] = STATES[phase]
        return found

    async def feed(self, watch: str | None, /) -> bytes:
        if watch is not None:
            await self.show(watch)
        return b'<feed xmlns="http://www.w3.org/2005/Atom"/>'


class SmallHolds:
    """Holds in a dictionary."""

    def __init__(self) -> None:
        self.all: dict[str, dict[str, Any]] = {}

    async def add(self, request: HoldRequest, _caller: Caller, /) -> dict[str, Any]:
        ident = "sha256:" + hashlib.sha256(f"hold {len(self.all)}".encode()).hexdigest()
        lists = {"ids": list(request.ids), "urls": list(request.urls), "patterns": list(request.patterns)}
        self.all[ident] = {"id": ident, "held_at": TIME, "reason": request.reason} | lists
        return self.all[ident]

    async def listed(self) -> dict[str, Any]:
        return {"holds": list(self.all.values())}

    async def release(self, hold: str, _caller: Caller, /) -> dict[str, Any]:
        if hold not in self.all:
            raise UnknownHold(f"there is no hold {hold}")
        return self.all.pop(hold) | {"released_at": TIME}


class SmallRetention:
    """Rules in a dictionary; each takes one capture."""

    def __init__(self) -> None:
        self.all: dict[str, dict[str, Any]] = {}

    async def add(self, request: RetentionRequest, _caller: Caller, /) -> dict[str, Any]:
        ident = "sha256:" + hashlib.sha256(f"rule {len(self.all)}".encode()).hexdigest()
        self.all[ident] = {"id": ident, "set_at": TIME} | request.model_dump(mode="json")
        return self.all[ident]

    async def listed(self) -> dict[str, Any]:
        return {"rules": list(self.all.values())}

    async def lift(self, rule: str, _caller: Caller, /) -> dict[str, Any]:
        if rule not in self.all:
            raise UnknownRule(f"there is no rule {rule}")
        return self.all.pop(rule) | {"lifted_at": TIME}

    async def apply(self, request: RetentionRound, /) -> dict[str, Any]:
        told = [
            {"rule": rule, "captures": 1, "counts": {"captures": 1, "bytes": 7}, "held": [], "held_total": 0,
             "watched": [], "watched_total": 0, "deletions": [] if request.dry_run else ["sha256:" + "d" * 64]}
            for rule in self.all
        ]  # fmt: skip
        return {"dry_run": request.dry_run, "rules": told}
