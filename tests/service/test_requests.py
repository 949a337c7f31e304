from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from service.crawl_requests import CrawlRequest
from service.requests import Caller, RemovalRequest, Scope, SearchRequest


def test_a_search_request_has_the_documented_defaults() -> None:
    request = SearchRequest.model_validate_json(b'{"query": "bread"}')

    assert (request.max_results, request.max_tokens, request.fetch) == (8, 4000, "auto")
    assert (request.fold, request.store, request.session) == (True, True, None)


@pytest.mark.parametrize(
    "text",
    ["2026-11-29T20:28:36+01:00", "2026-11-29T19:28:36Z", "2026-11-29 19:28:36"],
)
def test_times_are_read_as_utc(text: str) -> None:
    request = SearchRequest.model_validate({"query": "q", "published_after": text, "as_of": text})

    assert request.published_after == datetime(2026, 11, 29, 19, 28, 36, tzinfo=UTC)
    assert request.as_of == request.published_after


def test_a_date_is_its_first_moment_and_a_number_is_a_log_position() -> None:
    request = SearchRequest.model_validate({"query": "q", "published_before": "2026-11-29", "as_of": 17})

    assert request.published_before == datetime(2026, 11, 29, tzinfo=UTC)
    assert request.as_of == 17


@pytest.mark.parametrize(
    "fields",
    [
        {"query": "q", "max_result": 3},
        {"query": "q", "max_results": 0},
        {"query": "q", "published_after": 1764444516},
        {"query": "q", "published_after": "yesterday"},
        {"query": "q", "published_after": "0001-01-01T00:00:00+23:00"},
        {"query": "q", "language": "english please"},
        {"query": "half a pair: \ud83d"},
        {},
    ],
)
def test_misspelt_or_impossible_options_are_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        SearchRequest.model_validate(fields)


def test_a_crawl_starts_somewhere_and_a_removal_names_something() -> None:
    crawl = CrawlRequest.model_validate({"url": "http://a/", "urls": ["http://b/", "http://a/"]})

    assert crawl.seeds == ("http://a/", "http://b/")
    with pytest.raises(ValidationError, match="starts somewhere"):
        CrawlRequest()
    with pytest.raises(ValidationError, match="nothing is removed by default"):
        RemovalRequest(dry_run=True)


def test_admin_includes_every_scope() -> None:
    caller = Caller(key=None, name=None, scopes=frozenset({Scope.ADMIN}), surface="cli")

    assert all(caller.may(scope) for scope in Scope)
    assert not Caller(key=None, name=None, scopes=frozenset({"search"}), surface="http").may("fetch")
