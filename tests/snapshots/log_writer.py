"""Run by the tests as a program: appends to a log from processes that are killed.

log_writer.py every-step TEMPLATE WHERE SCRATCH plain|forgetful   a child is killed before each change of a file;
                                                                  one JSON line for each: what it had been promised,
                                                                  and what the next process finds
log_writer.py race BUCKET OPTIONS NAME STOP                       appends commits until the file STOP is there, a JSON
                                                                  line for each
"""

import json
import os
import shutil
import sys
from itertools import count
from pathlib import Path

from snapshots.directory import Directory
from snapshots.files import Disk, Files
from snapshots.ids import digest
from snapshots.log import Log
from snapshots.log_key import LogKey
from snapshots.opening import open_store
from tests.lossy import LossyFiles
from tests.stopping import StoppingFiles

KEY = LogKey("example.org/log", bytes(32))


def ids(name: str, start: int, number: int) -> list[str]:
    return [digest(f"{name} {n}".encode()) for n in range(start, start + number)]


def work(store: Directory, said: int) -> None:
    """Two commits over the end of a tile, two published together; says each promise on the pipe."""
    log = Log.open(store, KEY, create=True)
    for commit in range(4):
        positions = log.append(ids("a", commit * 2, 2), publish_now=commit < 2)
        os.write(said, b"%d\n" % positions.start)
    log.close()


def killed_at(bucket: Path, scratch: Path, kind: str, stop: int) -> tuple[bool, list[int]]:
    listen, said = os.pipe()
    child = os.fork()
    if child == 0:
        inner: Files = LossyFiles(scratch) if kind == "forgetful" else Disk(syncfs=False)
        work(Directory(bucket, files=StoppingFiles(inner, stop)), said)
        os._exit(0)
    os.close(said)
    _, status = os.waitpid(child, 0)
    with os.fdopen(listen, "rb") as pipe:
        promised = [int(line) for line in pipe.read().split()]
    return os.WIFSIGNALED(status), promised


def every_step(template: Path, where: Path, scratch: Path, kind: str) -> None:
    stop = 0
    killed = True
    while killed:
        bucket = where / str(stop)
        shutil.copytree(template, bucket)
        killed, promised = killed_at(bucket, scratch, kind, stop)
        store = Directory(bucket, files=LossyFiles(scratch))
        published = Log.open(store, None, create=False)
        log = Log.open(store, KEY, create=False)
        report = log.check(deep=True, seen=[published.checkpoint])
        found = log.entries(0, log.size)
        result = {"promised": promised, "found": found, "problems": report.problems, "unfinished": report.unfinished}
        print(json.dumps({"stop": stop, "killed": killed, **result}), flush=True)
        shutil.rmtree(bucket)
        stop += 1


def race(bucket: str, options: str, name: str, stop: Path) -> None:
    log = Log.open(open_store(bucket, **json.loads(options)), KEY, create=True)
    for commit in count():
        if stop.exists():
            break
        batch = ids(name, commit * 3, 3)
        print(json.dumps({"first": log.append(batch).start, "ids": batch}), flush=True)
    log.close()


if __name__ == "__main__":
    if sys.argv[1] == "race":
        race(*sys.argv[2:5], Path(sys.argv[5]))
    else:
        every_step(*map(Path, sys.argv[2:5]), sys.argv[5])
