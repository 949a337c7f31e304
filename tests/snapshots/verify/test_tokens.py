"""Time-stamp tokens as a real authority makes them, and as nobody should."""

import subprocess
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.x509.oid import ExtendedKeyUsageOID
from hypothesis import given, settings
from hypothesis import strategies as st
from rfc3161_client import HashAlgorithm as StampHash
from rfc3161_client import TimestampRequestBuilder

from snapshots import UnknownAlgorithm, Unsound, second_opinion, trust_of, verify_path
from snapshots.verify.timestamps import check_imprint, check_token_signature, check_token_signer, parse_token
from snapshots.verify.x509 import Certificate, parse_certificate, parse_pem
from tests.authority import Authority
from tests.snapshots.verify.stamping import REJECTION, STAMPED_AT, Stamping, chain_pem, signer, token

STAMPED = b"what was stamped"


def judged(response: bytes, more: bytes = b"", roots: bytes = b"", stamped: bytes = STAMPED) -> tuple[Certificate, ...]:
    """The chain, if everything holds."""
    pool = parse_pem(more) if more else ()
    found = parse_token(response)
    check_imprint(found, stamped)
    leaf = check_token_signature(found, pool)
    return check_token_signer(found, leaf, pool, parse_pem(roots) if roots else ())


def reason(response: bytes, more: bytes = b"", roots: bytes = b"", stamped: bytes = STAMPED) -> str:
    with pytest.raises(Unsound) as caught:
        judged(response, more, roots, stamped)
    return caught.value.reason


def asked(authority: Authority, algorithm: str = "sha256") -> bytes:
    request = TimestampRequestBuilder().data(STAMPED).hash_algorithm(getattr(StampHash, algorithm.upper())).build()
    return authority.reply(request.as_bytes())


@pytest.mark.parametrize("algorithm", ["sha256", "sha512"])
def test_a_token_that_openssl_made_holds(tmp_path: Path, algorithm: str) -> None:
    authority = Authority(tmp_path / "harbour")
    response = asked(authority, algorithm)

    chain = judged(response, (tmp_path / "harbour" / "tsa.pem").read_bytes(), authority.roots.read_bytes())

    assert [each.name for each in chain] == ["CN=Harbour Time Authority", "CN=Harbour Time Authority Root"]


def test_the_token_brings_its_certificates_in_any_order(tmp_path: Path) -> None:
    authority = Authority(tmp_path / "harbour", unsorted=True)

    assert len(judged(asked(authority), b"", authority.roots.read_bytes())) == 2


def test_an_authority_with_a_root_of_its_own_is_untrusted_and_holds_where_nobody_is_asked(tmp_path: Path) -> None:
    harbour, rogue = Authority(tmp_path / "harbour"), Authority(tmp_path / "rogue", unsorted=True)
    response = asked(rogue)

    assert reason(response, rogue.roots.read_bytes(), harbour.roots.read_bytes()) == "token-untrusted"
    assert len(judged(response)) == 2


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["rsa:2048", "rsa:4096"])
@pytest.mark.parametrize("digest", ["sha256", "sha512"])
def test_tokens_signed_with_rsa_hold(tmp_path: Path, kind: str, digest: str) -> None:
    authority = Authority(tmp_path / "a")
    make = f"openssl req -x509 -newkey {kind} -{digest} -nodes -keyout tsa.key -out tsa.pem -days 30 -subj /CN=Bell"
    usage = ["-addext", "extendedKeyUsage=critical,timeStamping"]
    subprocess.run([*make.split(), *usage], cwd=tmp_path / "a", check=True, capture_output=True)
    config = (tmp_path / "a" / "tsa.cnf").read_text().replace("signer_digest = sha256", f"signer_digest = {digest}")
    (tmp_path / "a" / "tsa.cnf").write_text(config)
    response, own = asked(authority), (tmp_path / "a" / "tsa.pem").read_bytes()

    assert [each.name for each in judged(response, own, own)] == ["CN=Bell"]


def test_what_cannot_be_judged_is_called_unknown_and_not_wrong() -> None:
    good = Stamping()
    unknown = bytearray(token(STAMPED, good.leaf))
    ecdsa = bytes.fromhex("2a8648ce3d040302")
    place = unknown.rindex(ecdsa)
    unknown[place : place + 8] = bytes.fromhex("2a8648ce3d040309")

    with pytest.raises(UnknownAlgorithm):
        judged(bytes(unknown), good.chain_pem)


AUTHORITY = Stamping()
ROOTS = AUTHORITY.roots_pem
LEAVES = {
    "expired": (signer("Bell", AUTHORITY.root, ends=STAMPED_AT - timedelta(days=1)), "token-expired"),
    "early": (signer("Bell", AUTHORITY.root, begins=STAMPED_AT + timedelta(days=1)), "token-expired"),
    "no usage": (signer("Bell", AUTHORITY.root, usage=None), "token-usage"),
    "other usage": (signer("Bell", AUTHORITY.root, usage=[ExtendedKeyUsageOID.SERVER_AUTH]), "token-usage"),
    "more usages": (
        signer("Bell", AUTHORITY.root, usage=[ExtendedKeyUsageOID.TIME_STAMPING, ExtendedKeyUsageOID.SERVER_AUTH]),
        "token-usage",
    ),
    "not critical": (signer("Bell", AUTHORITY.root, critical=False), "token-usage"),
    "issued by itself": (signer("Bell", issuer_name="Harbour Time Root"), "token-untrusted"),
    "issued by a leaf": (signer("Bell", AUTHORITY.leaf), "token-untrusted"),
}


@pytest.mark.parametrize("name", LEAVES)
def test_a_certificate_that_may_not_stamp_is_named(name: str) -> None:
    leaf, expected = LEAVES[name]

    response = token(STAMPED, leaf, AUTHORITY.leaf, AUTHORITY.root)

    assert reason(response, chain_pem(leaf, AUTHORITY.leaf), ROOTS) == expected


def test_a_certificate_in_the_middle_is_followed_and_must_be_an_authority() -> None:
    middle = signer("Harbour Middle", AUTHORITY.root, ca=True)
    leaf = signer("Bell", middle)

    assert len(judged(token(STAMPED, leaf), chain_pem(leaf, middle), ROOTS)) == 3
    assert reason(token(STAMPED, leaf), chain_pem(leaf), ROOTS) == "token-untrusted"
    old = signer("Harbour Middle", AUTHORITY.root, ca=True, ends=STAMPED_AT - timedelta(days=1))
    below = signer("Bell", old)
    assert reason(token(STAMPED, below), chain_pem(below, old), ROOTS) == "token-expired"


def test_certificates_that_name_each_other_come_to_an_end() -> None:
    circle = [signer("Round", ca=True) for _ in range(12)]

    assert reason(token(STAMPED, AUTHORITY.leaf), chain_pem(AUTHORITY.leaf, *circle), chain_pem(circle[0])) == (
        "token-untrusted"
    )


def test_other_bytes_other_signers_and_refusals_are_named() -> None:
    good = token(STAMPED, AUTHORITY.leaf)
    other = signer("Bell", AUTHORITY.root)

    assert len(judged(good, AUTHORITY.chain_pem, ROOTS)) == 2
    assert reason(good, AUTHORITY.chain_pem, ROOTS, b"other bytes") == "token-imprint"
    assert reason(token(STAMPED, AUTHORITY.leaf, sign_with=other.key), b"", ROOTS) == "token-signature"
    assert reason(REJECTION) == "token-malformed"
    for wrong in (
        good[:-1],
        good + b"\0",
        good[: len(good) // 2],
        b"",
        b"\x30\x80\x00\x00",
        good.replace(b"\x30\x82", b"\x30\x83\x00", 1),
    ):
        assert reason(wrong) == "token-malformed"


def test_another_certificate_of_the_same_key_cannot_take_the_place_of_the_one_that_signed() -> None:
    mine = signer("Bell", AUTHORITY.root, serial=7)
    twin = signer("Bell", AUTHORITY.root, serial=7)

    response = token(STAMPED, mine)
    swapped = response.replace(mine.encoded, twin.encoded) if len(mine.encoded) == len(twin.encoded) else None

    assert swapped is None or reason(swapped, b"", ROOTS) in {"token-signature", "token-malformed"}


@settings(max_examples=300)
@given(st.integers(0, len(token(STAMPED, AUTHORITY.leaf)) * 8 - 1))
def test_no_flipped_bit_of_a_token_holds_with_another_meaning(bit: int) -> None:
    good = token(STAMPED, AUTHORITY.leaf)
    flipped = bytearray(good)
    flipped[bit // 8 % len(good)] ^= 1 << bit % 8

    try:
        judged(bytes(flipped), AUTHORITY.chain_pem, ROOTS)
    except Unsound:
        return

    # What nobody signs is left: the certificates along with it, versions and hints, and the status "with changes".
    found, right = parse_token(bytes(flipped)), parse_token(good)
    assert (found.time, found.imprint, found.content) == (right.time, right.imprint, right.content)


@given(st.binary(max_size=300))
def test_no_bytes_break_the_readers(data: bytes) -> None:
    for reader in (parse_token, parse_certificate, parse_pem):
        with pytest.raises(Unsound):
            reader(data)


def test_another_implementation_agrees(tmp_path: Path) -> None:
    """Where both can judge, both say the same."""
    harbour, rogue = Authority(tmp_path / "harbour"), Authority(tmp_path / "rogue")
    roots = parse_pem(harbour.roots.read_bytes())
    for authority in (harbour, rogue):
        response, own = asked(authority), (authority.folder / "tsa.pem").read_bytes()
        theirs = second_opinion(response, STAMPED, (parse_pem(own)[0].whole,), tuple(each.whole for each in roots))
        try:
            ours = bool(judged(response, own, harbour.roots.read_bytes()))
        except Unsound:
            ours = False

        assert ours == (theirs is None) == (authority is harbour)


def test_a_token_that_the_other_implementation_cannot_read_says_nothing(tmp_path: Path) -> None:
    authority = Authority(tmp_path / "harbour", unsorted=True)
    response = asked(authority)
    chain = tuple(each.whole for each in judged(response, b"", authority.roots.read_bytes()))

    try:
        told = second_opinion(response, STAMPED, chain, chain[-1:])
    except Unsound:
        return  # the order of the certificates is by chance the right one in some runs
    assert told is None


def test_where_another_implementation_refuses_a_token_it_does_not_hold(tmp_path: Path) -> None:
    vectors = Path(__file__).parents[2] / "vectors" / "bundles"
    trust = trust_of([], [str(vectors / "root.pem")], [])

    def refuses(*_: object) -> str:
        return "it is not to its liking"

    refused = verify_path(vectors / "good.wacz", trust, opinion=refuses)
    agreed = verify_path(vectors / "good.wacz", trust, opinion=second_opinion)

    (failing,) = [claim for claim in refused.claims if claim.result == "fails"]
    assert (failing.claim, failing.failures[0].reason) == ("time", "token-signature")
    assert agreed.holds
    assert "another implementation agrees" in next(claim.detail for claim in agreed.claims if claim.claim == "time")
