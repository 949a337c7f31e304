"""Databases of both kinds, so that every test of catalogue and state runs on each, and a real S3 server."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.postgres import Cluster, postgres_cluster
from tests.seaweed import Seaweed, seaweed


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """One private PostgreSQL cluster for the whole run."""
    with postgres_cluster() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seaweed]:
    """One SeaweedFS server with one bucket for the whole run; each test takes a prefix of its own."""
    with seaweed(tmp_path_factory.mktemp("seaweed")) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a fresh, empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'some.db'}"
    cluster: Cluster = request.getfixturevalue("postgres")
    return cluster.create()


@pytest.fixture(params=["sqlite", "postgresql"])
def new_database(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """Makes fresh, empty databases, as many as are asked for."""
    made: list[str] = []

    def make() -> str:
        if request.param == "sqlite":
            made.append(f"sqlite:///{tmp_path / f'{len(made)}.db'}")
        else:
            cluster: Cluster = request.getfixturevalue("postgres")
            made.append(cluster.create())
        return made[-1]

    return make
