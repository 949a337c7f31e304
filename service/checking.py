"""Looks after the installation: health, the doctor's checks, rebuilding the views."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crawler import NoBrowser, Query
from index import QueryError
from service.asking_around import ask_around
from service.following import Follower
from service.parts import Parts
from service.spool import DAMAGED
from service.stamping import Stamper
from service.versions import citator_version
from snapshots import EvidenceError, NoConditionalWrites, probe

Told = Callable[[str, int, int | None], None]

LEAST_FREE = 512 * 1024 * 1024
"""Bytes free on the data directory's disk below which the doctor warns: some thousand pages."""


SHOWN_PROBLEMS = 20
"""Problems written out for each check; the count says how many there are."""


@dataclass(frozen=True)
class Check:
    """One thing that was looked at. `result` is `ok`, `warning` or `failed`."""

    check: str
    result: str
    detail: str

    def told(self) -> dict[str, str]:
        """As the doctor prints it."""
        return {"check": self.check, "result": self.result, "detail": self.detail}


def health(parts: Parts) -> dict[str, Any]:
    """What is running and how it is."""
    follower, counts = parts.follower, parts.archive.catalogue.counts()
    trouble = parts.archive.trouble
    return {
        "status": "ok" if follower.failure is None and trouble is None else "troubled",
        "version": citator_version(),
        "origin": parts.log.origin,
        "read_only": parts.log.read_only,
        "sizes": {
            "log": parts.log.size,
            "captures": counts["captures"],
            "passages_shown": counts["passages"],
            "passages_indexed": follower.index.passages,
            "behind": max(0, parts.log.size - follower.followed),
        },
        "index_failure": follower.failure,
        "archive_trouble": str(trouble) if trouble else None,
        "time_stamps": {"missing": parts.stamper.missing(), "authorities": parts.stamper.state()},
    }


def ready(parts: Parts) -> dict[str, Any]:
    """Whether requests can be served now: the log can be written and the databases answer."""
    try:
        parts.archive.catalogue.position()
    except EvidenceError as error:
        return {"ready": False, "why": str(error)}
    if parts.log.read_only:
        return {"ready": False, "why": "the log is open without its key: nothing can be kept"}
    return {"ready": True}


def rebuild(parts: Parts, told: Told) -> dict[str, Any]:
    """Make catalogue and index anew from the bucket. Searches see the old index until the new one is whole."""
    entries = parts.archive.rebuild(lambda done, total: told("catalogue", done, total))
    parts.follower.remake(lambda done, total: told("index", done, total))
    counts = parts.archive.catalogue.counts()
    return {
        "entries": entries,
        "captures": counts["captures"],
        "passages": parts.follower.index.passages,
        "pages": parts.follower.index.pages,
    }


async def browser(parts: Parts) -> Check:
    """Whether pages can be rendered: starts a browser. Without one, everything but rendering works."""
    program = parts.renderer.browsers.program
    try:
        version = await parts.renderer.version()
    except NoBrowser as error:
        return Check("browser", "warning", f"pages cannot be rendered: {error}")
    boxed = {True: "in its sandbox", False: "without its sandbox", None: "somewhere else"}[
        parts.renderer.browsers.sandboxed
    ]
    return Check("browser", "ok", f"{version} ({program}) starts, {boxed}")


async def providers(parts: Parts) -> tuple[Check, ...]:
    """Whether each search provider answers a plain question. One that does not is a warning: searches name it too."""
    if not parts.providers:
        return (Check("search providers", "warning", "none is set up: only the own index is searched"),)
    said = await ask_around(parts.providers, Query("weather", 3), parts.settings.provider_seconds)
    return tuple(
        Check(
            f"provider {one.name}",
            "ok" if one.state == "ok" else "warning",
            f"{len(one.found)} candidates in {one.milliseconds} ms" if one.state == "ok" else one.told or one.state,
        )
        for one in said
    )


def doctor(parts: Parts, deep: bool, told: Told, more: tuple[Check, ...] = ()) -> dict[str, Any]:  # noqa: FBT001 - called through a thread runner
    """Check this installation. `deep` reads every object and derives the whole log anew; `more` was checked before."""
    checks = [check.told() for check in (*_checks(parts, deep=deep, told=told), *more)]
    return {"holds": all(check["result"] != "failed" for check in checks), "deep": deep, "checks": checks}


def _checks(parts: Parts, *, deep: bool, told: Told) -> Iterator[Check]:
    yield _disk(parts.settings.data)
    yield _bucket(parts)
    yield _key(parts)
    yield from _archive(parts, deep=deep, told=told)
    yield _index(parts.follower, parts.log.size)
    yield _stamps(parts.stamper)
    yield _waiting(parts)


def _disk(data: Path) -> Check:
    free = shutil.disk_usage(data).free
    result = "ok" if free >= LEAST_FREE else "warning"
    return Check("disk", result, f"{free // (1024 * 1024)} MiB free below {data}")


def _waiting(parts: Parts) -> Check:
    kept = parts.spool.retry(parts.archive, parts.follower.notice)
    told = f"{kept} were kept just now; " if kept else ""
    if parts.spool.waiting:
        files = f"{parts.spool.waiting} fetched pages wait in {parts.settings.spool_path}"
        return Check("waiting", "warning", f"{told}{files} for a bucket that takes them")
    if list(parts.settings.spool_path.glob(f"*{DAMAGED}")):
        return Check("waiting", "warning", f"{told}{parts.settings.spool_path} holds damaged files; delete them")
    return Check("waiting", "ok", f"{told}nothing that was fetched waits to be kept")


def _bucket(parts: Parts) -> Check:
    try:
        probe(parts.store)
    except NoConditionalWrites as error:
        return Check("bucket", "failed", str(error))
    except EvidenceError as error:
        return Check("bucket", "failed", f"writing, reading and deleting does not work: {error}")
    return Check("bucket", "ok", "an object can be written, read and deleted, and conditional writes are honoured")


def _key(parts: Parts) -> Check:
    if parts.log.read_only:
        return Check("log key", "failed", f"no key at {parts.settings.key_path}: nothing can be kept")
    mode = parts.settings.key_path.stat().st_mode & 0o777
    if mode & 0o077:
        return Check("log key", "warning", f"{parts.settings.key_path} has mode {mode:03o}; it should be 600")
    return Check("log key", "ok", parts.log.vkey)


def _archive(parts: Parts, *, deep: bool, told: Told) -> Iterator[Check]:
    """Log, objects and catalogue against each other."""
    report = parts.archive.check(deep=deep, progress=lambda done, total: told("entries", done, total))
    tree = f"{report.log.size} entries, root {report.log.root.hex()[:16]}…"
    wrong = "; ".join(report.log.problems[:SHOWN_PROBLEMS])
    yield Check("log", "ok" if report.log.ok else "failed", tree if report.log.ok else wrong)
    detail = f"{report.objects} objects, {report.bytes} bytes, {report.removed} removed, {report.unnamed} unnamed"
    if report.wrong:
        listed = "; ".join(f"{one.problem} {one.id}: {one.detail}" for one in report.findings[:SHOWN_PROBLEMS])
        yield Check("objects", "failed", f"{report.wrong} problems: {listed}")
    else:
        yield Check("objects", "ok", detail if deep else f"{detail}; their bytes were not read, see --deep")
    behind = f"{report.behind} entries behind the log"
    yield Check("catalogue", "failed" if report.behind else "ok", behind if report.behind else "up to date")


def _index(follower: Follower, size: int) -> Check:
    try:
        behind = follower.wait(60.0)
    except QueryError as error:
        return Check("index", "failed", str(error))
    detail = (
        f"{follower.index.passages} passages of {follower.index.pages} pages, followed {follower.followed} of {size}"
    )
    if follower.failure:
        return Check("index", "failed", follower.failure)
    return Check("index", "ok" if not behind else "failed", detail)


def _stamps(stamper: Stamper) -> Check:
    """Whether somebody outside says when the log stood. Nothing else depends on it: only damage fails."""
    stamper.stamps.refresh()
    damaged = stamper.stamps.damaged()
    if damaged:
        return Check("time stamps", "failed", f"{len(damaged)} damaged: {', '.join(damaged[:SHOWN_PROBLEMS])}")
    state = stamper.state()
    told = [
        f"{one['authority']}: {one['covers']} entries by {one['newest']} ({one['checked']})"
        if one["newest"]
        else f"{one['authority']}: none yet"
        for one in state
    ]
    missing = stamper.missing()
    lacking = bool(missing) or any(one["newest"] is None for one in state)
    return Check("time stamps", "warning" if lacking else "ok", "; ".join([*missing, *told]))
