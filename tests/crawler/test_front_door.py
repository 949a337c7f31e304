import subprocess
import sys
from pathlib import Path

import crawler

HEAVY = ["lxml", "trafilatura", "httpcore2", "h11", "protego", "ada_url", "zstandard", "certifi", "ssl", "asyncio"]


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = f"import sys, crawler; print([name for name in {HEAVY} if name in sys.modules])"

    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
    )

    assert told.stdout.strip() == "[]"


def test_a_fetcher_loads_no_parser_of_pages() -> None:
    code = "import sys; from crawler import Fetcher, FetchSettings; print('lxml' in sys.modules)"

    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
    )

    assert told.stdout.strip() == "False"


def test_every_public_name_can_be_had() -> None:
    assert all(getattr(crawler, name) is not None for name in crawler.__all__)
