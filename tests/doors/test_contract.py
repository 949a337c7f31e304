"""The OpenAPI document is kept to: schemathesis asks everything that stands in it, with a key."""

import re
from pathlib import Path

import pytest

from tests.doors.contract import held_against_its_document

pytestmark = pytest.mark.slow


def test_every_answer_is_one_that_the_document_describes(tmp_path: Path) -> None:
    options = ("--phases", "examples,fuzzing", "--max-examples", "4", "--generation-deterministic")

    ran = held_against_its_document(tmp_path, *options, capture_output=True)

    assert ran.returncode == 0, ran.stdout
    assert re.search(r"Operations: +([0-9]+) selected / \1 total", ran.stdout)
