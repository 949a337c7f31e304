"""What stands in odd places of a page is written down, and nothing is waited for longer than it must be."""

from collections.abc import AsyncIterator, Callable

import pytest

from crawler import Fetcher, Rendered, Renderer, RenderSettings, Wanted
from crawler.browsers import Browsers
from crawler.forwarding import Forwarding
from crawler.navigations import MAX_FRAMED
from crawler.page_events import LASTING, SLOW, PageEvents
from tests.crawler.fetching import fetcher
from tests.crawler.reading_pages import PROSE, page, paragraphs
from tests.crawler.test_rendering import text_of
from tests.sites import Route, Site

Sites = Callable[..., Site]
TEXT = (("Content-Type", "text/plain"),)
HELD = Route("/held", framing="chunked", then="hold")
MUTE = Route("/mute", raw=b"", then="hold")


@pytest.fixture
async def web() -> AsyncIterator[Fetcher]:
    async with fetcher(allow_addresses=("127.0.0.1/32",)) as started:
        yield started


@pytest.fixture
async def renderer(web: Fetcher) -> AsyncIterator[Renderer]:
    async with Renderer(web.dialler, RenderSettings(deadline=30)) as started:
        yield started


async def shown(web: Fetcher, renderer: Renderer, url: str) -> Rendered:
    return await renderer.render(await web.fetch(url), Wanted())


def told(rendered: Rendered) -> list[str]:
    return [warning.partition(":")[0] for warning in rendered.warnings]


SHUT = "<iframe sandbox srcdoc='<p>{}</p><script>document.body.innerText = 1</script>'></iframe>"


@pytest.mark.parametrize(
    "frame",
    ["<embed type=text/html src=/frame>", SHUT.format(PROSE[0])],
    ids=["embedded page", "frame that is shut off"],
)
async def test_what_other_kinds_of_frames_show_stands_where_a_reader_sees_it(
    site: Sites, web: Fetcher, renderer: Renderer, frame: str
) -> None:
    there = site(Route("/", body=page(f"<p>Above.</p>{frame}<p>Below.</p>")), Route("/frame", body=page(paragraphs())))

    html = (await shown(web, renderer, there.url())).document.decode()

    assert html.count(PROSE[0]) == 1
    assert html.index("Above.") < html.index(PROSE[0]) < html.index("Below.")


async def test_what_comes_late_in_an_embedded_page_is_waited_for(site: Sites, web: Fetcher, renderer: Renderer) -> None:
    late = f"setTimeout(() => document.body.innerHTML = '<p>{PROSE[0]}</p>', 400)"
    there = site(
        Route("/", body=page("<embed type=text/html src=/frame>")),
        Route("/frame", body=page(f"<script>{late}</script>")),
    )

    rendered = await shown(web, renderer, there.url())

    assert PROSE[0] in rendered.document.decode()


async def test_links_in_a_frame_lead_where_they_lead_there(site: Sites, web: Fetcher, renderer: Renderer) -> None:
    links = "<a href=lock>Lock</a> <a href=?night>Night</a> <img src=gate.png alt=Gate>"
    there = site(
        Route("/", body=page("<a href=fares>Fares</a><iframe src=/below/frame></iframe><a href=dogs>Dogs</a>")),
        Route("/below/frame", body=page(links)),
        Route("/below/gate.png", 404),
    )

    html = (await shown(web, renderer, there.url())).document.decode()

    for address in (there.url("/below/lock"), there.url("/below/frame?night"), "fares", "dogs"):
        assert f'href="{address}"' in html
    assert f'src="{there.url("/below/gate.png")}"' in html


@pytest.mark.parametrize("hiding", ["hidden", "style='display: none'"])
async def test_frames_that_are_hidden_stay_so(site: Sites, web: Fetcher, renderer: Renderer, hiding: str) -> None:
    there = site(
        Route("/", body=page(f"{paragraphs()}<iframe {hiding} src=/frame></iframe>")),
        Route("/frame", body=page("<p>Nobody sees that dogs travel free on Tuesdays.</p>")),
    )

    rendered = await shown(web, renderer, there.url())

    assert PROSE[0] in text_of(rendered)
    assert "dogs travel free" not in text_of(rendered)


STYLE = "<style>body { margin: 0; overflow: hidden }</style>"
SCREEN = "height:100vh;overflow-y:auto"


@pytest.mark.parametrize("place", ["", "<x-page></x-page>"], ids=["page", "shadow root"])
async def test_a_box_that_is_scrolled_in_the_pages_place_is_scrolled_through(
    site: Sites, web: Fetcher, renderer: Renderer, place: str
) -> None:
    moved = "document.querySelector('x-page').attachShadow({mode: 'open'}).append(box)" if place else ""
    script = f"""{moved}; new IntersectionObserver(seen => {{ if (seen[0].isIntersecting)
    seen[0].target.innerText = 'Last.' }}).observe(last)"""
    box = f"<div id=box style={SCREEN}>{paragraphs()}<div style=height:3000px></div><div id=last></div></div>"
    there = site(
        Route(
            "/", body=page(f"{place}{box}<script>const last = document.getElementById('last');{script}</script>", STYLE)
        )
    )

    rendered = await shown(web, renderer, there.url())

    assert "Last." in rendered.document.decode()
    assert "not_scrolled_to_the_end" not in told(rendered)


async def test_a_box_of_lines_that_are_made_when_they_are_seen_is_left_where_it_was(
    site: Sites, web: Fetcher, renderer: Renderer
) -> None:
    lines = """const draw = () => { const first = Math.floor(box.scrollTop / 100); list.innerHTML = '';
    for (let n = first; n < first + 9; n++) list.innerHTML +=
    `<p style="position:absolute;margin:0;top:${n * 100}px">Berth ${n} is free.</p>` }; box.onscroll = draw; draw()"""
    box = f"<div id=box style={SCREEN}><div id=list style=height:3000px></div></div>"
    there = site(Route("/", body=page(f"{box}<script>{lines}</script>", STYLE)))

    rendered = await shown(web, renderer, there.url())

    assert "Berth 0 is free." in rendered.document.decode()
    assert "Berth 25 is free." not in rendered.document.decode()


@pytest.mark.parametrize("to", ["mailto:harbour@harbour.example", "harbour://open", "/nothing", "/file"])
async def test_a_page_that_wants_to_go_where_nothing_is_shown_counts_as_loaded(
    site: Sites, web: Fetcher, renderer: Renderer, to: str
) -> None:
    packed = (("Content-Type", "application/zip"), ("Content-Disposition", "attachment"))
    there = site(
        Route("/", body=page(f"{paragraphs()}<script>location = '{to}'</script>")),
        Route("/nothing", 204),
        Route("/file", 200, packed, b"PK"),
    )

    rendered = await shown(web, renderer, there.url())

    assert PROSE[0] in rendered.document.decode()
    assert "slow" not in told(rendered)


ASK = "try { const x = new XMLHttpRequest(); x.open('GET', '/held', false); x.send() } catch (_) {}"


@pytest.mark.parametrize(
    "script", [f"setInterval(() => {{ {ASK} }}, 50)", f"setTimeout(() => {{ for (;;) {ASK} }}, 50)"]
)
async def test_requests_that_hold_a_page_one_after_the_other_are_given_up_after_the_second(
    site: Sites, web: Fetcher, renderer: Renderer, script: str
) -> None:
    there = site(Route("/", body=page(f"{paragraphs()}<script>{script}</script>")), HELD)

    rendered = await shown(web, renderer, there.url())

    assert PROSE[0] in rendered.document.decode()
    assert "requests_ended" in told(rendered)
    assert there.asked("/held") == 2


async def test_a_page_that_talks_to_its_console_without_end_is_shown(
    site: Sites, web: Fetcher, renderer: Renderer
) -> None:
    talk = "for (let n = 0; n < 2000; n++) { console.log('x'.repeat(1000), document.body); console.error(n) }"
    there = site(Route("/", body=page(f"{paragraphs()}<script>setInterval(() => {{ {talk} }}, 5)</script>")))

    rendered = await shown(web, renderer, there.url())

    assert PROSE[0] in rendered.document.decode()


async def test_of_frames_without_number_some_are_asked_for(site: Sites, web: Fetcher, renderer: Renderer) -> None:
    frames = "".join(f"<iframe src=/frame?{n}></iframe>" for n in range(MAX_FRAMED + 50))
    there = site(Route("/", body=page(paragraphs() + frames)), Route("/frame*", body="<p>Framed.</p>"))

    rendered = await shown(web, renderer, there.url())

    assert PROSE[0] in rendered.document.decode()
    assert "frames_stopped" in told(rendered)
    assert len([request for request in there.requests if request.path.startswith("/frame")]) <= MAX_FRAMED


async def test_what_scripts_ask_for_is_waited_for_longer_while_there_is_no_answer_and_little_to_read(
    site: Sites, web: Fetcher
) -> None:
    there = site(Route("/", body=page("Loading")), MUTE, HELD)
    now = 0.0

    browsers = Browsers(RenderSettings())
    try:
        async with browsers.one() as running, Forwarding(web.dialler, 1 << 20).running() as proxy:
            context = await running.browser.new_context(proxy={"server": proxy, "bypass": "<-loopback>"})
            opened = await context.new_page()
            events = PageEvents(opened, clock=lambda: now)
            await opened.goto(there.url())
            events.listen(context)
            async with opened.expect_response("**/held"):
                await opened.evaluate("void fetch('/held')")
            now = LASTING + 0.1
            streams = events.busy(readable=False)
            async with opened.expect_request("**/mute"):
                await opened.evaluate("void fetch('/mute')")
            now += LASTING + 0.1
            without_text, with_text = events.busy(readable=False), events.busy(readable=True)
            now += SLOW
            at_last = events.busy(readable=False)
    finally:
        await browsers.close()

    assert not streams
    assert without_text
    assert not with_text
    assert not at_last
