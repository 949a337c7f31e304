"""The signed statement (DSSE around an in-toto statement): which members a bundle has, and what it was made from."""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from snapshots.errors import Unsound
from snapshots.note import Checkpoint, VerifierKey, encode64
from snapshots.verify.claims import Claim, Faults
from snapshots.verify.contents import Contents
from snapshots.verify.ed25519 import ed25519_verifies
from snapshots.verify.forms import Form, first_wrong, is_count, is_text, list_of, object_of, one_of
from snapshots.verify.members import Members
from snapshots.verify.strict_json import MAX_LINE, read_canonical, read_json

STATEMENT = "evidence/statement.dsse.json"
DATAPACKAGE = "datapackage.json"
DIGEST = "datapackage-digest.json"
UNSTATED: Final = (STATEMENT, DATAPACKAGE, DIGEST)
"""Members that the statement cannot name: itself, and those that are made after it."""

PAYLOAD_TYPE = "application/vnd.in-toto+json"
_ENVELOPE: Final[dict[str, Form]] = {
    "payload": is_text,
    "payloadType": one_of(PAYLOAD_TYPE),
    "signatures": list_of(object_of(keyid=is_text, sig=is_text)),
}
_SUBJECT = object_of(name=is_text, digest=object_of(sha256=is_text))
_STATEMENT: Final[dict[str, Form]] = {
    "_type": one_of("https://in-toto.io/Statement/v1"),
    "subject": list_of(_SUBJECT),
    "predicateType": one_of("urn:citator:bundle:v1"),
    "predicate": object_of(created=is_text, origin=is_text, size=is_count, root=is_text, wacz_key=is_text),
}


@dataclass(frozen=True)
class Statement:
    """The statement, taken apart; `signed` are the bytes that `signature` is for."""

    subjects: tuple[tuple[str, str], ...]
    predicate: dict[str, Any]
    signed: bytes
    signature: bytes
    key_hint: str


def strict_base64(text: str) -> bytes:
    """What standard base64 in its one canonical form stands for. Raises Unsound(malformed)."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Unsound("malformed", "it has something that is no base64") from None
    if base64.b64encode(data).decode() != text:
        raise Unsound("malformed", "it has base64 in an unusual form")
    return data


def pre_authentication(payload_type: str, payload: bytes) -> bytes:
    """What a DSSE signature is over."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def read_statement(members: Members) -> Statement:
    """The statement. Raises Unsound(statement-malformed)."""
    try:
        return _statement(members.whole(STATEMENT, MAX_LINE))
    except Unsound as problem:
        raise Unsound("statement-malformed", str(problem)) from None


def _statement(data: bytes) -> Statement:
    envelope = read_json(data)
    wrong = first_wrong(envelope, _ENVELOPE) if type(envelope) is dict else "is no object"
    if wrong is None and len(envelope["signatures"]) != 1:
        wrong = "has not exactly one signature"
    if wrong is not None:
        raise Unsound("malformed", f"the envelope {wrong}")
    payload = strict_base64(envelope["payload"])
    statement = read_canonical(payload)
    wrong = first_wrong(statement, _STATEMENT) if type(statement) is dict else "is no object"
    if wrong is not None:
        raise Unsound("malformed", f"the statement {wrong}")
    return Statement(
        tuple((each["name"], each["digest"]["sha256"]) for each in statement["subject"]),
        statement["predicate"],
        pre_authentication(PAYLOAD_TYPE, payload),
        strict_base64(envelope["signatures"][0]["sig"]),
        envelope["signatures"][0]["keyid"],
    )


def statement_signed(statement: Statement, key: VerifierKey) -> bool:
    """Whether the key has signed the statement."""
    return ed25519_verifies(key.public, statement.signed, statement.signature)


def check_statement(
    statement: Statement,
    key: VerifierKey | None,
    contents: Contents | None,
    checkpoint: Checkpoint | None,
    members: Members,
    faults: Faults,
) -> Claim:
    """The claim that the statement is signed and names every member with its hash. All members have been read."""
    if key is None or not statement_signed(statement, key):
        faults.add("statement-signature", STATEMENT, "is not signed with the key in evidence/log.vkey")
    names = [name for name, _ in statement.subjects]
    expected = [name for name in members.sizes if name not in UNSTATED]
    _check_names(names, expected, faults)
    for name, digits in statement.subjects:
        if name in members and members.digests[name][0] != digits:
            faults.add(
                "statement-hash", name, f"hash mismatch: stated is {digits}, its bytes are {members.digests[name][0]}"
            )
    said: dict[str, list[tuple[str, Any]]] = {}
    if contents is not None:
        own = {"created": contents.created, "origin": contents.origin, "size": contents.size, "root": contents.root}
        said["evidence/bundle.json"] = list(own.items())
    if checkpoint is not None:
        own = {"origin": checkpoint.origin, "size": checkpoint.size, "root": encode64(checkpoint.root)}
        said["evidence/checkpoint.txt"] = list(own.items())
    for where, pairs in said.items():
        for what, value in pairs:
            if statement.predicate[what] != value:
                faults.add("statement-predicate", STATEMENT, f"says another {what} than {where}")
    return faults.verdict(
        f"all {len(names)} members have the hashes that were signed", "the log key's signature (Ed25519)"
    )


def _check_names(names: Sequence[str], expected: Sequence[str], faults: Faults) -> None:
    stated, there = set(names), set(expected)
    for name in sorted(there - stated):
        faults.add("statement-member-missing", name, "is there, and the statement does not name it")
    for name in sorted(stated - there):
        faults.add("statement-member-surplus", name, "is named in the statement, and is not there")
    if len(names) != len(stated):
        faults.add("statement-malformed", STATEMENT, "names a member twice")
    elif stated == there and list(names) != list(expected):
        faults.add("statement-malformed", STATEMENT, "names the members in another order than they lie in")
