"""How fast a bundle is written and verified, beside `sha256sum` and `gzip` of the same bytes."""

import gzip
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

from snapshots import BundleAsked, Trust, joined_script, verify_path, write_bundle
from tests.acceptance.pages import python_documentation
from tests.eval.bundle_pages import archive_at, fill

PAGES = 300
PASSAGES = 30
ROUNDS = 3
MEGABYTE = 1_000_000


def run() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = sorted(python_documentation().rglob("*.html"))[:PAGES]
        with archive_at(folder) as maker:
            pages = ((f"https://bench.example/{path.name}", path.read_bytes()) for path in paths)
            ids, search = fill(maker.archive, pages, passages=PASSAGES)
            asked = BundleAsked(tuple(ids), search=search)
            bundle = folder / "b.wacz"

            def write() -> None:
                with bundle.open("wb") as out:
                    write_bundle(maker, asked, out, folder=folder, progress=lambda *_: None)

            seconds = best(write)
        plain = folder / "plain"
        size = unpack(bundle, plain)
        hashing = best(lambda: subprocess.run(["sha256sum", plain], check=True, stdout=subprocess.DEVNULL))
        packing = best(lambda: pack(plain))
        packed = bundle.stat().st_size
        print(
            f"\n{len(ids)} pages, {PASSAGES} passages: {size / MEGABYTE:.1f} MB, {packed / MEGABYTE:.1f} MB as a bundle"
        )
        program = folder / "verify.py"
        program.write_bytes(joined_script())
        command = [sys.executable, "-I", program, bundle, "--json"]
        verifying = best(lambda: verify_path(bundle, Trust()))
        alone = best(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))
        tell("written", size, seconds, hashing + packing)
        tell("verified", size, verifying, hashing + packing)
        tell("verified by verify.py", size, alone, hashing + packing)
        tell("sha256sum and gzip", size, hashing + packing, hashing + packing)


def tell(what: str, size: int, seconds: float, beside: float) -> None:
    print(f"  {what:24} {size / MEGABYTE / seconds:8.1f} MB/s  {seconds / beside:5.2f} times as long as both tools")


def best(work: Callable[[], object]) -> float:
    """Seconds of the quickest of some rounds: the others waited for somebody else."""
    found = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        work()
        found.append(time.perf_counter() - begin)
    return min(found)


def pack(path: Path) -> None:
    with path.with_suffix(".gz").open("wb") as out:
        subprocess.run(["gzip", "-c", path], check=True, stdout=out)


def unpack(bundle: Path, to: Path) -> int:
    """All bytes that a bundle holds, one behind the other; how many."""
    with zipfile.ZipFile(bundle) as archive, to.open("wb") as out:
        for name in archive.namelist():
            with archive.open(name) as member:
                if not name.endswith(".gz"):
                    shutil.copyfileobj(member, out)
                    continue
                with gzip.open(member) as plain:
                    shutil.copyfileobj(plain, out)
    return to.stat().st_size
