"""Makes the context of a session anew from a bundle, without Citator: the command that `session/rebuild.py` is.

It trusts the bundle as far as its hashes go: each record and content is held against its id. That the bundle itself is
whole is for `evidence/verify.py` to say.
"""

import argparse
import hashlib
import json
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from service.sessions.paths import Kept

FORMS: Final = ("openai", "responses", "anthropic", "gemini")
SHORTEST: Final = 12
"""Hex digits that an id may be cut to."""
SAME, OTHER, WRONG_USE, UNREADABLE = 0, 1, 2, 3


class Unreadable(Exception):
    """The bundle is not what it says, or not there."""


class Bundle:
    """The members of a bundle: a file, or the directory that it was unpacked into."""

    def __init__(self, place: Path) -> None:
        self._folder = place if place.is_dir() else None
        try:
            self._zip = None if self._folder else zipfile.ZipFile(place)
        except (OSError, zipfile.BadZipFile) as error:
            raise Unreadable(f"{place}: {error}") from None
        self._records = {digest_of(line): line for line in self._lines("evidence/records.jsonl")}
        self._blobs = {one["id"]: one["member"] for one in map(json.loads, self._lines("evidence/blobs.jsonl"))}
        places = {}
        for one in map(json.loads, self._lines("evidence/proofs.jsonl")):
            lines = one["proof"].split("\n")
            places[one["record"]] = next(int(line[6:]) for line in lines if line.startswith("index "))
        self._events: dict[str, list[tuple[int, str]]] = {}
        self.sessions: list[str] = []
        for name in sorted(places, key=lambda each: places[each]):
            record = json.loads(self._records.get(name, b"{}"))
            if record.get("kind") == "event":
                self._events.setdefault(record["session"], []).append((places[name], name))
            elif record.get("kind") == "session":
                self.sessions.append(name)
        self.roots: list[str] = json.loads(self.read("evidence/bundle.json"))["roots"]

    def read(self, name: str) -> bytes:
        """A member's bytes."""
        try:
            return (self._folder / name).read_bytes() if self._folder else self._whole().read(name)
        except (OSError, KeyError, zipfile.BadZipFile) as error:
            raise Unreadable(f"{name} cannot be read: {error}") from None

    def _whole(self) -> zipfile.ZipFile:
        assert self._zip is not None, "it is a file or a directory"
        return self._zip

    def names(self) -> list[str]:
        """The members below `session/`."""
        if self._folder:
            return sorted(f"session/{path.name}" for path in (self._folder / "session").glob("*"))
        return sorted(name for name in self._whole().namelist() if name.startswith("session/"))

    def _lines(self, name: str) -> Iterator[bytes]:
        if name == "evidence/blobs.jsonl" and self._folder and not (self._folder / name).exists():
            return
        if name == "evidence/blobs.jsonl" and self._zip and name not in self._zip.namelist():
            return
        yield from self.read(name).removesuffix(b"\n").split(b"\n")

    def blob(self, name: str) -> bytes | None:
        """A content, None if it is not here. Raises Unreadable for one that is not what its id says."""
        member = self._blobs.get(name)
        if member is None or not member.startswith("evidence/"):
            return None
        data = self.read(member)
        if digest_of(data) != name:
            raise Unreadable(f"{member} is not what its name says")
        return data

    def kept(self) -> Kept:
        """Where everything of its sessions lies."""
        return Kept(
            record=self._records.get,
            blob=self.blob,
            order=lambda session: [name for _, name in sorted(self._events.get(session, ()))],
        )

    def whole_id(self, text: str, among: Sequence[str]) -> str:
        """The one id that begins so. Raises Unreadable."""
        digits = text.removeprefix("sha256:")
        found = [name for name in among if name.removeprefix("sha256:").startswith(digits)]
        if len(digits) < SHORTEST or len(found) != 1:
            raise Unreadable(f"{text} is none of this bundle's, or not long enough")
        return found[0]

    def events(self) -> list[str]:
        """The ids of all events."""
        return [name for some in self._events.values() for _, name in some]

    def session(self, wanted: str | None) -> str:
        """The session that is meant: the one that was asked for when the bundle was made, if none is named."""
        if wanted is not None:
            return self.whole_id(wanted, self.sessions)
        asked = [name for name in self.sessions if name in self.roots]
        if len(asked) != 1:
            raise Unreadable(
                "say which session with --session: " + (" ".join(asked or self.sessions) or "none is here")
            )
        return asked[0]


def digest_of(data: bytes) -> str:
    """The id of some bytes."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def members_of(kept: Kept, session: str, name_of: Callable[[str], str]) -> Iterator[tuple[str, bytes]]:
    """What lies below `session/` for one session: its transcript, and its context for each provider."""
    lines = [as_line(one) for one in kept.transcript(session)]
    if lines:
        yield name_of("transcript.jsonl"), b"".join(lines)
    yield name_of("context.json"), as_line(kept.context(session))
    for form in FORMS:
        yield name_of(f"context-{form}.json"), as_line(kept.context(session, form=form))


def as_line(value: Any) -> bytes:
    """A JSON value on a line of its own."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def naming(session: str, sessions: Sequence[str]) -> Callable[[str], str]:
    """How the members of one session are called where there are several."""
    start = "" if len(sessions) == 1 else f"{session.removeprefix('sha256:')[:SHORTEST]}-"
    return lambda name: f"session/{start}{name}"


def differing(bundle: Bundle) -> list[str]:
    """The members below `session/` that are not what the records say they must be."""
    kept = bundle.kept()
    sessions = [name for name in bundle.sessions if name in bundle.roots]
    expected: dict[str, bytes] = {}
    for session in sessions:
        expected |= dict(members_of(kept, session, naming(session, sessions)))
    there = [name for name in bundle.names() if name.endswith((".json", ".jsonl"))]
    return sorted({name for name in there if expected.get(name) != bundle.read(name)} | (expected.keys() - set(there)))


def arguments_of(arguments: Sequence[str]) -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(
        description="Make the context of a session anew from a bundle, with nothing but Python.",
        epilog="Exit status: 0 done; 1 --check found a difference; 2 wrong use; 3 unreadable.",
    )
    parser.add_argument("bundle", nargs="?", help="file or directory; default: the one this program lies in")
    parser.add_argument("--session", help="its id, if there are several")
    parser.add_argument("--format", choices=FORMS, help="the API it is for; none given: neutral")
    parser.add_argument("--budget", type=int, help="tokens of the model's window")
    parser.add_argument("--at", help="as it was after this event")
    parser.add_argument("--mode", choices=("recent", "relevant"), default="recent", help="what stays if not all fits")
    parser.add_argument("--provider", help="whose sealed items go back as they came")
    parser.add_argument("--model", help="which model of that provider")
    parser.add_argument("--check", action="store_true", help="hold what lies below session/ against the records")
    return parser.parse_args(arguments)


def rebuild(arguments: Sequence[str], program: str) -> int:
    """Does what the arguments say; gives the exit status."""
    asked = arguments_of(arguments)
    place = Path(asked.bundle) if asked.bundle else Path(program).resolve().parent.parent
    try:
        bundle = Bundle(place)
        if asked.check:
            wrong = differing(bundle)
            print("\n".join(wrong) or "the records say the same")  # noqa: T201 - this is a command
            return OTHER if wrong else SAME
        session = bundle.session(asked.session)
        found = bundle.kept().context(
            session,
            at=bundle.whole_id(asked.at, bundle.events()) if asked.at else None,
            form=asked.format,
            budget=asked.budget,
            mode=asked.mode,
            provider=asked.provider,
            model=asked.model,
        )
    except (Unreadable, ValueError, KeyError, TypeError) as problem:
        print(f"rebuild: {problem}", file=sys.stderr)  # noqa: T201 - as above
        return UNREADABLE
    sys.stdout.buffer.write(as_line(found))
    return SAME
