"""Bundles for tests: made in memory, and read with the standard library."""

import hashlib
import io
import json
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from snapshots import Bundle, BundleAsked, BundleKey, BundleMaker, BundleTokens, NoTokens, write_bundle
from snapshots.verify.checking import Trust, verify_file
from snapshots.verify.claims import FAILS
from tests.snapshots.bench import Bench

VERIFIER = b"print('not this time')\n"


@dataclass(frozen=True)
class Read:
    """A bundle that was written: its bytes, and what the writer said of it."""

    data: bytes
    told: Bundle

    @cached_property
    def members(self) -> Mapping[str, bytes]:
        with zipfile.ZipFile(io.BytesIO(self.data)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    def json(self, name: str) -> Any:
        return json.loads(self.members[name])

    def lines(self, name: str) -> list[Any]:
        return [json.loads(line) for line in self.members[name].splitlines()]

    @property
    def records(self) -> dict[str, Any]:
        lines = self.members["evidence/records.jsonl"].splitlines()
        return {f"sha256:{hashlib.sha256(line).hexdigest()}": json.loads(line) for line in lines}


def bundled(
    bench: Bench,
    *ids: str,
    url: str | None = None,
    search: str | None = None,
    tokens: BundleTokens | None = None,
    verifier: bytes = VERIFIER,
) -> Read:
    """The bundle of ids, of an address, of a search. Whatever it is of, it verifies."""
    out = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        maker = BundleMaker(
            archive=bench.archive,
            log=bench.log,
            key=BundleKey.at(bench.folder / "bundle.key"),
            verifier=verifier,
            software=("Citator", "0.0.0"),
            tokens=tokens or NoTokens(),
        )
        told = write_bundle(maker, BundleAsked(ids, url, search), out, folder=Path(folder), progress=lambda *_: None)
        assert list(Path(folder).iterdir()) == []
    claims = verify_file(out, "bundle.wacz", Trust())
    failing = [(claim.claim, claim.failures) for claim in claims if claim.result == FAILS]
    assert not failing, failing
    return Read(out.getvalue(), told)
