"""Threads that come and go leave few heaps behind."""

import platform
import subprocess
import sys

import pytest

BUSY = """
import ctypes, sys, threading
from service.heaps import keep_heaps_few
if sys.argv[1] == "few":
    keep_heaps_few()
together = threading.Barrier(16)
def work():
    together.wait()
    for _ in range(20):
        [bytearray(90_000) for _ in range(100)]
threads = [threading.Thread(target=work) for _ in range(16)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
ctypes.CDLL(None).malloc_stats()
"""


def heaps(how: str) -> int:
    done = subprocess.run([sys.executable, "-c", BUSY, how], capture_output=True, text=True, check=True)
    return done.stderr.count("Arena ")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have no such heaps")
def test_threads_share_two_heaps_instead_of_having_one_each() -> None:
    assert heaps("many") > heaps("few")
    assert heaps("few") <= 2
