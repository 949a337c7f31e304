"""Taking in a body: counted, hashed and decoded while it comes, and stopped as soon as it is too much."""

from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from hashlib import sha256
from typing import Final

from crawler.decode import Decoder, content_codings
from crawler.errors import CrawlError, CutShort, TimedOut, TooLarge
from crawler.visit import Header

MAX_REDIRECT_BODY: Final = 65_536
"""Bytes of a redirect's body that are read (and thrown away) so that the connection can be used again."""


class Intake:
    """What has come of one body. Limits in bytes, before (`max_wire`) and after (`max_body`) content decoding."""

    def __init__(self, headers: tuple[Header, ...], *, max_wire: int, max_body: int) -> None:
        self.wire_length = 0
        self._hash = sha256()
        self._max_wire = max_wire
        self._declared = _declared_length(headers)
        labels = content_codings(headers)
        self._decoder = Decoder(labels, max_body)

    @property
    def wire_sha256(self) -> str:
        """The hash (hex) of the bytes as they came, before content decoding."""
        return self._hash.hexdigest()

    @property
    def body(self) -> bytes:
        """The payload so far."""
        return self._decoder.body

    @property
    def undecodable(self) -> str | None:
        """The label of a coding that was not offered and cannot be undone."""
        return self._decoder.undecodable

    @property
    def warnings(self) -> list[str]:
        """What was wrong with labels, but did no harm."""
        return self._decoder.warnings

    async def take(self, pieces: AsyncGenerator[bytes]) -> None:
        """Take in the whole body.

        Raises:
            TooLarge, CutShort, TimedOut: what came until then, up to the limit, is kept.
        """
        if self._declared > self._max_wire:
            raise TooLarge("wire_limit", f"the body is announced as {self._declared} bytes, more than {self._max_wire}")
        try:
            async with aclosing(pieces):
                async for piece in pieces:
                    self.wire_length += len(piece)
                    self._hash.update(piece)
                    if self.wire_length > self._max_wire:
                        raise TooLarge("wire_limit", f"the body is larger than {self._max_wire} bytes on the wire")
                    self._decoder.feed(piece)
        except (CutShort, TimedOut):
            with suppress(CrawlError):  # the first fault is the one to tell
                self._decoder.flush()
            raise
        self._decoder.finish()


async def skim(pieces: AsyncGenerator[bytes]) -> bool:
    """Read a body that nobody needs; False if it is too long for that."""
    size = 0
    try:
        async with aclosing(pieces):
            async for piece in pieces:
                size += len(piece)
                if size > MAX_REDIRECT_BODY:
                    return False
    except CrawlError:
        return False
    return True


def _declared_length(headers: tuple[Header, ...]) -> int:
    """Give the Content-Length, 0 if there is none."""
    for name, value in headers:
        if name.lower() == "content-length" and value.strip().isdecimal():
            return int(value.strip()[:18])
    return 0
