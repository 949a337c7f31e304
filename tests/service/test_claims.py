import pytest

from service.claims import claims_of, session_of

TRACE = b"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


@pytest.mark.parametrize(
    ("headers", "session"),
    [
        ({}, None),
        ({b"x-session-id": b"s1"}, "s1"),
        ({b"x-openwebui-chat-id": b"c1"}, "c1"),
        ({b"mcp-session-id": b"m1"}, "m1"),
        ({b"traceparent": TRACE}, "4bf92f3577b34da6a3ce929d0e0e4736"),
        ({b"traceparent": b"nothing"}, None),
        ({b"traceparent": TRACE, b"mcp-session-id": b"m1", b"x-session-id": b"s1"}, "s1"),
        ({b"x-session-id": b"  "}, None),
        ({b"x-session-id": b"a\x00b\xff" + b"x" * 300}, "abÿ" + "x" * 253),
    ],
)
def test_the_session_is_what_the_most_telling_header_says(headers: dict[bytes, bytes], session: str | None) -> None:
    assert session_of(headers) == session


def test_every_header_is_a_claim_and_a_session_alone_is_not_repeated() -> None:
    assert claims_of({b"x-session-id": b"s1", b"accept": b"*/*"}) == {}
    assert claims_of({b"x-session-id": b"s1", b"traceparent": TRACE}) == {
        "x-session-id": "s1",
        "traceparent": TRACE.decode(),
    }
