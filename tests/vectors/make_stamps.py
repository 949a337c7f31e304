"""Makes the vectors of time stamps anew: `PYTHONPATH=. python tests/vectors/make_stamps.py [FOLDER]`.

`stamps/` holds a checkpoint, the request, the answers of a real `openssl ts` to it (good ones, and twins with one fault
each), the authorities' roots, and `index.json`, which says what a reader must find at what time. Keys, times and serial
numbers are the authority's, so the files come out otherwise each time: make them anew only if the format changes.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from snapshots import LogKey
from snapshots.note import Checkpoint
from snapshots.stamp_der import read_answer
from snapshots.stamps import new_request
from tests.authority import Authority

HERE = Path(__file__).parent / "stamps"
KEY = LogKey("citator/vectors", bytes(range(32)))


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def files(folder: Path) -> Iterator[tuple[str, bytes]]:
    checkpoint = KEY.sign(Checkpoint(KEY.origin, 300, bytes(range(32))).text)
    request = new_request(checkpoint)
    harbour = Authority(folder / "harbour")
    good = harbour.reply(request.encoded)
    signature, time = read_answer(good).signer.signature, b"\x18\x0f20"
    rogue = Authority(folder / "rogue")
    late = Authority(folder / "late", days=1, began=timedelta(days=2))
    odd = Authority(folder / "odd", unsorted=True)
    other = harbour.reply(new_request(checkpoint + b"\n").encoded)
    again = harbour.reply(new_request(checkpoint).encoded)
    cases = [
        ("good", good, "harbour", "verified", "as the authority sent it"),
        ("unsorted", odd.reply(request.encoded), "odd", "verified", "certificates in another order than DER wants"),
        ("no-root", good, None, "unvouched", "nobody says whom to trust"),
        ("rogue", rogue.reply(request.encoded), "harbour", "does not hold", "an authority of the same name"),
        ("late", late.reply(request.encoded), "late", "does not hold", "the certificate had ended"),
        ("other-bytes", other, "harbour", "other bytes", "over another checkpoint"),
        ("other-request", again, "harbour", "nonce", "the answer to another request"),
        ("signature", flipped(good, good.index(signature) + len(signature) - 1), "harbour", "does not hold", "a bit"),
        ("time", flipped(good, good.index(time) + 15), "harbour", "does not hold", "a second, in the signed part"),
        ("truncated", good[:-1], "harbour", "cut short", "the last byte is missing"),
        ("refused", harbour.reply(b"\x30\x03\x02\x01\x01"), "harbour", "does not grant", "no token in it"),
    ]
    roots = {"harbour": harbour, "odd": odd, "late": late}
    yield "checkpoint", checkpoint
    yield "request.tsq", request.encoded
    for name in sorted({root for _, _, root, _, _ in cases if root}):
        yield f"{name}.pem", roots[name].roots.read_bytes()
    index = []
    for name, answer, root, found, why in cases:
        yield f"{name}.tsr", answer
        index.append({"file": f"{name}.tsr", "root": root and f"{root}.pem", "found": found, "what": why})
    at = datetime.now(UTC).replace(microsecond=0).isoformat()
    yield "index.json", json.dumps({"at": at, "nonce": str(request.nonce), "answers": index}, indent=1).encode() + b"\n"


def main(target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files(Path(folder)):
            (target / name).write_bytes(data)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
