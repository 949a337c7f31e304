"""This installation: how it is, and removing what must go."""

from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response

from service.api_answers import actions
from service.requests import MAX_URL, RemovalRequest, Scope
from service.web.asking import valid
from service.web.rendering import page
from service.web.route import PageRoute, fields, to, visitor

router = APIRouter(route_class=PageRoute, include_in_schema=False)

LISTED: Final = 500
"""Things listed before they are removed; the sums are of all."""


@router.get("/status")
async def status(request: Request) -> Response:
    """Show how this installation is."""
    visitor(request, Scope.READ)
    behind = actions(request)
    checkpoint = (await behind.checkpoint()).decode("utf-8", "replace")
    return page(
        request, "status.html", health=await behind.health(), ready=await behind.ready(),
        log_key=await behind.log_key_show(), checkpoint=checkpoint, checks=None,
    )  # fmt: skip


@router.post("/status")
async def check(request: Request) -> Response:
    """Check this installation as `citator doctor` does."""
    visitor(request, Scope.ADMIN)
    behind = actions(request)
    checks = await behind.doctor(deep=False, progress=lambda *_: None)
    checkpoint = (await behind.checkpoint()).decode("utf-8", "replace")
    return page(
        request, "status.html", health=await behind.health(), ready=await behind.ready(),
        log_key=await behind.log_key_show(), checkpoint=checkpoint, checks=checks,
    )  # fmt: skip


@router.get("/remove")
async def look(
    request: Request,
    ident: Annotated[str | None, Query(alias="id", max_length=80)] = None,
    url: Annotated[str | None, Query(max_length=MAX_URL)] = None,
) -> Response:
    """List what a removal would remove. Nothing is removed yet."""
    caller = visitor(request, Scope.ADMIN)
    listed = None
    if ident or url:
        asked = valid(RemovalRequest, {"ids": (ident,) if ident else (), "url": url or None, "dry_run": True})
        listed = await actions(request).remove(asked, caller)
    return page(request, "remove.html", ident=ident, url=url, listed=listed, most=LISTED)


@router.post("/remove")
async def remove(request: Request) -> Response:
    """Remove, and show the record of it."""
    caller = visitor(request, Scope.ADMIN)
    form = await fields(request)
    asked = valid(
        RemovalRequest,
        {"ids": (form["id"],) if "id" in form else (), "url": form.get("url"), "reason": form.get("reason")},
    )
    done = await actions(request).remove(asked, caller)
    return to(f"/e/{done['deletion'].removeprefix('sha256:')}" if done["deletion"] else "/")
