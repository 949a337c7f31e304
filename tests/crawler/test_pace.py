import asyncio
import datetime as dt
from collections.abc import Callable
from math import inf
from pathlib import Path

import pytest

from crawler.errors import PaceHeld
from crawler.pace import MAX_CRAWL_DELAY, MAX_HOLD, Pace, retry_after
from service.sharing_pace import PaceInState
from snapshots import State
from tests.crawler.fetching import fetcher
from tests.network import TurnedClock
from tests.sites import HTML, Route, Site, robots

Sites = Callable[..., Site]
NOW = dt.datetime(2026, 3, 1, 12, 0, tzinfo=dt.UTC)


async def test_requests_to_one_host_are_kept_apart_and_others_do_not_wait() -> None:
    clock = TurnedClock()
    pace = Pace(clock, delay=2.0, concurrency=1)
    starts: list[tuple[str, float]] = []

    for host in ("a.test", "b.test", "a.test", "b.test", "a.test"):
        async with pace.turn(host, MAX_HOLD):
            starts.append((host, clock.monotonic() - 1000.0))

    assert [at for host, at in starts if host == "a.test"] == [0.0, 2.0, 4.0]
    assert [at for host, at in starts if host == "b.test"] == [0.0, 2.0]


async def test_no_more_than_so_many_are_under_way_at_once() -> None:
    pace = Pace(TurnedClock(), delay=0.0, concurrency=3)
    under_way = most = 0

    async def visit() -> None:
        nonlocal under_way, most
        async with pace.turn("a.test", MAX_HOLD):
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0.01)
            under_way -= 1

    await asyncio.gather(*(visit() for _ in range(12)))

    assert most == 3


async def test_a_crawl_delay_is_honoured_up_to_a_limit() -> None:
    clock = TurnedClock()
    pace = Pace(clock, delay=0.5, concurrency=4)
    pace.slow_down("slow.test", 7.0)
    pace.slow_down("absurd.test", 86_400.0)

    for host in ("slow.test", "slow.test", "absurd.test", "absurd.test"):
        async with pace.turn(host, MAX_HOLD):
            pass

    assert clock.slept == [7.0, MAX_CRAWL_DELAY]


async def test_a_hold_is_waited_for_if_there_is_time_and_told_if_not() -> None:
    clock = TurnedClock()
    pace = Pace(clock, delay=0.0, concurrency=1)
    pace.hold("a.test", 20.0)

    with pytest.raises(PaceHeld) as held:
        async with pace.turn("a.test", 5.0):
            pass
    async with pace.turn("a.test", 60.0) as slowed:
        pass

    assert held.value.seconds == 20.0
    assert clock.slept == [20.0]
    assert slowed == 0.0


async def test_who_is_patient_asks_a_host_in_trouble_more_slowly_until_it_is_well() -> None:
    clock = TurnedClock()
    pace = Pace(clock, delay=1.0, concurrency=1)

    for trouble in (True, True, False, False, False):
        async with pace.turn("a.test", MAX_HOLD, patience=inf):
            pace.answered("a.test", trouble=trouble)
    patient = list(clock.slept)
    async with pace.turn("a.test", MAX_HOLD):
        pass

    assert patient == pytest.approx([2.0, 3.0, 2.6, 2.28])
    assert clock.slept[-1] == pytest.approx(1.0)


async def test_who_has_less_patience_waits_no_longer_than_that_for_a_host_in_trouble() -> None:
    clock = TurnedClock()
    pace = Pace(clock, delay=1.0, concurrency=1)
    for _ in range(4):
        pace.answered("a.test", trouble=True)
    told = []

    async with pace.turn("a.test", MAX_HOLD, patience=3.0):
        pass
    for patience in (3.0, 0.5, 0.0, 20.0):
        async with pace.turn("a.test", MAX_HOLD, patience=patience) as slowed:
            told.append(slowed)

    assert clock.slept == pytest.approx([3.0, 1.0, 1.0, 9.0])
    assert told == pytest.approx([2.0, 0.0, 0.0, 8.0])


async def test_a_single_fetch_waits_for_a_site_in_trouble_and_says_so(site: Sites) -> None:
    clock = TurnedClock()
    place = site(Route("/busy", 503), Route("*", body="fine"))

    async with fetcher(clock=clock) as web:
        for _ in range(4):
            await web.fetch(place.url("/busy"), robots="ignore")
        before = list(clock.slept)
        hurried = await web.fetch(place.url("/hurried"), robots="ignore", deadline=8.0)
        usual = await web.fetch(place.url("/usual"), robots="ignore", deadline=30.0)
        crawled = await web.fetch(place.url("/crawled"), robots="ignore", patient=True)

    assert before == pytest.approx([1.0, 2.0, 2.5], abs=0.1)  # a quarter of ten seconds at most
    assert clock.slept[len(before) :] == pytest.approx([2.0, 5.0, 5.1], abs=0.1)
    waited = [[one for one in visit.warnings if "slowed_down" in one] for visit in (hurried, usual, crawled)]
    assert [one[0].partition(" seconds")[0] for one in waited] == [
        "slowed_down: waited 2.0",
        "slowed_down: waited 5.0",
        "slowed_down: waited 5.1",
    ]


async def test_a_single_fetch_of_a_site_that_is_well_waits_for_nothing_and_says_nothing(site: Sites) -> None:
    clock = TurnedClock()
    place = site(Route("*", body="fine"))

    async with fetcher(clock=clock, delay=1.0) as web:
        visits = [await web.fetch(place.url(path), robots="ignore") for path in ("/a", "/b")]

    assert clock.slept == pytest.approx([1.0])
    assert [visit.warnings for visit in visits] == [(), ()]


async def test_requests_that_were_under_way_together_meet_one_trouble() -> None:
    clock = TurnedClock()
    pace = Pace(clock, delay=0.0, concurrency=4)

    began = pace.now()
    clock.turn(5.0)
    for _ in range(4):
        pace.answered("a.test", trouble=True, began=began)
    for _ in range(2):
        async with pace.turn("a.test", MAX_HOLD, patience=inf):
            pass
    pace.answered("a.test", trouble=True, began=pace.now())
    async with pace.turn("a.test", MAX_HOLD, patience=inf):
        pass

    assert clock.slept == pytest.approx([1.0, 2.0])


async def test_processes_on_one_database_keep_the_pace_of_a_host_together(tmp_path: Path) -> None:
    clock = TurnedClock()
    states = [State.open(f"sqlite:///{tmp_path}/state.db") for _ in range(2)]
    one, other = (Pace(clock, delay=2.0, concurrency=4, shared=PaceInState(each, clock.now)) for each in states)
    starts = []

    for pace in (one, other, one, other):
        async with pace.turn("a.test", MAX_HOLD):
            starts.append(clock.monotonic() - 1000.0)
    one.hold("a.test", 90.0)
    await asyncio.gather(*one._telling)
    with pytest.raises(PaceHeld) as held:
        async with other.turn("a.test", 30.0):
            pass
    async with other.turn("b.test", 30.0) as waited:
        pass
    for each in states:
        each.close()

    assert starts == [0.0, 2.0, 4.0, 6.0]
    assert 80 < held.value.seconds <= 90
    assert waited == 0.0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 7 ", 7.0),
        ("0", 0.0),
        ("Sun, 01 Mar 2026 12:01:30 GMT", 90.0),
        ("Sunday, 01-Mar-26 12:01:30 GMT", 90.0),
        ("Sun Mar  1 12:01:30 2026", 90.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
        ("99999999999999999999", 86_400.0),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("", None),
        (None, None),
        ("Sun, 99 Mar 2026 12:01:30 GMT", None),
        ("١٢", None),
    ],
)
def test_retry_after_is_read_in_all_its_forms(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, NOW) == seconds


async def test_a_site_that_asks_for_fewer_requests_is_left_alone_for_as_long_as_it_says(site: Sites) -> None:
    clock = TurnedClock()
    place = site(
        Route("/", 429, (HTML, ("Retry-After", "40")), "slow down", hit=1),
        Route("/busy", 503, (HTML, ("Retry-After", "15"))),
        Route("*", body="fine"),
    )

    async with fetcher(clock=clock) as web:
        limited = await web.fetch(place.url())
        held = await web.fetch(place.url("/other"), deadline=10)
        asked_meanwhile = place.asked("/other")
        patient = await web.fetch(place.url("/other"), patient=True)
        busy = await web.fetch(place.url("/busy"))
        after = await web.fetch(place.url("/after"), patient=True)

    assert (limited.outcome, limited.reason, limited.retry_after) == ("rate_limited", "status_429", 40.0)
    assert limited.body == b"slow down"
    assert (held.outcome, held.reason, held.status) == ("rate_limited", "held", None)
    assert (held.retry_after or 0) > 30
    assert asked_meanwhile == 0
    assert (busy.outcome, busy.status, busy.retry_after) == ("ok", 503, 15.0)
    assert [patient.outcome, after.outcome] == ["ok", "ok"]
    assert [round(seconds) for seconds in clock.slept] == [40, 1, 15]  # one second as the site had had trouble


async def test_the_crawl_delay_of_robots_txt_sets_the_pace_but_not_within_redirects(site: Sites) -> None:
    clock = TurnedClock()
    place = site(
        robots("User-agent: *\nCrawl-delay: 3\n"), Route("/a", 302, (("Location", "/b"),)), Route("/b", body="x")
    )

    async with fetcher(clock=clock) as web:
        for _ in range(3):
            await web.fetch(place.url("/a"), patient=True)

    assert clock.slept == [3.0, 3.0]


async def test_a_patient_fetch_does_not_count_the_wait_for_its_turn(site: Sites) -> None:
    place = site(Route("*", body="x"))

    async with fetcher(delay=2.0) as web:
        await web.fetch(place.url("/first"))
        hurried = asyncio.create_task(web.fetch(place.url("/hurried"), deadline=1.0))
        patient = asyncio.create_task(web.fetch(place.url("/patient"), deadline=1.0, patient=True))
        visits = await asyncio.gather(hurried, patient)

    assert [visit.outcome for visit in visits] == ["timeout", "ok"]
