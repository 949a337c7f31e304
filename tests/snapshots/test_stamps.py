"""Time stamps: what an authority's answer must be, and how tokens are kept and found. The authority is real."""

import json
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snapshots import BadStamp, LogKey, Stamps, Token, copy_of_log, moment
from snapshots.log import Log
from snapshots.note import Checkpoint
from snapshots.stamp_der import read_answer
from snapshots.stamps import Request, checked_token, new_request, read_roots
from tests.authority import Authority
from tests.memory_store import MemoryStore

KEY = LogKey("citator/stamped", b"\x07" * 32)
WHERE = "http://time.harbour.test/tsa"
Make = Callable[..., Authority]


def checkpoint(size: int) -> bytes:
    return KEY.sign(Checkpoint("citator/stamped", size, bytes([size % 256]) * 32).text)


def token_of(authority: Authority, size: int = 5, *, where: str = WHERE) -> Token:
    request = new_request(checkpoint(size))
    answer = authority.reply(request.encoded)
    return checked_token(request, answer, authority=where, roots=[authority.root], now=datetime.now(UTC))


@pytest.fixture
def harbour(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "harbour")


@pytest.fixture
def authority(tmp_path: Path) -> Make:
    return lambda name, **options: Authority(tmp_path / name, name, **options)


def test_a_token_of_a_trusted_authority_holds_and_openssl_agrees(harbour: Authority, tmp_path: Path) -> None:
    token = token_of(harbour)

    assert token.checked == "verified"
    assert token.size == 5
    assert token.time.endswith(".000Z")
    for name, data in [("r", token.response), ("c", token.checkpoint), ("q", token.request), ("p", token.chain_pem)]:
        (tmp_path / name).write_bytes(data)
    for what in (["-data", "c"], ["-queryfile", "q"]):
        verify = ["openssl", "ts", "-verify", "-in", "r", *what, "-CAfile", harbour.roots, "-untrusted", "p"]
        assert b"OK" in subprocess.run(verify, cwd=tmp_path, check=True, capture_output=True).stdout


def test_the_chain_leads_from_the_signing_certificate_to_the_root(harbour: Authority) -> None:
    chain = read_roots(token_of(harbour).chain_pem)

    assert chain == (harbour.certificate, harbour.root)


def test_an_authority_with_a_root_of_its_own_is_refused(harbour: Authority, authority: Make) -> None:
    rogue = authority("harbour-again", unsorted=True)  # it sends its own root along, which proves nothing
    request = new_request(checkpoint(5))

    for impostor in (rogue, authority("harbour-once-more")):
        with pytest.raises(BadStamp, match="does not hold"):
            checked_token(
                request,
                impostor.reply(request.encoded),
                authority=WHERE,
                roots=[harbour.root],
                now=datetime.now(UTC),
            )


def test_without_roots_a_token_is_marked_as_one_that_nobody_vouches_for(harbour: Authority) -> None:
    request = new_request(checkpoint(5))

    token = checked_token(request, harbour.reply(request.encoded), authority=WHERE, roots=[], now=datetime.now(UTC))

    assert token.checked == "unvouched"


def test_certificates_in_another_order_than_der_wants_do_no_harm(authority: Make) -> None:
    odd = authority("odd", unsorted=True)

    tokens = [token_of(odd, size) for size in range(1, 5)]

    assert [token.checked for token in tokens] == ["verified"] * 4


def test_a_token_whose_form_is_not_read_is_kept_with_a_hint_at_openssl(harbour: Authority) -> None:
    request = new_request(checkpoint(5))
    answer = harbour.reply(request.encoded)
    inside = read_answer(answer).certificates[0]
    # A second certificate of a kind that nobody here reads; the set is still in order.
    other = b"\x30\x82\x00\x01\x05"
    odd = _grown(answer, inside, other)

    token = checked_token(request, odd, authority=WHERE, roots=[harbour.root], now=datetime.now(UTC))

    assert token.checked == "openssl"
    assert "openssl" in str(token.detail)


def _grown(answer: bytes, after: bytes, more: bytes) -> bytes:
    """`answer` with `more` behind the certificate `after`, and every length around it corrected."""
    at = answer.index(after) + len(after)
    grown = bytearray(answer[:at] + more + answer[at:])
    place = 0
    while place < answer.index(after):
        length = int.from_bytes(answer[place + 2 : place + 4])
        if answer[place] in {0x30, 0xA0} and answer[place + 1] == 0x82 and place + 4 + length >= at:
            grown[place + 2 : place + 4] = (length + len(more)).to_bytes(2)
            place += 4
        else:
            size = answer[place + 1]
            head = 2 if size < 128 else 2 + size - 128
            place += head + (size if size < 128 else int.from_bytes(answer[place + 2 : place + head]))
    return bytes(grown)


@pytest.mark.parametrize("other", [checkpoint(6), checkpoint(5) + b"\n"])
def test_a_token_over_other_bytes_is_refused(harbour: Authority, other: bytes) -> None:
    request = new_request(checkpoint(5))
    answer = harbour.reply(request.encoded)

    with pytest.raises(BadStamp, match="other bytes"):
        checked_token(
            Request(other, request.encoded, request.nonce),
            answer,
            authority=WHERE,
            roots=[harbour.root],
            now=datetime.now(UTC),
        )


def test_an_answer_to_another_request_is_refused(harbour: Authority) -> None:
    earlier = harbour.reply(new_request(checkpoint(5)).encoded)

    with pytest.raises(BadStamp, match="nonce"):
        checked_token(new_request(checkpoint(5)), earlier, authority=WHERE, roots=[harbour.root], now=datetime.now(UTC))


def test_a_certificate_that_is_not_for_time_stamps_is_refused(tmp_path: Path, harbour: Authority) -> None:
    late = Authority(tmp_path / "late", days=1, began=timedelta(days=2))

    with pytest.raises(BadStamp, match="does not hold"):
        token_of(late)


def test_an_authority_whose_clock_is_wrong_is_refused(harbour: Authority) -> None:
    request = new_request(checkpoint(5))
    answer = harbour.reply(request.encoded)

    with pytest.raises(BadStamp, match="clock"):
        checked_token(
            request, answer, authority=WHERE, roots=[harbour.root], now=datetime.now(UTC) - timedelta(hours=1)
        )


def test_a_refusal_is_told_in_the_words_of_the_authority(harbour: Authority) -> None:
    refusal = harbour.reply(b"\x30\x03\x02\x01\x01")

    with pytest.raises(BadStamp, match="does not grant"):
        read_answer(refusal)


@pytest.mark.filterwarnings("ignore:Parsed a serial number")
@settings(max_examples=300)
@given(data=st.data())
def test_a_spoilt_answer_never_gives_a_verified_token_of_another_time(tmp_path: Path, data: st.DataObject) -> None:
    made = _one_for_all(tmp_path)
    request, answer, root = made
    at = data.draw(st.integers(0, len(answer) - 1))
    spoilt = answer[:at] + bytes([answer[at] ^ data.draw(st.integers(1, 255))]) + answer[at + 1 :]

    try:
        token = checked_token(request, spoilt, authority=WHERE, roots=[root], now=datetime.now(UTC))
    except BadStamp:
        return

    true = read_answer(answer)
    assert token.checked == "openssl" or moment(token.time) == true.time


_MADE: dict[str, object] = {}


def _one_for_all(folder: Path) -> tuple[Request, bytes, object]:
    if not _MADE:
        authority = Authority(folder / "once")
        request = new_request(checkpoint(5))
        _MADE["made"] = (request, authority.reply(request.encoded), authority.root)
    return _MADE["made"]  # type: ignore[return-value]


@given(st.binary(max_size=300))
def test_any_bytes_are_an_answer_or_refused(junk: bytes) -> None:
    for data in (junk, b"\x30" + bytes([len(junk[:120])]) + junk[:120]):
        with pytest.raises(BadStamp):
            read_answer(data)


def test_kept_tokens_are_found_again_as_they_were(harbour: Authority) -> None:
    store = MemoryStore()
    token = token_of(harbour)

    name = Stamps(store).keep(token)
    again = Stamps(store)

    assert again.tokens_for(5) == (token,)
    assert name.startswith(f"log/stamps/5-{token.imprint}/")
    assert {one.name.rpartition(".")[2] for one in store.list("log/stamps/")} - {name} >= {"tsr", "tsq", "pem", "json"}


def test_the_earliest_token_that_covers_is_given_else_the_one_that_covers_most(
    harbour: Authority, authority: Make
) -> None:
    stamps = Stamps(MemoryStore())
    other = authority("other")
    for size in (2, 300, 40, 9, 300):
        stamps.keep(token_of(harbour, size))
    stamps.keep(token_of(other, 7, where="http://other.test/"))

    found = {size: [(one.authority, one.size) for one in stamps.tokens_for(size)] for size in (3, 8, 41, 301)}

    assert found[3] == [("http://other.test/", 7), (WHERE, 9)]
    assert found[8] == [("http://other.test/", 7), (WHERE, 9)]
    assert found[41] == [("http://other.test/", 7), (WHERE, 300)]
    assert found[301] == [("http://other.test/", 7), (WHERE, 300)]
    assert [one.size for one in stamps.tokens_for(41, within=100)] == [7, 40]


def test_a_renewal_comes_along_with_the_token_that_it_renews(authority: Make) -> None:
    stamps = Stamps(MemoryStore())
    stamps.keep(token_of(authority("old", days=20), 5))
    stamps.keep(token_of(authority("new", days=4000), 5))

    found = stamps.tokens_for(5)

    assert len(found) == 2
    assert str(found[0].ends) < str(found[1].ends)


def test_two_processes_that_stamp_the_same_checkpoint_keep_both_tokens(harbour: Authority) -> None:
    store = MemoryStore()
    one, two = Stamps(store), Stamps(store)
    one.refresh()
    two.refresh()

    names = {one.keep(token_of(harbour)), two.keep(token_of(harbour))}

    assert len(names) == 2
    assert {name.rpartition("-")[2] for name in names} == {"1.tsr", "2.tsr"}


@pytest.mark.parametrize("part", ["checkpoint", "tsr", "json"])
def test_a_damaged_token_is_named_and_another_one_used(harbour: Authority, part: str) -> None:
    store = MemoryStore()
    Stamps(store).keep(token_of(harbour, 5))
    Stamps(store).keep(token_of(harbour, 9))
    name = next(one for one in store.objects if "/5-" in one and one.endswith(part))
    store.objects[name] = store.objects[name][:-1]

    stamps = Stamps(store)

    assert [one.size for one in stamps.tokens_for(5)] == [9]
    assert len(stamps.damaged()) == 1


def test_a_copy_of_the_log_holds_its_time_stamps(harbour: Authority) -> None:
    store = MemoryStore()
    log = Log.open(store, KEY, create=True)
    log.append(["sha256:" + "0" * 64])
    request = new_request(log.checkpoint)
    answer = harbour.reply(request.encoded)
    token = checked_token(request, answer, authority=WHERE, roots=[harbour.root], now=datetime.now(UTC))
    Stamps(store).keep(token)

    copied = dict(copy_of_log(store))

    assert {name for name in copied if name.startswith("log/stamps/")} == {
        one.name for one in store.list("log/stamps/")
    }


VECTORS = Path(__file__).parents[1] / "vectors" / "stamps"
INDEX = json.loads((VECTORS / "index.json").read_text())


@pytest.mark.parametrize("case", INDEX["answers"], ids=lambda case: case["file"])
def test_answers_among_the_vectors_are_taken_for_what_they_are(case: dict[str, str]) -> None:
    request = Request(
        (VECTORS / "checkpoint").read_bytes(), (VECTORS / "request.tsq").read_bytes(), int(INDEX["nonce"])
    )
    roots = read_roots((VECTORS / case["root"]).read_bytes()) if case["root"] else ()
    answer, at = (VECTORS / case["file"]).read_bytes(), datetime.fromisoformat(INDEX["at"])

    if case["found"] in {"verified", "unvouched"}:
        assert checked_token(request, answer, authority=WHERE, roots=roots, now=at).checked == case["found"]
        return
    with pytest.raises(BadStamp, match=case["found"]):
        checked_token(request, answer, authority=WHERE, roots=roots, now=at)
