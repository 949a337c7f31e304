"""What a shell hands over as a query, and what of it is an option."""

from pathlib import Path

import pytest

from tests.service.running import Shell
from tests.service.serving import served
from tests.service.small_citator import SmallCitator


@pytest.mark.parametrize(
    ("arguments", "query"),
    [
        (("-adapter", "--json"), "-adapter"),
        (("--json", "-x", "--no-fold"), "-x"),
        (("--json", "--", "--fold"), "--fold"),
        (("--max-results", "2", "->>>", "--json"), "->>>"),
    ],
)
def test_what_begins_with_a_dash_can_be_looked_for(
    citator: SmallCitator, tmp_path: Path, arguments: tuple[str, ...], query: str
) -> None:
    with served(citator, tmp_path) as server:
        ran = Shell(server.data)("search", *arguments)

    assert ran.status == 0
    assert citator.asked[-1].query == query
