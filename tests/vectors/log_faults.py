"""What is wrong with each bad twin: of proofs, one change of the text each; of logs, one object changed or missing."""

import base64
from collections.abc import Callable

from snapshots.log_key import LogKey
from snapshots.proof import parse_proof

Change = Callable[[str], str]


def swap_line(number: int, change: Change) -> Change:
    """Changes one line of a text, counted from 0, from the end if negative."""

    def changed(text: str) -> str:
        lines = text.split("\n")
        lines[number] = change(lines[number])
        return "\n".join(lines)

    return changed


def cut_line(number: int) -> Change:
    """Takes one line out."""

    def changed(text: str) -> str:
        lines = text.split("\n")
        del lines[number]
        return "\n".join(lines)

    return changed


def flipped(line: str) -> str:
    """Base64 of the same length with its first bit turned over."""
    name, _, encoded = line.rpartition(" ")
    data = bytearray(base64.b64decode(encoded))
    data[0] ^= 0x80
    return f"{name} {base64.b64encode(data).decode()}".lstrip()


def flipped_at_the_end(line: str) -> str:
    """The same with its last bit."""
    name, _, encoded = line.rpartition(" ")
    data = bytearray(base64.b64decode(encoded))
    data[-1] ^= 1
    return f"{name} {base64.b64encode(data).decode()}".lstrip()


def loose(line: str) -> str:
    """Base64 of the same bytes, with a bit set that stands for nothing."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    last = line.rstrip("=")[-1]
    end = line[len(line.rstrip("=")) :]
    return line.rstrip("=")[:-1] + alphabet[alphabet.index(last) + 1] + end


def signed_by(key: LogKey) -> Change:
    """The same proof with its checkpoint signed by another key."""

    def changed(text: str) -> str:
        head, _, _ = text.partition("\n\n")
        note = parse_proof(text).checkpoint.decode().rpartition("\n\n")[0] + "\n"
        return f"{head}\n\n{key.sign(note).decode()}"

    return changed


def proof_faults(stranger: LogKey) -> dict[str, Change]:
    """The faults of proofs of entry 77 of 300, by the name of the file. Line 0 is the head, line 1 the index."""
    root, size, origin = -4, -5, -6
    return {
        "another-head": swap_line(0, lambda _: "c2sp.org/tlog-proof@v2"),
        "another-index": swap_line(1, lambda _: "index 76"),
        "index-beyond-the-log": swap_line(1, lambda _: "index 300"),
        "index-with-leading-zero": swap_line(1, lambda _: "index 077"),
        "negative-index": swap_line(1, lambda _: "index -77"),
        "no-index": cut_line(1),
        "first-hash-changed": swap_line(2, flipped),
        "last-hash-changed": swap_line(-8, flipped),
        "hash-missing": cut_line(2),
        "hash-twice": swap_line(2, lambda line: f"{line}\n{line}"),
        "surplus-hash-at-the-end": swap_line(-8, lambda line: f"{line}\n{line}"),
        "hash-too-short": swap_line(2, lambda line: base64.b64encode(base64.b64decode(line)[:31]).decode()),
        "hash-in-loose-base64": swap_line(2, loose),
        "hash-without-padding": swap_line(2, lambda line: line.rstrip("=")),
        "no-empty-line": cut_line(-7),
        "another-root": swap_line(root, flipped),
        "another-size": swap_line(size, lambda _: "301"),
        "another-origin": swap_line(origin, lambda line: f"{line}x"),
        "extension-added": swap_line(root, lambda line: f"{line}\nmore"),
        "signature-changed": swap_line(-2, flipped_at_the_end),
        "signature-of-another-key": signed_by(stranger),
        "key-id-changed": swap_line(-2, flipped),
        "signature-missing": cut_line(-2),
        "signed-twice-once-wrongly": swap_line(-2, lambda line: f"{flipped_at_the_end(line)}\n{line}"),
        "hyphen-before-the-signature": swap_line(-2, lambda line: line.replace("\u2014", "-")),
        "carriage-returns": lambda text: text.replace("\n", "\r\n"),
        "no-newline-at-the-end": lambda text: text[:-1],
        "text-after-the-end": lambda text: f"{text}more\n",
    }


def turned(data: bytes) -> bytes:
    """The bytes with one bit turned over, some way in."""
    return data[:40] + bytes([data[40] ^ 1]) + data[41:]


LOG_FAULTS: dict[str, tuple[str, Callable[[bytes], bytes | None]]] = {
    "tile-bit-flipped": ("log/tile/0/000", turned),
    "tile-missing": ("log/tile/0/000", lambda _: None),
    "tile-cut": ("log/tile/0/000", lambda data: data[:-32]),
    "tile-too-long": ("log/tile/0/000", lambda data: data + bytes(32)),
    "partial-tile-bit-flipped": ("log/tile/0/001.p/44", turned),
    "partial-tile-missing": ("log/tile/0/001.p/44", lambda _: None),
    "partial-tile-of-an-earlier-size-wrong": ("log/tile/0/001.p/4", turned),
    "upper-tile-bit-flipped": ("log/tile/1/000.p/1", lambda data: data[:-1] + bytes([data[-1] ^ 1])),
    "entries-bit-flipped": ("log/tile/entries/000", turned),
    "entries-missing": ("log/tile/entries/000", lambda _: None),
    "entries-cut-in-an-entry": ("log/tile/entries/001.p/44", lambda data: data[:-1]),
    "entry-twice": ("log/tile/entries/001.p/44", lambda data: data[:34] + data[:34] + data[68:]),
    "entries-swapped": ("log/tile/entries/000", lambda data: data[34:68] + data[:34] + data[68:]),
    "checkpoint-root-changed": ("log/checkpoint", lambda data: swap_line(2, flipped)(data.decode()).encode()),
    "checkpoint-size-changed": ("log/checkpoint", lambda data: data.replace(b"\n300\n", b"\n299\n")),
    "checkpoint-missing": ("log/checkpoint", lambda _: None),
    "lock-missing": ("log/lock", lambda _: None),
    "lock-of-another-version": ("log/lock", lambda data: data.replace(b"@v1", b"@v2")),
    "lock-cut": ("log/lock", lambda data: data[: len(data) // 2]),
    "something-that-is-no-tile": ("log/tile/0/0", lambda _: b"no tile"),
    "tile-beyond-the-log": ("log/tile/0/002.p/1", lambda _: bytes(32)),
}
"""Of the good log, which object is changed and how; None takes it away."""
