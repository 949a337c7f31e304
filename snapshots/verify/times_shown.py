"""The claim about time: what each time-stamp token shows, and on whose word."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from snapshots.errors import BadProof, UnknownAlgorithm, Unsound
from snapshots.note import MAX_NOTE, Checkpoint, VerifierKey, open_checkpoint
from snapshots.times import moment
from snapshots.verify.claims import FAILS, NOT_CHECKABLE, Claim, Faults, not_checkable
from snapshots.verify.contents import Contents, TokenNamed
from snapshots.verify.ed25519 import ed25519_verifies
from snapshots.verify.log_proofs import LogRead, check_consistency
from snapshots.verify.members import Members
from snapshots.verify.record_lines import Records
from snapshots.verify.timestamps import (
    MAX_TOKEN,
    check_imprint,
    check_token_signature,
    check_token_signer,
    parse_token,
)
from snapshots.verify.x509 import MAX_PEM, Certificate, parse_pem

MAX_CONSISTENCY = 64 * 1024
"""Bytes of a proof of consistency; the longest there can be has some six thousand."""

CLOCKS_APART = timedelta(minutes=10)
"""How much later than the token a record may say it is: two clocks never agree."""

_TOKEN_MEMBER = re.compile(r"evidence/token-.*")


SecondOpinion = Callable[[bytes, bytes, tuple[bytes, ...], tuple[bytes, ...]], str | None]
"""What another implementation says of a token, the stamped bytes, the signer's chain and the trusted roots (DER).

None if it agrees; else a sentence why not. Raises Unsound if it cannot read the token, which says nothing about it.
"""


@dataclass(frozen=True)
class Shown:
    """What one token shows: a time, who says so, and whether the caller trusts them."""

    time: datetime
    authority: str
    size: int
    trusted: bool
    opinion: str = ""


def check_time(
    members: Members,
    contents: Contents | None,
    log: LogRead,
    records: Records,
    keys: Sequence[VerifierKey],
    roots: tuple[Certificate, ...],
    faults: Faults,
    opinion: SecondOpinion | None = None,
) -> Claim:
    """The claim that what the log holds existed at the times of the tokens.

    `keys` are those that may have signed the stamped checkpoints, `roots` the certificates the caller vouches for.
    `opinion` is asked too where there are roots.
    """
    if contents is None:
        return not_checkable("time", "evidence/bundle.json cannot be read, which names the time stamps")
    _check_surplus(members, contents, faults)
    if not contents.tokens and not faults.count:
        return not_checkable(
            "time", "there is no time stamp: the times in it rest on the word of whoever made the captures"
        )
    shown: list[Shown] = []
    unknown: list[str] = []
    for named in contents.tokens:
        try:
            shown.append(_check_token(members, named, log, keys, roots, opinion))
        except UnknownAlgorithm as problem:
            unknown.append(f"{named.token}: {problem}; {_openssl(named)}")
        except Unsound as problem:
            faults.add(problem.reason, named.token, str(problem))
    _check_covered(shown, log, records, faults)
    return _verdict(shown, unknown, log, faults)


def _verdict(shown: list[Shown], unknown: list[str], log: LogRead, faults: Faults) -> Claim:
    last = max(log.indexes.values(), default=-1)
    told = "; ".join(
        f"in the log by {each.time:%Y-%m-%d %H:%M:%S} UTC says {each.authority}"
        + ("" if each.trusted else ", by an authority nobody vouched for")
        + ("" if each.size > last else f" (only the first {each.size} entries)")
        + each.opinion
        for each in shown
    )
    trusted = "your word that this authority's clock is right (--trust-tsa)"
    claim = faults.verdict(told, trusted if all(each.trusted for each in shown) else "the word of that authority")
    if unknown and claim.result != FAILS:
        return Claim("time", NOT_CHECKABLE, "; ".join([*unknown, *([told] if told else [])]), claim.trust)
    return claim


def _openssl(named: TokenNamed) -> str:
    parts = f"-in {named.token} -data {named.checkpoint} -untrusted {named.chain}"
    return f"unpack it and check with: openssl ts -verify {parts} -CAfile ROOT.pem"


def _check_surplus(members: Members, contents: Contents, faults: Faults) -> None:
    named = {name for each in contents.tokens for name in (each.token, each.checkpoint, each.consistency, each.chain)}
    for name in members.sizes:
        if _TOKEN_MEMBER.fullmatch(name) and name not in named:
            faults.add("token-malformed", name, "is there, and evidence/bundle.json does not name it")


def _check_token(
    members: Members,
    named: TokenNamed,
    log: LogRead,
    keys: Sequence[VerifierKey],
    roots: tuple[Certificate, ...],
    opinion: SecondOpinion | None,
) -> Shown:
    try:
        response = members.whole(named.token, MAX_TOKEN)
        token = parse_token(response)
        stamped = members.whole(named.checkpoint, MAX_NOTE)
        proof = members.whole(named.consistency, MAX_CONSISTENCY)
        chain = members.whole(named.chain, MAX_PEM)
        more = parse_pem(chain) if chain.strip() else ()
    except UnknownAlgorithm:
        raise
    except Unsound as problem:
        raise Unsound("token-malformed", str(problem)) from None
    check_imprint(token, stamped)
    signer = check_token_signature(token, more)
    chain_found = check_token_signer(token, signer, more, roots)
    old = _stamped_checkpoint(stamped, keys)
    if log.checkpoint is None:
        raise Unsound("token-consistency", "there is no checkpoint to hold it against")
    if (old.origin, old.size) != (log.checkpoint.origin, named.size):
        raise Unsound("token-checkpoint", "evidence/bundle.json says another size, or it is of another log")
    check_consistency(proof, old, log.checkpoint)
    said = datetime.fromisoformat(named.time)
    if said != token.time.replace(microsecond=token.time.microsecond // 1000 * 1000) and (
        said != token.time.replace(microsecond=0)
    ):
        raise Unsound("token-time", f"evidence/bundle.json says {named.time}, the token {token.time.isoformat()}")
    told = ""
    if opinion is not None and roots:
        told = _second(opinion, response, stamped, chain_found, roots)
    return Shown(token.time.astimezone(UTC), signer.name, old.size, bool(roots), told)


def _second(
    opinion: SecondOpinion,
    response: bytes,
    stamped: bytes,
    chain: tuple[Certificate, ...],
    roots: tuple[Certificate, ...],
) -> str:
    try:
        wrong = opinion(response, stamped, tuple(each.whole for each in chain), tuple(each.whole for each in roots))
    except Unsound:
        return ", which another implementation cannot read"
    if wrong is not None:
        raise Unsound("token-signature", f"another implementation does not take it: {wrong}")
    return ", and another implementation agrees"


def _stamped_checkpoint(stamped: bytes, keys: Sequence[VerifierKey]) -> Checkpoint:
    try:
        return open_checkpoint(stamped, keys, ed25519_verifies)
    except BadProof as problem:
        raise Unsound("token-checkpoint", f"what was stamped is no checkpoint of this log: {problem}") from None


def _check_covered(shown: Sequence[Shown], log: LogRead, records: Records, faults: Faults) -> None:
    """No record that was in the log when it was stamped can be from a later time."""
    for record, index in log.indexes.items():
        time = records.times.get(record)
        if time is None:
            continue
        for each in shown:
            if index < each.size and moment(time) > each.time + CLOCKS_APART:
                faults.add("token-time", record, f"says {time}, and was stamped at {each.time.isoformat()}")
