"""Real pages to crawl: Debian's HTML documentation of Python."""

from pathlib import Path

import pytest

UNPACKED = Path(__file__).parents[2] / ".tmp" / "python3-doc" / "html"


def python_documentation() -> Path:
    """The folder of the documentation; `make setup-tests` puts one there."""
    installed = sorted(Path("/usr/share/doc").glob("python3.*/html"), reverse=True)
    for folder in [*installed, UNPACKED]:
        if (folder / "library" / "contextlib.html").is_file():
            return folder.resolve()
    pytest.fail("python3-doc is not installed: run `make setup-tests`")
