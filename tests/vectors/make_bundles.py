"""Makes the vectors of bundles: `python -m tests.vectors.make_bundles`.

A good bundle, twins with one fault each out of the list of mutations, and archives of others. Keys and times are
fresh each time, so that the bytes differ; `index.json` says what a verifier must find, and with which trust.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.snapshots.verify.archives import PAGE, Made, wacz, warc, with_length
from tests.snapshots.verify.five_pages import good_bundle
from tests.snapshots.verify.test_mutations import MUTATIONS, mutated

FOLDER = Path(__file__).parent / "bundles"
TWINS = (
    "flip-page-body",
    "record-rehashed-sealed",
    "passage-other-words",
    "proofs-swapped",
    "stranger-without-tokens-trusted-key",
    "wacz-other-key",
    "token-self-made",
    "warc-content-encoding",
    "zip-name-twice-other-bytes",
)
STAND_IN = b"print('the program that verifies stands here in real bundles')\n"


def make(folder: Path) -> None:
    """Writes everything anew."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    index: list[dict[str, Any]] = [{"file": "good.wacz", "holds": True, "fails": [], "trust": "both"}]
    with tempfile.TemporaryDirectory() as data:
        good = good_bundle(Path(data), STAND_IN)
        (folder / "trusted.vkey").write_text(f"{good.keeper.vkey}\n")
        (folder / "root.pem").write_bytes(good.authority.roots_pem)
        mutated(good, {"op": "keys", "do": "nothing but what reseal does"}, folder / "good.wacz")
        for name in TWINS:
            mutation = MUTATIONS[name]
            mutated(good, mutation, folder / f"{name}.wacz")
            trust = mutation.get("trust", "both")
            index.append({"file": f"{name}.wacz", "holds": False, "fails": mutation["fails"], "trust": trust})
    one, two = with_length(), with_length(url="http://harbour.test/tide", number=2)
    others = {
        "foreign-good.wacz": (wacz(one, two).data, []),
        "foreign-stale.wacz": (
            wacz(one, two).but(hashes={"archive/data.warc.gz": "sha256:" + "0" * 64}).data,
            [["members", "member-hash"]],
        ),
        "foreign-chunked.warc.gz": (
            warc(Made((("Transfer-Encoding", "chunked"),), PAGE)),
            [["replay", "warc-headers"]],
        ),
    }
    for name, (content, fails) in others.items():
        (folder / name).write_bytes(content)
        index.append({"file": name, "holds": not fails, "fails": fails, "trust": "none"})
    (folder / "index.json").write_text(json.dumps(index, indent=1) + "\n")


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
