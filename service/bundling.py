"""Makes files that take evidence along: bundles that stand by themselves, and quotations in the forms of others."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from anyio import CapacityLimiter
from anyio.to_thread import run_sync

from crawler import parse_address
from service.doors import Progress
from service.failures import BadRequest
from service.parts import Parts
from service.requests import BundleRequest, Made
from service.sessions.bundling import of_sessions
from service.versions import citator_version
from snapshots import FORMATS, BundleAsked, BundleKey, BundleMaker, quoted, write_bundle

WACZ: Final = "application/wacz"

AT_ONCE: Final = 2
"""Bundles that are made at the same time: each fills a processor, and the disk with its own temporary files."""

NAMED: Final = 12
"""Hex digits of a file's hash in its name."""


class Bundles:
    """Makes bundles of one installation."""

    def __init__(self, parts: Parts, verifier: Callable[[], bytes]) -> None:
        self._parts = parts
        self._verifier = verifier
        self._turns = CapacityLimiter(AT_ONCE)

    async def make(
        self, request: BundleRequest, progress: Progress, *, attached: Mapping[str, Path] | None = None
    ) -> Made:
        """The file that was asked for, whole; `attached` are files that go into a bundle beside the evidence, by name.

        Raises:
            EvidenceError: nothing is kept of it, it cannot be signed, or the archive does not do its part.
            OSError: the disk does not take it.
            BadRequest: it is to be stamped, and nobody is set who could.
        """
        told = await self._stamped() if request.stamp else {}
        made = await run_sync(self._make, request, progress, attached or {}, limiter=self._turns)
        return replace(made, told=dict(made.told) | told)

    async def _stamped(self) -> dict[str, Any]:
        """Have the log stamped as it is now; an authority that fails is told and stops nothing."""
        if not self._parts.settings.tsa_urls:
            raise BadRequest("no time-stamping authority is set: CITATOR_TSA_URLS names them")
        found = await self._parts.stamper.stamp()
        return {"stamps": [{"authority": one.authority, "result": one.result, "detail": one.detail} for one in found]}

    def _make(self, request: BundleRequest, progress: Progress, attached: Mapping[str, Path]) -> Made:
        archive = self._parts.archive
        asked = BundleAsked(
            ids=tuple(dict.fromkeys(archive.resolve(text) for text in request.ids)),
            url=_address(request.url),
            search=None if request.search is None else archive.resolve(request.search),
        )
        if request.format == "wacz":
            return self._bundle(asked, progress, attached)
        return self._quotations(asked, request.format, progress)

    def _bundle(self, asked: BundleAsked, progress: Progress, attached: Mapping[str, Path]) -> Made:
        parts = self._parts
        maker = BundleMaker(
            archive=parts.archive,
            log=parts.log,
            key=BundleKey.at(parts.settings.bundle_key_path),
            verifier=self._verifier(),
            software=("Citator", citator_version()),
            tokens=parts.stamper,
            of_sessions=of_sessions,
        )
        with self._file() as (file, folder):
            made = write_bundle(maker, asked, file, folder=folder, progress=progress, attached=attached)
            told: dict[str, Any] = {
                "created": made.created,
                "log_size": made.log_size,
                "counts": dict(made.counts),
                "notes": list(made.notes),
            }
            return Made(file, made.size, made.digest, WACZ, f"evidence-{made.digest[:NAMED]}.wacz", told)

    def _quotations(self, asked: BundleAsked, name: str, progress: Progress) -> Made:
        form = FORMATS[name]
        with self._file() as (file, folder):
            hashed, size = sha256(), 0
            pages = quoted(self._parts.archive, asked, folder=folder, progress=progress)
            for piece in form.write(pages):
                data = piece.encode("utf-8", "replace")
                hashed.update(data)
                size += len(data)
                file.write(data)
            digest = hashed.hexdigest()
            return Made(file, size, digest, form.media_type, f"quotations-{digest[:NAMED]}{form.ending}", {})

    @contextmanager
    def _file(self) -> Iterator[tuple[BinaryIO, Path]]:
        """A file without a name, at its beginning after the block, and a folder for others. Both gone if it fails."""
        folder = self._parts.settings.tmp_path
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = cast("BinaryIO", tempfile.TemporaryFile(dir=folder))  # noqa: SIM115 - whoever gets it closes it
        try:
            yield file, folder
            file.seek(0)
        except BaseException:
            file.close()
            raise


def clear(folder: Path) -> None:
    """Remove what a killed process left; only whoever holds the data directory may."""
    shutil.rmtree(folder, ignore_errors=True)


def _address(url: str | None) -> str | None:
    return url if url is None or url.startswith("urn:") else parse_address(url).href
