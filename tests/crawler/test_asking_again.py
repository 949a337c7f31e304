"""A page that was seen before is asked for in the same way, and only for what changed."""

from crawler import Like
from tests.crawler.fetching import fetcher
from tests.sites import HTML, Route, Site, redirect, robots

PAGE = "<p>The toll at the swing bridge ends on Friday.</p>"


async def test_a_site_that_says_nothing_changed_sends_no_body() -> None:
    routes = [robots(), Route("/a", 304, (), header=("If-None-Match", '"a1"')), Route("/a", body=PAGE)]
    with Site(routes) as site:
        async with fetcher() as asking:
            first = await asking.fetch(site.url("/a"))
            again = await asking.fetch(site.url("/a"), like=Like(site.url("/a"), etag='"a1"'))

    assert (first.status, first.body) == (200, PAGE.encode())
    assert (again.outcome, again.status, again.body) == ("ok", 304, None)


async def test_the_language_of_then_is_asked_for_and_noted() -> None:
    with Site([robots(), Route("/a", body=PAGE)]) as site:
        async with fetcher(accept_language="en") as asking:
            visit = await asking.fetch(site.url("/a"), like=Like(site.url("/a"), accept_language="tr"))
            plain = await asking.fetch(site.url("/a"), like=Like(site.url("/a")))
            asked = [one.get("Accept-Language") for one in site.requests if one.path == "/a"]

    assert asked == ["tr", None]
    assert (visit.settings["accept_language"], plain.settings["accept_language"]) == ("tr", None)


async def test_only_the_address_that_gave_a_mark_is_sent_it() -> None:
    routes = [robots(), redirect("/old", "/new"), Route("/new", 200, (HTML,), PAGE)]
    with Site(routes) as site:
        async with fetcher() as asking:
            like = Like(site.url("/new"), etag='"a1"', last_modified="Sun, 29 Nov 2026 19:28:36 GMT")
            await asking.fetch(site.url("/old"), like=like)
            marks = {one.path: (one.get("If-None-Match"), one.get("If-Modified-Since")) for one in site.requests}

    assert marks["/old"] == (None, None)
    assert marks["/new"] == ('"a1"', "Sun, 29 Nov 2026 19:28:36 GMT")


async def test_marks_that_cannot_stand_in_a_header_are_not_sent() -> None:
    with Site([robots(), Route("/a", body=PAGE)]) as site:
        async with fetcher() as asking:
            visit = await asking.fetch(
                site.url("/a"), like=Like(site.url("/a"), accept_language="en\r\nX: 1", etag='"\u00e9\n"')
            )

    assert visit.outcome == "ok"
    assert not {name.lower() for name, _ in visit.hops[-1].request_headers} & {"accept-language", "if-none-match", "x"}
