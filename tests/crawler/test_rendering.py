"""Pages in a real Chromium: what a reader would see is written down, and nothing holds it up or leads it inwards."""

import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from crawler import Fetcher, NoBrowser, NotRendered, Rendered, Renderer, RenderSettings, Wanted, read_page
from tests.crawler.fetching import fetcher
from tests.crawler.reading_pages import AT, PROSE, page, paragraphs
from tests.network import ScriptedResolver
from tests.sites import Route, Site

Sites = Callable[..., Site]
TEXT = (("Content-Type", "text/plain"),)


@pytest.fixture
async def web() -> AsyncIterator[Fetcher]:
    async with fetcher(allow_addresses=("127.0.0.1/32",)) as started:
        yield started


@pytest.fixture
async def renderer(web: Fetcher) -> AsyncIterator[Renderer]:
    async with Renderer(web.dialler, RenderSettings(deadline=10)) as started:
        yield started


async def shown(web: Fetcher, renderer: Renderer, url: str, wanted: Wanted | None = None) -> Rendered:
    return await renderer.render(await web.fetch(url), wanted or Wanted())


def text_of(rendered: Rendered) -> str:
    return read_page(rendered.document, media_type="text/html", charset="utf-8", url=rendered.url, at=AT).text


async def test_shadow_roots_slots_and_frames_of_the_site_stand_where_a_reader_sees_them(
    site: Sites, web: Fetcher, renderer: Renderer
) -> None:
    body = f"""<main><h1>Fares</h1><p>{PROSE[0]}</p><fare-card><b>for the night</b></fare-card><p>{PROSE[1]}</p>
    <iframe src=/frame></iframe><object type=text/html data=/frame?x></object></main>
    <script>customElements.define('fare-card', class extends HTMLElement {{
    connectedCallback() {{ this.attachShadow({{mode: 'open'}}).innerHTML =
    '<p>A day ticket <slot></slot> costs 14 crowns.</p>'; }} }});</script>"""
    there = site(
        Route("/", body=page(body)), Route("/frame*", body=page("<p>The frame says that dogs travel free.</p>"))
    )

    rendered = await shown(web, renderer, there.url())

    html = rendered.document.decode()
    assert "A day ticket <b>for the night</b> costs 14 crowns." in html
    assert html.count("for the night") == 1
    assert html.count("dogs travel free") == 2
    assert html.index(PROSE[0]) < html.index("A day ticket") < html.index(PROSE[1]) < html.index("dogs travel free")
    assert "<script" not in html


@pytest.mark.slow
async def test_late_text_is_waited_for_and_lazy_text_is_scrolled_to(
    site: Sites, web: Fetcher, renderer: Renderer
) -> None:
    late = """<div id=root></div><script>setTimeout(async () => {
    root.innerText = await (await fetch('/data')).text() }, 300)</script>"""
    lazy = """<p>First.</p><div style="height:3000px"></div><div id=end></div><script>new IntersectionObserver(seen => {
    if (seen[0].isIntersecting) end.innerText = 'Last.' }).observe(end)</script>"""
    there = site(Route("/late", body=late), Route("/lazy", body=lazy), Route("/data", 200, TEXT, "Late words."))

    assert b"Late words." in (await shown(web, renderer, there.url("/late"))).document
    assert b"Last." in (await shown(web, renderer, there.url("/lazy"))).document


@pytest.mark.slow
async def test_what_is_loaded_when_it_is_near_is_loaded_and_what_comes_then_is_looked_through_too(
    site: Sites, web: Fetcher, renderer: Renderer
) -> None:
    far, prose = "<div style='height:4000px'></div>", paragraphs()
    deep = """<div id=end></div><script>new IntersectionObserver(async (seen, watch) => { if (seen[0].isIntersecting) {
    watch.disconnect(); end.innerHTML = await (await fetch('/more')).text() } }).observe(end)</script>"""
    there = site(
        Route("/still", body=page(prose + far + "<img loading=lazy src=/still.png>")),
        Route("/deep", body=page(prose + far + deep)),
        Route("/more", 200, TEXT, f"<p>More.</p>{far}<img loading=lazy src=/deep.png>", before=0.2),
        Route("/still.png", 200, (("Content-Type", "image/png"),)),
        Route("/deep.png", 200, (("Content-Type", "image/png"),)),
    )

    still = await shown(web, renderer, there.url("/still"))
    found = await shown(web, renderer, there.url("/deep"))

    assert not [warning for warning in still.warnings if "scrolled" in warning]
    assert b"More." in found.document
    assert (there.asked("/still.png"), there.asked("/deep.png")) == (1, 1)


@pytest.mark.slow
async def test_streams_polls_dialogs_windows_and_endless_scripts_hold_nothing_up(
    site: Sites, web: Fetcher, renderer: Renderer
) -> None:
    there = site(
        Route("/stream", body="<p>Seen.</p><script>new EventSource('/sse')</script>"),
        Route("/sse", 200, (("Content-Type", "text/event-stream"),), "data: x\n\n", framing="chunked", then="hold"),
        Route("/poll", body="<p>Seen.</p><script>fetch('/hang')</script>"),
        Route("/hang", 200, TEXT, "[", framing="chunked", then="hold"),
        Route("/dialogs", body="<p>Seen.</p><script>alert(1);confirm(2);prompt(3);open('/poll');print()</script>"),
        Route("/busy", body="<p>Seen.</p><script>while (true) {}</script>"),
        Route("/reload", body="<p>Seen.</p><script>setTimeout(() => location.reload(), 20)</script>"),
        Route("/grow", body="<p>Seen.</p><script>setInterval(() => document.body.append('more '), 50)</script>"),
    )

    warned = {}
    for path in ("/stream", "/poll", "/dialogs", "/busy", "/reload", "/grow"):
        rendered = await shown(web, renderer, there.url(path))
        assert b"Seen." in rendered.document, path
        warned[path] = {warning.partition(":")[0] for warning in rendered.warnings}

    assert "requests_unfinished" in warned["/stream"]
    assert "requests_unfinished" in warned["/poll"]
    assert {"dialogs_dismissed", "popups_closed"} <= warned["/dialogs"]
    assert "scripts_ended" in warned["/busy"]
    assert "navigations_stopped" in warned["/reload"]


@pytest.mark.slow
async def test_a_consent_notice_is_closed_with_one_click_that_refuses_where_it_can(
    site: Sites, web: Fetcher, renderer: Renderer
) -> None:
    notice = """<div style="position:fixed;bottom:0" id=notice><p>{}</p>
    <button onclick="notice.remove();said.innerText='agreed'">{}</button>
    <button onclick="notice.remove();said.innerText='refused'">{}</button></div><p id=said>nothing</p>"""
    there = site(
        Route("/en", body=page(paragraphs() + notice.format("We use cookies.", "Accept all", "Reject all"))),
        Route("/de", body=page(paragraphs() + notice.format("Wir verwenden Cookies.", "Alle akzeptieren", "Mehr"))),
        Route("/none", body=page(paragraphs() + "<button>Accept all</button><p id=said>nothing</p>")),
    )

    english = await shown(web, renderer, there.url("/en"))
    german = await shown(web, renderer, there.url("/de"))
    none = await shown(web, renderer, there.url("/none"))

    assert b"refused" in english.document
    assert b"agreed" in german.document
    assert [action.partition(":")[0] for action in english.actions] == ["consent_dismissed"]
    assert none.actions == ()


INWARD = """<p>Seen.</p><img src="{0}/image"><iframe src="{0}/frame"></iframe><link rel=prefetch href="{0}/prefetch">
<link rel=preconnect href="{0}"><link rel=stylesheet href="{0}/style"><script src="{0}/script"></script>
<video src="{0}/video"></video>
<script>fetch("{0}/fetch", {{mode: "no-cors"}}).catch(() => 0); navigator.sendBeacon("{0}/beacon", "x");
try {{ new WebSocket("ws" + "{0}".slice(4) + "/socket") }} catch (_) {{}}
try {{ new EventSource("{0}/events") }} catch (_) {{}}
try {{ const c = new RTCPeerConnection({{iceServers: [{{urls: "stun:" + "{0}".slice(7)}}]}}); c.createDataChannel("x");
c.createOffer().then(o => c.setLocalDescription(o)) }} catch (_) {{}}
navigator.serviceWorker && navigator.serviceWorker.register("/worker.js").catch(() => 0);
new Worker(URL.createObjectURL(new Blob(['fetch("{0}/worker")'])));
open("{0}/window");</script><form action="{0}/form" id=f></form><a href="{0}/ping" ping="{0}/ping" id=a>x</a>"""


@pytest.mark.slow
@pytest.mark.parametrize("host", ["127.0.0.2", "inner.test", "turning.test"])
async def test_whatever_a_page_asks_for_inside_the_network_is_not_asked(site: Sites, host: str) -> None:
    canary = site(Route("/*", 200, TEXT, "secret"), address="127.0.0.2")
    names = ScriptedResolver(
        {
            "outer.test": [["127.0.0.1"]],
            "inner.test": [["127.0.0.2"]],
            "turning.test": [["93.184.215.14", "127.0.0.2"], ["127.0.0.2"]],
        }
    )
    inner = f"http://{host}:{canary.port}"
    outer = site(
        Route("/", body=page(INWARD.format(inner))),
        Route("/worker.js", 200, (("Content-Type", "text/javascript"),), f"fetch('{inner}/service')"),
        Route("/leave", body=f"<p>Seen.</p><script>location = '{inner}/leave'</script>"),
        Route("/hop", 302, (("Location", f"{inner}/hop"),)),
        Route("/through", body="<p>Seen.</p><img src=/hop>"),
    )
    there = f"http://outer.test:{outer.port}"
    async with (
        fetcher(resolver=names, allow_addresses=("127.0.0.1/32",)) as web,
        Renderer(web.dialler, RenderSettings(deadline=10)) as renderer,
    ):
        seen = await shown(web, renderer, there + "/")
        through = await shown(web, renderer, there + "/through")
        with pytest.raises(NotRendered, match="not asked") as left:
            await shown(web, renderer, there + "/leave")

    assert b"Seen." in seen.document
    assert b"Seen." in through.document
    assert any(warning.startswith("requests_refused") for warning in seen.warnings)
    assert left.value.reason == "render_refused"
    assert canary.requests == []


async def test_the_first_document_is_not_asked_for_twice_and_keeps_its_cookies(
    site: Sites, web: Fetcher, renderer: Renderer
) -> None:
    there = site(
        Route("/", 200, (("Content-Type", "text/html"), ("Set-Cookie", "seen=1")), "<p>Seen.</p><img src=/x>"),
        Route("/x", 200, TEXT, ""),
    )

    await shown(web, renderer, there.url())

    assert there.asked("/") == 1
    assert [request.get("cookie") for request in there.requests if request.path == "/x"] == ["seen=1"]


@pytest.mark.slow
@pytest.mark.parametrize("target", ["/?q={kroner}", "/{", "/a*b", "/?a=b&c={d,e}", "/%7Bx%7D"])
async def test_addresses_are_no_patterns(site: Sites, web: Fetcher, renderer: Renderer, target: str) -> None:
    there = site(Route("/*", 200, (("Content-Type", "text/html"),), "<p>Seen.</p>"))

    rendered = await shown(web, renderer, there.url(target))

    assert b"Seen." in rendered.document
    assert len([one for one in there.requests if one.path not in {"/robots.txt", "/favicon.ico"}]) == 1


async def test_a_page_that_sends_its_reader_on_is_followed_and_each_document_told(
    site: Sites, web: Fetcher, renderer: Renderer
) -> None:
    there = site(Route("/", body="<script>location = '/next'</script>"), Route("/next", body="<p>Here.</p>"))

    rendered = await shown(web, renderer, there.url())

    assert b"Here." in rendered.document
    assert [(seen.url, seen.status) for seen in rendered.navigations] == [(there.url("/next"), 200)]


async def test_pictures_and_prints_are_what_they_are_called(site: Sites, web: Fetcher, renderer: Renderer) -> None:
    there = site(Route("/", body=page(paragraphs() + "<div style='height:3000px'></div>")))

    first = await shown(web, renderer, there.url(), Wanted("viewport"))
    whole = await shown(web, renderer, there.url(), Wanted("full", pdf=True))

    assert first.screenshot is not None
    assert whole.screenshot is not None
    assert first.screenshot.startswith(b"\x89PNG")
    assert int.from_bytes(first.screenshot[20:24], "big") == 800
    assert int.from_bytes(whole.screenshot[20:24], "big") > 3000
    assert (whole.pdf or b"").startswith(b"%PDF-")


async def test_a_page_is_drawn_small_without_being_told_and_its_picture_is_in_full_size(
    site: Sites, web: Fetcher, renderer: Renderer
) -> None:
    asked = "[innerWidth, innerHeight, outerWidth, screen.width, devicePixelRatio, visualViewport.scale, resized]"
    corner = """<body style="margin:0"><p id=p></p><i style="position:fixed;right:0;bottom:0;width:9px;height:9px;
    background:#080"></i><script>let resized = 0; addEventListener('resize', () => resized += 1);
    setTimeout(() => { p.innerText = %s.join() }, 300)</script>"""
    pixels = """<p id=p></p><img id=i src=/taken.png><script>onload = () => {
    const drawn = new OffscreenCanvas(1280, 800).getContext('2d');
    drawn.drawImage(i, 0, 0);
    p.innerText = [1, 8, 11].map((off) => drawn.getImageData(1280 - off, 800 - off, 1, 1).data.join('-')).join() };
    </script>"""
    first = site(Route("/", body=corner % asked))

    taken = await shown(web, renderer, first.url(), Wanted("viewport"))
    second = site(
        Route("/", body=pixels), Route("/taken.png", 200, (("Content-Type", "image/png"),), taken.screenshot or b"")
    )
    read = await shown(web, renderer, second.url())

    assert b"1280,800,1280,1280,1,1,0" in taken.document
    assert b"0-136-0-255,0-136-0-255,255-255-255-255" in read.document


async def test_an_answer_is_handed_over_whatever_its_status_is_called(
    site: Sites, web: Fetcher, renderer: Renderer
) -> None:
    there = site(Route("/", 599, body="<p id=p>Sorry.</p><script>p.innerText += ' Late.'</script><iframe src=/in>"))
    there_too = site(Route("/", 404, body="<p>Nothing.</p><script>p = 1</script>"))

    assert b"Sorry. Late." in (await shown(web, renderer, there.url())).document
    assert b"Nothing." in (await shown(web, renderer, there_too.url())).document
    assert (there.asked("/"), there.asked("/in")) == (1, 1)


async def test_locale_time_zone_screen_and_user_agent_are_as_set(site: Sites, web: Fetcher) -> None:
    script = "navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone, innerWidth, navigator.userAgent"
    there = site(Route("/", body=f"<p id=p></p><script>p.innerText = [{script}].join('|')</script>"))
    settings = RenderSettings(locale="de-AT", time_zone="Europe/Vienna", width=900, user_agent="Reader/1")

    async with Renderer(web.dialler, settings) as renderer:
        rendered = await shown(web, renderer, there.url())

    assert b"de-AT|Europe/Vienna|900|Reader/1" in rendered.document


async def test_no_process_is_left_when_the_renderer_is_closed(site: Sites, web: Fetcher) -> None:
    there = site(Route("/", body="<p>Seen.</p>"))
    before = children()

    async with Renderer(web.dialler, RenderSettings()) as renderer:
        await shown(web, renderer, there.url())
        during = children()

    assert during - before
    assert children() <= before


async def test_without_a_browser_rendering_is_a_named_error(site: Sites, web: Fetcher) -> None:
    there = site(Route("/", body="<p>Seen.</p>"))

    for chromium in ("off", "no-such-browser"):
        async with Renderer(web.dialler, RenderSettings(chromium=chromium)) as renderer:
            assert not renderer.available
            with pytest.raises(NoBrowser):
                await shown(web, renderer, there.url())


def children() -> set[int]:
    """Processes below this one that still run."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            except OSError:
                continue
            if state != "Z":
                parents[int(entry.name)] = int(parent)
    found: set[int] = set()
    waiting = [os.getpid()]
    while waiting:
        at = waiting.pop()
        below = [pid for pid, parent in parents.items() if parent == at]
        found.update(below)
        waiting += below
    return found
