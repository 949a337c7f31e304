"""Which version this is."""

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def citator_version() -> str:
    """The installed version, `0+source` when run from a folder that was not installed."""
    try:
        return version("citator")
    except PackageNotFoundError:
        return "0+source"
