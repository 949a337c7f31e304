"""Run by the tests as a program: writes to a directory store in children that are killed at every step.

killed_writer.py BUCKET SCRATCH plain|forgetful      prints one JSON line for each step a child was killed at
killed_writer.py race BUCKET NAME COUNT              swaps NAME upwards COUNT times, prints how many it won
"""

import json
import os
import sys
from pathlib import Path

from snapshots.directory import Directory
from snapshots.errors import Conflict, Missing
from snapshots.files import Disk, Files
from snapshots.opening import open_store
from snapshots.store import Store
from tests.lossy import LossyFiles
from tests.stopping import StoppingFiles

SECOND_BATCH = {f"objects/{n:02x}/second-{n}": f"second {n}\n".encode() * 1000 for n in range(4)}


def work(store: Directory, said: int) -> None:
    """Says on the pipe `said` after each call that has returned, so that it is known what was promised."""
    steps = [
        lambda: store.put_new(SECOND_BATCH),
        lambda: store.swap("log/lock", b"second value\n" * 100, store.read("log/lock")[1]),
        lambda: store.swap("log/other", b"new value\n" * 100, None, after={"objects/bb/before": b"before\n" * 1000}),
        lambda: store.put("checkpoint", b"second checkpoint\n" * 100),
        lambda: store.delete(["objects/aa/first-1"]),
        lambda: store.put("tile", b"tile\n" * 100, durable=False),
        store.sync,
    ]
    for step in steps:
        step()
        os.write(said, b".")


def killed_at(bucket: Path, scratch: Path, kind: str, stop: int | None) -> tuple[bool, int]:
    """Whether the child was killed, and how many calls had returned before."""
    listen, said = os.pipe()
    child = os.fork()
    if child == 0:
        inner: Files = LossyFiles(scratch) if kind == "forgetful" else Disk()
        work(Directory(bucket, files=StoppingFiles(inner, stop)), said)
        os._exit(0)
    os.close(said)
    _, status = os.waitpid(child, 0)
    with os.fdopen(listen, "rb") as pipe:
        promised = len(pipe.read())
    return os.WIFSIGNALED(status), promised


def first_state(bucket: Path) -> None:
    store = Directory(bucket)
    store.put_new({f"objects/aa/first-{n}": f"first {n}\n".encode() * 1000 for n in range(2)})
    store.swap("log/lock", b"first value\n" * 100, None)
    store.put("checkpoint", b"first checkpoint\n" * 100)
    store.close()


def every_step(where: Path, scratch: Path, kind: str) -> None:
    stop = 0
    killed = True
    while killed:
        bucket = where / str(stop)
        first_state(bucket)
        killed, promised = killed_at(bucket, scratch, kind, stop)
        left = Directory(bucket)
        held = {stat.name: left.get(stat.name).decode() for stat in left.list("")}
        rubbish = sorted(path.name for path in (bucket / ".tmp").iterdir() if path.is_dir())
        left.put_new({"objects/ff/later": b"later"})
        left.close()
        print(json.dumps({"stop": stop, "killed": killed, "promised": promised, "held": held, "rubbish": rubbish}))
        stop += 1


def race(store: Store, name: str, count: int) -> None:
    won = 0
    while won < count:
        try:
            value, token = store.read(name)
        except Missing:
            value, token = b"0", None
        try:
            store.swap(name, b"%d" % (int(value) + 1), token)
            won += 1
        except Conflict:
            continue
    store.close()
    print(won)


if __name__ == "__main__":
    if sys.argv[1] == "race":
        race(open_store(sys.argv[2], **json.loads(sys.argv[5])), sys.argv[3], int(sys.argv[4]))
    else:
        every_step(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
