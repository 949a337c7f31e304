"""What a request says of where it comes from: the session it belongs to, and the headers that agents' hosts send.

All of it is the client's word. It is kept with the serving record, so that a reply can be found again by the chat or
the trace it was given for.
"""

import re
from collections.abc import Mapping
from typing import Final

from service.requests import MAX_SESSION

SESSIONS: Final = (b"x-session-id", b"x-openwebui-chat-id", b"mcp-session-id", b"traceparent")
"""Headers that name a session, the most telling first."""

OTHERS: Final = (
    b"tracestate",
    b"x-human-id",
    b"x-client-name",
    b"x-client-source",
    b"x-project-id",
    b"x-openwebui-message-id",
    b"x-openwebui-user-id",
)

_TRACE: Final = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")


def session_of(headers: Mapping[bytes, bytes]) -> str | None:
    """The session that a request claims. Of a trace it is the trace's id: the rest changes with each step."""
    for name in SESSIONS:
        told = _told(headers.get(name))
        if told is None:
            continue
        if name != b"traceparent":
            return told
        trace = _TRACE.match(told)
        if trace is not None:
            return trace.group(1)
    return None


def claims_of(headers: Mapping[bytes, bytes]) -> dict[str, str]:
    """Every header of these that came. One that came alone and stands as the session already says nothing more."""
    found = {name.decode(): told for name in (*SESSIONS, *OTHERS) if (told := _told(headers.get(name))) is not None}
    return {} if list(found) == ["x-session-id"] else found


def _told(value: bytes | None) -> str | None:
    """The header's text, cut to what a label may have; None if it says nothing."""
    text = "".join(char for char in value.decode("latin-1") if char.isprintable()).strip() if value else ""
    return text[:MAX_SESSION] or None
