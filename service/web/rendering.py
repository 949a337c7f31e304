"""Makes HTML out of templates. What came from outside is escaped by Jinja; nothing here marks text as safe."""

from functools import cache
from importlib.resources import files
from typing import Any, Final

from fastapi import Request, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from service.gate import CALLER
from service.requests import Scope

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
"""What these pages may do: nothing from elsewhere, nothing inline, no frames."""

SHORT: Final = 12
"""Hex digits of an id as people read it: the shortest prefix that is accepted on reading."""

STATIC: Final = {"citator.css": "text/css; charset=utf-8", "htmx.min.js": "text/javascript; charset=utf-8"}

_UNITS: Final = ("bytes", "KB", "MB", "GB", "TB")
_THOUSAND: Final = 1000


def page(request: Request, template: str, /, *, status: int = 200, **values: Any) -> Response:
    """A page of `template`; who asks and what they may do is known to all of them."""
    caller = request.scope.get(CALLER)
    shared = {
        "caller": caller,
        "may": {str(scope): caller is not None and caller.may(scope) for scope in Scope},
        "path": request.url.path,
    }
    html = environment().get_template(template).render(shared | values)
    headers = {
        "Content-Security-Policy": POLICY,
        "Cache-Control": "no-store",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Referrer-Policy": "same-origin",  # without, browsers send forms of ours as if they came from nowhere
    }
    return Response(html, status, headers, "text/html; charset=utf-8")


@cache
def environment() -> Environment:
    """The templates with their filters."""
    made = Environment(
        loader=PackageLoader("service.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    made.filters.update(short=short, when=when, size=size, code=code, plural=plural, web=web)
    return made


@cache
def static(name: str) -> bytes:
    """A file of ours by its name."""
    return (files("service.web") / "static" / name).read_bytes()


def short(ident: str) -> str:
    """The digits by which a person tells ids apart, and which are accepted on reading."""
    return ident.removeprefix("sha256:")[:SHORT]


def when(moment: str | None) -> str:
    """A record's time for reading: `2026-11-29 19:28:36 UTC`."""
    if moment is None:
        return "unknown"
    return f"{moment[:10]} {moment[11:19]} UTC" if len(moment) > len("2026-11-29") else moment


def size(number: int | None) -> str:
    """Bytes for reading."""
    if number is None:
        return "unknown size"
    amount, unit = float(number), 0
    while amount >= _THOUSAND and unit < len(_UNITS) - 1:
        amount, unit = amount / _THOUSAND, unit + 1
    return f"{number} bytes" if unit == 0 else f"{amount:.1f} {_UNITS[unit]}"


def web(url: object) -> str | None:
    """An address that may stand behind a link: http and https only, so that no page hands us a script."""
    return url if isinstance(url, str) and url.startswith(("http://", "https://")) else None


def code(name: object) -> str:
    """A machine's name as words: `below_max_results` is `below max results`."""
    return str(name).replace("_", " ")


def plural(number: int, one: str, many: str | None = None) -> str:
    """`1 page`, `2 pages`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
