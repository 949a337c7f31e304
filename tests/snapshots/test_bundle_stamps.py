"""Time stamps in bundles. The authority is real."""

import base64
import io
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from snapshots import Selection, Stamps, Token, Trust
from snapshots.merkle import verify_consistency
from snapshots.stamps import checked_token, new_request
from snapshots.verify.checking import verify_file
from snapshots.verify.claims import HOLDS, NOT_CHECKABLE
from snapshots.verify.command import trust_of
from tests.authority import Authority
from tests.snapshots.bench import Bench
from tests.snapshots.bundled import Read, bundled

PAGE = "https://a.example/"
OTHER = "https://a.example/other"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    opened = Bench(tmp_path)
    yield opened
    opened.close()


def stamped(bench: Bench, authority: Authority, where: str) -> Token:
    """Has the log as it is stamped, and keeps the token."""
    request = new_request(bench.log.checkpoint)
    answer = authority.reply(request.encoded)
    token = checked_token(request, answer, authority=where, roots=[authority.root], now=datetime.now(UTC))
    Stamps(bench.store).keep(token)
    return token


def time_claim(bundle: Read, trust: Trust) -> tuple[str, str]:
    (claim,) = [one for one in verify_file(io.BytesIO(bundle.data), "b.wacz", trust) if one.claim == "time"]
    return claim.result, claim.detail


def test_a_time_stamp_comes_with_what_leads_from_it_to_the_checkpoint(bench: Bench, tmp_path: Path) -> None:
    authority = Authority(tmp_path / "harbour")
    first, second = bench.keep_page(PAGE, "words"), bench.keep_page(OTHER, "other words")
    token = stamped(bench, authority, "https://time.example")
    bench.keep_page("https://a.example/later", "later words")

    bundle = bundled(bench, first.id, second.id, tokens=Stamps(bench.store))

    (told,) = bundle.json("evidence/bundle.json")["tokens"]
    assert (told["authority"], told["size"], told["time"]) == ("https://time.example", 2, token.time)
    assert bundle.members[told["members"]["token"]] == token.response
    assert bundle.members[told["members"]["checkpoint"]] == token.checkpoint
    assert bundle.members[told["members"]["chain"]] == token.chain_pem
    head, old, new, *hashes = bundle.members[told["members"]["consistency"]].decode().splitlines()
    assert (head, old, new) == ("citator/log-consistency@v1", "old 2", "new 3")
    proof = [base64.b64decode(line) for line in hashes]
    verify_consistency(2, 3, bench.log.root_at(2), bench.log.root, proof)
    assert bundle.told.created == f"{token.time[:19]}Z"
    assert bundle.told.notes == ()
    assert "https://time.example" in bundle.members["evidence/index.html"].decode()
    trust = trust_of([], [str(authority.roots)], [])
    assert time_claim(bundle, trust)[0] == HOLDS


def test_what_a_time_stamp_does_not_cover_is_told(bench: Bench, tmp_path: Path) -> None:
    first = bench.keep_page(PAGE, "words")
    stamped(bench, Authority(tmp_path / "harbour"), "https://time.example")
    second = bench.keep_page(OTHER, "other words")

    bundle = bundled(bench, first.id, second.id, tokens=Stamps(bench.store))

    (note,) = bundle.told.notes
    assert second.id in note
    assert first.id not in note


def test_without_one_the_bundle_says_so(bench: Bench) -> None:
    capture = bench.keep_page(PAGE, "words")

    bundle = bundled(bench, capture.id, tokens=Stamps(bench.store))

    assert bundle.json("evidence/bundle.json")["tokens"] == []
    assert "No time-stamping authority" in bundle.told.notes[0]
    assert time_claim(bundle, Trust())[0] == NOT_CHECKABLE


def test_the_same_time_stamps_give_the_same_bytes_and_a_removal_leaves_them(bench: Bench, tmp_path: Path) -> None:
    first, second = bench.keep_page(PAGE, "words"), bench.keep_page(OTHER, "other words")
    for number in range(2):
        stamped(bench, Authority(tmp_path / str(number), f"Authority {number}"), f"https://{number}.example")
    bench.archive.remove(Selection(ids=(first.id,)))

    bundles = [bundled(bench, first.id, second.id, tokens=Stamps(bench.store)) for _ in range(2)]

    assert bundles[0].data == bundles[1].data
    assert len(bundles[0].json("evidence/bundle.json")["tokens"]) == 2
