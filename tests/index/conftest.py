from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from index import Index

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    with Index.open(tmp_path / "index") as opened:
        yield opened
