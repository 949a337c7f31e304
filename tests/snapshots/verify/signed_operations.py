"""What the list of mutations does to what is signed: statement, proofs, checkpoint, time stamp, keys."""

import base64
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from cryptography.x509.oid import ExtendedKeyUsageOID

from snapshots.canonical import canonical
from snapshots.log_key import signed_note
from snapshots.note import Checkpoint, parse_checkpoint, parse_note
from snapshots.proof import Proof, parse_proof
from tests.snapshots.verify.member_operations import ids_of, value_of
from tests.snapshots.verify.mutable import CHECKPOINT, CONTENTS, NOTHING, PROOFS, STATEMENT, Bundle, changed
from tests.snapshots.verify.stamping import (
    REJECTION,
    STAMPED_AT,
    Signer,
    Stamping,
    chain_pem,
    signer,
    token,
)

Step = dict[str, Any]
GROUP_ORDER = 2**252 + 27742317777372353535851937790883648493


# ---- the statement


def statement(bundle: Bundle, step: Step) -> None:
    by = bundle.good.keeper if step["by"] == "A" else bundle.good.stranger
    payload = bundle.statement()
    if "path" in step:
        value = step["value"]
        if value == "<the root of the tree one entry smaller>":
            new = changed(payload, step["path"], base64.b64encode(bytes(32)).decode())
        else:
            new = changed(payload, step["path"], value_of(bundle, step))
        bundle.put_statement(canonical(new), by)
        return
    _DONE_TO_STATEMENT[step["do"]](bundle, payload, by)


def _with_subjects(change: Callable[[Bundle, list[Any]], list[Any]]) -> Callable[[Bundle, Any, Any], None]:
    def done(bundle: Bundle, payload: Any, by: Any) -> None:
        payload["subject"] = change(bundle, payload["subject"])
        bundle.put_statement(canonical(payload), by)

    return done


def _subject(name: str) -> dict[str, Any]:
    return {"name": name, "digest": {"sha256": NOTHING}}


def _surplus(_: Bundle, old: list[Any]) -> list[Any]:
    new = _subject(f"evidence/{'0' * 64}.bin")
    place = next(at for at, each in enumerate(old) if each["name"].startswith("evidence/"))
    return [*old[:place], new, *old[place:]]


def _twice(_: Bundle, old: list[Any]) -> list[Any]:
    place = next(at for at, each in enumerate(old) if each["name"] == "evidence/index.html")
    return [*old[: place + 1], _subject("evidence/index.html"), *old[place + 1 :]]


def _wrong_hash(_: Bundle, old: list[Any]) -> list[Any]:
    return [_subject(each["name"]) if each["name"] == "evidence/index.html" else each for each in old]


def _plus_order(bundle: Bundle, payload: Any, by: Any) -> None:
    bundle.put_statement(canonical(payload), by)
    value = bundle.json(STATEMENT)
    raw = base64.b64decode(value["signatures"][0]["sig"])
    scalar = int.from_bytes(raw[32:], "little") + GROUP_ORDER
    value["signatures"][0]["sig"] = base64.b64encode(raw[:32] + scalar.to_bytes(32, "little")).decode()
    bundle.put_json(STATEMENT, value)


def _two_signatures(bundle: Bundle, payload: Any, by: Any) -> None:
    bundle.put_statement(canonical(payload), bundle.good.stranger)
    second = bundle.json(STATEMENT)["signatures"]
    bundle.put_statement(canonical(payload), by)
    value = bundle.json(STATEMENT)
    value["signatures"] += second
    bundle.put_json(STATEMENT, value)


_DONE_TO_STATEMENT: dict[str, Callable[[Bundle, Any, Any], None]] = {
    "the subject of <reply> is left out": _with_subjects(
        lambda bundle, old: [each for each in old if each["name"] != bundle.member("<reply>")]
    ),
    "a subject evidence/ and 64 zeros .bin is put in, in order": _with_subjects(_surplus),
    "the digest of evidence/index.html is that of no bytes": _with_subjects(_wrong_hash),
    "a second subject evidence/index.html with the digest of no bytes": _with_subjects(_twice),
    "the first two subjects in the other order": _with_subjects(lambda _, old: [old[1], old[0], *old[2:]]),
    "a space after the first colon of the payload": lambda bundle, payload, by: bundle.put_statement(
        canonical(payload).replace(b":", b": ", 1), by
    ),
    "payloadType is application/json": lambda bundle, payload, by: bundle.put_statement(
        canonical(payload), by, "application/json"
    ),
    "nothing but the signature and its keyid": lambda bundle, payload, by: bundle.put_statement(canonical(payload), by),
    "a second signature by B is appended": _two_signatures,
    "S of A's signature plus the order of the Ed25519 group": _plus_order,
}


# ---- proofs


def proof(bundle: Bundle, step: Step) -> None:
    (record,) = ids_of(bundle, {key: step[key] for key in ("kind", "page") if key in step})
    lines = {value["record"]: value for value in map(json.loads, bundle.lines(PROOFS))}
    mine, what = lines[record], step["do"]
    found = parse_proof(mine["proof"])
    size = parse_checkpoint(parse_note(bundle.checkpoint).text).size
    if what.startswith("changes places"):
        other = lines[bundle.good.captures["encoded"].id]
        mine["proof"], other["proof"] = other["proof"], mine["proof"]
    elif what.startswith("made anew"):
        mine["proof"] = bundle.good.older_proofs[record]
    elif what.startswith("its first line"):
        mine["proof"] = mine["proof"].replace("@v1", "@v2", 1)
    else:
        new = {
            "its index is one more": (found.index + 1, found.hashes),
            "its index is the size of the checkpoint": (size, found.hashes),
            "its last hash is left out": (found.index, found.hashes[:-1]),
            "its last hash stands twice": (found.index, (*found.hashes, found.hashes[-1])),
        }[what]
        mine["proof"] = Proof(*new, found.checkpoint).text
    bundle.put_lines(PROOFS, [canonical(value) for value in lines.values()])


# ---- the checkpoint


def checkpoint(bundle: Bundle, step: Step) -> None:
    text = parse_note(bundle.checkpoint).text
    found = parse_checkpoint(text)
    if step["do"] == "cut off after the empty line":
        bundle.members[CHECKPOINT] = f"{text}\n".encode()
        return
    new = {
        "the same text": text,
        "its root is the hash of no bytes": Checkpoint(found.origin, found.size, bytes.fromhex(NOTHING)).text,
        "its size is one more": Checkpoint(found.origin, found.size + 1, found.root).text,
        "its origin is elsewhere.example/log": Checkpoint("elsewhere.example/log", found.size, found.root).text,
        "a fourth line: timestamp 1": f"{text}timestamp 1\n",
    }[step["do"]]
    bundle.sign_checkpoint(bundle.good.keeper if step["by"] == "A" else bundle.good.stranger, new)


# ---- the time stamp


def put_token(bundle: Bundle, response: bytes, chain: bytes | None = None, stamped: bytes | None = None) -> None:
    bundle.members["evidence/token-1.tsr"] = response
    if chain is not None:
        bundle.members["evidence/token-1.pem"] = chain
    if stamped is not None:
        bundle.members["evidence/token-1.checkpoint"] = stamped


def tokens(bundle: Bundle, step: Step) -> None:
    good, what = bundle.good, step["do"]
    if what.startswith("token-1's files"):
        without_tokens(bundle)
    elif what.startswith("by authority U, made"):
        other = Stamping("Made Up Time")
        put_token(bundle, token(good.older, other.leaf), other.chain_pem)
    elif what.startswith("by authority U with"):
        put_token(bundle, token(good.older, namesake(good.authority)))
    elif what.startswith("by a certificate whose issuer"):
        alone = signer("Harbour Time", issuer_name="Harbour Time Root")
        put_token(bundle, token(good.older, alone), chain_pem(alone))
    elif what.startswith("by a certificate issued by a T leaf"):
        below = signer("Harbour Time Two", good.authority.leaf)
        chain = (below, good.authority.leaf, good.authority.root)
        put_token(bundle, token(good.older, *chain), chain_pem(*chain))
    elif what.startswith("the TimeStampResp is status 2"):
        put_token(bundle, REJECTION)
    elif what in _LEAVES:
        leaf = signer("Harbour Time", good.authority.root, **_LEAVES[what])
        put_token(bundle, token(good.older, leaf), chain_pem(leaf, good.authority.root))
    else:
        _over_others(bundle, what)


def namesake(authority: Stamping) -> Signer:
    """A certificate with the names and the serial number of another one."""
    root = signer("Harbour Time Root", ca=True, serial=authority.root.certificate.serial_number)
    return signer("Harbour Time", root, serial=authority.leaf.certificate.serial_number)


_LEAVES: dict[str, dict[str, Any]] = {
    "by T with a leaf whose notAfter is a day before the token's time": {"ends": STAMPED_AT - timedelta(days=1)},
    "by T with a leaf whose notBefore is a day after the token's time": {"begins": STAMPED_AT + timedelta(days=1)},
    "by T with a leaf whose notAfter is an hour after the token's time": {"ends": STAMPED_AT + timedelta(hours=1)},
    "by T with a leaf without extended key usage": {"usage": None},
    "by T with a leaf whose only, critical extended key usage is serverAuth": {
        "usage": [ExtendedKeyUsageOID.SERVER_AUTH]
    },
    "by T with a leaf whose extended key usage timeStamping is not critical": {"critical": False},
}


def _over_others(bundle: Bundle, what: str) -> None:
    good, leaf = bundle.good, bundle.good.authority.leaf
    text = parse_note(good.older).text
    if what == "by T over the hash of no bytes":
        put_token(bundle, token(b"", leaf))
    elif what.startswith("by T over a checkpoint of the same text signed by B"):
        stamped = good.stranger.sign(text)
        put_token(bundle, token(stamped, leaf), stamped=stamped)
    elif what.startswith("by T over the text of a checkpoint without signatures"):
        put_token(bundle, token(text.encode(), leaf), stamped=text.encode())
    elif what.startswith("by T over a checkpoint signed by A with the same size"):
        found = parse_checkpoint(text)
        stamped = good.keeper.sign(Checkpoint(found.origin, found.size, bytes(32)).text)
        put_token(bundle, token(stamped, leaf), stamped=stamped)
    else:
        assert what.startswith("by T with a time one hour before"), what
        at = STAMPED_AT - timedelta(hours=1)
        put_token(bundle, token(good.older, leaf, at=at))
        bundle.change(CONTENTS, "tokens.0.time", f"{at:%Y-%m-%dT%H:%M:%S}.000Z")


def without_tokens(bundle: Bundle) -> None:
    """Leaves them out. The newest time in the bundle is that of the removal, so that `created` stays."""
    for name in [name for name in bundle.members if name.startswith("evidence/token-")]:
        del bundle.members[name]
    value = bundle.json(CONTENTS)
    value["tokens"] = []
    value["notes"].append("No authority has stamped it.")
    bundle.put_json(CONTENTS, value)


# ---- keys


def keys(bundle: Bundle, step: Step) -> None:
    what, good = step["do"], bundle.good
    if what == "log.vkey is B's":
        bundle.members["evidence/log.vkey"] = f"{good.stranger.vkey}\n".encode()
    elif what.startswith("handover-1.txt"):
        without_tokens(bundle)
        origin = "elsewhere.example/log" if "its origin is another one" in what else good.keeper.origin
        text = f"citator/log-key-handover@v1\n{origin}\n{good.keeper.vkey}\n{good.stranger.vkey}\n"
        signers = [good.stranger] if "signed by B only" in what else [good.keeper, good.stranger]
        bundle.put("evidence/handover-1.txt", signed_note(text, signers))
    else:
        assert what == "nothing but what reseal does", what


OPERATIONS: dict[str, Callable[[Bundle, Step], None]] = {
    "statement": statement,
    "proof": proof,
    "checkpoint": checkpoint,
    "token": tokens,
    "keys": keys,
}
