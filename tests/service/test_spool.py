"""A bucket that refuses: what was fetched from the web is not lost."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from service.errors import problem_of
from service.requests import RemovalRequest, UploadRequest
from service.spool import MAX_BYTES, KeptForRetry
from snapshots import StoreFull, StoreRefused, StoreUnreachable, open_store
from tests.plain_s3 import Rules, plain_s3
from tests.service.opened import HARBOUR, ME, TOLL, captured, opened, searched
from tests.sites import Site
from tests.snapshots.faulty import WRITES, FaultyStore


class Refusal:
    """A gate that lets nothing be written while it has an error."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.calls = WRITES

    def __call__(self, call: str, _names: Sequence[str]) -> None:
        if self.error is not None and call in self.calls:
            raise self.error


class LosesItsAnswer(FaultyStore):
    """Takes a commit, and is gone before it says so."""

    armed = False

    def swap(self, name: str, data: bytes, expected: str | None, *, after: Mapping[str, bytes] | None = None) -> str:
        token = super().swap(name, data, expected, after=after)
        if self.armed:
            assert isinstance(self.gate, Refusal)
            self.gate.error, self.gate.calls = StoreUnreachable("gone"), WRITES | {"read", "get"}
            raise self.gate.error
        return token


@pytest.fixture
def site() -> Iterator[Site]:
    with Site(HARBOUR) as played:
        yield played


ERRORS = [
    (StoreRefused("no", setting="CITATOR_S3_CHECKSUMS"), "bucket-refused"),
    (StoreUnreachable("no answer"), "bucket-unreachable"),
    (StoreFull("no room"), "disk-full"),
]


@pytest.mark.parametrize(("error", "slug"), ERRORS)
async def test_a_page_that_the_bucket_refused_is_named_and_kept_with_the_next_that_it_takes(
    tmp_path: Path, site: Site, error: Exception, slug: str
) -> None:
    gate = Refusal()
    store = FaultyStore(open_store(tmp_path / "bucket"), gate)
    async with opened(tmp_path / "data", store=store) as actions:
        gate.error = error
        with pytest.raises(KeptForRetry) as raised:
            await captured(actions, site.url("/bridge"))
        waiting = list((tmp_path / "data" / "spool").iterdir())
        before = await actions.captures(site.url("/bridge"), limit=10, before=None, caller=ME)
        gate.error = None
        await captured(actions, site.url("/ferry"))
        after = await actions.captures(site.url("/bridge"), limit=10, before=None, caller=ME)
        found = await searched(actions, "toll swing bridge")

    problem = problem_of(raised.value)
    assert problem.slug == slug
    assert str(error) in problem.detail
    assert [str(path) in problem.detail for path in waiting] == [True]
    assert (len(before["captures"]), len(after["captures"])) == (0, 1)
    assert TOLL in found["results"][0]["passages"][0]["text"]
    assert list((tmp_path / "data" / "spool").iterdir()) == []


async def test_what_waits_is_kept_at_the_next_start_by_doctor_and_before_a_removal(tmp_path: Path, site: Site) -> None:
    gate = Refusal()
    kept = {}
    for way in ("start", "doctor", "removal"):
        store = FaultyStore(open_store(tmp_path / "bucket"), gate)
        url = site.url(f"/?{way}")
        async with opened(tmp_path / "data", store=store) as actions:
            gate.error = StoreUnreachable("no answer")
            with pytest.raises(KeptForRetry):
                await captured(actions, url)
            gate.error = None
        async with opened(tmp_path / "data", store=store, resume=way == "start") as actions:
            if way == "doctor":
                await actions.doctor(deep=False, progress=lambda *_: None)
            if way == "removal":
                said = await actions.remove(RemovalRequest(url=url), ME)
                assert "capture" in {one["kind"] for one in said["removed"]}
            listed = await actions.captures(url, limit=10, before=None, caller=ME)
            kept[way] = len(listed["captures"])

    assert kept == {"start": 1, "doctor": 1, "removal": 0}
    assert list((tmp_path / "data" / "spool").iterdir()) == []


async def test_a_page_that_was_kept_after_all_is_not_kept_twice(tmp_path: Path, site: Site) -> None:
    gate = Refusal()
    store = LosesItsAnswer(open_store(tmp_path / "bucket"), gate)
    async with opened(tmp_path / "data", store=store) as actions:
        store.armed = True
        with pytest.raises(KeptForRetry):
            await captured(actions, site.url("/bridge"))
        store.armed, gate.error, gate.calls = False, None, WRITES
        await captured(actions, site.url("/ferry"))
        listed = await actions.captures(site.url("/bridge"), limit=10, before=None, caller=ME)

    assert len(listed["captures"]) == 1
    assert list((tmp_path / "data" / "spool").iterdir()) == []


async def test_an_upload_does_not_wait_since_its_owner_still_has_it(tmp_path: Path) -> None:
    gate = Refusal()
    store = FaultyStore(open_store(tmp_path / "bucket"), gate)
    async with opened(tmp_path / "data", store=store) as actions:
        gate.error = StoreFull("no room")
        with pytest.raises(StoreFull):
            await actions.upload(UploadRequest(body=b"Some words of mine.", media_type="text/plain"), ME)

    assert not (tmp_path / "data" / "spool").exists()


async def test_a_damaged_file_is_set_aside_and_told(tmp_path: Path, site: Site) -> None:
    gate = Refusal()
    store = FaultyStore(open_store(tmp_path / "bucket"), gate)
    async with opened(tmp_path / "data", store=store) as actions:
        gate.error = StoreFull("no room")
        with pytest.raises(KeptForRetry):
            await captured(actions, site.url("/bridge"))
        gate.error = None
        (file,) = (tmp_path / "data" / "spool").iterdir()
        file.write_bytes(file.read_bytes()[:-1])
        report = await actions.doctor(deep=False, progress=lambda *_: None)

    told = {check["check"]: check for check in report["checks"]}["waiting"]
    assert told["result"] == "warning"
    assert "damaged" in told["detail"]


async def test_a_server_that_refuses_to_write_is_named_with_its_setting(tmp_path: Path, site: Site) -> None:
    with plain_s3() as server:
        store = open_store("s3://bucket", **server.options)
        async with opened(tmp_path / "data", store=store) as actions:
            server.rules = Rules(writes=(403, "AccessDenied"))
            with pytest.raises(KeptForRetry) as raised:
                await captured(actions, site.url("/bridge"))
            server.rules = Rules()
            await captured(actions, site.url("/ferry"))
            listed = await actions.captures(site.url("/bridge"), limit=10, before=None, caller=ME)

    told = problem_of(raised.value)
    assert (told.slug, str(told.members["setting"])[:10]) == ("bucket-refused", "CITATOR_S3")
    assert "waits in" in told.detail
    assert len(listed["captures"]) == 1


async def test_more_than_may_wait_is_told_as_lost(tmp_path: Path, site: Site) -> None:
    gate = Refusal()
    store = FaultyStore(open_store(tmp_path / "bucket"), gate)
    async with opened(tmp_path / "data", store=store) as actions:
        (tmp_path / "data" / "spool").mkdir()
        with (tmp_path / "data" / "spool" / "000000000001.batch").open("wb") as file:
            file.truncate(MAX_BYTES)
        gate.error = StoreFull("no room")
        with pytest.raises(KeptForRetry, match="is lost"):
            await captured(actions, site.url("/bridge"))
