"""What later kinds of records name comes with them. Each bundle is verified as it is made."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from snapshots import Event, Session, digest
from snapshots.answers import Serving2
from snapshots.ids import hex_of
from snapshots.recheck import PassageCheck, Recheck
from tests.snapshots.bench import Bench
from tests.snapshots.bundled import bundled
from tests.snapshots.evidence import AT, ref_to, time_at

PAGE = "https://a.example/"
WORDS = "words to be found"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    opened = Bench(tmp_path)
    yield opened
    opened.close()


def test_both_forms_of_a_reply_come(bench: Bench) -> None:
    capture = bench.keep_page(PAGE, WORDS)
    search, first = bench.keep_search([(capture, WORDS)], b"{}")
    text, structured = b"as text", b'{"as":"structure"}'
    second = Serving2(
        record=search.id,
        surface="mcp",
        body=digest(text),
        structured=digest(structured),
        media_type="text/plain",
        served_at=AT,
    )
    bench.keep(second, blobs=[text, structured])

    bundle = bundled(bench, search.id)

    assert {first.id, second.id} <= set(bundle.records)
    assert bundle.members[f"evidence/{hex_of(digest(text))}.bin"] == text
    assert bundle.members[f"evidence/{hex_of(digest(structured))}.bin"] == structured
    assert digest(text) in bundle.members["evidence/index.html"].decode()


def test_a_recheck_brings_both_visits_and_the_passage(bench: Bench) -> None:
    old, new = bench.keep_page(PAGE, WORDS), bench.keep_page(PAGE, "other words")
    bench.keep_search([(old, WORDS)], b"{}")
    recheck = Recheck(
        at=time_at(7),
        url=PAGE,
        old=old.id,
        new=new.id,
        visits=[new.id],
        page="changed",
        page_state="ok",
        passages=[PassageCheck(passage=ref_to(old, WORDS), verdict="absent")],
    )
    bench.keep(recheck)

    bundle = bundled(bench, recheck.id)

    assert {recheck.id, old.id, new.id} <= set(bundle.records)
    assert digest(bundle.members["evidence/passages.jsonl"].rstrip(b"\n")) == ref_to(old, WORDS).id
    assert bundle.told.counts["records"] == 5


def test_a_session_brings_its_steps_with_their_contents_and_evidence(bench: Bench) -> None:
    capture, content = bench.keep_page(PAGE, WORDS), b"what was <said>"
    session = Session(at=time_at(1))
    first = Event(
        session=session.id, previous=None, at=time_at(2), type="message", state="idle", content=digest(content)
    )
    second = Event(
        session=session.id, previous=first.id, at=time_at(3), type="message", state="idle", evidence=[capture.id]
    )
    bench.keep(session, first, second, blobs=[content])

    bundle = bundled(bench, session.id)

    assert {session.id, first.id, second.id, capture.id} <= set(bundle.records)
    assert bundle.members[f"evidence/{hex_of(digest(content))}.bin"] == content
    page = bundle.members["evidence/index.html"].decode()
    assert "what was &lt;said&gt;" in page
    assert f'href="#c-{capture.id[7:19]}"' in page
