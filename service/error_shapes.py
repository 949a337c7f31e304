"""How an error looks at each door: problem details on our own paths, the imitated API's own shape elsewhere. Pure."""

from collections.abc import Callable
from typing import Any, Final

import orjson

from service.errors import Problem

Headers = list[tuple[bytes, bytes]]

_JSON: Final = b"application/json"
_PROBLEM: Final = b"application/problem+json"

REFUSED: Final = -32001
"""JSON-RPC leaves the numbers from -32000 to -32099 to servers."""

_FIRECRAWL_CODES: Final = {
    "bad-request": "BAD_REQUEST",
    "time-out": "SCRAPE_TIMEOUT",
    "site-unreachable": "SCRAPE_SITE_ERROR",
    "proxy-failed": "SCRAPE_SITE_ERROR",
    "rate-limited": "RATE_LIMITED",
    "key-missing": "UNAUTHORIZED",
}


def words(problem: Problem) -> str:
    """A problem as a sentence or two."""
    return problem.title if problem.detail in ("", problem.title) else f"{problem.title} {problem.detail}"


def tavily(problem: Problem) -> tuple[int, Any]:
    """Tavily's: its clients know 400, 401, 403 and 429."""
    status = {404: 400, 408: 400, 413: 400, 422: 400}.get(problem.status, problem.status)
    return status, {"detail": {"error": words(problem)}}


def firecrawl(problem: Problem) -> tuple[int, Any]:
    """Firecrawl's."""
    code = _FIRECRAWL_CODES.get(problem.slug, problem.slug.upper().replace("-", "_"))
    status = 400 if problem.slug == "bad-request" else problem.status
    return status, {"success": False, "error": words(problem), "code": code}


def searxng(problem: Problem) -> tuple[int, Any]:
    """SearXNG's: its clients know 400."""
    return 400 if problem.slug == "bad-request" else problem.status, {"error": words(problem)}


def openwebui(problem: Problem) -> tuple[int, Any]:
    """What FastAPI services answer, as Open WebUI expects of its neighbours."""
    return problem.status, {"detail": words(problem)}


def mcp(problem: Problem) -> tuple[int, Any]:
    """A JSON-RPC error that belongs to no request."""
    error = {"code": REFUSED, "message": words(problem)}
    return problem.status, {"jsonrpc": "2.0", "id": None, "error": error}


SHAPES: Final[tuple[tuple[str, Callable[[Problem], tuple[int, Any]]], ...]] = (
    ("/tavily", tavily),
    ("/v1", firecrawl),
    ("/v2", firecrawl),
    ("/searxng", searxng),
    ("/search", searxng),
    ("/retriever", searxng),
    ("/openwebui", openwebui),
    ("/mcp", mcp),
)


def is_imitated(path: str) -> bool:
    """Whether a door of somebody else's API lies at `path`."""
    return any(path == prefix or path.startswith(prefix + "/") for prefix, _ in SHAPES)


def shaped(path: str, problem: Problem) -> tuple[int, Headers, bytes]:
    """Status, headers and body of a problem's answer at `path`."""
    form = next((form for prefix, form in SHAPES if path == prefix or path.startswith(prefix + "/")), None)
    if form is None:
        status, body, kind = problem.status, orjson.dumps(problem.details()), _PROBLEM
    else:
        status, told = form(problem)
        body, kind = orjson.dumps(told), _JSON
    headers = [
        (b"content-type", kind),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    if status == 401:  # noqa: PLR2004 - the status that asks for a key
        headers.append((b"www-authenticate", b'Bearer realm="citator"'))
    if "retry_after" in problem.members:
        headers.append((b"retry-after", str(problem.members["retry_after"]).encode()))
    return status, headers, body
