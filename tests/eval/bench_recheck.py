"""How fast quotations are judged and pages checked again: `python -m tests.eval.bench_recheck [--pages N]`.

The site is another process that answers `If-Modified-Since`. The baseline asks it the same questions with the standard
library's client over kept connections, as many at a time, and does nothing with the answers.
"""

import argparse
import asyncio
import http.client
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from crawler import Like
from service.actions import Actions
from service.check_requests import RecheckRequest
from service.rechecking import AT_ONCE
from service.requests import CaptureRequest
from snapshots import judge, page_text
from tests.service.opened import ME, opened, told

WORDS = (
    "harbour", "bridge", "ferry", "ticket", "notice", "crowns", "winter", "keeper",
    "office", "skipper", "season", "anchor", "mooring", "basin", "toll",
)  # fmt: skip

PAGE_BYTES = 100_000
QUOTED = 200


def sentence(chance: random.Random) -> str:
    words = [chance.choice(WORDS) + chance.choice(("", "s", "ing")) for _ in range(chance.randint(8, 16))]
    return f"{' '.join(words).capitalize()} {chance.randint(2, 900)}."


def text_of(chance: random.Random, length: int) -> str:
    lines: list[str] = []
    size = 0
    while size < length:
        lines.append(" ".join(sentence(chance) for _ in range(4)))
        size += len(lines[-1]) + 1
    return "\n".join(lines)


def quotes() -> None:
    """Verdicts a second on a page of 100 KB, for quotations that stand there and for edited ones."""
    chance = random.Random(4)
    text = text_of(chance, PAGE_BYTES)
    there = [f"{one}." for one in text.replace("\n", " ").split(". ")[10 : 10 + QUOTED]]
    edited = [quote.replace(" ", " not ", 3).replace(" not ", " ", 2) for quote in there]
    for name, wanted in (("standing", there), ("edited", edited)):
        page = page_text(text, text)
        judge(wanted[0], page)
        begin = time.perf_counter()
        verdicts = {judge(quote, page).verdict for quote in wanted}
        kept = len(wanted) / (time.perf_counter() - begin)
        begin = time.perf_counter()
        for quote in wanted[:20]:
            judge(quote, page_text(text, text))
        fresh = 20 / (time.perf_counter() - begin)
        print(
            f"  {name:<10} {kept:8.0f}/s on a page that is ready, {fresh:6.1f}/s on a new page each  {sorted(verdicts)}"
        )


@contextmanager
def site(folder: Path) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1", "--protocol", "HTTP/1.1"]
    served = subprocess.Popen(
        [*command, "--directory", str(folder)], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        served.terminate()
        served.wait()


def plain(urls: Sequence[str], since: str) -> float:
    """Seconds for conditional GETs of all addresses, AT_ONCE at a time over kept connections."""

    def some(mine: Sequence[str]) -> None:
        connection = http.client.HTTPConnection(urlsplit(mine[0]).netloc, timeout=30)
        for url in mine:
            connection.request("GET", urlsplit(url).path, headers={"If-Modified-Since": since})
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 304
        connection.close()

    begin = time.perf_counter()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(some, [urls[n::AT_ONCE] for n in range(AT_ONCE)]))
    return time.perf_counter() - begin


async def asked(actions: Actions, url: str, since: str, turn: asyncio.Semaphore) -> None:
    """One conditional GET by the product's own fetcher: guarded, paced, written down, and not kept."""
    async with turn:
        visit = await actions.parts.fetcher.fetch(url, like=Like(url, last_modified=since))
    assert visit.status == 304


async def rechecks(pages: int) -> None:
    """Unchanged pages checked again, beside plain conditional GETs of the same pages."""
    chance = random.Random(4)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as data:
        for number in range(pages):
            body = "".join(f"<p>{line}</p>" for line in text_of(chance, 2_000).split("\n"))
            (Path(folder) / f"{number}.html").write_text(f"<!DOCTYPE html><title>{number}</title><main>{body}</main>")
        with site(Path(folder)) as address:
            urls = [f"{address}/{number}.html" for number in range(pages)]
            async with opened(Path(data), host_concurrency=AT_ONCE) as actions:
                turn = asyncio.Semaphore(AT_ONCE)

                async def one(url: str) -> None:
                    async with turn:
                        await actions.capture(CaptureRequest(url=url, max_tokens=0), ME)

                await asyncio.gather(*(one(url) for url in urls))
                await asyncio.to_thread(actions.parts.follower.wait, 600.0)  # indexing is no part of checking
                since = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime())
                for _ in range(3):
                    floor = await asyncio.to_thread(plain, urls, since)
                    begin, asking = time.perf_counter(), time.process_time()
                    await asyncio.gather(*(asked(actions, url, since, turn) for url in urls))
                    fetched, asking = time.perf_counter() - begin, time.process_time() - asking
                    begin, cpu = time.perf_counter(), time.process_time()
                    found = told(await actions.recheck(RecheckRequest(urls=tuple(urls)), ME))
                    spent, cpu = time.perf_counter() - begin, time.process_time() - cpu
                    assert found["holds"]
                    assert {page["verdict"] for page in found["pages"]} == {"unchanged"}, found["pages"][0]["reason"]
                    print(
                        f"  {pages} pages, {found['counts']['exact']} passages: {spent:.2f} s (CPU {cpu:.2f} s); "
                        f"plain conditional GETs {floor:.2f} s, "
                        f"through the guard {fetched:.2f} s (CPU {asking:.2f} s); "
                        f"ratios {spent / floor:.1f} and {spent / fetched:.1f} (CPU {cpu / asking:.1f})"
                    )


def run(pages: int = 1_000) -> None:
    """The section of `make bench`."""
    print("\nquote verdicts on 100 KB")
    quotes()
    print("rechecks of unchanged pages on loopback")
    asyncio.run(rechecks(pages))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_000)
    run(parser.parse_args().pages)


if __name__ == "__main__":
    main()
