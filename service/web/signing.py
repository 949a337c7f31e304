"""Signing in with a key.

The browser keeps the key itself in a cookie that no script can read and no other site sends: revoking the key signs out
at once, and every server of an installation knows who asks.
"""

from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response

from service.api_answers import actions
from service.gate import SIGN_IN
from service.key_places import KEY_COOKIE
from service.web.rendering import page
from service.web.route import PageRoute, fields, to

router = APIRouter(route_class=PageRoute, include_in_schema=False)

KEPT_SECONDS: Final = 30 * 24 * 3600
"""How long a browser stays signed in: a month, as usual for tools of one's own."""


@router.get(SIGN_IN)
async def sign_in(request: Request, next_page: Annotated[str, Query(alias="next", max_length=4000)] = "/") -> Response:
    """Ask for a key."""
    return page(request, "sign_in.html", next_page=_ours(next_page), wrong=False)


@router.post(SIGN_IN)
async def take_key(request: Request) -> Response:
    """Take a key, if it is good."""
    form = await fields(request)
    key, next_page = form.get("key", ""), _ours(form.get("next", "/"))
    if await actions(request).authenticate(key) is None:
        return page(request, "sign_in.html", status=401, next_page=next_page, wrong=True)
    answer = to(next_page)
    answer.set_cookie(
        KEY_COOKIE, key, max_age=KEPT_SECONDS, httponly=True, samesite="strict", secure=_is_encrypted(request)
    )
    return answer


@router.post("/sign-out")
async def sign_out() -> Response:
    """Forget the key."""
    answer = to(SIGN_IN)
    answer.delete_cookie(KEY_COOKIE, httponly=True, samesite="strict")
    return answer


def _is_encrypted(request: Request) -> bool:
    """Whether the browser speaks TLS to us, or to a proxy before us. Whoever lies about it harms their own cookie."""
    return request.url.scheme == "https" or request.headers.get("x-forwarded-proto", "").strip().lower() == "https"


def _ours(path: str) -> str:
    """A path of this server; anything that could lead elsewhere is the front page."""
    plain = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() and "\\" not in path
    return path if plain else "/"
