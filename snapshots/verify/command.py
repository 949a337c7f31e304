"""The command that a bundle carries: `python3 -I verify.py [FILE|DIRECTORY …]`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from snapshots.errors import BadProof, BadTrust, Unsound
from snapshots.note import VerifierKey, parse_vkey
from snapshots.verify.checking import Trust, verify_path
from snapshots.verify.claims import CLAIMS
from snapshots.verify.contents import CONTENTS
from snapshots.verify.log_proofs import MAX_VKEY
from snapshots.verify.telling import json_text, told_in_words
from snapshots.verify.x509 import MAX_PEM, Certificate, parse_pem

ALL_HOLD, SOME_FAIL, WRONG_USE, UNREADABLE = 0, 1, 2, 3


def trusted_key(text: str) -> VerifierKey:
    """The key that an option names: a vkey, or a file that holds one. Raises BadTrust."""
    try:
        if "+" not in text or Path(text).is_file():
            text = Path(text).read_bytes()[:MAX_VKEY].decode().strip()
        return parse_vkey(text)
    except OSError as problem:
        raise BadTrust(f"the key file {text} cannot be read: {problem.strerror}") from None
    except (BadProof, UnicodeDecodeError) as problem:
        raise BadTrust(f"--trust-key: {problem}") from None


def trusted_roots(file: str) -> tuple[Certificate, ...]:
    """The certificates in a PEM file. Raises BadTrust."""
    try:
        with Path(file).open("rb") as opened:
            return parse_pem(opened.read(MAX_PEM + 1))
    except OSError as problem:
        raise BadTrust(f"the certificates in {file} cannot be read: {problem.strerror}") from None
    except Unsound as problem:
        raise BadTrust(f"--trust-tsa {file}: {problem}") from None


def trust_of(keys: Sequence[str], roots: Sequence[str], required: Sequence[str]) -> Trust:
    """What the options vouch for and require. Raises BadTrust."""
    for claim in required:
        if claim not in CLAIMS:
            raise BadTrust(f"--require {claim}: there is no such claim; there are {', '.join(CLAIMS)}")
    certificates = tuple(certificate for file in roots for certificate in trusted_roots(file))
    return Trust(tuple(trusted_key(text) for text in keys), certificates, frozenset(required))


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Verify bundles of evidence, and WACZ and WARC files, with nothing but Python.",
        epilog="Exit status: 0 holds; 1 a claim fails, or a required one cannot be checked; 2 wrong use; 3 unreadable.",
    )
    parser.add_argument("file", nargs="*", metavar="FILE|DIRECTORY", help="default: the bundle this program lies in")
    parser.add_argument("--trust-key", action="append", default=[], metavar="VKEY|FILE", help="a log key you trust")
    parser.add_argument(
        "--trust-tsa", action="append", default=[], metavar="PEM", help="certificates of authorities you trust for time"
    )
    parser.add_argument("--require", action="append", default=[], metavar="CLAIM", help="a claim that must be checked")
    parser.add_argument("--json", action="store_true", help="the outcome as JSON; one line for each of several files")
    return parser


def own_bundle(program: Path) -> Path:
    """The unpacked bundle that this program lies in. Raises BadTrust if it lies in none."""
    folder = program.resolve().parent
    for root in (folder.parent, folder):
        if (root / CONTENTS).is_file():
            return root
    raise BadTrust("say which file or directory to verify: this program does not lie in an unpacked bundle")


def main(arguments: Sequence[str], program: str) -> int:
    """Verifies what the arguments name; gives the exit status."""
    options = _arguments().parse_args(arguments)
    try:
        trust = trust_of(options.trust_key, options.trust_tsa, options.require)
        paths = [Path(name) for name in options.file] or [own_bundle(Path(program))]
    except BadTrust as problem:
        print(f"verify: {problem}", file=sys.stderr)  # noqa: T201 - this is a command
        return WRONG_USE
    worst = ALL_HOLD
    for path in paths:
        try:
            report = verify_path(path, trust)
        except OSError as problem:
            print(f"verify: {path} cannot be read: {problem.strerror or problem}", file=sys.stderr)  # noqa: T201 - as above
            worst = UNREADABLE
            continue
        told = json_text(report, indent=None if len(paths) > 1 else 1) if options.json else told_in_words(report)
        print(told)  # noqa: T201 - as above
        worst = max(worst, ALL_HOLD if report.holds else SOME_FAIL)
    return worst
