"""The blobs of a bundle: each is where its list says, with the hash that is its name."""

import re
from dataclasses import dataclass
from typing import Any

from snapshots.errors import Unsound
from snapshots.verify.claims import Claim, Faults
from snapshots.verify.forms import first_wrong, is_count, is_id_text, is_text
from snapshots.verify.members import Members
from snapshots.verify.strict_json import read_canonical

BLOBS = "evidence/blobs.jsonl"
ARCHIVE = "archive/data.warc.gz"

MAX_BLOB = 4 * 1024**3
"""Bytes of one blob; no body that is captured comes near."""

_BLOB_LINE = {"id": is_id_text, "bytes": is_count, "member": is_text}
_BLOB_NAME = re.compile(r"evidence/([0-9a-f]{64})\.(?:bin|png|pdf)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Blob:
    """One line of the list."""

    size: int
    member: str


def read_blobs(members: Members, faults: Faults) -> dict[str, Blob]:
    """The list of blobs, by id."""
    blobs: dict[str, Blob] = {}
    before = ""
    try:
        for number, line in members.lines(BLOBS):
            where = f"{BLOBS} line {number}"
            try:
                value = _line(line)
            except Unsound as problem:
                faults.add("blob-malformed", where, str(problem))
                continue
            if value["id"] <= before:
                faults.add("blob-order", where, "the blobs are not sorted by id, each once")
            before = value["id"]
            blobs[value["id"]] = Blob(value["bytes"], value["member"])
    except Unsound as problem:
        faults.add("blob-malformed", BLOBS, str(problem))
    return blobs


def _line(line: bytes) -> dict[str, Any]:
    value = read_canonical(line)
    wrong = first_wrong(value, _BLOB_LINE) if type(value) is dict else "is no object"
    if wrong is not None:
        raise Unsound("malformed", f"it {wrong}")
    found: dict[str, Any] = value
    return found


def check_blobs(blobs: dict[str, Blob], members: Members, archived: dict[str, int], faults: Faults) -> Claim:
    """The claim that all blobs are there and are what they are called.

    `members` have all been read; `archived` are hash and size of each payload that the web archive keeps.
    """
    for blob_id, blob in blobs.items():
        if blob.size > MAX_BLOB:
            faults.add("blob-size", blob_id, f"is larger than {MAX_BLOB} bytes")
        elif blob.member == ARCHIVE:
            _check_archived(blob_id, blob, archived, faults)
        else:
            _check_member(blob_id, blob, members, faults)
    for payload in archived:
        if payload not in blobs or blobs[payload].member != ARCHIVE:
            faults.add("blob-surplus", payload, f"is in {ARCHIVE}, and the list does not say so")
    listed = {blob.member for blob in blobs.values()}
    for name in members.sizes:
        if _BLOB_NAME.fullmatch(name) and name not in listed:
            faults.add("blob-surplus", name, "is there, and is not in the list")
    return faults.verdict(f"{len(blobs)} blobs have the hashes that they are named by", "SHA-256")


def _check_archived(blob_id: str, blob: Blob, archived: dict[str, int], faults: Faults) -> None:
    if blob_id not in archived:
        faults.add("blob-missing", blob_id, f"is not in {ARCHIVE}")
    elif archived[blob_id] != blob.size:
        faults.add("blob-size", blob_id, f"has {archived[blob_id]} bytes instead of {blob.size}")


def _check_member(blob_id: str, blob: Blob, members: Members, faults: Faults) -> None:
    named = _BLOB_NAME.fullmatch(blob.member)
    if named is None or f"sha256:{named[1]}" != blob_id:
        faults.add("blob-missing", blob_id, f"is said to be in {blob.member}, where it cannot be")
        return
    if blob.member not in members:
        faults.add("blob-missing", blob_id, f"{blob.member} is not there")
        return
    digits, size = members.digests[blob.member]
    if f"sha256:{digits}" != blob_id:
        faults.add("blob-hash", blob.member, f"hash mismatch: its bytes are sha256:{digits}")
    if size != blob.size:
        faults.add("blob-size", blob.member, f"has {size} bytes instead of {blob.size}")
