"""Makes the log vectors anew: `PYTHONPATH=. python tests/vectors/make_logs.py [FOLDER]`.

`logs/good/` is the bucket of a small log with everything that lies below `log/`; `logs/proofs/` holds proofs of its
entries; `logs/bad-proofs/` twins of one of them with one fault each, and `logs/bad-logs/NAME/` the one object in which
a bad log differs from the good one. `logs/unfinished/` holds what a writer left that was killed after its commit.
`logs/index.json` says what a reader must find. Keys and names are fixed, so the files come out the same each time.
"""

import json
import shutil
import sys
from pathlib import Path

from snapshots.log_key import LogKey
from snapshots.log_keys import handover
from snapshots.log_lock import Lock, Staging
from snapshots.merkle import consistency_proof, inclusion_proof, leaf_hash, nodes_of
from snapshots.note import Checkpoint, encode64
from snapshots.proof import Proof
from snapshots.tiles import EMPTY_EDGE, Edge, grow
from tests.vectors.log_faults import LOG_FAULTS, proof_faults

ORIGIN = "example.org/log"
FIRST_KEY = LogKey(ORIGIN, bytes(range(32)))
KEY = LogKey(ORIGIN, bytes(range(32, 64)))
STRANGER = LogKey(ORIGIN, bytes(range(64, 96)))
SIZES = (3, 256, 260, 300)
"""The log was published at these sizes; until the second by the first key."""
PROVEN = (0, 77, 255, 256, 299)
TOKEN = "0123456789abcdef"


def record(number: int) -> bytes:
    """The record whose id is entry `number`."""
    return b"record %d\n" % number


def entries(start: int, end: int) -> list[bytes]:
    """The entries of the log: the SHA-256 of each record."""
    from hashlib import sha256

    return [sha256(record(number)).digest() for number in range(start, end)]


def signed(edge: Edge, key: LogKey) -> bytes:
    """The checkpoint over the tree with this edge."""
    return key.sign(Checkpoint(ORIGIN, edge.size, edge.root).text)


def staging_name(edge: Edge) -> str:
    """As `log_lock.staging_name`, with a fixed end."""
    return f"log/staging/{edge.root.hex()}-{edge.size}-{TOKEN}"


def good_log() -> tuple[dict[str, bytes], list[bytes], Edge]:
    """Its objects, the checkpoints it has shown, and its right edge."""
    objects, seen, edge = {}, [], EMPTY_EDGE
    for size in SIZES:
        edge, files = grow(edge, entries(edge.size, size))
        objects |= {f"log/{path}": data for path, data in files.items()}
        seen.append(signed(edge, FIRST_KEY if size <= SIZES[1] else KEY))
    objects["log/checkpoint"] = seen[-1]
    objects["log/lock"] = Lock(seen[-1], staging_name(edge)).encoded
    for key in (FIRST_KEY, KEY):
        objects[f"log/keys/{key.id.hex()}.vkey"] = f"{key.vkey}\n".encode()
    objects[f"log/keys/{KEY.id.hex()}.handover"] = handover(FIRST_KEY, KEY)
    return objects, seen, edge


def make(folder: Path) -> None:
    """Writes everything below `folder`, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    objects, seen, edge = good_log()
    node = nodes_of([leaf_hash(entry) for entry in entries(0, SIZES[-1])])
    index: dict[str, object] = {
        "origin": ORIGIN,
        "vkey": KEY.vkey,
        "earlier_vkeys": [FIRST_KEY.vkey],
        "size": edge.size,
        "root": encode64(edge.root),
        "seen": [checkpoint.decode() for checkpoint in seen],
    }
    for name, data in objects.items():
        write(folder / "good" / name, data)
    texts = {number: Proof(number, tuple(inclusion_proof(number, edge.size, node)), seen[-1]).text for number in PROVEN}
    texts[PROVEN[0]] = texts[PROVEN[0]].replace("\nindex", "\nextra YW55dGhpbmc=\nindex", 1)
    for number, text in texts.items():
        write(folder / "proofs" / f"{number}.tlog-proof", text.encode())
    index["proofs"] = [
        {"file": f"proofs/{number}.tlog-proof", "index": number, "record": record(number).decode()} for number in PROVEN
    ]
    faults = proof_faults(STRANGER)
    for fault, change in faults.items():
        write(folder / "bad-proofs" / f"{fault}.tlog-proof", change(texts[77]).encode())
    index["bad_proofs"] = [
        {"file": f"bad-proofs/{fault}.tlog-proof", "record": record(77).decode()} for fault in faults
    ]
    index["consistency"] = [
        {"old": old, "new": new, "hashes": [encode64(value) for value in consistency_proof(old, new, node)]}
        for old, new in ((1, 300), (3, 256), (256, 260), (260, 300), (300, 300))
    ]
    index["bad_logs"] = [bad_log(folder, fault, objects) for fault in LOG_FAULTS]
    index["unfinished"] = unfinished(folder, edge)
    write(folder / "index.json", (json.dumps(index, indent=1, ensure_ascii=False) + "\n").encode())


def bad_log(folder: Path, fault: str, objects: dict[str, bytes]) -> dict[str, object]:
    """Writes the one object that is wrong; returns its line in the index."""
    name, change = LOG_FAULTS[fault]
    data = change(objects.get(name, b""))
    if data is not None:
        write(folder / "bad-logs" / fault / name, data)
    return {"fault": fault, "object": name, "missing": data is None}


def unfinished(folder: Path, edge: Edge) -> dict[str, object]:
    """Writes lock and staging object of a commit that is not published."""
    grown, files = grow(edge, entries(edge.size, edge.size + 3))
    checkpoint = signed(grown, KEY)
    name = staging_name(grown)
    write(folder / "unfinished" / "log/lock", Lock(checkpoint, name).encoded)
    write(folder / "unfinished" / name, Staging(edge.size, checkpoint, files).encoded)
    return {"published": edge.size, "committed": grown.size, "root": encode64(grown.root)}


def write(path: Path, data: bytes) -> None:
    """Writes a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("logs"))
