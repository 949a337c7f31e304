"""Makes HTML out of templates. What came from outside is escaped by Jinja; nothing here marks text as safe."""

import re
from functools import cache
from importlib.resources import files
from itertools import groupby
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

STATIC: Final = {
    "citator.css": "text/css; charset=utf-8",
    "citator.svg": "image/svg+xml",
    "htmx.min.js": "text/javascript; charset=utf-8",
}

MARKED_WORDS: Final = 16
"""Words of a question that are looked for in the passages shown; more of them mark everything."""

MARKED_LENGTH: Final = 2
"""Letters of a word that is marked; shorter ones are in every line."""

_UNITS: Final = ("bytes", "KB", "MB", "GB", "TB")
_THOUSAND: Final = 1000
_WORD: Final = re.compile(r"\w+")


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
    made.filters.update(
        short=short, when=when, clock=clock, size=size, setting=setting, code=code, plural=plural, web=web, asked=asked,
        groupby_day=groupby_day,
    )  # fmt: skip
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


def clock(moment: str) -> str:
    """The time of day of a record's time, where its day is told already: `19:28:36`."""
    return moment[11:19]


def groupby_day(records: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Records by the day of their time, in the order in which they come."""
    return [(day, list(of_day)) for day, of_day in groupby(records, key=lambda one: str(one["at"])[:10])]


def setting(value: object, name: str) -> str:
    """A setting's value for reading: yes and no, sizes as sizes, seconds as seconds."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and name.startswith("max_"):
        return size(value)
    return f"{value} seconds" if name.endswith("deadline") else str(value)


def asked(text: str, query: str) -> list[tuple[bool, str]]:
    """A text in pieces, and of each whether it is a word of the question. Words are as people type them."""
    wanted = {word.casefold() for word in _WORD.findall(query) if len(word) >= MARKED_LENGTH}
    if not wanted or len(wanted) > MARKED_WORDS:
        return [(False, text)]
    pieces, at = [], 0
    for found in _WORD.finditer(text):
        if found[0].casefold() in wanted:
            pieces += [(False, text[at : found.start()]), (True, found[0])]
            at = found.end()
    return [piece for piece in [*pieces, (False, text[at:])] if piece[1]]


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
