"""Reads single pages outside any installation: for `citator extract` and for measuring."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final, Protocol

from crawler import ReaderPool
from service.doors import Json
from service.settings import Settings

NOWHERE: Final = "http://unknown.invalid/"
"""Stands for an address that is not known, so that links can be resolved; taken off again before they are told."""


class Extractor(Protocol):
    """Reads one page."""

    async def __call__(self, body: bytes, *, url: str | None, media_type: str | None) -> Json:
        """The document's fields and its `text`; `outcome` and `detail` say how it went. Never raises for the page."""
        ...


@asynccontextmanager
async def extractor(settings: Settings) -> AsyncIterator[Extractor]:
    """An extractor with worker processes behind it, which end with the block."""
    async with ReaderPool(settings.readers, settings.read_memory, settings.read_seconds) as readers:

        async def read(body: bytes, *, url: str | None, media_type: str | None) -> Json:
            kind, _, rest = (media_type or "").partition(";")
            reading = await readers.read(
                body,
                media_type=kind.strip().lower() or None,
                charset=_charset(rest),
                url=url or NOWHERE,
                at=datetime.now(UTC),
            )
            return document(asdict(reading), url)

        yield read


def _charset(parameters: str) -> str | None:
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset" and value.strip():
            return value.strip().strip('"')
    return None


def document(reading: dict[str, Any], url: str | None) -> Json:
    """A reading as JSON: the document's fields under its names, `text` last so that people see the rest first."""
    fields = {"outcome": reading.pop("outcome"), "url": url} | reading
    if url is None:
        fields["base"] = None if fields["base"] == NOWHERE else fields["base"]
        fields["links"] = [link | {"url": link["url"].removeprefix(NOWHERE[:-1])} for link in fields["links"]]
    fields["extractors"] = [{"name": name, "version": version} for name, version in fields["extractors"]]
    return fields | {"visible": fields.pop("visible"), "text": fields.pop("text")}
