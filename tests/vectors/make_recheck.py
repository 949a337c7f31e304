"""The record of a page that was visited again, for `make_records.py`."""

from collections.abc import Sequence

from snapshots import Capture, Extractor, Passage, PassageCheck, Recheck, RecheckEdit, digest


def recheck(seen: Capture, passages: Sequence[Passage], nonce: str, at: str) -> Recheck:
    """Both passages of the page looked for again: one is as it was, of the other a number changed."""
    first, second = passages[:2]
    again = digest(b"the page as it came the second time")
    return Recheck(
        nonce=nonce,
        at=at,
        url=seen.final,
        old=seen.id,
        new=again,
        visits=[digest(b"the page as it came the first time"), again],
        page="changed",
        page_state="ok",
        redirected=None,
        reason="its text differs",
        extractors=[Extractor(name="example", version="1.0")],
        passages=[
            PassageCheck(
                passage=first.ref, verdict="exact", where="text", start=first.start, end=first.end, occurrences=1
            ),
            PassageCheck(
                passage=second.ref,
                verdict="edited",
                where="visible",
                start=80,
                end=160,
                flags=["number", "unit"],
                edits=[RecheckEdit(change="replace", quote_start=60, quote_end=62, page_start=140, page_end=142)],
                edits_total=1,
            ),
            PassageCheck(passage=None, verdict="absent"),
        ],
        watch=None,
    )
