"""The proxy that a browser asks the web through: what servers send before their answer."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from crawler.forwarding import MAX_INTERIM, Forwarding
from tests.crawler.fetching import fetcher

INTERIM = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntext"


@asynccontextmanager
async def serving(answer: bytes) -> AsyncIterator[int]:
    async def attend(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(attend, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def asked(answer: bytes) -> tuple[bytes, int]:
    """What the browser gets, and how many bytes of it were counted."""
    async with serving(answer) as port, fetcher(allow_addresses=("127.0.0.1/32",)) as web:
        proxy = Forwarding(web.dialler, 1_000_000)
        async with proxy.running():
            reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
            writer.write(f"GET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            got = await reader.read()
            writer.close()
    return got, proxy.received


@pytest.mark.parametrize("before", [0, 2, MAX_INTERIM])
async def test_interim_answers_are_left_out_and_all_that_is_handed_on_counts(before: int) -> None:
    got, received = await asked(INTERIM * before + ANSWER)

    assert got.startswith(b"HTTP/1.1 200 OK\r\n")
    assert got.endswith(b"text")
    assert received == len(got)


async def test_a_server_with_interim_answers_without_end_gets_nothing_through() -> None:
    failures: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context))

    got, received = await asked(INTERIM * 1400 + ANSWER)

    assert (got, received) == (b"", 0)
    assert failures == []
