# ruff: noqa: E501 - tables, an address a line
"""Servers that are slow, endless, huge, or lie about what they send."""

import gzip

import brotli
import zstandard

from tests.crawler.reading_pages import page
from tests.hostile.address import (
    ARTICLE,
    GZIP,
    OK,
    Address,
    Found,
    failed,
    html,
    judged,
    raw,
    typed,
    warned,
)
from tests.sites import HTML, Route

PAGE = page(ARTICLE)
WHOLE = PAGE.encode()
ZEROS = bytes(5_000_000)
LOST = failed("error", "connection_lost")
NO_HTTP = failed("error", "bad_response")
CUT = failed("incomplete", "cut_short")
LATE = failed("timeout", "deadline")
BIG = failed("too_large", "body_limit")
CODING = warned("content_encoding: ")
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
LENGTH = b"Content-Length: %d\r\n" % len(WHOLE)


def addresses() -> list[Address]:
    """All of them."""
    return [*_pace(), *_sizes(), *_codings(), *_framing(), *_heads(), *_statuses()]


def _pace() -> list[Address]:
    return [
        Address("/plain", [html(PAGE)], OK),
        Address("/slow", [html(PAGE, before=0.8)], OK),
        Address("/drip", [html(PAGE, drip=(200, 0.05))], OK),
        Address("/endless", [html("<p>Begun.", framing="chunked", then="drip")], LATE),
        Address("/silent", [html("<p>Begun.", framing="chunked", then="hold")], LATE),
        Address("/never-answers", [raw(b"", "hold")], LATE),
        Address("/drips-its-head", [raw(HEAD + b"X-", "drip")], LATE),
        Address("/pushes-for-ever", [Route(headers=(("Content-Type", "multipart/x-mixed-replace; boundary=x"),), body="--x\r\n\r\n", framing="chunked", then="drip")], LATE),
    ]  # fmt: skip


def _sizes() -> list[Address]:
    return [
        Address("/huge", [html(b"x" * 1000, declared=10**9)], failed("too_large", "wire_limit")),
        Address("/absurd", [html(b"x" * 1000, declared=10**30)], NO_HTTP),
        Address("/huge-in-chunks", [html(b"x" * 10_000, times=100, framing="chunked")], failed("too_large")),
        Address("/bomb", [html(gzip.compress(ZEROS), GZIP)], BIG),
        Address("/bomb-br", [html(brotli.compress(ZEROS), ("Content-Encoding", "br"))], BIG),
        Address("/bomb-zstd", [html(zstandard.compress(ZEROS), ("Content-Encoding", "zstd"))], BIG),
        Address("/bomb-in-bomb", [html(gzip.compress(gzip.compress(ZEROS)), ("Content-Encoding", "gzip, gzip"))], BIG),
        Address("/bomb-by-another-name", [html(gzip.compress(ZEROS), ("Content-Encoding", "br"))], BIG),
        Address(
            "/nothing-for-ever",
            [html(gzip.compress(b"") * 4_000, GZIP, times=4, framing="chunked")],
            failed("too_large", "wire_limit"),
        ),
        Address("/header-bomb", [raw(HEAD + b"X-Bomb: " + b"x" * 200_000 + b"\r\n\r\n")], NO_HTTP),
        Address("/many-headers", [raw(HEAD + b"X: y\r\n" * 40_000 + b"\r\n")], NO_HTTP),
        Address("/endless-headers", [raw(HEAD + b"X: y\r\n" * 40_000, "drip")], NO_HTTP),
    ]


def _codings() -> list[Address]:
    packed = gzip.compress(WHOLE)
    return [
        Address("/not-gzip", [html(PAGE, GZIP)], CODING),
        Address("/gzip-unlabelled", [html(packed)], Found("ok", "unknown")),
        Address("/gzip-called-br", [html(packed, ("Content-Encoding", "br"))], CODING),
        Address("/unknown-coding", [html(PAGE, ("Content-Encoding", "x-snake"))], CODING),
        Address("/many-codings", [html(PAGE, ("Content-Encoding", ", ".join(["gzip"] * 60)))], CODING),
        Address("/cut-gzip", [html(packed[:-20], GZIP)], failed("incomplete", "content_encoding_cut")),
        Address("/bent-gzip", [html(packed[:200] + b"!!!!" + packed[204:], GZIP)], failed("incomplete")),
        Address("/gzip-and-more", [html(packed + b"<p>more</p>", GZIP)], CODING),
        Address("/gzip-in-two", [html(gzip.compress(WHOLE[:90]) + gzip.compress(WHOLE[90:]), GZIP)], OK),
        Address(
            "/wrong-charset",
            [typed("text/html; charset=us-ascii", page("<p>Über den Fluß führt seit dem Frühjahr eine Brücke.</p>"))],
            Found(says="Über den Fluß führt"),
        ),
        Address("/no-charset-by-that-name", [typed("text/html; charset=x-martian", PAGE)], OK),
        Address("/charset-that-hides", [typed("text/html; charset=utf-7", PAGE)], OK),
        Address("/called-utf-16", [typed("text/html; charset=utf-16", PAGE)], OK),
        Address("/utf-16-by-its-mark", [typed("text/html", ("\ufeff" + PAGE).encode("utf-16-le"))], OK),
        Address("/no-type", [Route(headers=(), body=PAGE)], OK),
        Address("/type-of-nonsense", [typed("text;;/=html" * 500, PAGE)], OK),
    ]


def _framing() -> list[Address]:
    piece = b"%x\r\n%s\r\n" % (len(WHOLE), WHOLE)
    return [
        Address("/too-short", [html("<p>Short", declared=500, then="close")], failed("incomplete", "length_mismatch")),
        Address("/too-long", [html("<p>" + "Long. " * 50, declared=10)], failed("incomplete", "length_mismatch")),
        Address("/two-lengths", [raw(HEAD + LENGTH + b"Content-Length: 3\r\n\r\n" + WHOLE)], NO_HTTP),
        Address("/length-below-nothing", [raw(HEAD + b"Content-Length: -5\r\n\r\n" + WHOLE)], NO_HTTP),
        Address("/length-and-chunks", [raw(CHUNKED[:-2] + b"Content-Length: 9\r\n\r\n" + piece + b"0\r\n\r\n")], OK),
        Address("/chunk-of-no-size", [raw(CHUNKED + b"zzz\r\n" + WHOLE)], CUT),
        Address("/chunk-of-any-size", [raw(CHUNKED + b"f" * 16 + b"\r\n" + WHOLE)], CUT),
        Address("/chunk-below-nothing", [raw(CHUNKED + b"-5\r\n" + WHOLE)], CUT),
        Address("/chunk-that-is-cut", [raw(CHUNKED + piece[:-300])], CUT),
        Address("/chunk-without-end", [raw(CHUNKED + piece)], CUT),
        Address("/chunk-that-talks", [raw(CHUNKED + b"5;" + b"x" * 300_000 + b"\r\nhello\r\n0\r\n\r\n")], CUT),
        Address("/chunk-with-trailers", [raw(CHUNKED + piece + b"0\r\nX-Late: y\r\n\r\n")], OK),
        Address("/ends-when-it-ends", [html(PAGE, framing="close")], OK),
        Address("/two-answers", [raw(HEAD + LENGTH + b"\r\n" + WHOLE + HEAD + LENGTH + b"\r\n" + WHOLE)], failed("incomplete", "length_mismatch")),
        Address("/reset", [raw(HEAD[:30], "reset")], LOST),
        Address("/reset-midway", [raw(CHUNKED + piece[:100], "reset")], CUT),
        Address("/closes-at-once", [raw(b"")], LOST),
    ]  # fmt: skip


def _heads() -> list[Address]:
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </plain>; rel=preload\r\n\r\n"
    return [
        Address("/no-http", [raw(b"220 mail.example ESMTP\r\n")], NO_HTTP),
        Address("/old-as-http-0.9", [raw(WHOLE)], NO_HTTP),
        Address("/status-in-words", [raw(b"HTTP/1.1 fine OK\r\n\r\n" + WHOLE)], NO_HTTP),
        Address("/http-9", [raw((HEAD + LENGTH + b"\r\n" + WHOLE).replace(b"1.1", b"9.9"))], OK),
        Address("/nul-in-a-header", [raw(HEAD + b"X: a\0b\r\n\r\n" + WHOLE)], NO_HTTP),
        Address("/folded-header", [raw(HEAD + b"X: a\r\n\tb\r\n\r\n" + WHOLE)], OK),
        Address("/bare-line-ends", [raw((HEAD + LENGTH + b"\n").replace(b"\r", b"") + WHOLE)], OK),
        Address("/header-of-no-name", [raw(HEAD + b": x\r\n\r\n" + WHOLE)], warned("header_lines_left_out: ")),
        Address("/hints", [raw(hints + HEAD + LENGTH + b"\r\n" + WHOLE)], OK),
        Address("/hints-in-floods", [raw(hints * 3_000 + HEAD + LENGTH + b"\r\n" + WHOLE)], OK),
        Address("/hints-for-ever", [raw(hints, "hold")], LATE),
        Address("/switches-unasked", [raw(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n")], NO_HTTP),
    ]


def _statuses() -> list[Address]:
    plain = [HTML]
    return [
        Address("/missing", [Route(status=404, body=PAGE)], judged("not_found")),
        Address("/gone", [Route(status=410, body=PAGE)], judged("not_found")),
        Address("/forbidden", [Route(status=403, body=page("<p>No.</p>"))], judged("blocked")),
        Address("/members", [Route(status=401, body=page("<p>Who is it?</p>"))], judged("login")),
        Address("/pay", [Route(status=402, body=page("<p>Pay.</p>"))], judged("paywall")),
        Address("/for-lawyers", [Route(status=451, body=PAGE)], judged("blocked")),
        Address("/teapot", [Route(status=418, body=PAGE)], judged("error")),
        Address("/broken", [Route(status=500, body=page("<p>Oh.</p>"))], judged("error")),
        Address("/status-of-no-class", [Route(status=999, body=PAGE)], judged("error")),
        Address("/asks-for-a-proxy", [Route(status=407, headers=(HTML, ("Proxy-Authenticate", "Basic realm=x")), body=PAGE)], judged("blocked")),
        Address("/no-content", [Route(status=204, headers=plain, framing="as-is")], judged("empty")),
        Address("/reset-content", [Route(status=205, headers=plain)], judged("empty")),
        Address("/a-part", [Route(status=206, body=PAGE)], failed("incomplete", "partial_content")),
        Address("/unchanged-unasked", [Route(status=304, headers=plain, framing="as-is")], NO_HTTP),
        Address("/choices", [Route(status=300, body=PAGE)], OK),
        Address("/nothing", [html("")], judged("empty")),
    ]  # fmt: skip
