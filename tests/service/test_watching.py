"""Sources that are visited from time to time: when, what is told of them, and what survives."""

import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from crawler import AddressRefused, BadAddress
from service.failures import BadRequest, UnknownWatch, WatchEnded
from service.requests import RemovalRequest
from tests.receiver import receiving
from tests.service.opened import BRIDGE, FERRY, ME, page
from tests.service.test_rechecking import OPEN, SHORTER, cited
from tests.service.watched import HOUR, TurnedForward, watching
from tests.sites import HTML, Route, Site

NOISY = BRIDGE.replace("<main>", "<aside><p>1,024 visitors since noon.</p></aside><main>")
DAY = 24 * HOUR


class Changing:
    """A page that says what the test sets."""

    def __init__(self) -> None:
        self.site = Site([OPEN, Route("/bridge", body=BRIDGE), Route("/ferry", body=FERRY)])

    def says(self, body: str, status: int = 200) -> None:
        """From now on."""
        self.site.routes[:] = [OPEN, Route("/bridge", status, (HTML,), body), Route("/ferry", body=FERRY)]

    @property
    def visits(self) -> int:
        """Requests for the page so far."""
        return [one.path for one in self.site.requests].count("/bridge")


@pytest.mark.slow
async def test_a_change_is_told_once_and_again_when_it_changed_again_or_came_back(tmp_path: Path) -> None:
    place = Changing()
    with place.site as site, receiving() as receiver:
        async with watching(tmp_path) as here:
            seen = await cited(here.actions, site.url("/bridge"))
            watch = await here.add(ids=(seen["passage"],), webhook=receiver.url, name="the toll")
            await here.later(days=1)
            quiet = len(receiver.bodies)
            place.says(SHORTER)
            for _ in range(3):
                await here.later(days=7)
            once = len(receiver.bodies)
            place.says(BRIDGE.replace("ends on Friday", "ends on Sunday"))
            await here.later(days=7)
            place.says(BRIDGE)
            await here.later(days=7)
            await here.later(days=7)
            found = await here.show(watch["id"])

    assert (quiet, once, len(receiver.bodies)) == (0, 1, 3)
    assert [one["event"] for one in receiver.alarms] == ["changed", "changed", "returned"]
    assert "Friday" in receiver.alarms[0]["passages"][0]["quote"]
    assert "Monday" in receiver.alarms[0]["passages"][0]["now"]
    assert receiver.signed(watch["secret"])
    assert not receiver.signed("whsec_another")
    assert [one["state"] for one in found["deliveries"]] == ["delivered"] * 3
    assert "secret" not in found
    assert found["standing"] == 0


@pytest.mark.slow
async def test_noise_and_pages_that_are_not_themselves_alarm_nobody(tmp_path: Path) -> None:
    place = Changing()
    login = "<html><title>Log in</title><h1>Log in</h1><form><input name=user><input type=password></form></html>"
    with place.site as site:
        async with watching(tmp_path) as here:
            seen = await cited(here.actions, site.url("/bridge"))
            watch = await here.add(ids=(seen["passage"],))
            verdicts = []
            for body, status in ((NOISY, 200), ("slow down", 429), (login, 200), ("", 503), (BRIDGE, 200)):
                place.says(body, status)
                await here.later(days=8)
                verdicts.append((await here.show(watch["id"]))["sources"][0]["verdict"])
            found = await here.show(watch["id"])

    assert found["alarms"] == 0
    assert verdicts[1:4] == ["inconclusive"] * 3
    assert found["sources"][0]["capture"] == seen["capture"]


@pytest.mark.slow
async def test_the_time_between_visits_follows_how_often_a_source_changes(tmp_path: Path) -> None:
    place = Changing()
    with place.site as site:
        async with watching(tmp_path) as here:
            seen = await cited(here.actions, site.url("/bridge"))
            watch = await here.add(ids=(seen["passage"],), min_interval=10 * HOUR, max_interval=3 * DAY)

            async def interval() -> int:
                return int((await here.show(watch["id"]))["sources"][0]["interval"])

            paces = [await interval()]
            await here.later(hours=12)
            early = place.visits
            for body in (BRIDGE, BRIDGE, BRIDGE, SHORTER, FERRY, BRIDGE, SHORTER):
                place.says(body)
                await here.later(days=3)
                paces.append(await interval())

    assert early == 1
    assert paces == [DAY, 1.5 * DAY, 2.25 * DAY, 3 * DAY, 1.5 * DAY, 0.75 * DAY, 10 * HOUR, 10 * HOUR]


async def test_calendar_and_alarms_come_out_the_same_after_a_restart_and_a_rebuild(tmp_path: Path) -> None:
    place = Changing()
    clock = TurnedForward()
    with place.site as site, receiving() as receiver:
        async with watching(tmp_path, clock) as here:
            seen = await cited(here.actions, site.url("/bridge"))
            watch = await here.add(ids=(seen["passage"],), webhook=receiver.url)
            place.says(SHORTER)
            await here.later(days=2)
            before = await here.show(watch["id"])
            fed = await here.actions.watches.feed(watch["id"])
        for name in ("catalogue.db", "catalogue.db-wal", "catalogue.db-shm"):
            (tmp_path / name).unlink(missing_ok=True)
        shutil.rmtree(tmp_path / "index")
        async with watching(tmp_path, clock) as here:
            after = await here.show(watch["id"])
            again = await here.actions.watches.feed(watch["id"])
            await here.rounds.go_round()
            visits = place.visits
            await here.actions.rebuild(lambda *_: None)
            rebuilt = await here.show(watch["id"])
            await here.later(days=7)

    assert before == after == rebuilt
    assert fed == again
    assert visits == 3
    assert len(receiver.bodies) == 1


async def test_a_watch_can_be_paused_goes_on_and_ends(tmp_path: Path) -> None:
    place = Changing()
    with place.site as site:
        async with watching(tmp_path) as here:
            watch = await here.add(urls=(site.url("/bridge"),))
            paused = await here.actions.watches.change(watch["id"], "paused", ME)
            await here.later(days=8)
            asleep = place.visits
            await here.actions.watches.change(watch["id"], "resumed", ME)
            await here.later(seconds=1)
            awake = place.visits
            ended = await here.actions.watches.change(watch["id"], "ended", ME)
            await here.later(days=8)
            with pytest.raises(WatchEnded):
                await here.actions.watches.change(watch["id"], "resumed", ME)
            listed = (await here.actions.watches.listed())["watches"]

    assert (paused["state"], paused["next_visit"], ended["state"]) == ("paused", None, "ended")
    assert (asleep, awake, place.visits) == (1, 2, 2)
    assert [one["state"] for one in listed] == ["ended"]


async def test_a_page_is_visited_once_for_all_its_watches(tmp_path: Path) -> None:
    place = Changing()
    with place.site as site:
        async with watching(tmp_path) as here:
            seen = await cited(here.actions, site.url("/bridge"))
            one = await here.add(ids=(seen["passage"],))
            other = await here.add(urls=(site.url("/bridge"),), min_interval=12 * HOUR)
            await here.later(hours=25)
            shown = [await here.show(watch["id"]) for watch in (one, other)]

    assert place.visits == 2
    assert [watch["sources"][0]["visits"] for watch in shown] == [1, 1]


@pytest.mark.slow
async def test_a_receiver_that_is_down_is_tried_again_and_given_up_in_the_end(tmp_path: Path) -> None:
    place = Changing()
    with place.site as site, receiving(503, 500, 200) as slow, receiving(410) as gone, receiving(301) as away:
        async with watching(tmp_path) as here:
            watches = [await here.add(urls=(site.url("/bridge"),), webhook=one.url) for one in (slow, gone, away)]
            place.says(SHORTER)
            await here.later(days=1)
            await here.later(seconds=5)
            early = len(slow.bodies)
            for _ in range(10):
                await here.later(days=1)
            states = [(await here.show(watch["id"]))["deliveries"][0] for watch in watches]

    assert early == 1
    assert len({one["id"] for one in slow.alarms}) == 1
    assert [one["x-citator-attempt"] for one in slow.headers] == ["1", "2", "3"]
    assert [one["state"] for one in states] == ["delivered", "given_up", "given_up"]
    assert [one["attempts"] for one in states] == [3, 1, 7]
    assert len(away.bodies) == 7
    assert "redirect" in str(states[2]["detail"])


async def test_alarms_go_to_no_address_of_the_inner_network_but_to_those_the_operator_named(tmp_path: Path) -> None:
    place = Changing()
    with place.site as site, receiving() as receiver:
        async with watching(tmp_path / "shut") as here:
            seen = await cited(here.actions, site.url("/bridge"))
            with pytest.raises(AddressRefused):
                await here.add(ids=(seen["passage"],), webhook="http://10.0.0.1/hook")
            with pytest.raises(AddressRefused):
                await here.add(ids=(seen["passage"],), webhook="https://hooks.example:25/")
            with pytest.raises(BadAddress):
                await here.add(ids=(seen["passage"],), webhook="file:///etc/passwd")
            none = await here.actions.watches.listed()
        async with watching(tmp_path / "shut", allow_addresses=(), webhook_origins=(receiver.url,)) as here:
            named = await here.add(ids=(seen["passage"],), webhook=receiver.url)

    assert none["watches"] == []
    assert named["webhook"] == receiver.url.removesuffix("/alarms")


async def test_what_cannot_be_watched_is_named(tmp_path: Path) -> None:
    with Site([OPEN, Route("/*", 404, (HTML,), page("Not found", "There is no such page here."))]) as site:
        async with watching(tmp_path) as here:
            with pytest.raises(BadRequest, match="no page that could be watched"):
                await here.add(urls=(site.url("/nowhere"),))
            with pytest.raises(UnknownWatch):
                await here.show("0" * 64)


async def test_what_was_removed_is_no_longer_visited_and_the_watch_says_so(tmp_path: Path) -> None:
    place = Changing()
    with place.site as site, receiving() as receiver:
        async with watching(tmp_path) as here:
            watch = await here.add(urls=(site.url("/bridge"), site.url("/ferry")), webhook=receiver.url)
            place.says(SHORTER)
            await here.later(days=2)
            await here.actions.remove(RemovalRequest(url=site.url("/bridge")), ME)
            visits = place.visits
            await here.later(days=8)
            found = await here.show(watch["id"])
            fed = await here.actions.watches.feed(None)

    assert place.visits == visits
    assert len(receiver.bodies) == 1
    assert found["sources"][1]["visits"] == 2
    assert b"Friday" not in fed
    assert b"(removed)" in fed


async def test_a_feed_keeps_its_id_under_another_log_key(tmp_path: Path) -> None:
    async with watching(tmp_path) as here:
        before = await here.actions.watches.feed(None)
        await here.actions.log_key_rotate()
        after = await here.actions.watches.feed(None)

    assert before == after
    assert b"<updated>1970-01-01T00:00:00.000Z</updated>" in after


async def test_feeds_are_well_formed_whatever_pages_and_names_hold(tmp_path: Path) -> None:
    place = Changing()
    atom = "{http://www.w3.org/2005/Atom}"
    with place.site as site:
        async with watching(tmp_path) as here:
            watch = await here.add(urls=(site.url("/bridge"),), name='<b>&"toll"</b>\x0b')
            place.says(BRIDGE.replace("ends on Friday", "ends on &lt;script&gt;Monday&lt;/script&gt;&#11;"))
            await here.later(hours=25)
            whole, own = await here.actions.watches.feed(None), await here.actions.watches.feed(watch["id"])

    for body in (whole, own):
        root = ET.fromstring(body)
        (entry,) = root.findall(f"{atom}entry")
        assert '<b>&"toll"</b>' in str(entry.findtext(f"{atom}title"))
        assert "<script>Monday</script>" in str(entry.findtext(f"{atom}content"))
        assert str(entry.findtext(f"{atom}id")).startswith("urn:citator:alarm:")
        assert entry.findtext(f"{atom}updated") == root.findtext(f"{atom}updated")
