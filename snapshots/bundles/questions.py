"""The part of a report that tells of searches: what was asked, what came into question, what was answered with."""

from collections import Counter
from collections.abc import Iterator

from snapshots.answers import KEPT, Candidate, Search, Serving
from snapshots.bundles.collecting import Collected
from snapshots.bundles.markup import NAMED, address, code, facts, table, text, time
from snapshots.ids import hex_of
from snapshots.records import read


def questions(found: Collected) -> Iterator[str]:
    """The section, piece by piece; nothing if there was no search."""
    searches = sorted(found.searches)
    if not searches:
        return
    yield '<h2 id="questions">Questions</h2>\n'
    for _, name in searches:
        search = read(found.records.get(name), canonical=True)
        assert isinstance(search, Search), "what was gathered as a search is one"
        yield _question(name, search, found)


def _question(name: str, search: Search, found: Collected) -> str:
    dropped = [one for one in search.candidates if one.decision != KEPT]
    answers = [_answer(serving, found) for serving in sorted(found.servings.get(name, ()))]
    told = [
        ("asked", time(search.retrieved_at)),
        ("answer", text(search.state.replace("_", " "))),
        *[(f"asked of {one.name}", f"{text(one.state)}, {one.candidates} candidates") for one in search.providers],
        ("came into question", f"{search.candidates_total} pages"),
        ("search", code(name)),
        *[("answered with", one) for one in answers],
    ]
    results = [
        [str(one.rank), address(one.url), " ".join(_passage(ref.id, found) for ref in one.passages) or "no room"]
        for one in search.results
    ]
    shown = table(["Rank", "Page", "Passages"], results, caption="What was shown, in order") if results else ""
    return f'<article><h3 dir="auto">{text(search.query)}</h3>{facts(told)}{shown}{_dropped(dropped)}</article>\n'


def _passage(name: str, found: Collected) -> str:
    short = hex_of(name)[:NAMED]
    return code(f"{short} (missing)") if name in found.missing else f'<a href="#p-{short}">{code(short)}</a>'


def _dropped(candidates: list[Candidate]) -> str:
    if not candidates:
        return ""
    why = ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in _reasons(candidates))
    rows = [[str(one.rank), address(one.url), text(one.decision.replace("_", " "))] for one in candidates]
    listed = table(["Rank", "Page", "Why not"], rows, caption="What came into question and was not shown")
    return f"<details><summary>Not shown: {text(why)}</summary>{listed}</details>"


def _reasons(candidates: list[Candidate]) -> list[tuple[str, int]]:
    return Counter(one.decision for one in candidates).most_common()


def _answer(name: str, found: Collected) -> str:
    serving = read(found.records.get(name), canonical=True)
    assert isinstance(serving, Serving), "what was gathered as a serving is one"
    gone = ", not in this bundle" if serving.body in found.missing else ""
    return (
        f"{code(serving.body)}{gone}, {text(serving.media_type)}, {time(serving.served_at)} by {text(serving.surface)}"
    )
