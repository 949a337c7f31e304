"""Writes that are asked for twice and done once: idempotency keys over the state database."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from anyio.to_thread import run_sync

from service.failures import BadRequest, KeyReused
from service.parts import Parts
from service.requests import MAX_SESSION, Caller
from snapshots import digest, stamp

REMEMBERED: Final = timedelta(days=1)
"""How long a key is known, as usual for such keys: retries come within minutes."""
TOKEN: Final = 32
"""Hex digits by which an event tells under which key it was written; the key itself is the caller's matter."""


async def once(
    parts: Parts,
    caller: Caller,
    key: str | None,
    what: str,
    body: bytes,
    do: Callable[[Caller], Awaitable[dict[str, Any]]],
    retell: Callable[[str], Awaitable[dict[str, Any]]],
    *,
    appends: bool = False,
) -> tuple[dict[str, Any], bool]:
    """What `do` returns, and whether that was done before under the same key; then `retell` tells of the `id` it gave.

    A write that `appends` to a session is found in it by the caller's `once`: so it may be sent again although nobody
    knows what became of the first one, because the server that was doing it died.

    Raises:
        KeyReused: the key stands for another request, or for one that is being done right now.
        BadRequest: the key is too long.
    """
    if key is None:
        return await do(caller), False
    if len(key) > MAX_SESSION:
        raise BadRequest(f"an Idempotency-Key has at most {MAX_SESSION} characters")
    state, who = parts.keyring.state, caller.key or caller.name or ""
    now = parts.clock()
    asked = digest(what.encode() + b"\n" + body)
    claim = await run_sync(lambda: state.claim(who, key, asked, now=stamp(now), until=stamp(now + REMEMBERED)))
    if claim.state == "other":
        raise KeyReused("this Idempotency-Key was used for another request")
    if claim.state == "running" and not appends:
        raise KeyReused("the request with this Idempotency-Key is being done")
    if claim.state == "done" and claim.reply is not None:
        return await retell(claim.reply), True
    try:
        done = await do(replace(caller, once=digest(f"{who}\n{key}\n{asked}".encode()).removeprefix("sha256:")[:TOKEN]))
        await run_sync(state.settle, who, key, done["id"])
    except BaseException:
        await run_sync(state.abandon, who, key)
        raise
    return done, False
