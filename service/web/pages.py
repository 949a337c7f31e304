"""All web pages as one router."""

from fastapi import APIRouter, Response

from service.errors import NoRoute
from service.web import asking, caring, comparing, crawl_pages, opening, session_pages, signing
from service.web.rendering import STATIC, static
from service.web.route import PageRoute

web_pages = APIRouter(route_class=PageRoute, include_in_schema=False)
for part in (asking, opening, comparing, crawl_pages, session_pages, caring, signing):
    web_pages.include_router(part.router)


@web_pages.get("/static/{name}")
async def asset(name: str) -> Response:
    """Give a file of ours: the stylesheet, the one script."""
    if name not in STATIC:
        raise NoRoute(f"there is no file {name[:40]!r}")
    # Checked again at each use: a new version of the program brings new files under the same names.
    headers = {"Cache-Control": "no-cache", "Content-Security-Policy": "default-src 'none'"}
    return Response(static(name), 200, headers, STATIC[name])
