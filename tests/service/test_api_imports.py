"""Files with evidence of others through the doors: bytes over the network, paths on the machine itself."""

from dataclasses import replace
from pathlib import Path

from service.exchange import Exchange
from service.remote import Remote
from service.requests import ArchiveRequest, BundleImport
from tests.service.asking import Asker
from tests.service.opened import ME
from tests.service.serving import served
from tests.service.small_citator import SmallCitator, id_of


async def test_the_bytes_of_an_archive_arrive_whole(ask: Asker, citator: SmallCitator) -> None:
    answer = await ask("POST", "/api/v1/archives?name=a.warc", body=b"WARC" * 100_000)

    assert answer.status == 200
    assert answer.json["captures"][0]["capture"] == id_of(b"WARC" * 100_000)
    assert citator.asked[-1] == (b"WARC" * 100_000, ArchiveRequest(name="a.warc"))


async def test_who_may_fetch_may_add_archives_and_who_may_only_read_may_not(ask: Asker, citator: SmallCitator) -> None:
    reader, fetcher = replace(ask, key=citator.key("read")), replace(ask, key=citator.key("fetch"))

    refused = await reader("POST", "/api/v1/archives", body=b"x")
    taken = await fetcher("POST", "/api/v1/archives", body=b"x")

    assert (refused.status, taken.status) == (403, 200)


async def test_a_path_of_the_machine_is_taken_through_the_local_socket_only(ask: Asker, tmp_path: Path) -> None:
    (tmp_path / "a.warc").write_bytes(b"WARC")
    value = {"path": str(tmp_path / "a.warc")}

    far = await ask("POST", "/api/v1/maintenance/archives", value)
    near = await replace(ask, client=None, key=None)("POST", "/api/v1/maintenance/archives", value)

    assert (far.status, far.problem) == (403, "local-only")
    assert near.status == 200
    assert id_of(b"WARC").encode() in near.body


async def test_a_command_hands_over_a_path_nearby_and_bytes_far_away(citator: SmallCitator, tmp_path: Path) -> None:
    file = tmp_path / "a.warc"
    file.write_bytes(b"WARC")
    seen: list[str] = []
    with served(citator, tmp_path) as server:
        for remote in (Remote(Exchange(tmp_path / "server.sock")), Remote(Exchange(server.url, server.key))):
            told = await remote.add_archive(file, ArchiveRequest(name="a.warc"), ME, lambda what, *_: seen.append(what))
            assert told["captures"][0]["capture"] == id_of(b"WARC")
            assert told["archive"] == "a.warc"

    assert seen == ["responses"]


async def test_a_bundle_is_taken_in_by_who_looks_after_the_installation(ask: Asker, citator: SmallCitator) -> None:
    refused = await replace(ask, key=citator.key("fetch"))("POST", "/api/v1/bundles/import", body=b"bundle")
    taken = await ask("POST", "/api/v1/bundles/import?name=a.wacz&trust_key=one&trust_key=two", body=b"bundle")

    assert (refused.status, taken.status) == (403, 200)
    assert citator.asked[-1] == (b"bundle", BundleImport(name="a.wacz", trust_key=("one", "two")))
    assert taken.json["imports"] == [id_of(b"bundle")]


async def test_a_bundle_that_does_not_verify_is_told_with_the_claims(ask: Asker) -> None:
    answer = await ask("POST", "/api/v1/bundles/import", body=b"altered")

    assert (answer.status, answer.problem) == (422, "bundle-refused")
    assert answer.json["claims"][0]["claim"] == "log"


async def test_a_command_hands_a_bundle_over_with_the_keys_it_trusts(citator: SmallCitator, tmp_path: Path) -> None:
    file = tmp_path / "a.wacz"
    file.write_bytes(b"bundle")
    with served(citator, tmp_path) as server:
        for remote in (Remote(Exchange(tmp_path / "server.sock")), Remote(Exchange(server.url, server.key))):
            told = await remote.import_bundle(file, BundleImport(name="a.wacz", trust_key=("k",)), ME, lambda *_: None)
            assert told["bundle"] == "a.wacz"
            assert citator.asked[-1] == (b"bundle", BundleImport(name="a.wacz", trust_key=("k",)))
