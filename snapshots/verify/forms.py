"""What the values of a record may be, as small functions that say yes or no."""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from snapshots.errors import Unsound
from snapshots.ids import is_id
from snapshots.times import moment
from snapshots.verify.strict_json import MAX_WHOLE, check_loose

Form: TypeAlias = Callable[[Any], bool]

_NUMBER_FORM = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?", re.ASCII)
_CODE_FORM = re.compile(r"[a-z][a-z0-9_.-]*", re.ASCII)
_NONCE_FORM = re.compile(r"[0-9a-f]{32}", re.ASCII)
_HASH_FORM = re.compile(r"[0-9a-f]{64}", re.ASCII)
_KEY_FORM = re.compile(r"[\x20-\x7e]+")


def is_text(value: Any) -> bool:
    """Any string."""
    return type(value) is str


def is_flag(value: Any) -> bool:
    """True or false."""
    return type(value) is bool


def is_count(value: Any) -> bool:
    """A whole number from 0."""
    return type(value) is int and 0 <= value <= MAX_WHOLE


def is_rank(value: Any) -> bool:
    """A whole number from 1."""
    return type(value) is int and 1 <= value <= MAX_WHOLE


def is_integer(value: Any) -> bool:
    """A whole number that every reader keeps exact."""
    return type(value) is int and -MAX_WHOLE <= value <= MAX_WHOLE


def is_id_text(value: Any) -> bool:
    """An id."""
    return type(value) is str and is_id(value)


def is_code(value: Any) -> bool:
    """A name for machines."""
    return type(value) is str and _CODE_FORM.fullmatch(value) is not None


def is_number_text(value: Any) -> bool:
    """A number as a string of decimal digits."""
    return type(value) is str and _NUMBER_FORM.fullmatch(value) is not None


def is_nonce(value: Any) -> bool:
    """32 hexadecimal digits."""
    return type(value) is str and _NONCE_FORM.fullmatch(value) is not None


def is_hex(value: Any) -> bool:
    """A SHA-256 as bare digits."""
    return type(value) is str and _HASH_FORM.fullmatch(value) is not None


def is_moment(value: Any) -> bool:
    """A time in UTC with milliseconds."""
    if type(value) is not str:
        return False
    try:
        moment(value)
    except ValueError:
        return False
    return True


def is_flat(value: Any) -> bool:
    """Settings: names and plain values."""
    return type(value) is dict and all(
        _KEY_FORM.fullmatch(key) is not None and (each is None or type(each) in {str, bool} or is_integer(each))
        for key, each in value.items()
    )


def is_loose(value: Any) -> bool:
    """An object of any values that records may hold."""
    if type(value) is not dict:
        return False
    try:
        check_loose(value)
    except Unsound:
        return False
    return True


def is_pair(value: Any) -> bool:
    """Two strings."""
    return type(value) is list and len(value) == 2 and type(value[0]) is str and type(value[1]) is str  # noqa: PLR2004 - a pair


def is_counts(value: Any) -> bool:
    """Counts by name."""
    return type(value) is dict and all(is_code(key) and is_count(each) for key, each in value.items())


def maybe(form: Form) -> Form:
    """Null, or what `form` says."""
    return lambda value: value is None or form(value)


def list_of(form: Form) -> Form:
    """A list of what `form` says."""
    return lambda value: type(value) is list and all(map(form, value))


def one_of(*values: object) -> Form:
    """One of these, of exactly the same type."""
    return lambda value: any(type(value) is type(each) and value == each for each in values)


def object_of(**members: Form) -> Form:
    """An object of exactly these members."""
    forms = tuple(members.items())
    count = len(forms)

    def is_such(value: Any) -> bool:
        return (
            type(value) is dict
            and len(value) == count
            and all(name in value and form(value[name]) for name, form in forms)
        )

    return is_such


def first_wrong(value: dict[str, Any], members: Mapping[str, Form]) -> str | None:
    """Which member is missing, surplus or wrong, as part of a sentence; None if all are as they should be."""
    if len(value) != len(members) or value.keys() != members.keys():
        surplus, missing = value.keys() - members.keys(), members.keys() - value.keys()
        told = [f"lacks {name}" for name in sorted(missing)] + [f"has a surplus {name}" for name in sorted(surplus)]
        return told[0]
    return next((f"has a wrong {name}" for name, form in members.items() if not form(value[name])), None)
