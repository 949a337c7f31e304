"""What the list of mutations does to members and their lines."""

import json
import re
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from snapshots import digest
from snapshots.canonical import canonical
from tests.snapshots.verify.five_pages import body_of, text_of
from tests.snapshots.verify.mutable import (
    BLOBS,
    CONTENTS,
    LEFT_OUT,
    NOTHING,
    PASSAGES,
    PROOFS,
    RECORDS,
    Bundle,
    changed,
    fresh_wacz_key,
    gzip_member,
    moved,
)

Step = dict[str, Any]


def another(data: bytes, at: int) -> bytes:
    """The bytes with another letter or digit at a place (in base64: the next that is one), a bit away from the old."""
    while data[at] in b"+/":
        at += 1
    old = data[at]
    for bit in (1, 2, 4, 8, 16):
        new = bytes([old ^ bit])
        if not bytes([old]).isalnum() or new.isalnum():
            return data[:at] + new + data[at + 1 :]
    raise AssertionError(f"no bit makes {old} another letter")


def place_of(data: bytes, text: bytes, plus: int = 0) -> int:
    assert text in data, text
    return data.index(text) + plus


def base64_middle(data: bytes, after: bytes) -> int:
    """A letter in the middle of a run of base64 that follows `after`."""
    start = place_of(data, after, len(after))
    length = len(re.match(rb"[A-Za-z0-9+/=\n]+", data[start:])[0])  # type: ignore[index]
    at = start + length // 2
    return next(place for place in range(at, start + length) if data[place : place + 1].isalnum())


def signature_middle(data: bytes) -> int:
    """The middle of the signature that a token ends with."""
    return data.rindex(b"\x04", 0, len(data) - 60) + 20


PLACES: dict[str, Callable[[Bundle, bytes], int]] = {
    "middle": lambda _, data: next(at for at in range(len(data) // 2, len(data)) if data[at : at + 1].isalnum()),
    "<a letter of the body of plain>": lambda _, data: place_of(data, b"The ferry leaves", 5),
    "<last digit of the first line's offset>": lambda _, data: re.search(rb'"offset": "\d+', data).end() - 1,  # type: ignore[union-attr]
    "<last digit of the length in the last line>": lambda _, data: (
        list(re.finditer(rb'"length": \d+', data))[-1].end() - 1
    ),
    "<a letter of the text of plain>": lambda _, data: place_of(data, b"The ferry leaves", 5),
    "<a digit of the nonce of plain's capture>": lambda bundle, data: (
        place_of(data, bundle.good.captures["plain"].nonce.encode())
        + re.search("[0-9]", bundle.good.captures["plain"].nonce).start()  # type: ignore[union-attr]
    ),
    "<a letter of the first passage's text>": lambda _, data: place_of(data, b'"text":"', 9),
    "<last digit of bytes in the first line>": lambda _, data: re.search(rb'"bytes":\d+', data).end() - 1,  # type: ignore[union-attr]
    "<a digit of counts.records>": lambda _, data: re.search(rb'"records":\d+', data).end() - 1,  # type: ignore[union-attr]
    "<first character of the third line>": lambda _, data: len(b"\n".join(data.split(b"\n")[:2])) + 1,
    "<a character in the middle of the base64>": lambda _, data: (
        base64_middle(data, data[: data.rindex(b"+") + 1]) if data.count(b"+") == 2 else len(data) - 20
    ),
    "<second character of the first hash of the first proof>": lambda _, data: (
        re.search(  # type: ignore[union-attr]
            rb"index \d+\\n..", data
        ).end()
        - 1
    ),
    "<middle of the signature of the SignerInfo>": lambda _, data: signature_middle(data),
    "<tenth character of the signature>": lambda _, data: (
        place_of(data, "\u2014 ".encode()) + data[data.index("\u2014".encode()) :].index(b" ", 5) + 10
    ),
    "<second character of the first hash>": lambda _, data: len(b"\n".join(data.split(b"\n")[:3])) + 2,
    "<a character in the middle of the first certificate>": lambda _, data: base64_middle(data, b"CERTIFICATE-----\n"),
    "<a character in the middle of payload>": lambda _, data: base64_middle(data, b'"payload":"'),
    "<tenth character of sig>": lambda _, data: place_of(data, b'"sig":"', 17),
    "<a letter of the first quotation>": lambda _, data: place_of(data, b"<mark>", 8),
    "<a letter of title>": lambda _, data: place_of(data, b'"title":"', 10),
    "<a character of signedData.signature well inside s>": lambda _, data: place_of(data, b'"signature":"', 13 + 100),
}


def flip(bundle: Bundle, step: Step) -> None:
    name, at = bundle.member(step["member"]), step["at"]
    if at == "<middle of the gzip member of plain's response>":
        data = bundle.members[name]
        record = next(place for place in _gzip_starts(data) if b"/plain" in _gunzip(data[place:]))
        place = record + 120
        bundle.members[name] = data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :]
    elif "inside" in step:
        wanted = [at]

        def change(part: bytes) -> bytes:
            if wanted and (b"The ferry leaves" in part or b'"offset"' in part):
                return another(part, PLACES[wanted.pop()](bundle, part))
            return part

        bundle.inside(name, change)
    else:
        bundle.members[name] = another(bundle.members[name], PLACES[at](bundle, bundle.members[name]))


def _gzip_starts(data: bytes) -> list[int]:
    return [match.start() for match in re.finditer(rb"\x1f\x8b\x08\0\0\0\0\0", data)]


def _gunzip(data: bytes) -> bytes:
    import zlib

    return zlib.decompressobj(31).decompress(data)


def replace(bundle: Bundle, step: Step) -> None:
    name, old, new = bundle.member(step["member"]), step["old"], step["new"]
    data = bundle.members[name]
    bombs = {"<a gzip member of 256 MiB of zeros>": lambda: gzip_member(bytes(1 << 28)), "garbage": lambda: b"garbage"}
    if old == "<everything>":
        bundle.members[name] = new.encode()
    elif old == "<the end>":
        bundle.members[name] = data + bombs[new]()
    elif old == "<a word of the first quotation>":
        bundle.members[name] = data.replace(b"ferry", b"lorry", 1)
    elif old == "<the first line>":
        bundle.members[name] = new.encode() + data[data.index(b"\n") :]
    elif old == "old <size>":
        bundle.members[name] = re.sub(rb"old (\d+)", lambda found: b"old %d" % (int(found[1]) - 1), data)
    elif old == "<all lines from the fourth on>":
        bundle.members[name] = b"".join(data.splitlines(keepends=True)[:3])
    else:
        assert old.encode() in data
        bundle.members[name] = data.replace(old.encode(), new.encode(), 1)


def put_in_order(values: list[str], new: str) -> list[str]:
    return sorted([*values, new])


def _missing_capture(bundle: Bundle, old: list[Any]) -> list[Any]:
    new = {"id": bundle.good.captures["encoded"].id, "why": "removed", "deletion": old[0]["deletion"]}
    return sorted([*old, new], key=lambda each: each["id"])


VALUES: dict[str, Callable[[Bundle, Any], Any]] = {
    "<with another word inside a passage>": lambda _, old: old.replace("ferry", "lorry", 1),
    "<one less>": lambda _, old: old - 1,
    "<one more>": lambda _, old: old + 1,
    "<the hash of no bytes>": lambda _, __: f"sha256:{NOTHING}",
    "<the first resource put in front once more>": lambda _, old: [old[0], *old],
    "<the first two in the other order>": lambda _, old: [old[1], old[0], *old[2:]],
    "<a second later>": lambda _, old: moved(old, seconds=1),
    "<a day earlier>": lambda _, old: moved(old, days=-1),
    "<a year earlier>": lambda _, old: moved(old, days=-365),
    "<an hour later>": lambda _, old: moved(old, hours=1),
    "<SPKI of another P-384 key, base64>": lambda _, __: fresh_wacz_key().public,
    "<left out>": lambda _, __: LEFT_OUT,
    "<null>": lambda _, __: None,
    "<with sha256: and 64 zeros put in, sorted>": lambda _, old: put_in_order(old, "sha256:" + "0" * 64),
    "<with that capture, why removed, the deletion of the other one>": _missing_capture,
    "<records one less, missing one more>": lambda _, old: (
        old | {"records": old["records"] - 1, "missing": old["missing"] + 1}
    ),
    "<provider>": lambda bundle, _: bundle.member("<provider>"),
    "<the capture of redirected>": lambda bundle, _: bundle.good.captures["redirected"].id,
    "<the same with ' not' after its first word>": lambda _, old: old.replace(" ", " not ", 1),
}


def value_of(bundle: Bundle, step: Step) -> Callable[[Any], Any]:
    """What a value, which may be words in angle brackets, makes of the old one."""
    value = step["value"]
    if isinstance(value, str) and value in VALUES:
        return lambda old: VALUES[value](bundle, old)
    assert not (isinstance(value, str) and value.startswith("<")), value
    return lambda _: value


def set_value(bundle: Bundle, step: Step) -> None:
    if step["value"] == "<the hash of no bytes, signed by a fresh P-384 key>":
        key, named = fresh_wacz_key(), f"sha256:{NOTHING}"
        new = {"hash": named, "signature": key.sign(named.encode()), "publicKey": key.public}
        bundle.change(step["member"], "signedData", lambda old: old | new)
        return
    bundle.change(step["member"], step["path"], value_of(bundle, step))


def truncate(bundle: Bundle, step: Step) -> None:
    data = bundle.members[step["member"]]
    bundle.members[step["member"]] = data[: len(data) // 2 if step["keep"] == "half" else -1]


def drop(bundle: Bundle, step: Step) -> None:
    del bundle.members[bundle.member(step["member"])]


def add(bundle: Bundle, step: Step) -> None:
    content = step["content"].encode()
    bundle.put(step["member"].replace("<hash of the content>", sha256(content).hexdigest()), content)


def swap_members(bundle: Bundle, step: Step) -> None:
    one, two = map(bundle.member, step["members"])
    bundle.members[one], bundle.members[two] = bundle.members[two], bundle.members[one]


def order(bundle: Bundle, step: Step) -> None:
    names = [name for name in bundle.members if name != step["member"]]
    names.insert(names.index(step["before"]), step["member"])
    bundle.members = {name: bundle.members[name] for name in names}


def line_number(bundle: Bundle, name: str, which: Any) -> int:
    """Which line of a member is meant."""
    lines = bundle.lines(name)
    if which in {"first", 0} if isinstance(which, str | int) else False:
        return 0
    if isinstance(which, int):
        return which
    if which == "last":
        return len(lines) - 1
    values = [json.loads(line) for line in lines]
    known: dict[Any, Callable[[Any], bool]] = {
        "<the line of the reply>": lambda value: value["id"] == digest(bundle.good.reply),
        "<the line of the body of plain>": lambda value: value["id"] == digest(body_of("plain")),
        "<one that does not end where its document ends>": lambda value: value["suffix"] != "",
        "<one whose start is not 0>": lambda value: value["start"] != 0,
    }
    if isinstance(which, str):
        return next(place for place, value in enumerate(values) if known[which](value))
    wanted = ids_of(bundle, which)
    if name == PASSAGES:
        mine = [place for place, value in enumerate(values) if value["capture"] in wanted]
        return mine[which.get("nth", 0)]
    keys = [value["record"] for value in values] if name == PROOFS else [digest(line) for line in lines]
    return next(place for place, key in enumerate(keys) if key in wanted)


def ids_of(bundle: Bundle, which: dict[str, Any]) -> set[str]:
    """The ids that `{kind, page}` stands for."""
    if "page" in which:
        capture = bundle.good.captures[which["page"]]
        return {capture.document or ""} if which.get("kind") == "document" else {capture.id}
    if which["kind"] == "search":
        return {bundle.good.search.id}
    lines = bundle.good.members[RECORDS].splitlines()
    return {digest(line) for line in lines if json.loads(line)["kind"] == which["kind"]}


def on_lines(bundle: Bundle, step: Step) -> None:
    name = step["member"]
    lines, what = bundle.lines(name), step["op"].removeprefix("line-")
    if what == "add":
        bundle.put_lines(name, sorted_lines(name, [*lines, new_line(bundle, step["value"])]))
        return
    at = line_number(bundle, name, step["which"])
    if what == "drop":
        del lines[at]
    elif what == "twice":
        lines.insert(at, lines[at])
    elif what == "swap":
        lines[at], lines[at + 1] = lines[at + 1], lines[at]
    elif what == "raw":
        lines[at] = raw(lines[at], step["old"], step["new"])
    elif what == "set":
        _set_line(bundle, step, lines, at)
        return
    bundle.put_lines(name, lines)


def raw(line: bytes, old: str, new: str) -> bytes:
    if "<digits>" in old:
        found = re.search(old.replace("<digits>", r"(\d+)").encode(), line)
        assert found
        return line.replace(found[0], new.replace("<digits>", found[1].decode()).encode(), 1)
    assert old.encode() in line
    if not new:
        at = line.rindex(old.encode())
        return line[:at] + line[at + len(old) :]
    return line.replace(old.encode(), new.encode(), 1)


def _set_line(bundle: Bundle, step: Step, lines: list[bytes], at: int) -> None:
    name, old = step["member"], lines[at]
    value = json.loads(old)
    if step["value"] == "<one more, with end, text, prefix, suffix and headings to fit>":
        lines[at] = canonical(shifted(value))
        bundle.put_lines(name, sorted_lines(name, lines))
        return
    lines[at] = canonical(changed(value, step["path"], value_of(bundle, step)))
    bundle.put_lines(name, lines)
    if step.get("follow"):
        follow(bundle, digest(old), digest(lines[at]))
    elif name == PASSAGES:  # a line is its own name, so that it has another place now
        bundle.put_lines(name, sorted_lines(name, lines))


def shifted(value: dict[str, Any]) -> dict[str, Any]:
    """A passage of plain one code point further on."""
    text = text_of("plain")
    start, end = value["start"] + 1, value["end"] + 1
    return value | {
        "start": start,
        "end": end,
        "text": text[start:end],
        "prefix": text[max(0, start - 64) : start],
        "suffix": text[end : end + 64],
    }


def new_line(bundle: Bundle, value: str) -> bytes:
    good = bundle.good
    known: dict[str, Callable[[], Any]] = {
        "<the line of that member, in order>": lambda: {
            "id": digest(b"put in later"),
            "bytes": 12,
            "member": f"evidence/{sha256(b'put in later').hexdigest()}.bin",
        },
        "<a crawl record of the log that is no part of the bundle>": lambda: json.loads(good.outside.encoded),
        "<its proof>": lambda: {"record": good.outside.id, "proof": good.outside_proof},
        "<a fetch of plain with a fresh nonce>": lambda: json.loads(good.fetch.encoded) | {"nonce": "1" * 32},
    }
    known["<the proof of a crawl record of the log that is no part of the bundle>"] = known["<its proof>"]
    return canonical(known[value]())


def sorted_lines(name: str, lines: list[bytes]) -> list[bytes]:
    keys: dict[str, Callable[[bytes], str]] = {
        BLOBS: lambda line: str(json.loads(line)["id"]),
        PROOFS: lambda line: str(json.loads(line)["record"]),
    }
    return sorted(lines, key=keys.get(name, digest))


def follow(bundle: Bundle, old: str, new: str) -> None:
    """Puts a new id in the place of an old one wherever that stands, and so on for what is renamed by that."""
    waiting = [(old, new)]
    while waiting:
        before, after = waiting.pop()
        bundle.members[CONTENTS] = _renamed(bundle.members[CONTENTS], before, after)
        for name in (RECORDS, PASSAGES, BLOBS, PROOFS):
            lines = bundle.lines(name)
            for place, line in enumerate(lines):
                if before.encode() in line:
                    lines[place] = _renamed(line, before, after)
                    if name in {RECORDS, PASSAGES}:
                        waiting.append((digest(line), digest(lines[place])))
            bundle.put_lines(name, sorted_lines(name, lines))
    value = bundle.json(CONTENTS)
    value["roots"].sort()
    bundle.put_json(CONTENTS, value)


def _renamed(data: bytes, old: str, new: str) -> bytes:
    return data.replace(old.encode(), new.encode())


OPERATIONS: dict[str, Callable[[Bundle, Step], None]] = {
    "flip": flip,
    "replace": replace,
    "set": set_value,
    "truncate": truncate,
    "drop": drop,
    "add": add,
    "swap-members": swap_members,
    "order": order,
    **{f"line-{what}": on_lines for what in ("drop", "twice", "swap", "set", "add", "raw")},
}
