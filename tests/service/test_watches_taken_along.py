"""What a watch found goes into bundles with the watch, and verifies there."""

import zipfile
from pathlib import Path

from service.requests import BundleRequest
from snapshots import Trust, verify_path
from tests.service.opened import ME
from tests.service.test_watching import SHORTER, Changing
from tests.service.watched import watching


async def test_an_alarm_can_be_taken_along_as_evidence_that_verifies(tmp_path: Path) -> None:
    place = Changing()
    with place.site as site:
        async with watching(tmp_path / "data") as here:
            watch = await here.add(urls=(site.url("/bridge"),), webhook="https://hooks.example/a-secret-path")
            place.says(SHORTER)
            await here.later(hours=25)
            alarm = (await here.show(watch["id"]))["alarms_shown"][0]["id"]
            made = await here.actions.bundle(BundleRequest(ids=(alarm,)), ME, lambda *_: None)
            data = made.file.read(made.size)
            made.file.close()
    (tmp_path / "alarm.wacz").write_bytes(data)

    with zipfile.ZipFile(tmp_path / "alarm.wacz") as bundle:
        members = b"".join(bundle.read(name) for name in bundle.namelist())
    found = verify_path(tmp_path / "alarm.wacz", Trust())

    assert {one.claim: one.detail for one in found.claims if one.result == "fails"} == {}
    assert watch["id"].removeprefix("sha256:").encode() in members
    assert b"a-secret-path" not in members
