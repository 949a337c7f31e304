"""Canonical JSON (RFC 8785) for the types that records use.

Strings of valid Unicode, integers between -(2**53 - 1) and 2**53 - 1, booleans, null, lists, and objects with ASCII
keys. No floats: a score is a decimal string. For exactly these types orjson with sorted keys gives the bytes that
RFC 8785 asks for; a property test holds it against an implementation of the RFC.
"""

from typing import Any, TypeAlias

import orjson

from snapshots.errors import BadRecord

Json: TypeAlias = "bool | int | str | list[Json] | tuple[Json, ...] | dict[str, Json] | None"

MAX_INTEGER = 2**53 - 1
"""The largest whole number that every JSON reader keeps exact."""

MAX_DEPTH = 64
"""Nesting of lists and objects. Our own kinds need six levels; hostile input must not reach a recursion limit."""

_OPTIONS = (
    orjson.OPT_SORT_KEYS
    | orjson.OPT_STRICT_INTEGER
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
    | orjson.OPT_PASSTHROUGH_SUBCLASS
)


def canonical(value: Json) -> bytes:
    """The canonical bytes of `value`.

    Raises BadRecord for a float, an integer beyond 2**53 - 1, a key that is not ASCII, a lone surrogate, nesting
    deeper than MAX_DEPTH, or a type that JSON does not have.
    """
    check(value)
    return dump(value)


def check(value: Any, depth: int = 0) -> None:
    """Raises BadRecord unless `value` is made of the types named above; surrogates are left to `dump`."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return
    if kind is int:
        if not -MAX_INTEGER <= value <= MAX_INTEGER:
            raise BadRecord(f"{value} is beyond 2**53 - 1, where JSON readers lose digits")
        return
    if depth >= MAX_DEPTH:
        raise BadRecord(f"nested more than {MAX_DEPTH} deep")
    if kind is dict:
        for key, inner in value.items():
            if type(key) is not str or not key.isascii():
                raise BadRecord(f"the key {key!r} is not an ASCII string")
            check(inner, depth + 1)
    elif kind in {list, tuple}:
        for inner in value:
            check(inner, depth + 1)
    else:
        raise BadRecord(f"a {kind.__name__} has no place in a record")


def dump(value: Any) -> bytes:
    """The canonical bytes of a value whose types are known to be right. Raises BadRecord for a lone surrogate."""
    try:
        return orjson.dumps(value, option=_OPTIONS)
    except orjson.JSONEncodeError as error:
        raise BadRecord(f"cannot be written as JSON: {error}") from None


def load(data: bytes) -> Json:
    """The value that canonical bytes stand for. Raises BadRecord for anything else, were it only one space."""
    try:
        value: Json = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise BadRecord(f"is no JSON: {error}") from None
    if canonical(value) != data:
        raise BadRecord("is JSON, but not in canonical form")
    return value
