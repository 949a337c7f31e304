from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doors.standing import Standing, standing
from tests.service.opened import HARBOUR, page
from tests.sites import Route, Site

LONG = page(
    "The long log", *[f"Entry {number}: the wind was from the {number % 360} degree." * 3 for number in range(800)]
)


@pytest.fixture(scope="module")
def harbour() -> Iterator[Site]:
    with Site(
        [
            Route("/long", body=LONG),
            Route("/slow", body=LONG, before=20.0),
            Route("/slow-too", body=LONG, before=20.0),
            *HARBOUR,
        ]
    ) as site:
        yield site


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, harbour: Site) -> Iterator[Standing]:
    """A server that has seen the harbour's pages."""
    with standing(Path(tmp_path_factory.mktemp("standing")), loopback_without_key=False) as running:
        from service.requests import CaptureRequest
        from tests.service.opened import ME

        for path in ("/ferry", "/bridge", "/"):
            request = CaptureRequest(url=harbour.url(path))
            running.ask(lambda actions, request=request: actions.capture(request, ME))
        yield running
