"""Whether a bundle is closed: everything that something in it names is there or named as missing, and nothing else."""

from collections.abc import Collection, Iterator

from snapshots.verify.claims import Claim, Faults
from snapshots.verify.contents import CONTENTS, Contents
from snapshots.verify.record_lines import Records


def check_closure(contents: Contents, records: Records, blobs: Collection[str], pages: int, faults: Faults) -> Claim:
    """The claim that the bundle is whole in itself. `blobs` are the ids of its blobs, `pages` how many it lists."""
    missing = {each.id for each in contents.missing}

    def there(name: str) -> bool:
        return name in records.names or name in records.passages or name in blobs

    for name, namer in _named(contents, records):
        if name not in missing and not there(name):
            faults.add("id-missing", namer, f"names {name}, which is not there")
    _check_missing(contents, records, faults)
    reached = _reached(contents, records)
    for name in (*records.names, *records.passages, *sorted(blobs)):
        if name in missing:
            faults.add("id-surplus", name, "is said to be missing, and is there")
        elif name not in reached:
            faults.add("id-surplus", name, "is there, and nothing that was asked for leads to it")
    for name in sorted(missing - reached):
        faults.add("id-surplus", name, "is said to be missing, and nothing that was asked for leads to it")
    _check_counts(contents, records, len(blobs), pages, faults)
    told = (
        f"{len(records.names)} records, {len(records.passages)} passages and {len(blobs)} blobs, closed under all names"
    )
    if missing:
        told += f"; {len(missing)} ids are named as missing"
    return faults.verdict(told, "the ids alone")


def _check_counts(contents: Contents, records: Records, blobs: int, pages: int, faults: Faults) -> None:
    found = {
        "records": len(records.names),
        "passages": len(records.passages),
        "blobs": blobs,
        "pages": pages,
        "missing": len(contents.missing),
    }
    for what, count in found.items():
        if count != contents.counts[what]:
            faults.add("count-mismatch", CONTENTS, f"says {contents.counts[what]} {what}; there are {count}")


def _named(contents: Contents, records: Records) -> Iterator[tuple[str, str]]:
    """Every id that has to be there or missing, and who names it."""
    for root in contents.roots:
        yield root, CONTENTS
    for namer, names in records.names.items():
        for name in names:
            yield name, namer
    for passage in records.passages.values():
        yield passage.capture, passage.id
        yield passage.document, passage.id


def _check_missing(contents: Contents, records: Records, faults: Faults) -> None:
    ids = [each.id for each in contents.missing]
    if ids != sorted(set(ids)):
        faults.add("count-mismatch", CONTENTS, "what is missing is not sorted by id, each once")
    for each in contents.missing:
        removed = records.removed.get(each.deletion or "", set())
        if each.why == "removed" and not removed & _gone_with(each.id, records):
            faults.add("missing-without-deletion", each.id, "is said to be removed, and no deletion here says so")
        if each.why != "removed" and each.deletion is not None:
            faults.add("missing-without-deletion", each.id, "was not kept, and yet a deletion is named for it")


def _gone_with(name: str, records: Records) -> set[str]:
    """What takes an id along when it is removed: itself; a passage goes with its capture or the document."""
    capture_id = records.absent_passages.get(name)
    if capture_id is None:
        return {name}
    capture = records.capture(capture_id)
    return {name, capture_id} | ({capture["document"]} if capture is not None else set())


def _reached(contents: Contents, records: Records) -> set[str]:
    """Every id to which the roots lead.

    From a record to what it names, from a passage to capture and document, from a record to its servings, from what is
    missing to its deletion; from a deletion only to what is missing.
    """
    deletions = {each.id: each.deletion for each in contents.missing if each.deletion}
    missing = {each.id for each in contents.missing}
    servings: dict[str, list[str]] = {}
    for serving, record in records.served.items():
        servings.setdefault(record, []).append(serving)
    reached: set[str] = set()
    waiting = list(contents.roots)
    while waiting:
        name = waiting.pop()
        if name in reached:
            continue
        reached.add(name)
        passage = records.passages.get(name)
        if passage is not None:
            waiting += [passage.capture, passage.document]
        names = records.names.get(name, ())
        waiting += names if name not in records.removed else [each for each in names if each in missing]
        waiting += servings.get(name, ())
        if name in deletions:
            waiting.append(deletions[name])
    return reached
