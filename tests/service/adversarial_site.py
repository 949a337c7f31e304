"""A web site that does what the worst of the web does, and what should come of each of its addresses."""

import gzip
import json
from dataclasses import dataclass

from tests.crawler.reading_pages import PROSE, page, paragraphs
from tests.sites import HTML, Route, redirect

ARTICLE = f"<article><h1>Lock gates</h1>{paragraphs()}</article>"
TEXT = ("Content-Type", "text/plain")
GZIP = ("Content-Encoding", "gzip")
LIMIT = 200_000
"""Bytes of a body that are taken here."""


@dataclass(frozen=True)
class Address:
    """One address: what answers, and outcome and page state of a capture without and with a browser.

    `browser` None: the same in both. `routes` further answers that it needs.
    """

    path: str
    route: Route | None
    http: tuple[str, str]
    browser: tuple[str, str] | None = None
    routes: tuple[Route, ...] = ()


def titled(title: str, body: str) -> str:
    return page(body, f"<title>{title}</title>")


def scripted(script: str, body: str = ARTICLE) -> str:
    return page(f"{body}<script>{script}</script>")


OK = ("ok", "ok")
WITHOUT_ASCII = "<p>Über den Fluß führt seit dem Frühjahr eine Brücke.</p>"
TEASER = f"<h1>Lock gates</h1><p>{PROSE[0]}</p><h3>Subscribe to continue reading</h3>"
CONSENT = """<h1>Before you continue</h1><p>We use cookies. Please give your consent to cookies.</p>
<button>Accept all</button>"""
LAYER = """<div id=c style='position:fixed;bottom:0'>We use cookies.
<button onclick='c.remove()'>Reject all</button></div>"""
SHADOW = f"document.body.attachShadow({{mode: 'open'}}).innerHTML = {json.dumps(paragraphs())}"
REACHING = """<img src={0}/i><iframe src={1}/f></iframe><link rel=prefetch href={0}/p><script src={1}/s></script>
<script>fetch('{0}/x')</script>"""
SOCKETS = "new WebSocket('ws' + '{0}'.slice(4)); new WebSocket('ws' + '{1}'.slice(4))"
SOFT = {
    "en": titled(
        "Page not found", "<h1>Page not found</h1><p>Sorry, we could not find the page you are looking for.</p>"
    ),
    "de": titled("Hafen", "<h1>Seite nicht gefunden</h1><p>Die gesuchte Seite gibt es leider nicht mehr.</p>"),
    "fr": titled("Port", "<h1>Page introuvable</h1><p>La page demandée n'existe pas ou a été supprimée.</p>"),
    "es": titled("Puerto", "<h1>Página no encontrada</h1><p>La página que busca no existe o ha sido eliminada.</p>"),
    "ja": titled("港", "<h1>ページが見つかりません</h1><p>お探しのページは存在しません。</p>"),
}


def addresses(inner: str, name: str) -> list[Address]:
    """All of them. INNER is the origin of a site inside the network, NAME one whose name leads there."""
    dead = ("error", "unknown")
    return [
        Address("/plain", Route(body=page(ARTICLE)), OK),
        Address("/slow", Route(body=page(ARTICLE), before=0.8), OK),
        Address("/drip", Route(body=page(ARTICLE), drip=(200, 0.05)), OK),
        Address("/endless", Route(body="<p>Begun.", framing="chunked", then="drip"), ("timeout", "unknown")),
        Address("/silent", Route(body="<p>Begun.", framing="chunked", then="hold"), ("timeout", "unknown")),
        Address("/huge", Route(body=b"x" * 1000, declared=10**9), ("too_large", "unknown")),
        Address("/huge-in-chunks", Route(body=b"x" * 10_000, times=100, framing="chunked"), ("too_large", "unknown")),
        Address("/bomb", Route(headers=(HTML, GZIP), body=gzip.compress(bytes(5_000_000))), ("too_large", "unknown")),
        Address("/loop", redirect("/loop", "/loop-back"), dead, routes=(redirect("/loop-back", "/loop"),)),
        Address("/chain/0", None, dead, routes=tuple(redirect(f"/chain/{n}", f"/chain/{n + 1}") for n in range(30))),
        Address("/too-short", Route(body="<p>Short", declared=500, then="close"), ("incomplete", "unknown")),
        Address("/too-long", Route(body="<p>" + "Long. " * 50, declared=10), ("incomplete", "unknown")),
        Address("/not-gzip", Route(headers=(HTML, GZIP), body=page(ARTICLE)), OK),
        Address(
            "/cut-gzip",
            Route(headers=(HTML, GZIP), body=gzip.compress(page(ARTICLE).encode())[:-20]),
            ("incomplete", "unknown"),
        ),
        Address(
            "/wrong-charset",
            Route(headers=(("Content-Type", "text/html; charset=us-ascii"),), body=page(WITHOUT_ASCII)),
            OK,
        ),
        Address("/reset", Route(raw=b"HTTP/1.1 200 OK\r\nContent-Le", then="reset"), dead),
        Address("/no-http", Route(raw=b"220 mail.example ESMTP\r\n", then="close"), dead),
        Address("/inwards", redirect("/inwards", f"{inner}/secret"), ("refused", "unknown")),
        Address("/inwards-by-name", redirect("/inwards-by-name", f"{name}/secret"), ("refused", "unknown")),
        Address(
            "/inwards-by-page",
            Route(body=f'<meta http-equiv=refresh content="0;url={inner}/secret">'),
            ("refused", "unknown"),
        ),
        Address("/to-a-file", redirect("/to-a-file", "file:///etc/passwd"), ("refused", "unknown")),
        Address("/disallowed", Route(body=page(ARTICLE)), ("refused", "unknown")),
        Address(
            "/cookie-wall",
            Route(cookie="seen=1", body=page(ARTICLE)),
            OK,
            routes=(redirect("/cookie-wall", "/cookie-wall", 302, ("Set-Cookie", "seen=1")),),
        ),
        Address("/sent-on", Route(body='<meta http-equiv=refresh content="0;url=/plain">'), OK),
        Address("/missing", Route(status=404, body=page(ARTICLE)), ("ok", "not_found")),
        Address("/forbidden", Route(status=403, body=page("<p>No.</p>")), ("ok", "blocked")),
        Address("/members", Route(status=401, body=page("<p>Who is it?</p>")), ("ok", "login")),
        Address("/broken", Route(status=500, body=page("<p>Oh.</p>")), ("ok", "error")),
        Address("/nothing", Route(body=""), ("ok", "empty")),
        *(Address(f"/soft-{language}", Route(body=body), ("ok", "not_found")) for language, body in SOFT.items()),
        Address("/news/old", redirect("/news/old", "/"), ("ok", "not_found"), routes=(Route("/", body=page(ARTICLE)),)),
        Address(
            "/challenge", Route(body=titled("Just a moment...", "<h1>Verifying you are human</h1>")), ("ok", "blocked")
        ),
        Address(
            "/login",
            Route(body=titled("Sign in", "<h1>Sign in</h1><form><input type=password></form>")),
            ("ok", "login"),
        ),
        Address("/paywall", Route(body=page(TEASER)), ("ok", "paywall")),
        Address("/maintenance", Route(body=page("<h1>Down for maintenance</h1><p>Back soon.</p>")), ("ok", "error")),
        Address("/consent-wall", Route(body=titled("Before you continue", CONSENT)), ("ok", "consent")),
        Address("/consent-layer", Route(body=page(ARTICLE + LAYER)), OK),
        Address(
            "/app",
            Route(body=scripted(f"root.innerHTML = {json.dumps(paragraphs())}", "<div id=root></div>")),
            ("ok", "empty"),
            OK,
        ),
        Address("/shadow", Route(body=scripted(SHADOW, "")), ("ok", "empty"), OK),
        Address(
            "/frames", Route(body=page("<h1>News of the port</h1><iframe src=/plain></iframe><script></script>")), OK
        ),
        Address(
            "/worker",
            Route(body=scripted("navigator.serviceWorker.register('/sw.js')")),
            OK,
            routes=(Route("/sw.js", 200, (("Content-Type", "text/javascript"),), f"fetch('{inner}/worker')"),),
        ),
        Address("/windows", Route(body=scripted(f"for (let n = 0; n < 5; n++) open('{inner}/window')")), OK),
        Address("/dialogs", Route(body=scripted("alert(1); confirm(2); prompt(3); onbeforeunload = () => 'stay'")), OK),
        Address(
            "/stream",
            Route(body=scripted("new EventSource('/held')")),
            OK,
            routes=(
                Route(
                    "/held",
                    200,
                    (("Content-Type", "text/event-stream"),),
                    "data: x\n\n",
                    framing="chunked",
                    then="hold",
                ),
            ),
        ),
        Address("/poll", Route(body=scripted("fetch('/held')")), OK),
        Address("/busy", Route(body=scripted("while (true) {}")), OK),
        Address("/reloads", Route(body=scripted("setTimeout(() => location.reload(), 20)")), OK),
        Address("/grows", Route(body=scripted("setInterval(() => document.body.append('x'), 30)")), OK),
        Address("/leaves", Route(body=scripted(f"location = '{inner}/left'")), OK, ("refused", "unknown")),
        Address("/reaches", Route(body=page(ARTICLE + REACHING.format(inner, name))), OK),
        Address("/opens-sockets", Route(body=scripted(SOCKETS.format(inner, name))), OK),
        Address(
            "/starts-download",
            Route(body=scripted("location = '/file'")),
            OK,
            routes=(
                Route(
                    "/file",
                    200,
                    (("Content-Type", "application/octet-stream"), ("Content-Disposition", "attachment")),
                    bytes(range(256)),
                ),
            ),
        ),
        Address("/file", None, ("ok", "unknown")),
        Address("/paper.pdf", Route(headers=(("Content-Type", "application/pdf"),), body=small_pdf()), OK),
        Address("/words.txt", Route(headers=(TEXT,), body="Only words. " * 20), OK),
    ]


FONT = b"<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"


def small_pdf() -> bytes:
    """One page with one sentence."""
    stream = b"BT /F1 12 Tf 20 100 Td (The toll at the swing bridge ends on Friday.) Tj ET"
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 200] /Contents 4 0 R /Resources " + FONT + b" >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
    ]
    out, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"xref\n0 5\n0000000000 65535 f \n%strailer << /Size 5 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (
        table,
        len(out),
    )
