"""Leads from a certificate to one that is trusted, through those that are at hand."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from snapshots.errors import Unsound
from snapshots.verify.x509 import Certificate, check_understood, may_issue, signature_holds

MAX_CHAIN = 8
"""Certificates of a chain; those of time-stamping authorities have two to four."""

MAX_TRIALS = 64
"""Signatures that are computed in search of a chain: certificates that name each other cannot keep us busy."""


class _Search:
    def __init__(self, pool: Sequence[Certificate], roots: Sequence[Certificate]) -> None:
        self.pool = pool
        self.roots = roots
        self.trials = 0

    def chains(self, chain: tuple[Certificate, ...]) -> Iterator[tuple[Certificate, ...]]:
        """Every chain that begins with `chain` and ends in a trusted certificate."""
        last = chain[-1]
        if last in self.roots:
            yield chain
            return
        if len(chain) == MAX_CHAIN:
            return
        for issuer in (*self.roots, *self.pool):
            if issuer not in chain and self.issued(issuer, last, len(chain) - 1):
                yield from self.chains((*chain, issuer))

    def issued(self, issuer: Certificate, certificate: Certificate, below: int) -> bool:
        """Whether `issuer` has signed `certificate` and was allowed to."""
        if issuer.subject != certificate.issuer or not may_issue(issuer, below):
            return False
        self.trials += 1
        if self.trials > MAX_TRIALS:
            return False
        return signature_holds(certificate.algorithm, issuer.key, certificate.signed, certificate.signature)


def trusted_chain(
    leaf: Certificate, pool: Sequence[Certificate], roots: Sequence[Certificate], at: datetime
) -> tuple[Certificate, ...]:
    """A chain from `leaf` to one of `roots`, every certificate of which was valid at the time `at`.

    Raises:
        UnknownAlgorithm: a certificate is signed in a way, or has a condition, that is not understood here.
        Unsound: `token-untrusted` if no chain leads there, `token-expired` if none was valid then.
    """
    outdated = None
    for chain in _Search(pool, roots).chains((leaf,)):
        late = [each for each in chain if not each.valid_at(at)]
        if not late:
            for each in chain:
                check_understood(each)
            return chain
        outdated = outdated or late[0]
    if outdated is not None:
        raise _expired(outdated, at)
    raise Unsound("token-untrusted", f"no chain leads from {leaf.name} to a certificate that was named as trusted")


def known_chain(leaf: Certificate, pool: Sequence[Certificate], at: datetime) -> tuple[Certificate, ...]:
    """The chain from `leaf` upwards as far as `pool` reaches; it proves nothing about whose it is.

    Raises:
        UnknownAlgorithm: as above.
        Unsound: `token-expired` if the leaf, or one above it, was not valid at the time `at`.
    """
    search = _Search(pool, ())
    chain: tuple[Certificate, ...] = (leaf,)
    while len(chain) < MAX_CHAIN and chain[-1].issuer != chain[-1].subject:
        above = [one for one in pool if one not in chain and search.issued(one, chain[-1], len(chain) - 1)]
        if not above:
            break
        chain = (*chain, next((one for one in above if one.valid_at(at)), above[0]))
    for each in chain:
        if not each.valid_at(at):
            raise _expired(each, at)
    return chain


def _expired(certificate: Certificate, at: datetime) -> Unsound:
    span = f"{certificate.not_before:%Y-%m-%d} to {certificate.not_after:%Y-%m-%d}"
    return Unsound("token-expired", f"the certificate of {certificate.name} ({span}) was not valid on {at:%Y-%m-%d}")
