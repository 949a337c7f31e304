import errno
import importlib
import inspect
from pathlib import Path
from types import ModuleType

import pytest

from service import errors
from service.errors import (
    INTERNAL,
    NOT_DONE,
    OUTCOMES,
    TABLE,
    WRONG_USE,
    meaning_of,
    outcome_problem,
    problem_of,
    problem_told,
)

MODULES = {
    "snapshots": ["snapshots.errors"],
    "crawler": ["crawler.errors"],
    "index": ["index.errors"],
    "service": ["service.failures", "service.errors"],
}


def modules(package: str) -> list[ModuleType]:
    return [importlib.import_module(name) for name in MODULES[package] if importlib.util.find_spec(name)]


def errors_of(package: str) -> dict[str, type[Exception]]:
    return {
        name: value
        for module in modules(package)
        for name, value in vars(module).items()
        if inspect.isclass(value) and issubclass(value, Exception) and value.__module__ == module.__name__
    }


def line_of(kind: type) -> bool:
    return f"{kind.__module__.partition('.')[0]}.{kind.__name__}" in TABLE


@pytest.mark.parametrize("package", MODULES)
def test_every_line_of_the_table_names_a_real_error(package: str) -> None:
    real = errors_of(package)
    named = {name.partition(".")[2] for name in TABLE if name.startswith(package + ".")}

    assert not real or named <= set(real)


@pytest.mark.parametrize("package", MODULES)
def test_every_error_of_the_trees_has_a_meaning(package: str) -> None:
    without = [name for name, kind in errors_of(package).items() if not any(line_of(one) for one in kind.__mro__)]

    assert without == []


def test_an_error_that_gets_no_line_takes_that_of_its_ancestor() -> None:
    class Narrower(errors.KeyMissing):
        pass

    Narrower.__module__ = "service.errors"

    assert meaning_of(Narrower("x")) == TABLE["service.KeyMissing"]
    assert meaning_of(RuntimeError("x")) is None


def test_an_unknown_error_does_not_tell_its_text() -> None:
    problem = problem_of(RuntimeError("password is 1234"))

    assert problem.status == 500
    assert "1234" not in str(problem.details())


def test_a_full_disk_is_told_as_such_wherever_it_is_noticed() -> None:
    problem = problem_of(OSError(errno.ENOSPC, "No space left on device"))

    assert (problem.slug, problem.status, problem.exit) == ("disk-full", 507, 3)


def test_a_problem_told_by_a_server_is_the_same_problem_again() -> None:
    problem = problem_of(errors.RateLimited("slowly", retry_after=7))

    told = problem_told(problem.details(), problem.status)

    assert told == problem
    assert problem_of(errors.ToldProblem(told)) is told
    assert told.members == {"retry_after": 7}


@pytest.mark.parametrize(
    ("outcome", "reason", "page_state", "slug", "status"),
    [
        ("refused", "robots_disallowed", "unknown", "robots-refused", 403),
        ("refused", "private_address", "unknown", "address-refused", 403),
        ("timeout", None, "unknown", "time-out", 504),
        ("too_large", None, "unknown", "page-too-large", 502),
        ("error", "dns", "unknown", "site-unreachable", 502),
        ("error", "proxy_unreachable", "unknown", "proxy-failed", 502),
        ("error", "unreadable", "unknown", "unreadable-page", 422),
        ("ok", None, "empty", "empty-page", 422),
    ],
)
def test_a_capture_that_gave_nothing_has_a_problem(
    outcome: str, reason: str | None, page_state: str, slug: str, status: int
) -> None:
    problem = outcome_problem(outcome, reason=reason, page_state=page_state, detail="why")

    assert problem is not None
    assert (problem.slug, problem.status, problem.exit) == (slug, status, NOT_DONE)
    assert problem.detail.startswith("why")


@pytest.mark.parametrize(
    ("reason", "detail", "opened"),
    [
        ("address_refused", "it does not lead to the public Internet (loopback)", True),
        ("address_refused", "port 1 belongs to another protocol (blocked_port)", False),
        ("scheme", "ftp is not asked", False),
    ],
)
def test_the_refusal_of_an_address_names_the_setting_that_opens_it(reason: str, detail: str, *, opened: bool) -> None:
    problem = outcome_problem("refused", reason=reason, page_state="unknown", detail=detail)

    assert problem is not None
    assert ("CITATOR_ALLOW_ADDRESSES" in problem.detail) is opened


def test_a_capture_that_gave_a_page_has_none() -> None:
    assert outcome_problem("ok", reason=None, page_state="not_found", detail=None) is None
    assert outcome_problem("incomplete", reason="cut", page_state="ok", detail=None) is None


def test_wrong_use_and_not_done_are_told_apart() -> None:
    assert TABLE["snapshots.BadId"].exit == WRONG_USE
    assert TABLE["snapshots.UnknownId"].exit == NOT_DONE
    assert {meaning.exit for meaning in OUTCOMES.values()} == {NOT_DONE}


def test_every_problem_is_described_where_callers_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "api.md").read_text()
    meanings = [*TABLE.values(), *OUTCOMES.values(), INTERNAL]

    missing = [one.slug for one in meanings if f"| `{one.slug}` | {one.status} |" not in page]

    assert missing == []
