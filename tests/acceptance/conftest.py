"""The crawled site that several tests look at; whoever changes it takes a copy."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.installation import Installation, static_site
from tests.acceptance.pages import python_documentation

PAGES = 300


@pytest.fixture(scope="session")
def documentation() -> Iterator[str]:
    """Debian's documentation of Python on a plain static server; its address."""
    with static_site(python_documentation()) as url:
        yield url


@pytest.fixture(scope="session")
def _crawl(documentation: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Installation, dict[str, Any]]:
    installation = Installation(tmp_path_factory.mktemp("crawled") / "data")
    report = installation.run("crawl", documentation, "--max-pages", str(PAGES), "--json").json
    return installation, report


@pytest.fixture(scope="session")
def crawled(_crawl: tuple[Installation, dict[str, Any]]) -> Installation:
    """An installation that has crawled the documentation."""
    return _crawl[0]


@pytest.fixture(scope="session")
def crawl_report(_crawl: tuple[Installation, dict[str, Any]]) -> dict[str, Any]:
    """What that crawl said."""
    return _crawl[1]


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    """An empty installation."""
    return Installation(tmp_path / "data")
