"""Who signed a bundle: the log's key, the hand-overs that lead to it, and the signature that WACZ tools know."""

import hashlib
import re
from collections.abc import Sequence
from typing import Any

from snapshots.errors import BadProof, Unsound
from snapshots.note import VerifierKey, parse_note
from snapshots.verify.claims import Claim, Faults, not_checkable
from snapshots.verify.der import only_value
from snapshots.verify.ecdsa import P384, ecdsa_verifies, raw_signature
from snapshots.verify.forms import first_wrong, is_text
from snapshots.verify.log_proofs import CHECKPOINT, VKEY, read_handover
from snapshots.verify.members import Members
from snapshots.verify.statement import DIGEST, STATEMENT, Statement, statement_signed, strict_base64
from snapshots.verify.x509 import ec_key

MAX_HANDOVER = 64 * 1024
"""Bytes of a hand-over; one has some six hundred."""

MAX_HANDOVERS = 1000
"""Hand-overs that are followed; a log that changes its key each month has twelve a year."""

_HANDOVER_NAME = re.compile(r"evidence/handover-([1-9][0-9]{0,3})\.txt", re.ASCII)
_SIGNED_DATA = dict.fromkeys(("hash", "created", "software", "version", "signature", "publicKey"), is_text)


def check_signer(
    key: VerifierKey | None,
    line: Sequence[VerifierKey],
    checkpoint: bytes | None,
    statement: Statement | None,
    trusted: tuple[VerifierKey, ...],
    faults: Faults,
) -> Claim:
    """The claim about who signed.

    `line` are the keys up to `key` as hand-overs lead, `checkpoint` its signed bytes, `trusted` the keys that the
    caller vouches for.
    """
    if key is None:
        faults.add("log-key-mismatch", VKEY, "there is no key that can be read")
        return faults.verdict("", "")
    if checkpoint is not None and not _has_signed(key, checkpoint):
        faults.add("log-key-mismatch", CHECKPOINT, f"is not signed with the key in {VKEY}")
    if statement is not None and (statement.key_hint != key.text or not statement_signed(statement, key)):
        faults.add("log-key-mismatch", STATEMENT, f"is not signed with the key in {VKEY}")
    if trusted and not {each.text for each in trusted} & {each.text for each in line}:
        faults.add("untrusted-key", VKEY, f"{key.text} is not the key that you trust, and no hand-over leads to it")
    if not trusted:
        what = "shows that nothing changed since that key signed, not whose key it is"
        told = f"signed by an unknown key {key.text}: {what}"
        return faults.verdict(told, "nobody has vouched for this key; compare it with what its owner publishes")
    handed = "" if key.text in {each.text for each in trusted} else ", to which or from which hand-overs lead"
    return faults.verdict(f"signed by {key.text}{handed}", "your word that this key is the right one (--trust-key)")


def _has_signed(key: VerifierKey, checkpoint: bytes) -> bool:
    """Whether a signature of this key stands under the checkpoint; whether it holds is another claim."""
    try:
        note = parse_note(checkpoint)
    except BadProof:  # noted where the checkpoint is read
        return False
    return any((each.name, each.key_id) == (key.name, key.id) for each in note.signatures)


def handed_over(members: Members, key: VerifierKey, faults: Faults) -> list[VerifierKey]:
    """The keys from the first to `key`, as far as the hand-overs in the bundle lead without a gap."""
    found: dict[int, str] = {}
    for name in members.sizes:
        match = _HANDOVER_NAME.fullmatch(name)
        if match:
            found[int(match[1])] = name
    if not found:
        return [key]
    if len(found) > MAX_HANDOVERS:
        faults.add("handover-invalid", "evidence/handover-*.txt", f"there are more than {MAX_HANDOVERS} of them")
        return [key]
    if sorted(found) != list(range(1, len(found) + 1)):
        faults.add("handover-invalid", "evidence/handover-*.txt", "they are not numbered from 1 without a gap")
    line: list[VerifierKey] = []
    for number in sorted(found):
        try:
            old, new = read_handover(members.whole(found[number], MAX_HANDOVER))
        except Unsound as problem:
            faults.add("handover-invalid", found[number], str(problem))
            return [key]
        if line and line[-1] != old:
            faults.add("handover-invalid", found[number], "it does not begin with the key of the one before it")
            return [key]
        line = line or [old]
        line.append(new)
    if line[-1] != key:
        faults.add("handover-invalid", found[max(found)], f"it does not lead to the key in {VKEY}")
        return [key]
    return line


def check_wacz_signature(digest: Any, bound_key: str | None, *, bundle: bool) -> Claim:
    """The claim about the anonymous signature in `datapackage-digest.json`, whose value `digest` is.

    `bound_key` is the key that the signed statement names; None if there is no statement.
    """
    faults = Faults("wacz-signature")
    signed = digest.get("signedData") if type(digest) is dict else None
    if signed is None and not bundle:
        return not_checkable("wacz-signature", "nobody has signed this file")
    if not bundle and type(signed) is dict and "domain" in signed:
        return not_checkable("wacz-signature", "it is signed in the name of a domain, which is not checked here")
    if type(signed) is not dict:
        faults.add("wacz-malformed", DIGEST, "there is no signedData")
        return faults.verdict("", "")
    wrong = first_wrong(signed, _SIGNED_DATA)
    if wrong is not None:
        faults.add("wacz-malformed", DIGEST, f"signedData {wrong}")
        return faults.verdict("", "")
    try:
        holds = _wacz_holds(signed)
    except Unsound as problem:
        faults.add("wacz-malformed", DIGEST, str(problem))
        return faults.verdict("", "")
    if not holds:
        faults.add("wacz-signature", DIGEST, "the signature does not hold")
    if signed["hash"] != digest.get("hash"):
        faults.add("wacz-signature", DIGEST, "what is signed is not the hash of datapackage.json that stands beside it")
    if bundle and signed["publicKey"] != bound_key:
        faults.add("wacz-key-unbound", DIGEST, "the log's key has not signed for this key")
    trust = "a key (P-384) made for this file" + (", for which the log's key has signed" if bundle else ", anybody's")
    return faults.verdict("the signature that WACZ tools look for holds", trust)


def _wacz_holds(signed: dict[str, str]) -> bool:
    found = ec_key(only_value(strict_base64(signed["publicKey"])))
    if found is None or found[0] is not P384:
        raise Unsound("wacz-malformed", "the public key is not one of P-384")
    r, s = raw_signature(P384, strict_base64(signed["signature"]))
    return ecdsa_verifies(P384, found[1], hashlib.sha256(signed["hash"].encode()).digest(), r, s)
