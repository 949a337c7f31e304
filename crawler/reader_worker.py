"""A process that reads pages, one after the other, for a `ReaderPool`.

It takes requests on standard input and answers on what was its standard output; anything that is printed goes
nowhere. It ends when its input ends, when it has been asked enough, and when a page breaks it.
"""

import gc
import logging
import os
import resource
import signal
import sys
from datetime import UTC, datetime
from typing import BinaryIO, Final

from crawler.reader_wire import (
    OUT_OF_MEMORY,
    REPLY_LENGTH,
    REQUEST_LENGTHS,
    TAKEN,
    Request,
    pack_reading,
    unpack_request,
)
from crawler.reading import Reading

# The pool stops what is not done in so many times what a page may take. If the pool is gone, the worker ends itself.
PATIENCE: Final = 11

# Pages nest deeper than Python's own limit expects, within what the parser lets through.
RECURSION_LIMIT: Final = 5_000

_WARM_UP: Final = (
    b"<!doctype html><html><head><title>Warm</title></head><body><article><h1>Warm</h1><p>A first page loads what the "
    b"others need, so that none of them waits for it.</p><p>It has two paragraphs of plain words.</p></article></body>"
)


def main(arguments: list[str]) -> None:
    """Serve until the input ends. ARGUMENTS: bytes of memory and seconds of a processor that a page may take."""
    memory, seconds = int(arguments[0]), float(arguments[1])
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.dup2(nowhere, sys.stderr.fileno())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.disable(logging.CRITICAL)
    sys.setrecursionlimit(RECURSION_LIMIT)
    _read(Request("text/html", None, "http://localhost/", datetime.now(UTC).isoformat(), None), _WARM_UP)
    _limit_memory(memory)
    gc.collect()
    gc.freeze()
    _send(replies, b"ready")
    _serve(sys.stdin.buffer, replies, seconds)


def _limit_memory(extra: int) -> None:
    """Let the process grow by EXTRA bytes beyond what it has now, and write no core file."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - as small as it gets
        pages = int(file.read().split()[0])
    limit = pages * resource.getpagesize() + extra
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _serve(requests: BinaryIO, replies: BinaryIO, seconds: float) -> None:
    while len(lengths := requests.read(REQUEST_LENGTHS.size)) == REQUEST_LENGTHS.size:
        head_length, body_length = REQUEST_LENGTHS.unpack(lengths)
        try:
            _send(replies, TAKEN)
            head, body = requests.read(head_length), requests.read(body_length)
            signal.setitimer(signal.ITIMER_PROF, seconds)  # what a processor gives it; SIGPROF ends the process
            signal.setitimer(signal.ITIMER_REAL, seconds * PATIENCE)
            reply = pack_reading(_read(unpack_request(head), body))
        except MemoryError:
            os._exit(OUT_OF_MEMORY)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        _send(replies, reply)


def _read(request: Request, body: bytes) -> Reading:
    from crawler.reader import glance, read_page  # noqa: PLC0415 - after output was turned away
    from crawler.reader_text import read_as_plain  # noqa: PLC0415 - as above

    if request.after is not None:
        return read_as_plain(
            body, media_type=request.media_type, charset=request.charset, outcome=request.after, detail=request.detail
        )
    try:
        if request.glance:
            return glance(body, media_type=request.media_type, charset=request.charset)
        return read_page(
            body,
            media_type=request.media_type,
            charset=request.charset,
            url=request.url,
            at=request.time,
            status=request.status,
            asked=request.asked,
            headers=request.headers,
        )
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - the boundary to hostile pages: whatever breaks costs one page, and is told
        detail = f"the reader broke on it: {type(error).__name__}"
        return read_as_plain(
            body, media_type=request.media_type, charset=request.charset, outcome="failed", detail=detail
        )


def _send(replies: BinaryIO, data: bytes) -> None:
    message = memoryview(REPLY_LENGTH.pack(len(data)) + data)
    while message:
        message = message[replies.write(message) :]
