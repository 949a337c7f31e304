import base64
from collections.abc import AsyncIterator

import pytest
import structlog

from service import gate
from service.api import application
from service.gate import App, Rules
from tests.service.asking import Asker
from tests.service.small_citator import SmallCitator

SEARCH = "/api/v1/search"
QUERY = {"query": "bread"}
LOOPBACK = ("127.0.0.1", 40000)


@pytest.fixture
def open_app(citator: SmallCitator) -> App:
    rules = Rules(hosts=frozenset(), loopback_without_key=True, max_request=1024)
    return application(citator, rules)


async def test_without_a_key_nothing_is_answered(app: App) -> None:
    answer = await Asker(app)("POST", SEARCH, QUERY)

    assert (answer.status, answer.problem) == (401, "key-missing")
    assert answer.headers["www-authenticate"].startswith("Bearer")


async def test_a_key_is_taken_as_bearer_and_as_x_api_key(app: App, citator: SmallCitator) -> None:
    key = citator.key("search")

    bearer = await Asker(app, key)("POST", SEARCH, QUERY)
    plain = await Asker(app)("POST", SEARCH, QUERY, headers={"x-api-key": key})

    assert (bearer.status, plain.status) == (200, 200)
    assert [caller.surface for caller in citator.callers] == ["http", "http"]


async def test_a_revoked_key_is_refused_from_then_on(app: App, citator: SmallCitator) -> None:
    asker = Asker(app, citator.key("search"))
    key = next(iter(citator.keys))

    before = await asker("POST", SEARCH, QUERY)
    await citator.keys_revoke(key)
    after = await asker("POST", SEARCH, QUERY)

    assert (before.status, after.status, after.problem) == (200, 401, "key-missing")


@pytest.mark.parametrize(
    ("scope", "method", "path"),
    [
        ("read", "POST", SEARCH),
        ("search", "POST", "/api/v1/captures"),
        ("search", "GET", "/api/v1/evidence/" + "0" * 64),
        ("fetch", "DELETE", "/api/v1/evidence/" + "0" * 64),
        ("read", "GET", "/api/v1/keys"),
        ("search", "GET", "/metrics"),
    ],
)
async def test_a_key_does_only_what_its_scopes_cover(
    app: App, citator: SmallCitator, scope: str, method: str, path: str
) -> None:
    value = {"query": "q"} if path == SEARCH else {"url": "http://site.test/a"} if method == "POST" else None

    answer = await Asker(app, citator.key(scope))(method, path, value)

    assert (answer.status, answer.problem) == (403, "scope-missing")


async def test_the_local_socket_needs_no_key(app: App, citator: SmallCitator) -> None:
    answer = await Asker(app, client=None)("POST", SEARCH, QUERY, headers={"host": "anything"})

    assert answer.status == 200
    assert citator.callers[0].surface == "cli"


async def test_loopback_without_a_key_is_a_setting(app: App, open_app: App) -> None:
    closed = await Asker(app, client=LOOPBACK)("POST", SEARCH, QUERY)
    opened = await Asker(open_app, client=LOOPBACK)("POST", SEARCH, QUERY)
    elsewhere = await Asker(open_app)("POST", SEARCH, QUERY)

    assert (closed.status, opened.status, elsewhere.status) == (401, 200, 401)


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://127.0.0.1:8787"},
        {"sec-fetch-site": "same-origin"},
        {"sec-fetch-site": "none"},
        {"x-forwarded-for": "192.0.2.1"},
    ],
)
async def test_keyless_loopback_is_never_for_a_browser_write_or_a_proxy(open_app: App, headers: dict[str, str]) -> None:
    answer = await Asker(open_app, client=LOOPBACK)("POST", SEARCH, QUERY, headers=headers)

    assert (answer.status, answer.problem) == (401, "key-missing")


async def test_keyless_loopback_does_not_remove_or_make_keys(open_app: App) -> None:
    asker = Asker(open_app, client=LOOPBACK)

    assert (await asker("DELETE", "/api/v1/evidence/" + "0" * 64)).status == 403
    assert (await asker("GET", "/api/v1/keys")).status == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.test"},
        {"origin": "null"},
        {"origin": "http://[bad"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
async def test_a_write_from_a_page_of_another_origin_is_refused_even_with_a_key(
    ask: Asker, citator: SmallCitator, headers: dict[str, str]
) -> None:
    answer = await ask("POST", "/api/v1/captures", {"url": "http://site.test/a"}, headers=headers)

    assert (answer.status, answer.problem) == (403, "foreign-origin")
    assert citator.asked == []


async def test_a_write_from_its_own_pages_is_taken(ask: Asker) -> None:
    answer = await ask("POST", SEARCH, QUERY, headers={"origin": "http://127.0.0.1:8787"})

    assert answer.status == 200
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8787", 200),
        ("[::1]:8787", 200),
        ("localhost", 200),
        ("Citator.test:443", 200),
        ("rebound.evil.test:8787", 421),
        ("[bad", 421),
        ("", 421),
    ],
)
async def test_only_names_that_this_server_has_are_answered(ask: Asker, host: str, status: int) -> None:
    answer = await ask("POST", SEARCH, QUERY, headers={"host": host})

    assert answer.status == status
    assert status == 200 or answer.problem == "foreign-host"


async def test_a_large_body_is_refused_by_its_announced_length(ask: Asker, citator: SmallCitator) -> None:
    answer = await ask("POST", SEARCH, QUERY, headers={"content-length": str(gate.MAX_JSON + 1)})

    assert (answer.status, answer.problem) == (413, "request-too-large")
    assert citator.asked == []


async def test_a_large_body_is_refused_while_it_comes(ask: Asker) -> None:
    sent = 0

    async def pieces() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 1
            yield b"x" * (1024 * 1024)

    endless = pieces()
    answer = await ask("POST", "/api/v1/uploads", headers={"transfer-encoding": "chunked"}, pieces=endless)

    assert (answer.status, answer.problem) == (413, "request-too-large")
    assert sent == 9


async def test_uploads_may_be_larger_than_other_requests(ask: Asker) -> None:
    answer = await ask("POST", "/api/v1/uploads", body=b"x" * (gate.MAX_JSON + 1))

    assert answer.status == 200


async def test_an_unexpected_error_is_answered_without_its_text(ask: Asker, citator: SmallCitator) -> None:
    citator.broken = RuntimeError("the secret is 1234")

    answer = await ask("POST", SEARCH, QUERY)

    assert (answer.status, answer.problem) == (500, "internal")
    assert b"1234" not in answer.body


async def test_answers_are_counted_by_route_and_not_by_id(ask: Asker) -> None:
    await ask("GET", "/api/v1/evidence/" + "1" * 64)
    await ask("GET", "/nothing/here")

    figures = (await ask("GET", "/metrics")).body.decode()

    wanted = 'citator_http_requests_total{method="GET",route="/api/v1/evidence/{evidence}",status="404"} 1.0'
    assert wanted in figures
    assert 'route="other",status="404"' in figures
    assert "1" * 64 not in figures


async def test_a_key_in_the_path_is_not_seen_behind_the_gate_and_masked_in_front(
    app: App, citator: SmallCitator
) -> None:
    key = citator.key("search")

    with structlog.testing.capture_logs() as logs:
        answer = await Asker(app)("GET", f"/searxng/k/{key}/search?q=bread")
        wrong = await Asker(app)("GET", "/searxng/k/my-password/search?q=bread")

    assert (answer.status, wrong.status) == (200, 401)
    assert [entry["path"] for entry in logs] == ["/searxng/k/…/search"] * 2
    assert "my-password" not in str(logs) + wrong.body.decode()


async def test_a_key_in_the_body_is_read_only_where_clients_send_it_there(app: App, citator: SmallCitator) -> None:
    value = {"query": "bread", "api_key": citator.key("search")}

    there = await Asker(app)("POST", "/tavily/search", value)
    elsewhere = await Asker(app)("POST", "/v2/search", value)
    nothing = await Asker(app)("POST", "/tavily/search", body=b"{not json")
    large = await Asker(app)("POST", "/tavily/search", body=b" " * (1024 * 1024 + 1))

    assert (there.status, elsewhere.status, nothing.status, large.status) == (200, 401, 401, 400)


async def test_a_key_has_its_limits(app: App, citator: SmallCitator) -> None:
    asker = Asker(app, citator.key("search", rate=2))

    answers = [await asker("POST", SEARCH, QUERY) for _ in range(3)]

    assert [answer.status for answer in answers] == [200, 200, 429]
    assert answers[2].problem == "rate-limited"
    assert int(answers[2].headers["retry-after"]) == answers[2].json["retry_after"] == 30


async def test_other_origins_are_told_nothing_that_would_let_them_in(ask: Asker) -> None:
    headers = {"origin": "https://evil.test", "access-control-request-method": "POST"}

    for path in (SEARCH, "/mcp", "/tavily/search", "/search"):
        answer = await ask("OPTIONS", path, headers=headers)
        assert answer.status >= 400
        assert not [name for name in answer.headers if name.startswith("access-control")]


async def test_a_key_may_be_the_password_of_basic_authentication(app: App, citator: SmallCitator) -> None:
    def basic(text: str) -> dict[str, str]:
        return {"authorization": "Basic " + base64.b64encode(text.encode()).decode()}

    key = citator.key("search")
    good = await Asker(app)("POST", SEARCH, QUERY, headers=basic(f"any:{key}"))
    wrong = await Asker(app)("POST", SEARCH, QUERY, headers=basic("any:wrong"))
    garbled = await Asker(app)("POST", SEARCH, QUERY, headers={"authorization": "Basic ***"})

    assert (good.status, wrong.status, garbled.status) == (200, 401, 401)
