"""Whether the log holds every record: the signed checkpoint, and a proof for each."""

from dataclasses import dataclass
from typing import Any

from snapshots.errors import BadProof, Unsound
from snapshots.ids import to_raw
from snapshots.merkle import leaf_hash, verify_consistency, verify_inclusion
from snapshots.note import (
    MAX_NOTE,
    Checkpoint,
    VerifierKey,
    check_signatures,
    decode64,
    encode64,
    open_checkpoint,
    parse_checkpoint,
    parse_note,
    parse_number,
    parse_vkey,
)
from snapshots.proof import MAX_HASHES, parse_proof
from snapshots.verify.claims import Faults
from snapshots.verify.contents import Contents
from snapshots.verify.ed25519 import ed25519_verifies
from snapshots.verify.forms import first_wrong, is_id_text, is_text
from snapshots.verify.members import Members
from snapshots.verify.record_lines import Records
from snapshots.verify.strict_json import read_canonical

CHECKPOINT = "evidence/checkpoint.txt"
VKEY = "evidence/log.vkey"
PROOFS = "evidence/proofs.jsonl"

MAX_VKEY = 4096
"""Bytes of a public key in text form; one with a long name has some two hundred."""

_PROOF_LINE = {"record": is_id_text, "proof": is_text}
_HANDOVER_HEAD = "citator/log-key-handover@v1"
_CONSISTENCY_HEAD = "citator/log-consistency@v1"


@dataclass(frozen=True)
class LogRead:
    """The log as the bundle shows it. `indexes` are the places of the records whose proofs hold."""

    signed: bytes | None
    checkpoint: Checkpoint | None
    indexes: dict[str, int]


def read_vkey(members: Members) -> VerifierKey:
    """The key in `evidence/log.vkey`. Raises Unsound(checkpoint-malformed)."""
    try:
        return parse_vkey(members.whole(VKEY, MAX_VKEY).decode().removesuffix("\n"))
    except (Unsound, BadProof, UnicodeDecodeError) as problem:
        raise Unsound("checkpoint-malformed", f"{VKEY}: {problem}") from None


def read_log(
    members: Members, key: VerifierKey | None, contents: Contents | None, records: Records, faults: Faults
) -> LogRead:
    """Reads checkpoint and proofs, and verifies both. `key` is None if it could not be read, which has been noted."""
    try:
        signed = members.whole(CHECKPOINT, MAX_NOTE)
    except Unsound as problem:
        faults.add("checkpoint-malformed", CHECKPOINT, str(problem))
        return LogRead(None, None, {})
    checkpoint = _checkpoint(signed, key, faults)
    if checkpoint is not None and contents is not None:
        said = (contents.origin, contents.size, contents.root)
        if said != (checkpoint.origin, checkpoint.size, encode64(checkpoint.root)):
            faults.add("proof-checkpoint", CHECKPOINT, "is not the checkpoint that evidence/bundle.json speaks of")
    return LogRead(signed, checkpoint, _proofs(members, signed, checkpoint, records, faults))


def _checkpoint(signed: bytes, key: VerifierKey | None, faults: Faults) -> Checkpoint | None:
    try:
        checkpoint = parse_checkpoint(parse_note(signed).text)
    except BadProof as problem:
        faults.add("checkpoint-malformed", CHECKPOINT, str(problem))
        return None
    if checkpoint.extensions:
        faults.add("checkpoint-malformed", CHECKPOINT, "it has lines that no checkpoint of this log has")
    if key is not None:
        try:
            open_checkpoint(signed, [key], ed25519_verifies)
        except BadProof as problem:
            faults.add("checkpoint-signature", CHECKPOINT, str(problem))
    return checkpoint


def _proofs(
    members: Members, signed: bytes, checkpoint: Checkpoint | None, records: Records, faults: Faults
) -> dict[str, int]:
    logged = {name for name, kind in records.kinds.items() if kind != "document"}
    indexes: dict[str, int] = {}
    seen: set[str] = set()
    before = ""
    try:
        for number, line in members.lines(PROOFS):
            where = f"{PROOFS} line {number}"
            try:
                record, text = _proof_line(line)
                seen.add(record)
                if record <= before:
                    faults.add("proof-order", where, "the proofs are not sorted by record, each once")
                before = record
                if record not in logged:
                    faults.add("proof-surplus", where, f"proves {record}, which is not there")
                if checkpoint is not None:
                    indexes[record] = _verified(record, text, signed, checkpoint)
            except Unsound as problem:
                faults.add(problem.reason, where, str(problem))
    except Unsound as problem:
        faults.add("proof-malformed", PROOFS, str(problem))
    for record in sorted(logged - seen):
        faults.add("proof-missing", record, "there is no proof that the log holds it")
    return indexes


def _proof_line(line: bytes) -> tuple[str, str]:
    try:
        value: Any = read_canonical(line)
        wrong = first_wrong(value, _PROOF_LINE) if type(value) is dict else "is no object"
    except Unsound as problem:
        raise Unsound("proof-malformed", str(problem)) from None
    if wrong is not None:
        raise Unsound("proof-malformed", f"it {wrong}")
    return value["record"], value["proof"]


def _verified(record: str, text: str, signed: bytes, checkpoint: Checkpoint) -> int:
    try:
        proof = parse_proof(text)
    except BadProof as problem:
        raise Unsound("proof-malformed", str(problem)) from None
    if proof.extra is not None:
        raise Unsound("proof-malformed", "it carries something that nobody has signed")
    if proof.checkpoint != signed:
        raise Unsound("proof-checkpoint", f"the proof of {record} is for another checkpoint")
    try:
        verify_inclusion(proof.index, checkpoint.size, leaf_hash(to_raw(record)), proof.hashes, checkpoint.root)
    except BadProof as problem:
        raise Unsound("proof-inclusion", f"{record}: {problem}") from None
    return proof.index


def check_consistency(data: bytes, old: Checkpoint, new: Checkpoint) -> None:
    """Checks that the tree of `old` is the beginning of that of `new`. Raises Unsound(token-consistency)."""
    try:
        lines = data.decode("ascii").split("\n")
        right = len(lines) >= 4 and lines[0] == _CONSISTENCY_HEAD and not lines[-1]  # noqa: PLR2004 - head, two sizes, end
        if not right or not lines[1].startswith("old ") or not lines[2].startswith("new "):
            raise Unsound("token-consistency", "the proof of consistency is not in its form")
        sizes = parse_number(lines[1][4:]), parse_number(lines[2][4:])
        hashes = [decode64(line) for line in lines[3:-1]]
        if sizes != (old.size, new.size) or len(hashes) > 2 * MAX_HASHES:
            raise Unsound("token-consistency", f"the proof is for trees of {sizes[0]} and {sizes[1]} entries")
        verify_consistency(old.size, new.size, old.root, new.root, hashes)
    except (BadProof, UnicodeDecodeError) as problem:
        raise Unsound("token-consistency", str(problem)) from None


def read_handover(data: bytes) -> tuple[VerifierKey, VerifierKey]:
    """The old and the new key of a hand-over that both have signed. Raises Unsound(handover-invalid)."""
    try:
        note = parse_note(data)
        lines = note.text.split("\n")
        if len(lines) != 5 or lines[0] != _HANDOVER_HEAD:  # noqa: PLR2004 - four lines and what follows the last newline
            raise Unsound("handover-invalid", "it is not in the form of a hand-over")
        old, new = parse_vkey(lines[2]), parse_vkey(lines[3])
        if {old.name, new.name} != {lines[1]} or old == new:
            raise Unsound("handover-invalid", "it is not from one key of a log to another of the same")
        for key in (old, new):
            check_signatures(note, [key], ed25519_verifies)
    except BadProof as problem:
        raise Unsound("handover-invalid", str(problem)) from None
    return old, new
