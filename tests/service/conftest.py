import logging
from collections.abc import Iterator

import pytest
import structlog

from service.api import application
from service.gate import App, Rules
from tests.service.asking import Asker
from tests.service.small_citator import SmallCitator


@pytest.fixture
def citator() -> SmallCitator:
    return SmallCitator()


@pytest.fixture
def app(citator: SmallCitator) -> App:
    return application(
        citator, Rules(hosts=frozenset({"citator.test"}), loopback_without_key=False, max_request=8 * 1024 * 1024)
    )


@pytest.fixture
def ask(app: App, citator: SmallCitator) -> Asker:
    """Asks with a key that may do everything."""
    return Asker(app, citator.key("admin"))


@pytest.fixture(autouse=True)
def put_logs_back() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()
