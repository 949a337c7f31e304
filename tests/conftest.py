"""What every test may rely on: no settings from outside, and where the real inputs lie."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.sites import Route, Site

# Read before the settings are cleared: where evaluation data lies is no setting of Citator.
EVAL_DATA = Path(os.environ.get("CITATOR_EVAL_DATA") or Path(__file__).parents[2] / "shared" / "data")

# A test must not depend on the shell that started it. At import, because collecting already imports modules.
for _name in [name for name in os.environ if name.startswith("CITATOR_")]:
    del os.environ[_name]

# A shell that starts something in the background has it ignore Ctrl-C, and so would every command that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes says more of the machine than of the code; fixtures are the same for all examples of a test.
settings.register_profile(
    "any-machine",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("any-machine")


@pytest.fixture(scope="session")
def eval_data() -> Path:
    """The folder with evaluation data; a machine that has none says so and skips."""
    if not EVAL_DATA.is_dir():
        pytest.skip(f"there is no evaluation data at {EVAL_DATA}; set CITATOR_EVAL_DATA")
    return EVAL_DATA


@pytest.fixture
def site() -> Iterator[Callable[..., Site]]:
    """Starts web sites on loopback: `site(Route("/", body="..."), ...)` gives a running `Site`, stopped at the end."""
    with ExitStack() as running:

        def start(*routes: Route, **more: Any) -> Site:
            return running.enter_context(Site(routes, **more))

        yield start
