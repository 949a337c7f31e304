"""What all records have in common: frozen values whose canonical bytes are their identity."""

import math
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict

from snapshots.canonical import MAX_INTEGER, check, dump
from snapshots.errors import BadRecord
from snapshots.ids import ID_PATTERN, digest, is_id
from snapshots.times import TIME_PATTERN, moment

T = TypeVar("T")

ENCODED = "encoded"
"""Under this name a validation's context holds the bytes that are being read, if they are known to be canonical."""

NONCE_BYTES = 16
"""128 random bits: nobody can confirm from an id in the log that it stands for a page they guess at."""


def nonce() -> str:
    """A fresh nonce: 32 lower-case hex digits."""
    return secrets.token_hex(NONCE_BYTES)


def decimal(value: float, places: int = 6) -> str:
    """A finite number as records hold scores and ratios: plain digits, no exponent, at most `places` decimals.

    Raises ValueError for infinities and NaN.
    """
    if not math.isfinite(value):
        raise ValueError(f"{value} cannot stand in a record")
    text = format(float(value), f".{places}f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _real_time(text: str) -> str:
    moment(text)
    return text


def _loose(value: dict[str, Any]) -> dict[str, Any]:
    try:
        check(value)
    except BadRecord as error:
        raise ValueError(str(error)) from None
    return value


Id = Annotated[str, Field(pattern=ID_PATTERN)]
"""The id of a record, document, passage or blob."""
Nonce = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
Time = Annotated[str, Field(pattern=TIME_PATTERN), AfterValidator(_real_time)]
"""RFC 3339, UTC, milliseconds."""
Number = Annotated[str, Field(pattern=r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$")]
"""A decimal string, for scores and ratios."""
Int = Annotated[int, Field(ge=-MAX_INTEGER, le=MAX_INTEGER)]
Count = Annotated[int, Field(ge=0, le=MAX_INTEGER)]
Rank = Annotated[int, Field(ge=1, le=MAX_INTEGER)]
"""A place in an order; the first is 1."""
Key = Annotated[str, Field(pattern=r"^[\x20-\x7e]+$")]
"""A printable ASCII name, so that every language sorts it alike."""
Code = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_.-]*$")]
"""A name meant for machines."""
Seq = Annotated[tuple[T, ...], Strict(strict=False)]
"""A list; any iterable is taken at construction and becomes a tuple."""
Pair = Annotated[tuple[str, str], Strict(strict=False)]
Flat = dict[Key, str | Int | bool | None]
"""Settings and the like: one level of plain values."""
Loose = Annotated[dict[Key, Any], AfterValidator(_loose)]
"""Any JSON object of the types that records use."""


class Part(BaseModel):
    """A value inside a record. Frozen, no unknown fields, no conversions between types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Record(Part):
    """One JSON object whose canonical bytes are its identity.

    A record that exists can be written: the bytes are made at construction, which raises pydantic's ValidationError
    (a ValueError) for a wrong value and BadRecord for a string that is no valid Unicode. Every field is written,
    null where there is nothing to say. The dictionaries inside must not be changed afterwards.
    """

    kind: str
    version: int

    def model_post_init(self, context: Any, /) -> None:
        """Makes the canonical bytes, or takes them from who has just read them."""
        if context is not None:
            self.__dict__["encoded"] = context[ENCODED]  # where the cached property would put them
        _ = self.encoded

    @classmethod
    def written(cls, fields: Mapping[str, Any]) -> Self:
        """A record of plain JSON values, lists and objects all the way down; `nonce` is added where it has one.

        For records of many parts: they are checked once, as they are read, and their bytes are made once. Every field
        must be given, down to the innermost, since what is given is what is stored. Raises as the constructor does.
        """
        own = {"kind": cls.model_fields["kind"].default, "version": cls.model_fields["version"].default}
        whole = own | ({"nonce": nonce()} if "nonce" in cls.model_fields else {}) | dict(fields)
        if whole.keys() != cls.model_fields.keys():
            raise BadRecord(f"a {own['kind']} has other fields than {', '.join(sorted(fields))}")
        data = dump(whole)
        return cls.model_validate_json(data, context={ENCODED: data})

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:  # noqa: ARG002 - pydantic's signature
        """A record with some fields changed. Checked like a new one, because it is one: its id is another."""
        return type(self)(**{name: getattr(self, name) for name in type(self).model_fields} | dict(update or {}))

    @cached_property
    def encoded(self) -> bytes:
        """The canonical bytes, which are what is stored."""
        return dump(self.model_dump())

    @cached_property
    def id(self) -> str:
        """`sha256:` and the hash of the canonical bytes."""
        return digest(self.encoded)

    def known_as(self, record_id: str) -> None:
        """Takes over its id from who has just compared it with the bytes."""
        self.__dict__["id"] = record_id  # where the cached property would put it

    def named(self) -> Iterator[str]:
        """Every id this record names, in the order of its fields, possibly more than once."""
        yield from ()


class LoggedRecord(Record):
    """A record that stands in the log. Its nonce keeps the log from confirming guesses at removed content."""

    nonce: Nonce = Field(default_factory=nonce)


@dataclass(frozen=True)
class UnknownRecord:
    """A record of a kind or version that this release does not know, kept byte for byte."""

    kind: str
    version: int
    encoded: bytes

    @property
    def id(self) -> str:
        """`sha256:` and the hash of the bytes."""
        return digest(self.encoded)


def ids_within(value: Any) -> Iterator[str]:
    """Every string in a JSON value that is a whole id, in document order."""
    if isinstance(value, str):
        if is_id(value):
            yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from ids_within(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from ids_within(inner)
