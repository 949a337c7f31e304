"""Files are verified over HTTP in a process of their own, and not kept."""

from dataclasses import replace
from pathlib import Path

from service.verifying import verified_apart
from tests.service.asking import Asker
from tests.service.small_citator import SmallCitator
from tests.snapshots.bench import Bench
from tests.snapshots.bundled import bundled


def bundle(folder: Path) -> tuple[bytes, str]:
    bench = Bench(folder)
    data = bundled(bench, bench.keep_page("https://a.example/", "words").id).data
    vkey = bench.log.vkey
    bench.close()
    return data, vkey


async def test_a_bundle_is_told_claim_by_claim(ask: Asker, citator: SmallCitator, tmp_path: Path) -> None:
    data, _ = bundle(tmp_path)
    reader = replace(ask, key=citator.key("read"))

    answer = await reader("POST", "/api/v1/bundles/verify", body=data)

    assert answer.status == 200
    assert answer.json["holds"] is True
    results = {claim["claim"]: claim["result"] for claim in answer.json["claims"]}
    assert results["log"] == results["replay"] == "holds"
    assert results["time"] == results["text"] == "not-checkable"


async def test_what_does_not_hold_is_an_answer_too(ask: Asker, tmp_path: Path) -> None:
    data, _ = bundle(tmp_path)

    answer = await ask("POST", "/api/v1/bundles/verify", body=data.replace(b"WARC", b"WORC") + b"rest")

    assert answer.status == 200
    assert answer.json["holds"] is False
    assert answer.json["claims"][0]["failures"][0]["reason"] == "zip-gap"


async def test_keys_can_be_vouched_for_and_claims_required(ask: Asker, tmp_path: Path) -> None:
    from urllib.parse import quote

    data, vkey = bundle(tmp_path)

    trusted = await ask("POST", f"/api/v1/bundles/verify?trust_key={quote(vkey, safe='')}", body=data)
    required = await ask("POST", "/api/v1/bundles/verify?require=log&require=time", body=data)

    assert trusted.json["holds"] is True
    assert "your word" in next(claim["trust"] for claim in trusted.json["claims"] if claim["claim"] == "signer")
    assert required.json["holds"] is False


async def test_a_body_that_is_no_archive_is_called_the_body(ask: Asker) -> None:
    answer = await ask("POST", "/api/v1/bundles/verify", body=b"<p>hello")

    (failure,) = answer.json["claims"][0]["failures"]
    assert failure["where"] == "body"
    assert failure["detail"].startswith("the file has no end record")


async def test_what_makes_no_sense_is_refused(ask: Asker) -> None:
    for option in ("trust_key=no%20key", "trust_key=/etc/hostname", "require=weather"):
        answer = await ask("POST", f"/api/v1/bundles/verify?{option}", body=b"x")

        assert (answer.status, answer.problem) == (400, "bad-trust")


async def test_anything_gets_an_answer(tmp_path: Path) -> None:
    for number, data in enumerate((b"", b"hello", b"PK\5\6" + bytes(18), b"\x1f\x8b\x08", b"WARC/1.0\r\n\r\n")):
        path = tmp_path / str(number)
        path.write_bytes(data)

        assert (await verified_apart(path, [], []))["holds"] is False
