"""Captures made with a real browser: decided page by page, kept with all they leave, and told."""

import gzip
import json
from pathlib import Path

import pytest

from service.check_requests import QuotationAsked, RecheckRequest
from service.requests import CaptureRequest
from snapshots import digest
from tests.crawler.reading_pages import PROSE, page, paragraphs
from tests.service.opened import ME, captured, opened, searched, told
from tests.sites import HTML, Route, Site

SCRIPT = (
    f"<script>document.getElementById('root').innerHTML = {json.dumps(f'<p>{PROSE[0]}</p><p>{PROSE[1]}</p>')}</script>"
)
SITE = [
    Route("/robots.txt", 404),
    Route("/app", body=page(f"<div id=root></div>{SCRIPT}")),
    Route("/plain", body=page(f"<article><h1>Lock gates</h1>{paragraphs()}</article>")),
    Route("/file", 200, (("Content-Type", "text/plain"),), "Only words. " * 20),
    Route("/leave", body=page(f"{paragraphs()}<script>location = 'http://10.0.0.1/'</script>")),
    Route("/closed", 200, body=page("<h1>Just a moment...</h1><p>Verifying you are human.</p>", "<title>Wait</title>")),
]


async def test_a_page_is_rendered_if_it_needs_it_and_the_capture_says_why(tmp_path: Path) -> None:
    with Site(SITE) as site:
        async with opened(tmp_path) as actions:
            app = await captured(actions, site.url("/app"))
            plain = await captured(actions, site.url("/plain"))
            never = await captured(actions, site.url("/app"), render="never")
            kept = json.loads((await actions.evidence(app["capture"])).body)
            document = json.loads((await actions.evidence(app["document"])).body)
            rendered = (await actions.evidence(kept["rendered"])).body

    assert PROSE[0] in app["text"]
    assert (app["method"], plain["method"], never["method"]) == ("browser", "http", "http")
    assert (app["page_state"], never["page_state"]) == ("ok", "empty")
    assert kept["settings"]["render_why"] == "empty_shell"
    assert kept["settings"]["browser"].startswith("Chromium ")
    assert (kept["locale"], kept["time_zone"], kept["settings"]["viewport"]) == ("en-US", "UTC", "1280x800")
    assert digest(rendered) == kept["rendered"] == document["source"]
    assert kept["body"] != kept["rendered"]


async def test_picture_and_print_are_kept_as_blobs_and_asked_for_again_only_if_missing(tmp_path: Path) -> None:
    with Site(SITE) as site:
        async with opened(tmp_path) as actions:
            bare = await captured(actions, site.url("/plain"))
            said = await captured(actions, site.url("/plain"), screenshot=True, pdf=True, max_age=3600)
            again = await captured(actions, site.url("/plain"), screenshot=True, max_age=3600)
            picture = await actions.evidence(said["screenshot"])
            printed = await actions.evidence(said["pdf"])

    assert bare["screenshot"] is None
    assert (said["from_store"], again["from_store"]) == (False, True)
    assert again["capture"] == said["capture"]
    assert picture.body.startswith(b"\x89PNG")
    assert printed.body.startswith(b"%PDF-")


async def test_what_is_no_page_is_kept_as_it_came_and_says_so(tmp_path: Path) -> None:
    with Site(SITE) as site:
        async with opened(tmp_path) as actions:
            said = await captured(actions, site.url("/file"), render="always")

    assert said["method"] == "http"
    assert [w.partition(":")[0] for w in said["warnings"]] == ["not_rendered"]


@pytest.mark.parametrize(
    ("headers", "body", "what"),
    [
        ((HTML, ("Content-Disposition", "attachment; filename=x.html")), page(paragraphs()), "a download"),
        ((HTML,), gzip.compress(page(paragraphs()).encode()), "what is no text"),
        ((("Content-Type", "application/x-tar"),), b"\0\1\2", "application/x-tar"),
    ],
)
async def test_what_browsers_do_not_show_as_a_page_is_kept_as_it_came(
    tmp_path: Path, headers: tuple[tuple[str, str], ...], body: str | bytes, what: str
) -> None:
    with Site([Route("/robots.txt", 404), Route("/", 200, headers, body)]) as site:
        async with opened(tmp_path) as actions:
            seen = await captured(actions, site.url("/"), render="always")

    assert (seen["outcome"], seen["method"], seen["rendered"]) == ("ok", "http", None)
    assert f"not_rendered: {what} is kept as it came" in seen["warnings"]


async def test_xhtml_that_browsers_show_an_error_for_is_kept_as_it_came(tmp_path: Path) -> None:
    xhtml = (("Content-Type", "application/xhtml+xml"),)
    with Site([Route("/robots.txt", 404), Route("/", 200, xhtml, page(f"{paragraphs()}<br>"))]) as site:
        async with opened(tmp_path) as actions:
            seen = await captured(actions, site.url("/"), render="always")

    assert (seen["outcome"], seen["page_state"], seen["method"]) == ("ok", "ok", "http")
    assert PROSE[0] in seen["text"]
    assert [w.partition(":")[0] for w in seen["warnings"]] == ["not_rendered"]


async def test_a_page_of_frames_is_rendered_and_read_with_what_is_in_them(tmp_path: Path) -> None:
    inner = "<frameset><frame src=/file></frameset><noframes>Get a browser.</noframes>"
    frames = f"<frameset><frame src=/plain>{inner}</frameset>"
    with Site([*SITE, Route("/", body=f"<html><head><title>Port</title></head>{frames}</html>")]) as site:
        async with opened(tmp_path) as actions:
            seen = await captured(actions, site.url("/"))
            never = await captured(actions, site.url("/"), render="never")
            kept = json.loads((await actions.evidence(seen["capture"])).body)
            document = json.loads((await actions.evidence(seen["document"])).body)

    assert kept["settings"]["render_why"] == "frameset"
    assert PROSE[2] in seen["text"]
    assert "Only words." in document["visible"]
    assert PROSE[0] in document["visible"]
    assert "Get a browser." not in document["visible"]
    assert (never["page_state"], never["text"]) == ("empty", "")


async def test_a_page_that_leaves_for_the_inner_network_is_refused_if_it_was_to_be_rendered(tmp_path: Path) -> None:
    with Site(SITE) as site:
        async with opened(tmp_path) as actions:
            always = await captured(actions, site.url("/leave"), render="always")
            auto = await captured(actions, site.url("/leave"))

    assert (always["outcome"], always["reason"]) == ("refused", "render_refused")
    assert auto["outcome"] == "ok"


async def test_without_a_browser_a_page_that_needs_one_says_that_it_was_not_rendered(tmp_path: Path) -> None:
    with Site(SITE) as site:
        async with opened(tmp_path, chromium="off") as actions:
            said = told(await actions.capture(CaptureRequest(url=site.url("/app")), ME))

    assert said["type"].endswith(":empty-page")
    assert any(w.startswith("not_rendered: rendering is switched off") for w in said["warnings"])


async def test_the_words_of_a_challenge_are_never_handed_out_as_the_pages(tmp_path: Path) -> None:
    with Site(SITE) as site:
        async with opened(tmp_path) as actions:
            said = await captured(actions, site.url("/closed"))
            found = await searched(actions, "verifying human moment")

    assert (said["page_state"], said["text"], said["passages"]) == ("blocked", "", [])
    assert found["results"] == []


async def test_a_quotation_that_is_not_in_a_page_read_without_its_scripts_is_not_called_gone(tmp_path: Path) -> None:
    fares = "<main><h1>Fares</h1><p>A week ticket costs 61 crowns.</p><fare-card></fare-card></main><script>1</script>"
    with Site([Route("/robots.txt", 404), Route("/", body=page(fares))]) as site:
        async with opened(tmp_path, chromium="off") as actions:
            url = site.url("/")
            await captured(actions, url)
            request = RecheckRequest(quotations=(QuotationAsked(quote="A day ticket costs 14 crowns.", url=url),))
            found = told(await actions.recheck(request, ME))

    assert found["counts"] == {"inconclusive": 1}
