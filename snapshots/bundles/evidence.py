"""The members below `evidence/` that are not copies of what is kept: the table of contents, proofs and time stamps."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from snapshots.bundles.collecting import BundleAsked, Collected
from snapshots.canonical import canonical
from snapshots.log import Log
from snapshots.note import Checkpoint, encode64, parse_checkpoint, parse_note
from snapshots.proof import Proof


class BundleToken(Protocol):
    """An authority's word (RFC 3161) that a checkpoint existed at a time."""

    @property
    def authority(self) -> str:
        """The address that was asked."""
        ...

    @property
    def time(self) -> str:
        """When, as the token says: RFC 3339, UTC."""
        ...

    @property
    def size(self) -> int:
        """Entries of the tree that the checkpoint is over."""
        ...

    @property
    def response(self) -> bytes:
        """The authority's answer: a TimeStampResp in DER."""
        ...

    @property
    def checkpoint(self) -> bytes:
        """The signed checkpoint that was stamped."""
        ...

    @property
    def chain_pem(self) -> bytes:
        """The certificate of the signer and those above it, as far as known."""
        ...


class BundleTokens(Protocol):
    """Where time stamps on the log's checkpoints are found."""

    def tokens_for(self, size: int, *, within: int | None = None) -> Sequence[BundleToken]:
        """For each authority its earliest token on a tree of `size` entries or more; else its latest one.

        None on a tree of more than `within` entries.
        """
        ...


class NoTokens:
    """No authority was ever asked."""

    def tokens_for(self, size: int, *, within: int | None = None) -> Sequence[BundleToken]:  # noqa: ARG002 - the protocol's
        """None."""
        return ()


@dataclass(frozen=True)
class Seal:
    """The log as one bundle sees it: its signed checkpoint, and the time stamps that lead to it."""

    signed: bytes
    checkpoint: Checkpoint
    tokens: tuple[BundleToken, ...]


def seal(log: Log, tokens: BundleTokens, needed: int) -> Seal:
    """The log's checkpoint over at least `needed` entries, and the tokens on trees that it goes on from."""
    if log.size < needed:
        log.refresh()
    signed = log.checkpoint
    checkpoint = parse_checkpoint(parse_note(signed).text)
    found = tokens.tokens_for(needed, within=checkpoint.size)
    fit = [one for one in found if one.size > 0]  # of the empty tree there is nothing to prove
    return Seal(signed, checkpoint, tuple(sorted(fit, key=lambda one: (one.time, one.authority))))


def proofs(log: Log, sealed: Seal, positions: Iterable[int]) -> Iterator[tuple[int, str]]:
    """The proof of each entry, as text, under the sealed checkpoint."""
    for index, hashes in log.inclusions(positions, sealed.checkpoint.size):
        yield index, Proof(index, tuple(hashes), sealed.signed).text


def consistency(log: Log, old: int, new: int) -> bytes:
    """That the tree of `new` entries begins with that of `old`, as text."""
    hashes = [] if old == new else log.consistency(old, new)
    lines = ["citator/log-consistency@v1", f"old {old}", f"new {new}", *map(encode64, hashes)]
    return ("\n".join(lines) + "\n").encode()


def token_members(log: Log, sealed: Seal) -> Iterator[tuple[str, bytes]]:
    """Names and bytes of what proves the times."""
    for number, token in enumerate(sealed.tokens, 1):
        stem = f"evidence/token-{number}"
        yield f"{stem}.tsr", token.response
        yield f"{stem}.checkpoint", token.checkpoint
        yield f"{stem}.consistency", consistency(log, token.size, sealed.checkpoint.size)
        yield f"{stem}.pem", token.chain_pem


def contents(
    asked: BundleAsked, found: Collected, sealed: Seal, *, created: str, pages: int, software: tuple[str, str]
) -> bytes:
    """`bundle.json`: what the bundle is of, and what is missing from it and why."""
    checkpoint = sealed.checkpoint
    return canonical(
        {
            "kind": "bundle",
            "version": 1,
            "created": created,
            "origin": checkpoint.origin,
            "size": checkpoint.size,
            "root": root_text(checkpoint),
            "roots": found.roots,
            "selection": {"ids": tuple(sorted(asked.ids)), "url": asked.url, "search": asked.search},
            "counts": dict(counts(found, pages)),
            "missing": [
                {"id": name, "why": gone.why, "deletion": gone.deletion} for name, gone in sorted(found.missing.items())
            ],
            "tokens": [
                {
                    "authority": token.authority,
                    "time": token.time,
                    "size": token.size,
                    "members": {
                        "token": f"evidence/token-{number}.tsr",
                        "checkpoint": f"evidence/token-{number}.checkpoint",
                        "consistency": f"evidence/token-{number}.consistency",
                        "chain": f"evidence/token-{number}.pem",
                    },
                }
                for number, token in enumerate(sealed.tokens, 1)
            ],
            "notes": tuple(notes(found, sealed)),
            "software": {"name": software[0], "version": software[1]},
        }
    )


def root_text(checkpoint: Checkpoint) -> str:
    """The root as checkpoints write it."""
    return encode64(checkpoint.root)


def counts(found: Collected, pages: int) -> dict[str, int]:
    """How much of what is in the bundle."""
    return {
        "records": len(found.records),
        "passages": sum(map(len, found.passages.values())),
        "blobs": len(blobs_of(found)),
        "pages": pages,
        "missing": len(found.missing),
    }


def blobs_of(found: Collected) -> set[str]:
    """All blobs that the bundle holds."""
    return {name for name in found.pages if name not in found.missing} | set(found.blobs)


def notes(found: Collected, sealed: Seal) -> list[str]:
    """Sentences about what is missing and why."""
    told = list(found.notes)
    removed = sum(gone.why == "removed" for gone in found.missing.values())
    if removed:
        told.append(
            f"{removed} ids that something here names were removed before this bundle was made; "
            "the records of the deletions are in it."
        )
    strangers = len(found.missing) - removed - len(found.notes)
    if strangers > 0:
        told.append(f"{strangers} ids that something here names are not kept by the installation that made this.")
    if not sealed.tokens:
        told.append("No time-stamping authority has seen this log: the times rest on the word of who made it.")
    for number, token in enumerate(sealed.tokens, 1):
        later = sorted(name for name, position in found.logged.items() if position >= token.size)
        if later:
            told.append(
                f"Time stamp {number} ({token.authority}, {token.time}) does not cover {len(later)} of the records: "
                f"{', '.join(later[:LISTED])}{' and others' if len(later) > LISTED else ''}."
            )
    return told


LISTED = 20
"""Ids named in one note."""
