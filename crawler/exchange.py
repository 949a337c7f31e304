"""One request and its answer over a connection, HTTP/1.1 (by h11) or HTTP/2 (by httpcore2).

h11 is used directly, because evidence needs what a pool hides: whether bytes followed the body's declared end, how the
end was marked, and that a connection with leftovers is never used again (they would be read as the next answer).
"""

import asyncio
import re
import ssl
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import h2.connection
import h11
import httpcore2

from crawler.addresses import Address
from crawler.answer_head import END, AnswerHead, begins_answer, read_answer_head
from crawler.errors import BrokenExchange, CutShort, TimedOut
from crawler.stream import READ_SIZE, Stream, TlsStream
from crawler.visit import Header

MAX_HEAD: Final = 131_072
"""Bytes of status line and headers together; servers and browsers stop between 8 and 256 KiB."""

EVENTS_AT_A_TIME: Final = 100
"""Parts of an answer (chunks, announcements) that are read before other tasks have their turn: a few milliseconds. One
read from the socket may hold thousands."""

STATUS: Final = re.compile(rb"[1-9][0-9]{2}")

BODILESS: Final = frozenset({204, 304})
"""Statuses of answers that have no body, whatever they declare."""

Framing = Literal["length", "chunked", "close", "none", "frames"]


@dataclass(frozen=True, slots=True)
class Head:
    """The answer before its body. `framing` says how the end of the body is marked.

    `left_out` counts the lines among its headers that are none.
    """

    status: int
    headers: tuple[Header, ...]
    protocol: str
    framing: Framing
    left_out: int = 0


class Http1:
    """HTTP/1.1 over one connection, one exchange at a time."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.used = 0
        self._h11 = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD)
        self._framing: Framing = "none"
        self._coming = b""
        self._head: AnswerHead | None = None
        self._events = 0

    @staticmethod
    def request_headers(_address: Address, headers: Sequence[Header]) -> tuple[Header, ...]:
        """Give the headers as they go over the wire."""
        return tuple(headers)

    async def ask(
        self, address: Address, headers: Sequence[Header], silence: float, *, posted: bytes | None = None
    ) -> Head:
        """Send a GET, or a POST of `posted`, and read the answer's head.

        Raises:
            BrokenExchange, TimedOut: no head came.
        """
        self.used += 1
        wire = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        method = "GET" if posted is None else "POST"
        try:
            request = self._h11.send(h11.Request(method=method, target=address.target, headers=wire)) or b""
            if posted is not None:
                request += self._h11.send(h11.Data(data=posted)) or b""
            request += self._h11.send(h11.EndOfMessage()) or b""
            await self.stream.write(request, silence)
        except h11.LocalProtocolError as error:
            raise BrokenExchange("bad_request", f"the request cannot be written: {error}") from error
        except httpcore2.WriteError:
            pass  # servers may answer and close before they have read everything
        except httpcore2.TimeoutException as error:
            raise TimedOut("read_timeout", f"the request was not taken within {silence:g} s") from error
        try:
            event = await self._next(silence)
            while isinstance(event, h11.InformationalResponse):
                event = await self._next(silence)
        except (h11.RemoteProtocolError, httpcore2.NetworkError) as error:
            raise _broken(error) from error
        except httpcore2.TimeoutException as error:
            raise TimedOut("read_timeout", f"no answer within {silence:g} s") from error
        if not isinstance(event, h11.Response):
            raise BrokenExchange("connection_lost", "the connection was closed before an answer came")
        assert self._head is not None, "it was read"
        self._framing = _framing(event)
        return Head(
            status=event.status_code,
            headers=self._head.headers,
            protocol="http/" + event.http_version.decode("ascii"),
            framing=self._framing,
            left_out=self._head.left_out,
        )

    async def body(self, silence: float) -> AsyncGenerator[bytes]:
        """Give the body piece by piece, after transfer decoding.

        Raises:
            CutShort: it ended before its declared end, or went on behind it.
            TimedOut: nothing came for `silence` seconds.
        """
        try:
            while isinstance(event := await self._next(silence), h11.Data):
                yield bytes(event.data)
        except (h11.RemoteProtocolError, httpcore2.NetworkError) as error:
            reason = "length_mismatch" if self._framing == "length" else "cut_short"
            raise CutShort(reason, "the body ended before its end") from error
        except httpcore2.TimeoutException as error:
            raise TimedOut("read_timeout", f"nothing came for {silence:g} s") from error
        if self._framing == "close" and self.stream.ended_abruptly:  # RFC 9112 section 9.8
            raise CutShort("cut_short", "the connection was closed without the notice that would mark the body's end")
        if self._framing == "length" and self._h11.trailing_data[0].strip():
            raise CutShort("length_mismatch", "the body goes on behind its declared length")

    def renew(self) -> bool:
        """Make ready for another exchange, if the last one was whole and the connection stays; False if not."""
        ours, theirs = self._h11.our_state, self._h11.their_state
        if ours is not h11.DONE or theirs is not h11.DONE or self._h11.trailing_data != (b"", False):
            return False  # something follows: bytes that nobody asked for, or the end
        self._h11.start_next_cycle()
        return True

    @property
    def idle(self) -> bool:
        """Whether nothing has come since the last exchange: neither the end nor bytes that nobody asked for."""
        return not self.stream.has_unread()

    async def close(self) -> None:
        """Close the connection."""
        await self.stream.aclose()

    async def _next(self, silence: float) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        self._events += 1
        if self._events % EVENTS_AT_A_TIME == 0:
            await asyncio.sleep(0)
        while (event := self._h11.next_event()) is h11.NEED_DATA:
            if self._h11.their_state is h11.SEND_RESPONSE:
                await self._read_head(silence)
            else:
                self._h11.receive_data(await self.stream.read(READ_SIZE, silence))
        return event

    async def _read_head(self, silence: float) -> None:
        """Hand h11 the next head, mended, and what has come behind it; it is ended at bytes that begin no answer."""
        looked_at = 0
        while (end := END.search(self._coming, looked_at)) is None:
            if len(self._coming) > MAX_HEAD:
                raise BrokenExchange("bad_response", f"the answer is no HTTP: more than {MAX_HEAD} bytes of headers")
            looked_at = max(0, len(self._coming) - 2)
            data = await self.stream.read(READ_SIZE, silence)
            if not data:
                raise BrokenExchange("connection_lost", "the connection was closed before an answer came")
            self._coming = (self._coming + data).lstrip(b"\r\n")
            if not begins_answer(self._coming):
                raise BrokenExchange("bad_response", "the answer is no HTTP: it does not begin as one")
        self._head = read_answer_head(self._coming[: end.end()])
        self._h11.receive_data(self._head.strict)
        self._coming = self._coming[end.end() :]
        if self._head.final and self._coming:
            self._h11.receive_data(self._coming)
            self._coming = b""


class _Frames(h2.connection.H2Connection):
    """HTTP/2 that leaves the declared length of a body to its reader: h2 gives nothing of one that is not as long."""

    def _begin_new_stream(self, stream_id: int, allowed_ids: Any) -> Any:
        stream = super()._begin_new_stream(stream_id, allowed_ids)
        stream._initialize_content_length = _no_length  # type: ignore[assignment]  # noqa: SLF001 - no switch
        return stream


def _no_length(_headers: Iterable[Any]) -> None:
    """Expect no length."""


class _Http2Connection(httpcore2.AsyncHTTP2Connection):
    """An HTTP/2 connection that takes an answer to say its status, where httpcore2 takes a missing one for 200."""

    def __init__(self, origin: httpcore2.Origin, stream: Stream) -> None:
        super().__init__(origin, stream)
        self._h2_state = _Frames(config=self.CONFIG)

    async def _receive_stream_event(self, request: httpcore2.Request, stream_id: int) -> Any:
        event = await super()._receive_stream_event(request, stream_id)
        if (headers := getattr(event, "headers", None)) is not None:  # of an answer; trailers never come here
            said = [value for name, value in headers if name == b":status"]
            if len(said) != 1 or STATUS.fullmatch(said[0]) is None:
                raise BrokenExchange("bad_response", "the answer is no HTTP: it does not say one status")
        return event


class Http2:
    """HTTP/2 over one connection, used for one exchange at a time."""

    def __init__(self, stream: Stream, address: Address) -> None:
        self.stream = stream
        self.used = 0
        origin = httpcore2.Origin(address.scheme.encode(), address.host.encode(), address.port)
        self._connection = _Http2Connection(origin, stream)
        self._response: httpcore2.Response | None = None
        self._lengths: set[str] = set()

    @staticmethod
    def request_headers(address: Address, headers: Sequence[Header]) -> tuple[Header, ...]:
        """Give the headers as they go over the wire: the pseudo headers first, names in lower case."""
        pseudo = ((":method", "GET"), (":authority", address.authority), (":scheme", address.scheme))
        rest = tuple((name.lower(), value) for name, value in headers if name.lower() != "host")
        return (*pseudo, (":path", address.target), *rest)

    async def ask(self, address: Address, headers: Sequence[Header], silence: float) -> Head:
        """Send a GET and read the answer's head; see `Http1.ask`."""
        self.used += 1
        url = httpcore2.URL(
            scheme=address.scheme.encode(),
            host=address.host.encode(),
            port=address.port,
            target=address.target.encode(),
        )
        wire = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        timeouts = {"timeout": {"read": silence, "write": silence}}
        try:
            response = await self._connection.handle_async_request(
                httpcore2.Request("GET", url, headers=wire, extensions=timeouts)
            )
        except httpcore2.TimeoutException as error:
            raise TimedOut("read_timeout", f"no answer within {silence:g} s") from error
        except BrokenExchange:
            raise
        except Exception as error:  # whatever the other end's frames break costs one answer, and is told
            raise _broken(error) from error
        self._response = response
        headers = tuple((n.decode("latin-1"), v.decode("latin-1")) for n, v in response.headers)
        self._lengths = set() if response.status in BODILESS else _declared(headers)
        return Head(status=response.status, headers=headers, protocol="h2", framing="frames")

    async def body(self, silence: float) -> AsyncGenerator[bytes]:
        """Give the body piece by piece; see `Http1.body`."""
        response = self._response
        assert response is not None, "asked before"
        length = 0
        try:
            async for piece in response.aiter_stream():
                length += len(piece)
                yield piece
            await response.aclose()  # the connection counts as idle from here on
        except httpcore2.TimeoutException as error:
            raise TimedOut("read_timeout", f"nothing came for {silence:g} s") from error
        except Exception as error:  # as above
            raise CutShort("cut_short", "the body ended before its end") from error
        if self._lengths - {str(length)}:
            raise CutShort("length_mismatch", "the body is not as long as was declared")

    def renew(self) -> bool:
        """Make ready for another exchange; see `Http1.renew`."""
        self._response = None
        return self.idle

    @property
    def idle(self) -> bool:
        """Whether it waits for the next exchange; what has come unread are settings, windows or a goodbye."""
        return self._connection.is_idle() and self._connection.is_available()

    async def close(self) -> None:
        """Close the connection."""
        await self.stream.aclose()


Connection = Http1 | Http2


def speak(stream: Stream, address: Address) -> Connection:
    """Give the protocol that was agreed on for this connection."""
    return Http2(stream, address) if isinstance(stream, TlsStream) and stream.speaks_h2 else Http1(stream)


def _framing(response: h11.Response) -> Framing:
    """Say how the end of the body is marked (RFC 9112 section 6.3)."""
    if response.status_code in BODILESS:
        return "none"
    names = {name for name, _ in response.headers}
    return "chunked" if b"transfer-encoding" in names else "length" if b"content-length" in names else "close"


def _declared(headers: Sequence[Header]) -> set[str]:
    """Give what is declared of a body's length, as numbers are written; what is no number declares nothing."""
    values = (value for name, value in headers if name == "content-length")
    parts = (part.strip() for value in values for part in value.split(","))
    return {part.lstrip("0") or "0" for part in parts if part.isascii() and part.isdecimal()}


def _broken(error: Exception) -> BrokenExchange:
    """Name the fault. h11's messages quote what came behind a colon, which is not for records."""
    if isinstance(error.__cause__, ssl.SSLError):  # as where a client's certificate is missed
        said = error.__cause__.reason or "no reason is given"
        return BrokenExchange("tls_failed", f"the encrypted connection was broken off before an answer came: {said}")
    if isinstance(error, httpcore2.NetworkError | httpcore2.ConnectionNotAvailable):
        return BrokenExchange("connection_lost", "the connection was lost before an answer came")
    event = error.args[0] if error.args else None
    code = getattr(event, "error_code", None)
    if code is not None and not isinstance(event, Exception):
        # A stream or a connection of HTTP/2 that the other end has ended, often to close it in peace: RFC 9113
        # section 8.7. What is found wrong on this side is an exception.
        said = f"the server ended it before an answer came (code {int(code)})"
        return BrokenExchange("connection_lost", said)
    said = str(error).partition(":")[0] if isinstance(error, h11.ProtocolError) else "protocol error"
    return BrokenExchange("bad_response", f"the answer is no HTTP: {said}")
