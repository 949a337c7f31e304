# ruff: noqa: E501 - tables, an address a line
"""Pages whose scripts reach inwards, go away, or never let go of the browser."""

import json

from tests.crawler.reading_pages import page, paragraphs
from tests.hostile.address import (
    ARTICLE,
    OK,
    Address,
    Found,
    failed,
    html,
    judged,
    scripted,
    warned,
)
from tests.sites import Route

REFUSED = warned("requests_refused: ")
AWAY = failed("refused", "render_refused")
ENDLESS = warned("requests_ended: ")
STOPPED = warned("navigations_stopped: ")
ENDED = warned("scripts_ended: ")
TEXT = json.dumps(paragraphs())
WORKER = ("Content-Type", "text/javascript")


def addresses(inner: str, name: str) -> list[Address]:
    """All of them. INNER is the canary's origin, NAME one whose name leads there."""
    return [*_late(), *_reaching(inner, name), *_workers(inner), *_leaving(inner), *_stubborn(inner), *_open()]


def _late() -> list[Address]:
    shadow = f"document.body.attachShadow({{mode: 'open'}}).innerHTML = {TEXT}"
    template = f"<div><template shadowrootmode=open>{paragraphs()}</template></div>"
    return [
        Address("/app", [html(scripted(f"root.innerHTML = {TEXT}", "<div id=root></div>"))], judged("empty"), OK),
        Address("/app-in-a-while", [html(scripted(f"setTimeout(() => root.innerHTML = {TEXT}, 900)", "<div id=root></div>"))], judged("empty"), OK),
        Address("/shadow", [html(scripted(shadow, ""))], judged("empty"), OK),
        Address("/shadow-in-the-source", [html(page(template))], OK),
        Address("/frames", [html(page("<h1>News of the port</h1><iframe src=/plain></iframe><script></script>"))], Found(), OK),
        Address("/frames-in-frames", [html(page(ARTICLE + "<iframe src='/frames-in-frames?x'></iframe>"), path="/frames-in-frames*")], OK),
        Address("/frame-of-its-own", [html(page(f"<h1>Port</h1><iframe srcdoc='{paragraphs()}'></iframe>"))], Found(), OK),
        Address("/many-frames", [html(page(ARTICLE + "<iframe src=/nothing></iframe>" * 60))], OK),
    ]  # fmt: skip


def _reaching(inner: str, name: str) -> list[Address]:
    socket = inner.replace("http", "ws", 1)
    host = inner.removeprefix("http://")
    tags = {
        "pictures": f"<img src={inner}/i><img srcset='{name}/i 2x'><input type=image src={inner}/i><video poster={inner}/i></video>",
        "media": f"<video src={inner}/v autoplay></video><audio src={inner}/a autoplay></audio><track src={inner}/t>",
        "frames": f"<iframe src={inner}/f></iframe><object data={inner}/o></object><embed src={inner}/e>",
        "scripts": f"<script src={inner}/s></script><script type=module>import '{name}/m'</script>",
        "styles": f"<link rel=stylesheet href={inner}/c><style>@import '{inner}/d'; @font-face {{font-family: f; src: url({inner}/f)}} body {{background: url({name}/b); font-family: f}}</style>",
        "hints": "".join(f"<link rel={rel} as=script href={inner}/{rel}>" for rel in ("preload", "prefetch", "modulepreload", "preconnect", "dns-prefetch", "prerender", "icon", "manifest")),
        "speculation": f'<script type=speculationrules>{{"prerender":[{{"urls":["{inner}/r"]}}],"prefetch":[{{"urls":["{inner}/q"]}}]}}</script>',
        "drawings": f"<svg><image href={inner}/g /><use href='{inner}/u#x'/><foreignObject><iframe src={inner}/h></iframe></foreignObject></svg>",
        "forms": f"<iframe name=t></iframe><form id=f target=t method=post action={inner}/post></form><script>f.submit()</script>",
    }  # fmt: skip
    scripts = {
        "fetch": f"fetch('{inner}/x', {{mode: 'no-cors'}}); fetch('{name}/x', {{keepalive: true, method: 'POST'}})",
        "xhr": f"x = new XMLHttpRequest(); x.open('GET', '{inner}/x'); x.send()",
        "beacon": f"navigator.sendBeacon('{inner}/b', 'x'); new Image().src = '{name}/i'",
        "sockets": f"new WebSocket('{socket}/w'); new EventSource('{inner}/e')",
        "peers": f"""try {{ p = new RTCPeerConnection({{iceServers: [{{urls: 'stun:{host}'}}, {{urls: 'turn:{host}?transport=tcp', username: 'a', credential: 'b'}}]}});
            p.createDataChannel('x'); p.createOffer().then(o => p.setLocalDescription(o)) }} catch {{ fetch('/plain') }}""",
        "peers-of-a-frame": f"f = document.body.appendChild(document.createElement('iframe')); new f.contentWindow.RTCPeerConnection({{iceServers: [{{urls: 'stun:{host}'}}]}}).createOffer()",
        "transport": f"try {{ new WebTransport('https://{host}/') }} catch {{ }}",
        "import": f"import('{inner}/m.js').catch(() => 0)",
        "the-proxy": "for (let p = 1024; p < 1064; p++) fetch(`http://127.0.0.1:${p}/`, {mode: 'no-cors'}).catch(() => 0)",
        "redirects": "fetch('/inwards-number'); new Image().src = '/inwards-number'",
        "unload": f"addEventListener('pagehide', () => navigator.sendBeacon('{inner}/bye')); addEventListener('unload', () => fetch('{inner}/bye', {{keepalive: true}}))",
        "ping": f"a = document.body.appendChild(document.createElement('a')); a.href = '#x'; a.ping = '{inner}/ping'; a.click()",
    }  # fmt: skip
    silent = {"speculation", "peers", "peers-of-a-frame", "transport", "unload", "frames"}
    told = {
        "Content-Security-Policy-Report-Only": f"default-src 'none'; report-uri {inner}/csp",
        "Reporting-Endpoints": f'default="{inner}/reports"',
        "Link": f"<{inner}/l>; rel=preload; as=script",
        "SourceMap": f"{inner}/map",
    }
    return [
        *(Address(f"/reaches-by-{how}", [html(page(ARTICLE + tag))], OK, OK if how in silent else REFUSED) for how, tag in tags.items()),
        *(Address(f"/reaches-by-{how}", [html(scripted(script))], OK, OK if how in silent else REFUSED) for how, script in scripts.items()),
        *(Address(f"/reaches-by-{how.lower()}", [html(scripted("eval('1')"), (how, value))], OK) for how, value in told.items()),
    ]  # fmt: skip


def _workers(inner: str) -> list[Address]:
    reach = f"fetch('{inner}/worker').catch(() => 0)"
    return [
        Address("/worker", [html(scripted("navigator.serviceWorker.register('/sw.js')")), Route("/sw.js", 200, (WORKER,), reach)], OK),
        Address("/worker-of-the-page", [html(scripted("new Worker('/w.js')")), Route("/w.js", 200, (WORKER,), f"{reach}; importScripts('{inner}/i.js')")], OK, REFUSED),
        Address("/worker-shared", [html(scripted("new SharedWorker('/w.js')"))], OK, OK),
        Address("/worker-of-nothing", [html(scripted(f"new Worker(URL.createObjectURL(new Blob(['{reach}'.replaceAll(`\"`, ''), ]))) ".replace(reach, reach.replace("'", "`"))))], OK),
        Address("/workers-in-masses", [html(scripted("for (let n = 0; n < 6; n++) new Worker(URL.createObjectURL(new Blob(['for (;;) ;'])))"))], OK),
    ]  # fmt: skip


def _leaving(inner: str) -> list[Address]:
    frame = f"<iframe srcdoc=\"<script>top.location = '{inner}/top'</script>\"></iframe>"
    return [
        Address("/leaves", [html(scripted(f"location = '{inner}/left'"))], OK, AWAY),
        Address("/leaves-later", [html(scripted(f"setTimeout(() => location = '{inner}/left', 300)"))], OK, AWAY),
        Address("/leaves-by-form", [html(page(f"{ARTICLE}<form id=f action={inner}/f></form><script>f.submit()</script>"))], OK, AWAY),
        Address("/leaves-by-redirect", [html(scripted("location = '/inwards-number'"))], OK, AWAY),
        Address("/leaves-to-a-file", [html(scripted("location = 'file:///etc/passwd'"))], OK),
        Address("/leaves-to-data", [html(scripted("location = 'data:text/html,<p>Elsewhere</p>'"))], OK),
        Address("/leaves-to-a-script", [html(scripted("location = 'javascript:1'"))], OK),
        Address("/leaves-to-the-browser", [html(scripted("location = 'chrome://version'"))], OK),
        Address("/leaves-for-another-page", [html(scripted("location = '/plain'", "<p>Wait.</p>"))], Found(), OK),
        Address("/framed-page-leaves", [html(page(ARTICLE + frame))], OK, AWAY),
        Address("/starts-download", [html(scripted("location = '/file'"))], OK, OK),
        Address("/starts-downloads", [html(scripted("setInterval(() => { a = document.createElement('a'); a.href = 'data:,x'; a.download = 'x'; a.click() }, 20)"))], OK, OK),
        Address("/writes-itself-anew", [html(scripted(f"document.open(); document.write({TEXT}); document.close()", "<p>Old.</p>"))], Found(), OK),
        Address("/removes-itself", [html(scripted("document.documentElement.remove()"))], OK, judged("empty")),
    ]  # fmt: skip


def _stubborn(inner: str) -> list[Address]:
    poison = """for (const it of [Array, String, NodeList, Element, Document, Node, Promise, JSON, Map, Set, Object])
        for (const name of Object.getOwnPropertyNames(it.prototype || it))
            if (name != 'constructor') try { (it.prototype || it)[name] = () => { throw 1 } } catch { }"""
    hang = "Object.defineProperty(Element.prototype, 'shadowRoot', {get() { for (;;) ; }})"
    return [
        Address("/windows", [html(scripted(f"for (let n = 0; n < 5; n++) open('{inner}/window')"))], OK),
        Address("/windows-for-ever", [html(scripted("setInterval(() => open('/windows-for-ever'), 100)"))], OK),
        Address("/dialogs", [html(scripted("alert(1); confirm(2); prompt(3); onbeforeunload = () => 'stay'"))], OK, warned("dialogs_dismissed: ")),
        Address("/dialogs-for-ever", [html(scripted("setInterval(() => alert('again'), 10)"))], OK, warned("dialogs_dismissed: ")),
        Address("/dialogs-without-a-break", [html(scripted("for (;;) alert('again')"))], OK),
        Address("/asks-before-leaving", [html(scripted("onbeforeunload = e => e.preventDefault(); setTimeout(() => location = '/plain', 50)"))], OK),
        Address("/prints", [html(scripted("setInterval(print, 50)"))], OK),
        Address("/permissions", [html(scripted("navigator.geolocation.getCurrentPosition(() => 0); Notification.requestPermission(); navigator.mediaDevices?.getUserMedia({video: true})"))], OK),
        Address("/asks-for-a-password", [html(page(ARTICLE + "<img src=/locked>")), Route("/locked", 401, (("WWW-Authenticate", "Basic realm=x"),))], OK),
        Address("/asks-for-the-proxys-password", [html(page(ARTICLE + "<img src=/locked-proxy>")), Route("/locked-proxy", 407, (("Proxy-Authenticate", "Basic realm=x"),))], OK),
        Address("/busy", [html(scripted("while (true) {}"))], OK, ENDED),
        Address("/busy-later", [html(scripted("setTimeout(() => { for (;;) ; }, 400)"))], OK, OK),
        Address("/busy-again-and-again", [html(scripted("setInterval(() => { for (;;) ; }, 10)"))], OK, ENDED),
        Address("/microtasks-for-ever", [html(scripted("(function f() { queueMicrotask(f) })()"))], OK, ENDED),
        Address("/reloads", [html(scripted("setTimeout(() => location.reload(), 20)"))], OK, STOPPED),
        Address("/goes-on-and-on", [html(scripted("location = '?' + Math.random()"), path="/goes-on-and-on*")], OK, STOPPED),
        Address("/hashes", [html(scripted("setInterval(() => location.hash = Math.random(), 10)"))], OK),
        Address("/history", [html(scripted("for (let n = 0; n < 300; n++) history.pushState(0, '', '?' + n)"))], OK),
        Address("/grows", [html(scripted("setInterval(() => document.body.append('x'), 30)"))], OK),
        Address("/grows-when-scrolled", [html(scripted("onscroll = () => document.body.insertAdjacentHTML('beforeend', '<p>More.</p>'.repeat(200)); onscroll()"))], OK, warned("not_scrolled_to_the_end: ")),
        Address("/blinks", [html(scripted("(function f() { document.title = Math.random(); requestAnimationFrame(f) })()"))], OK),
        Address("/debugger", [html(scripted("setInterval(() => { debugger }, 10)"))], OK),
        Address("/poisoned", [html(scripted(poison))], OK),
        Address("/poisoned-to-hang", [html(scripted(hang))], OK),
        Address("/crowded", [html(scripted("for (let n = 0; n < 1500; n++) fetch('/plain?' + n)"))], OK),
        Address("/loads-for-ever", [html(page(ARTICLE + "<img src=/flood>")), Route("/flood", body=b"x" * 60_000, framing="chunked", then="drip")], OK),
        Address("/hidden", [html(page(f"<style>html {{ display: none }}</style>{ARTICLE}"))], OK),
    ]  # fmt: skip


def _open() -> list[Address]:
    held = Route("/held", 200, (("Content-Type", "text/event-stream"),), "data: x\n\n", framing="chunked", then="hold")
    unfinished = warned("requests_unfinished: ")
    return [
        Address("/stream", [html(scripted("new EventSource('/held')")), held], OK, unfinished),
        Address("/poll", [html(scripted("fetch('/held')"))], OK, unfinished),
        Address("/poll-again-and-again", [html(scripted("setInterval(() => fetch('/plain'), 40)"))], OK),
        Address("/style-never-comes", [html(page(f"<link rel=stylesheet href=/held>{ARTICLE}"))], OK, ENDLESS),
        Address("/script-never-comes-first", [html(page(ARTICLE, "<script src=/held></script>"))], OK, ENDLESS),
        Address("/script-never-comes", [html(page(f"{ARTICLE}<script src=/held></script><p>Behind it.</p>"))], OK),
        Address("/redirects-picture", [html(page(ARTICLE + "<img src=/loop><img src=/chain/0><img src=/reset><img src=/endless>"))], OK),
    ]  # fmt: skip
