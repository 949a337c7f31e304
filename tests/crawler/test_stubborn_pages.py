"""Pages that work against being shown: what a reader would see of them is written down all the same, and in time."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from crawler import Fetcher, NotRendered, Rendered, Renderer, RenderSettings, Wanted
from crawler.page_events import MAX_NAVIGATIONS
from tests.crawler.fetching import fetcher
from tests.crawler.reading_pages import PROSE, page, paragraphs
from tests.crawler.test_rendering import children
from tests.sites import Route, Site

Sites = Callable[..., Site]
HELD = Route("/held", framing="chunked", then="hold")
DEADLINE = 15


@pytest.fixture
async def web() -> AsyncIterator[Fetcher]:
    async with fetcher(allow_addresses=("127.0.0.1/32",)) as started:
        yield started


@pytest.fixture
async def renderer(web: Fetcher) -> AsyncIterator[Renderer]:
    async with Renderer(web.dialler, RenderSettings(deadline=DEADLINE)) as started:
        yield started


async def shown(web: Fetcher, renderer: Renderer, url: str) -> Rendered:
    return await renderer.render(await web.fetch(url), Wanted())


def scripted(script: str) -> str:
    return page(f"{paragraphs()}<script>{script}</script>")


POISON = """for (const it of [Array, String, NodeList, Element, Document, Node, Promise, JSON, Map, Set, Object])
    for (const name of Object.getOwnPropertyNames(it.prototype || it))
        if (name != 'constructor') try { (it.prototype || it)[name] = () => { throw 1 } } catch { }"""


@pytest.mark.parametrize(
    "script",
    [
        POISON,
        "Object.defineProperty(Element.prototype, 'shadowRoot', {get() { for (;;) ; }})",
        "Object.defineProperty(Node.prototype, 'childNodes', {get() { return [] }})",
        "Object.defineProperty(document, 'documentElement', {get() { return null }})",
        "Set = Map = JSON = Array = Promise = setTimeout = undefined",
    ],
)
async def test_what_a_page_redefines_changes_nothing_of_what_is_written_down(
    site: Sites, web: Fetcher, renderer: Renderer, script: str
) -> None:
    there = site(Route("/", body=scripted(script)))

    rendered = await shown(web, renderer, there.url())

    assert all(sentence in rendered.document.decode() for sentence in PROSE)
    assert not [warning for warning in rendered.warnings if warning.startswith("scripts_ended")]


@pytest.mark.parametrize(
    "name", ["firstChild", "nextSibling", "nodeType", "localName", "shadowRoot", "getAttributeNames"]
)
async def test_fields_of_a_form_go_by_names_that_change_nothing_of_what_is_written_down(
    site: Sites, web: Fetcher, renderer: Renderer, name: str
) -> None:
    there = site(Route("/", body=page(f"<form id=f><input name={name}>{paragraphs()}</form><p>Below.</p>")))

    document = (await shown(web, renderer, there.url())).document.decode()

    assert '<form id="f">' in document
    assert all(document.count(sentence) == 1 for sentence in (*PROSE, "Below."))


@pytest.mark.parametrize("name", ["documentElement", "body", "readyState", "querySelectorAll", "styleSheets"])
async def test_pictures_of_a_page_go_by_names_that_change_nothing_of_what_is_written_down(
    site: Sites, web: Fetcher, renderer: Renderer, name: str
) -> None:
    script = f"setTimeout(() => late.innerText = '{PROSE[0]}', 500)"
    there = site(Route("/", body=page(f"<img name={name}><p id=late></p><script>{script}</script>")))

    document = (await shown(web, renderer, there.url())).document.decode()

    assert document.startswith("<!DOCTYPE html>\n<html")
    assert PROSE[0] in document


STEPS = """(async () => { for (let n = 0; n < 14; n++) { await new Promise(done => setTimeout(done, 200));
    root.innerHTML += '<p>Line ' + n + '</p>' } root.innerHTML += '<p>At last.</p>' })()"""
OPEN = "root = host.attachShadow({mode: 'open'})"


@pytest.mark.parametrize(
    "body",
    [
        f"<div id=host></div><script>{OPEN}; {STEPS}</script>",
        f"<p id=host></p><script>setTimeout(() => {{ {OPEN}; {STEPS} }}, 400)</script>",
        f"<div id=host><template shadowrootmode=open></template></div><script>root = host.shadowRoot; {STEPS}</script>",
        f'<iframe srcdoc="<p id=root></p><script>{STEPS}</script>"></iframe>',
        f"<iframe id=host></iframe><script>root = host.contentDocument.body; {STEPS}</script>",
    ],
    ids=["shadow root", "late shadow root", "declared shadow root", "frame", "frame without an address"],
)
async def test_what_comes_bit_by_bit_in_shadow_roots_and_frames_is_waited_for(
    site: Sites, web: Fetcher, renderer: Renderer, body: str
) -> None:
    there = site(Route("/", body=page(f"<h1>Fares of the ferry</h1>{body}")))

    rendered = await shown(web, renderer, there.url())

    assert "At last." in rendered.document.decode()


async def test_a_page_that_comes_by_a_timer_is_waited_for_while_there_is_nothing_to_read(
    site: Sites, web: Fetcher, renderer: Renderer
) -> None:
    script = f"setTimeout(() => document.body.innerHTML = '<p>{PROSE[0]}</p>', 1600)"
    there = site(Route("/", body=page(f"<div id=root></div><script>{script}</script>")))

    rendered = await shown(web, renderer, there.url())

    assert PROSE[0] in rendered.document.decode()


@pytest.mark.parametrize(
    "before",
    [
        "<script src=/held></script>",
        "<link rel=stylesheet href=/held>",
        "<script src=/held?1></script><script src=/held?2></script><link rel=stylesheet href=/held?3>",
    ],
)
async def test_what_a_pages_text_waits_for_in_vain_is_given_up(
    site: Sites, web: Fetcher, renderer: Renderer, before: str
) -> None:
    there = site(Route("/", body=page(before + paragraphs())), Route("/held*", framing="chunked", then="hold"))

    rendered = await shown(web, renderer, there.url())

    assert PROSE[3] in rendered.document.decode()
    assert any(warning.startswith("requests_ended: ") for warning in rendered.warnings)


ASK = "try { const x = new XMLHttpRequest(); x.open('GET', '/held', false); x.send() } catch (_) {}"


@pytest.mark.parametrize(
    "script",
    [ASK, f"onload = () => {{ {ASK} }}", f"setTimeout(() => {{ {ASK} }}, 50)"],
    ids=["at once", "once loaded", "later"],
)
async def test_a_request_that_holds_the_whole_page_until_it_is_answered_is_given_up(
    site: Sites, web: Fetcher, script: str
) -> None:
    there = site(Route("/", body=page(f"<script>{script}</script>{paragraphs()}")), HELD)

    async with Renderer(web.dialler, RenderSettings(deadline=30)) as renderer:
        rendered = await shown(web, renderer, there.url())

    assert PROSE[3] in rendered.document.decode()
    assert any(warning.startswith("requests_ended: ") for warning in rendered.warnings)


@pytest.mark.parametrize(
    "element", ["<iframe src=/held></iframe>", "<img src=/held>", "<video src=/held autoplay></video>"]
)
async def test_what_is_not_there_in_time_beside_the_text_is_told_as_unfinished(
    site: Sites, web: Fetcher, renderer: Renderer, element: str
) -> None:
    there = site(Route("/", body=page(element + paragraphs())), HELD)

    rendered = await shown(web, renderer, there.url())

    assert PROSE[3] in rendered.document.decode()
    assert [warning.partition(":")[0] for warning in rendered.warnings] == ["requests_unfinished"]


MADE_UP = (
    "const me = document.currentScript.textContent;"
    f"const parts = ['<p>{PROSE[0]}</p><script>', me, '</scr' + 'ipt>'];"
    "location = URL.createObjectURL(new Blob(parts, {type: 'text/html'}))"
)


@pytest.mark.parametrize(
    "script",
    [
        "location = '?' + Math.random()",
        "location.reload()",
        "location.href = '/other'",
        "document.write('<form method=post action=/other></form>'); document.forms[0].submit()",
        "document.write('<meta http-equiv=refresh content=0>')",
    ],
)
async def test_a_page_that_goes_on_and_on_is_kept_where_it_is_after_some_documents(
    site: Sites, web: Fetcher, renderer: Renderer, script: str
) -> None:
    there = site(Route("/robots.txt", 404), Route("/*", body=scripted(script)))

    rendered = await shown(web, renderer, there.url())

    assert PROSE[0] in rendered.document.decode()
    assert len(rendered.navigations) == MAX_NAVIGATIONS
    assert any(warning.startswith("navigations_stopped: ") for warning in rendered.warnings)
    assert len([request for request in there.requests if request.path != "/robots.txt"]) == 1 + MAX_NAVIGATIONS


async def test_a_page_that_makes_up_its_next_document_itself_is_kept_too(
    site: Sites, web: Fetcher, renderer: Renderer
) -> None:
    there = site(Route("/robots.txt", 404), Route("/*", body=scripted(f"{{ {MADE_UP} }}")))

    rendered = await shown(web, renderer, there.url())

    assert PROSE[0] in rendered.document.decode()
    assert any(warning.startswith("navigations_stopped: ") for warning in rendered.warnings)


@pytest.mark.parametrize(
    "script",
    [
        "setInterval(() => fetch('/plain'), 40)",
        "setInterval(() => fetch('/plain?' + Math.random()), 40)",
        "(function again() { fetch('/plain').then(again) })()",
        "setInterval(() => document.body.append('x'), 30)",
        "setInterval(() => document.body.append(document.createElement('img')), 30)",
        "setInterval(() => new Image().src = '/plain?' + Math.random(), 40)",
    ],
)
async def test_a_page_that_never_rests_is_written_down_in_the_time_that_any_page_has(
    site: Sites, web: Fetcher, script: str
) -> None:
    there = site(Route("/", body=scripted(script)), Route("/plain*", body="x", before=0.1))

    async with Renderer(web.dialler, RenderSettings(deadline=10)) as renderer:
        rendered = await shown(web, renderer, there.url())

    assert PROSE[0] in rendered.document.decode()


async def test_scripts_that_begin_again_whenever_they_are_ended_are_not_let_begin_again(
    site: Sites, web: Fetcher, renderer: Renderer
) -> None:
    there = site(Route("/", body=scripted("setInterval(() => { for (;;) ; }, 10)")))

    rendered = await shown(web, renderer, there.url())

    assert PROSE[0] in rendered.document.decode()
    assert any(warning.startswith("scripts_ended: ") for warning in rendered.warnings)


async def test_markup_that_browsers_show_an_error_for_is_told_as_that(
    site: Sites, web: Fetcher, renderer: Renderer
) -> None:
    xhtml = (("Content-Type", "application/xhtml+xml"),)
    there = site(
        Route("/bad", 200, xhtml, f'<html xmlns="http://www.w3.org/1999/xhtml"><body><p>{PROSE[0]}<br></p></body></html>'),
        Route("/good", 200, xhtml, f'<html xmlns="http://www.w3.org/1999/xhtml"><body><p>{PROSE[0]}</p></body></html>'),
    )  # fmt: skip

    with pytest.raises(NotRendered) as refused:
        await shown(web, renderer, there.url("/bad"))
    rendered = await shown(web, renderer, there.url("/good"))

    assert refused.value.reason == "render_ill_formed"
    assert PROSE[0] in rendered.document.decode()


def _kill(program: str, there: Site, before: set[int]) -> None:
    """Kill each such program that runs now and did not before, as soon as the page is open."""
    while there.asked("/held") == 0:
        time.sleep(0.01)
    for process in children() - before:
        if program in Path(f"/proc/{process}/cmdline").read_text().partition("\0")[0]:
            os.kill(process, signal.SIGKILL)


@pytest.mark.parametrize("program", ["chrom", "node"])
async def test_a_page_whose_browser_or_its_driver_is_lost_is_shown_in_one_of_its_own(
    site: Sites, web: Fetcher, renderer: Renderer, program: str
) -> None:
    there = site(Route("/", body=scripted("fetch('/held')")), HELD)
    before = children()

    showing = asyncio.create_task(shown(web, renderer, there.url()))
    await asyncio.to_thread(_kill, program, there, before)
    rendered = await showing
    later = await shown(web, renderer, there.url())

    assert PROSE[0] in rendered.document.decode()
    assert PROSE[0] in later.document.decode()
    told = [[warning.partition(":")[0] for warning in one.warnings] for one in (rendered, later)]
    assert told == [["requests_unfinished", "rendered_again"], ["requests_unfinished"]]


async def test_a_page_that_makes_its_browser_crash_is_told_as_that(site: Sites, web: Fetcher) -> None:
    there = site(Route("/", body=scripted("")), Route("/other", body=scripted("fetch('/late').then(() => 1)")),
                 Route("/late", before=1.0))  # fmt: skip

    async with Renderer(web.dialler, RenderSettings(deadline=8, pages=2)) as renderer:
        visit = replace(await web.fetch(there.url()), final="chrome://crash")
        other = await web.fetch(there.url("/other"))
        found = await asyncio.gather(*(renderer.render(v, Wanted()) for v in (visit, other)), return_exceptions=True)

    assert isinstance(found[0], NotRendered)
    assert found[0].reason in ("render_crashed", "render_failed")
    assert isinstance(found[1], Rendered)


async def test_a_page_that_is_not_shown_in_time_costs_the_others_nothing(site: Sites, web: Fetcher) -> None:
    script = "for (;;) { try { for (;;) ; } catch { } finally { continue } }"
    there = site(Route("/", body=scripted("fetch('/slow').then(() => 1)")), Route("/slow", before=1.2),
                 Route("/stuck", body=scripted(f"function f() {{ {script} }} f()")))  # fmt: skip

    async with Renderer(web.dialler, RenderSettings(deadline=3, pages=4)) as renderer:
        visits = [await web.fetch(there.url(path)) for path in ("/stuck", "/", "/", "/")]
        found = await asyncio.gather(*(renderer.render(v, Wanted()) for v in visits), return_exceptions=True)
        later = await renderer.render(visits[1], Wanted())

    assert all(isinstance(one, Rendered) for one in found[1:])
    assert PROSE[0] in later.document.decode()
