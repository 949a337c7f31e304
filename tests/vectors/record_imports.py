"""The record of a bundle that was taken in, as the vectors have it."""

from snapshots import Import, ImportClaim, ImportMember, digest


def bundle_taken_in(nonce: str, at: str) -> Import:
    return Import(
        nonce=nonce,
        at=at,
        form="bundle",
        name="harbour.wacz",
        sha256="5f" * 32,
        size=20480,
        origin="citator/harbour",
        vkey="citator/harbour+00000000+AQ==",
        tree=300,
        members=[ImportMember(member="evidence/checkpoint.txt", id=digest(b"checkpoint"))],
        claims=[ImportClaim(claim="log", result="holds", detail="all records are in the log")],
        records=[digest(b"capture elsewhere")],
        absent=["6e" * 32],
        deletions=[digest(b"deletion")],
        counts={"records": 1},
    )
