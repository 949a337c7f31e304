"""JSON as bundles hold it: canonical (RFC 8785) where bytes are an identity, unambiguous everywhere else.

For strings of valid Unicode, integers below 2**53, booleans, null, lists, and objects with ASCII keys, what
`json.dumps` writes with sorted keys and without white space is exactly what RFC 8785 asks for.
"""

import json
import re
from typing import Any

from snapshots.errors import Unsound

MAX_WHOLE = 2**53 - 1
"""The largest whole number that every JSON reader keeps exact."""

MAX_NESTING = 64
"""Nesting of lists and objects that is read; our own forms need six levels."""

MAX_LINE = 64 * 1024 * 1024
"""Bytes of one JSON value; the largest are documents with the text of a book."""

_PRINTABLE_KEY = re.compile(r"[\x20-\x7e]+")
_WHOLE_DIGITS = 16
_LOOSE = "malformed"


class _NotWhole(ValueError):
    """A number that is no integer, or one with more digits than any that is allowed."""


def _no_fraction(text: str) -> Any:
    raise _NotWhole(f"{text[:40]} is not an integer")


def _whole(text: str) -> int:
    if len(text) > _WHOLE_DIGITS + 1:
        raise _NotWhole(f"{text[:40]}… is beyond 2**53 - 1")
    return int(text)


_CANONICAL_READER = json.JSONDecoder(parse_float=_no_fraction, parse_constant=_no_fraction)
_CANONICAL_WRITER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), check_circular=False)


def canonical_bytes(value: Any) -> bytes:
    """The canonical bytes of a value made of the types named above. Raises Unsound for a lone surrogate."""
    try:
        return _CANONICAL_WRITER.encode(value).encode()
    except UnicodeEncodeError:
        raise Unsound("not-canonical", "holds half of a surrogate pair, which is no character") from None


def read_canonical(data: bytes) -> Any:
    """The value that canonical bytes stand for; types and nesting inside are left to `check_loose` or a form.

    Raises:
        Unsound: `malformed` if it is no JSON, `not-canonical` if the same value would be written otherwise.
    """
    if len(data) > MAX_LINE:
        raise Unsound("malformed", f"has {len(data)} bytes, more than {MAX_LINE}")
    try:
        value = _CANONICAL_READER.decode(data.decode())
        again = canonical_bytes(value)
    except _NotWhole as problem:
        raise Unsound("malformed", str(problem)) from None
    except (ValueError, RecursionError) as problem:
        raise Unsound("malformed", f"is no JSON: {_told(problem)}") from None
    if again != data:
        raise Unsound("not-canonical", "is JSON, but not in canonical form (RFC 8785)")
    return value


def check_loose(value: Any, depth: int = 1) -> None:
    """Raises Unsound(malformed) unless `value` is made of the types that records may hold, not nested too deeply."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return
    if kind is int:
        if not -MAX_WHOLE <= value <= MAX_WHOLE:
            raise Unsound(_LOOSE, "holds a number beyond 2**53 - 1")
        return
    if depth > MAX_NESTING:
        raise Unsound(_LOOSE, f"is nested more than {MAX_NESTING} deep")
    if kind is dict:
        for key, inner in value.items():
            if _PRINTABLE_KEY.fullmatch(key) is None:
                raise Unsound(_LOOSE, f"the member name {key[:40]!r} is not printable ASCII")
            check_loose(inner, depth + 1)
    elif kind is list:
        for inner in value:
            check_loose(inner, depth + 1)
    else:
        raise Unsound(_LOOSE, f"a {kind.__name__} has no place here")


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _NotWhole("a member stands there twice")
    return found


_PLAIN_READER = json.JSONDecoder(object_pairs_hook=_unambiguous, parse_constant=_no_fraction, parse_int=_whole)


def read_json(data: bytes) -> Any:
    """The value of any JSON text whose members have each one value. Raises Unsound(malformed)."""
    if len(data) > MAX_LINE:
        raise Unsound("malformed", f"has {len(data)} bytes, more than {MAX_LINE}")
    try:
        return _PLAIN_READER.decode(data.decode("utf-8-sig"))
    except _NotWhole as problem:
        raise Unsound("malformed", str(problem)) from None
    except (ValueError, RecursionError) as problem:
        raise Unsound("malformed", f"is no JSON: {_told(problem)}") from None


def _told(problem: Exception) -> str:
    return "it is nested too deeply" if isinstance(problem, RecursionError) else str(problem)
