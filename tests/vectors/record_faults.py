"""One fault each, done to the bytes of a good record or passage."""

from collections.abc import Callable

Fault = Callable[[bytes], bytes]


def swap(old: bytes, new: bytes) -> Fault:
    def fault(data: bytes) -> bytes:
        assert data.count(old) >= 1, old
        return data.replace(old, new, 1)

    return fault


def without(data: bytes, field: bytes) -> bytes:
    """`data` without `field` and the string after it."""
    at = data.index(field)
    return data[:at] + data[data.index(b",", at) + 1 :]


def swap_id(data: bytes, field: bytes) -> bytes:
    """`data` with null in place of the id after `field`."""
    at = data.index(field) + len(field)
    return data[:at] + b"null" + data[data.index(b",", at) :]


def _emptied(data: bytes, opened: bytes) -> bytes:
    """`data` without what is in the list that `opened` opens; `version` comes after it."""
    at = data.index(opened) + len(opened)
    return data[:at] + data[data.index(b'],"version"', at) :]


RECORD_FAULTS: list[tuple[str, str, str, Fault]] = [
    ("space", "capture", "a space after a colon", swap(b'"body_length":', b'"body_length": ')),
    ("newline", "serving", "a newline at the end", lambda data: data + b"\n"),
    ("key-order", "hold", "keys out of order", lambda data: b'{"version":1,' + data[1:].replace(b',"version":1', b"")),
    ("twice", "crawl-started", "a key twice", swap(b'"kind":"crawl",', b'"kind":"crawl","kind":"crawl",')),
    ("float", "search", "a float for an integer", swap(b'"candidates_total":2', b'"candidates_total":2.0')),
    ("loose-float", "search", "a float in a free object", swap(b'"position":12', b'"position":12.5')),
    ("big-integer", "search", "an integer of 2**53", swap(b'"position":12', b'"position":9007199254740992')),
    ("score", "search", "a score with an exponent", swap(b'"7.25"', b'"7.25e0"')),
    ("escape", "search", "a character escaped that need not be", swap("\u20ac".encode(), b"\\u20ac")),
    ("surrogate", "search", "a lone surrogate", swap("\u20ac".encode(), b"\\ud83d")),
    ("field-missing", "capture", "a field left out", swap(b'"asked":"http://harbour.example/notices/1",', b"")),
    ("field-extra", "capture", "a field that version 1 does not have", swap(b'"asked":', b'"aside":null,"asked":')),
    ("nonce-short", "fetch", "a nonce of 30 digits", swap(b'"nonce":"', b'"nonce":"XX')),
    (
        "nonce-none",
        "fetch",
        "no nonce",
        lambda data: without(data, b'"nonce":'),
    ),
    ("id-case", "serving", "an id in capitals", lambda data: data.replace(b"sha256:", b"SHA256:", 1)),
    ("id-bare", "serving", "an id without its scheme", swap(b"sha256:", b"")),
    ("time-zone", "serving", "a time with an offset", swap(b".010Z", b".010+00:00")),
    ("time-digits", "serving", "a time without milliseconds", swap(b".010Z", b"Z")),
    ("time-day", "serving", "the 30th of February", swap(b"2026-11-29", b"2026-02-30")),
    ("outcome", "capture", "an outcome that is none", swap(b'"outcome":"ok"', b'"outcome":"fine"')),
    ("range", "fetch", "a range beyond the text", swap(b'"end":200', b'"end":99999')),
    ("block-outside", "document", "a block outside the text", swap(b'"end":14,', b'"end":99999,')),
    ("block-level", "document", "a paragraph with a level", swap(b'"level":null', b'"level":2')),
    ("block-page", "document-2", "a page before the first", swap(b'"page":1', b'"page":0')),
    ("block-pageless", "document-2", "a block that does not say whether it has a page", swap(b'"page":1,', b"")),
    ("block-paged", "document", "a page in a version without pages", swap(b'"level":1', b'"level":1,"page":1')),
    ("block-caption", "document", "a caption before there were any", swap(b'"type":"paragraph"', b'"type":"caption"')),
    ("crawl-end", "crawl-finished", "an end that names no start", lambda data: swap_id(data, b'"crawl":')),
    ("crawl-phase", "crawl-paused", "a phase that is none", swap(b'"phase":"paused"', b'"phase":"asleep"')),
    ("crawl-first", "crawl-paused", "a pause of nothing", lambda data: swap_id(data, b'"crawl":')),
    ("import-file", "import", "a file's hash as an id", swap(b'"sha256":"5f', b'"sha256":"sha256:5f')),
    ("import-result", "import", "a result that is none", swap(b'"result":"holds"', b'"result":"fine"')),
    ("kind-none", "hold", "no kind", swap(b'"kind":"hold",', b"")),
    ("version-text", "hold", "a version that is text", swap(b'"version":1', b'"version":"1"')),
    ("not-object", "hold", "a list", lambda data: b"[" + data + b"]"),
    ("recheck-place", "recheck", "a place without its text", swap(b'"where":"visible"', b'"where":null')),
    ("recheck-verdict", "recheck", "a verdict that is none", swap(b'"verdict":"absent"', b'"verdict":"fine"')),
    ("recheck-edits", "recheck", "more edits than there are", swap(b'"edits_total":1', b'"edits_total":0')),
    ("watch-bounds", "watch", "bounds that contradict each other", swap(b'"max_seconds":604800', b'"max_seconds":60')),
    ("watch-start", "watch", "a start without its sources", lambda data: _emptied(data, b'"sources":[')),
    ("watch-phase", "watch-paused", "a phase that is none", swap(b'"phase":"paused"', b'"phase":"asleep"')),
    ("watch-first", "watch-paused", "a pause of nothing", lambda data: swap_id(data, b'"watch":')),
    ("hold-nothing", "hold-released", "a hold of nothing", swap(b'"phase":"released"', b'"phase":"held"')),
    ("hold-released", "hold-released", "a release of nothing", lambda data: swap_id(data, b'"hold":')),
    ("retention-endless", "retention-lifted", "a rule without a limit", swap(b'"phase":"lifted"', b'"phase":"set"')),
    ("retention-rank", "retention", "none of an address kept", swap(b'"keep_last":10', b'"keep_last":0')),
    ("retention-lifted", "retention-lifted", "an end of nothing", lambda data: swap_id(data, b'"retention":')),
    ("truncated", "document", "the last byte missing", lambda data: data[:-1]),
    ("empty", "hold", "nothing at all", lambda _: b""),
]

PASSAGE_FAULTS: list[tuple[str, str, Fault]] = [
    ("passage-text", "text shorter than its range", swap(b"Visitors", b"Visitor")),
    ("passage-prefix", "a prefix cut short", swap(b'"prefix":"', b'"prefix":"","x":"')),
    ("passage-float", "a start with a fraction", swap(b'"start":', b'"start":0.')),
    ("passage-field", "a field too many", swap(b'"kind":', b'"id":null,"kind":')),
    ("passage-version", "a version to come", swap(b'"version":1', b'"version":2')),
]
