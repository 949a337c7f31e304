"""The list of pages (`pages/pages.jsonl`): what readers of web archives show first."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any, Final

from snapshots.errors import Unsound
from snapshots.verify.capture_records import ascii_address, whole_seconds
from snapshots.verify.claims import Faults
from snapshots.verify.forms import Form, first_wrong, is_count, is_text, one_of
from snapshots.verify.members import Members
from snapshots.verify.record_lines import DocumentRead, Records
from snapshots.verify.strict_json import canonical_bytes, read_canonical, read_json

PAGES = "pages/pages.jsonl"

_HEADER: Final[dict[str, Form]] = {
    "format": one_of("json-pages-1.0"),
    "hasText": one_of(True),  # noqa: FBT003 - the value itself
    "id": one_of("pages"),
    "title": is_text,
}
_PAGE: Final[dict[str, Form]] = {
    "id": is_text,
    "url": is_text,
    "ts": is_text,
    "title": is_text,
    "text": is_text,
    "size": is_count,
}


def _expected_pages(records: Records) -> Iterator[tuple[str, dict[str, Any]]]:
    """The captures that are listed, in their order."""
    for capture_id in sorted(records.captures, key=lambda each: (records.times[each], each)):
        capture = records.capture(capture_id)
        if capture is not None and (capture["body"] is not None or capture["document"] in records.documents):
            yield capture_id, capture


def check_pages(members: Members, records: Records, package: Any, faults: Faults) -> int:
    """Holds a bundle's list of pages against captures and documents; gives how many pages it lists."""
    expected = _expected_pages(records)
    count = 0
    first: tuple[Any, Any] | None = None
    try:
        for number, line in members.lines(PAGES):
            where = f"{PAGES} line {number}"
            try:
                if number == 1:
                    _line(line, _HEADER)
                    continue
                count += 1
                wanted = next(expected, None)
                first = first or _address(line)
                if wanted is None or not _is_page(line, *wanted, records):
                    _check_page(_line(line, _PAGE), wanted, records)
            except Unsound as problem:
                faults.add(problem.reason, where, str(problem))
    except Unsound as problem:
        faults.add("page-malformed", PAGES, str(problem))
    left = sum(1 for _ in expected)
    if left:
        faults.add("page-mismatch", PAGES, f"lacks {left} captures that belong there")
    if type(package) is dict:
        said = (package.get("mainPageUrl"), package.get("mainPageDate"))
        if said != (first or (None, None)):
            faults.add("page-mismatch", "datapackage.json", "its main page is not the first one listed")
    return count


def _wanted(capture_id: str, capture: dict[str, Any], document: DocumentRead | None) -> dict[str, Any]:
    """The members of a page's line but for its text."""
    title = document.title if document is not None and document.title and document.title.strip() else None
    return {
        "id": capture_id.removeprefix("sha256:"),
        "size": capture["body_length"],
        "title": title or capture["final"],
        "ts": whole_seconds(capture["retrieved_at"]),
        "url": ascii_address(capture["final"]),
    }


def _is_page(line: bytes, capture_id: str, capture: dict[str, Any], records: Records) -> bool:
    """Whether a line is exactly that of a capture. Where it is not, reading it tells why."""
    document = records.documents.get(capture["document"] or "")
    before, after = canonical_bytes(_wanted(capture_id, capture, document)).split(b',"title":', 1)
    before, after = before + b',"text":', b',"title":' + after
    if not line.startswith(before) or not line.endswith(after) or len(line) < len(before) + len(after):
        return False
    found = sha256(memoryview(line)[len(before) : len(line) - len(after)]).digest()
    return found == (document.text_hash if document is not None else NO_TEXT)


NO_TEXT: Final = sha256(b'""').digest()


def _address(line: bytes) -> tuple[Any, Any] | None:
    """Address and time of a page, as the package repeats those of the first."""
    try:
        value = read_canonical(line)
    except Unsound:
        return None
    return (value.get("url"), value.get("ts")) if type(value) is dict else None


def _line(line: bytes, form: dict[str, Form]) -> dict[str, Any]:
    try:
        value = read_canonical(line)
    except Unsound as problem:
        raise Unsound("page-malformed", str(problem)) from None
    wrong = first_wrong(value, form) if type(value) is dict else "is no object"
    if wrong is not None:
        raise Unsound("page-malformed", f"it {wrong}")
    found: dict[str, Any] = value
    return found


def _check_page(page: dict[str, Any], expected: tuple[str, dict[str, Any]] | None, records: Records) -> None:
    if expected is None:
        raise Unsound("page-mismatch", "it belongs to no capture of this bundle")
    capture_id, capture = expected
    document = records.documents.get(capture["document"] or "")
    wanted = _wanted(capture_id, capture, document)
    for name, value in wanted.items():
        if page[name] != value:
            raise Unsound("page-mismatch", f"its {name} is not that of the capture {capture_id}")
    text_hash = document.text_hash if document is not None else NO_TEXT
    if sha256(canonical_bytes(page["text"])).digest() != text_hash:
        raise Unsound("page-mismatch", f"its text is not that of the document of {capture_id}")


def check_foreign_pages(members: Members, has: Callable[[str], bool], faults: Faults) -> tuple[int, int]:
    """Reads somebody else's list of pages; gives how many it lists, and how many of them the archive does not hold."""
    count = absent = 0
    try:
        for number, line in members.lines(PAGES, loose=True):
            if not line.strip():
                continue
            where = f"{PAGES} line {number}"
            try:
                value = read_json(line)
            except Unsound as problem:
                faults.add("page-malformed", where, str(problem))
                continue
            if type(value) is not dict:
                faults.add("page-malformed", where, "it is no object")
            elif number == 1 and "format" in value and "url" not in value:
                continue
            elif not is_text(value.get("url")) or not is_text(value.get("ts")):
                faults.add("page-malformed", where, "it has no url or no ts")
            else:
                count += 1
                absent += not has(value["url"])
    except Unsound as problem:
        faults.add("page-malformed", PAGES, str(problem))
    return count, absent
