"""One look at an address: the visit, a browser where the page needs one, the reading, and the records of it all."""

from dataclasses import dataclass, field

from crawler import NoBrowser, NotRendered, Reading, RenderMode, RobotsMode, Visit, Wanted
from service.observing import Observation, Shown, observe
from service.parts import Parts

HTML = frozenset({"text/html", "application/xhtml+xml"})
ILL_FORMED = "render_ill_formed"
"""Why a page is kept as it came though it was to be rendered: readers of it see an error of their browser."""
BEST_HTTP_WORDS = 60
"""A page whose HTML has this many words is not given up for a rendering that shows less than half of them."""


@dataclass(frozen=True)
class Wish:
    """Whether a page is to be rendered, and what is to be kept of it beside its text. None: as the settings say."""

    mode: RenderMode | None = None
    wanted: Wanted = field(default_factory=Wanted)
    accept_bad_certificate: bool = False

    def asked(self, by_default: RenderMode) -> RenderMode:
        """A picture or a print is one of a rendered page."""
        return "always" if self.wanted.screenshot or self.wanted.pdf else self.mode or by_default


AS_SET = Wish()


async def look(
    parts: Parts,
    url: str,
    *,
    robots: RobotsMode,
    crawl: str | None = None,
    patient: bool = False,
    wish: Wish = AS_SET,
) -> Observation:
    """One visit and, if a whole answer came, its reading. Keeps nothing. `patient` visits wait for their turn.

    Raises:
        NoBrowser: the page was to be rendered whatever it is, and there is nothing to do it with.
    """
    visit = await parts.fetcher.fetch(
        url, robots=robots, patient=patient, accept_bad_certificate=wish.accept_bad_certificate
    )
    return await look_at(parts, visit, crawl=crawl, wish=wish)


async def look_at(parts: Parts, visit: Visit, *, crawl: str | None = None, wish: Wish = AS_SET) -> Observation:
    """The same for a visit that was made already."""
    mode = wish.asked(parts.settings.render)
    if visit.outcome != "ok" or visit.body is None:
        return observe(visit, None, crawl=crawl)
    # What is rendered whatever it says is read once, as it was shown.
    reading = await _read(parts, visit, glance=mode == "always")
    why = _why(mode, reading)
    if why is None:
        return observe(visit, reading, crawl=crawl)
    what = _no_page(visit, reading)
    if what is not None:
        reading = await _read(parts, visit) if mode == "always" else reading
        return observe(visit, reading, crawl=crawl, shown=Shown(warnings=(f"not_rendered: {what} is kept as it came",)))
    return await _rendered(parts, visit, reading, why, mode, wish.wanted, crawl)


def _no_page(visit: Visit, reading: Reading) -> str | None:
    """What an answer is that browsers do not show as a page; None if they do."""
    if reading.media_type not in HTML:
        return reading.media_type or "what has no type"
    if reading.outcome == "unreadable":
        return "what is no text"
    said = [value for name, value in visit.hops[-1].response_headers if name.lower() == "content-disposition"]
    return "a download" if said and said[-1].partition(";")[0].strip().lower() == "attachment" else None


def _why(mode: RenderMode, reading: Reading) -> str | None:
    if mode == "never":
        return None
    return "asked" if mode == "always" else reading.needs_browser


async def _rendered(
    parts: Parts, visit: Visit, reading: Reading, why: str, mode: RenderMode, wanted: Wanted, crawl: str | None
) -> Observation:
    """The page as a browser shows it; where it cannot, the page as it came, and why."""
    charset = reading.charset.name if reading.charset else None
    try:
        rendered = await parts.renderer.render(visit, wanted, charset=charset)
    except (NoBrowser, NotRendered) as error:
        told = Shown(why=why, warnings=(f"not_rendered: {error} (it was tried because of: {why})",))
        if mode == "always":
            if isinstance(error, NoBrowser):
                raise
            if error.reason != ILL_FORMED:
                told = Shown(why=why, failure=error)
            reading = await _read(parts, visit)
        return observe(visit, reading, crawl=crawl, shown=told)
    last = rendered.navigations[-1] if rendered.navigations else None
    seen = await parts.readers.read(
        rendered.document,
        media_type="text/html",
        charset="utf-8",
        url=last.url if last else visit.final,
        at=visit.retrieved_at,
        status=last.status if last else visit.status,
        asked=visit.asked,
        headers=last.headers if last else visit.hops[-1].response_headers,
    )
    if mode == "auto" and len(reading.text.split()) > max(BEST_HTTP_WORDS, 2 * len(seen.text.split())):
        less = "not_rendered: the browser showed less than half of what the page came with"
        return observe(visit, reading, crawl=crawl, shown=Shown(why=why, warnings=(less,)))
    return observe(visit, seen, crawl=crawl, shown=Shown(rendered, parts.renderer.settings, why))


async def _read(parts: Parts, visit: Visit, *, glance: bool = False) -> Reading:
    return await parts.readers.read(
        visit.body or b"",
        media_type=visit.media_type,
        charset=visit.charset_header,
        url=visit.final,
        at=visit.retrieved_at,
        status=visit.status,
        asked=visit.asked,
        headers=visit.hops[-1].response_headers if visit.hops else (),
        glance=glance,
    )
