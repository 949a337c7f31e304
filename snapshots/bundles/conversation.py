"""The part of a report that tells of sessions: who said what, when, and on which evidence."""

from collections.abc import Iterator
from typing import Final

from snapshots.bundles.collecting import Collected
from snapshots.bundles.markup import NAMED, code, facts, text, time
from snapshots.ids import hex_of
from snapshots.records import read
from snapshots.session import Event, Session

SHOWN: Final = 4_000
"""Characters of a step's content that are shown; the whole of it is beside the report."""


def conversation(found: Collected) -> Iterator[str]:
    """The section, piece by piece; nothing if there was no session."""
    if not found.sessions:
        return
    places = {one: "p" for of_capture in found.passages.values() for one in of_capture}
    places |= {capture: "c" for _, capture in found.captures}
    yield '<h2 id="sessions">Sessions</h2>\n'
    for name in sorted(found.sessions):
        session = read(found.records.get(name), canonical=True)
        assert isinstance(session, Session), "what was gathered as a session is one"
        steps = sorted(found.steps.get(name, ()), key=lambda step: (found.logged[step], step))
        told = [("begun", time(session.at)), ("steps", str(len(steps))), ("session", code(name))]
        yield f'<article><h3 dir="auto">{text(session.title or "Session")}</h3>{facts(told)}'
        for step in steps:
            yield _step(step, found, places)
        yield "</article>\n"


def _step(name: str, found: Collected, places: dict[str, str]) -> str:
    event = read(found.records.get(name), canonical=True)
    assert isinstance(event, Event), "what was gathered as a step is one"
    who = event.author or event.provider or "nobody"
    to = f" to {text(event.recipient)}" if event.recipient else ""
    which = f", {text(event.name)}" if event.name else ""
    evidence = " ".join(_evidence(one, places) for one in event.evidence)
    return (
        f'<figure id="e-{hex_of(name)[:NAMED]}"><p class="under"><strong>{text(who)}</strong>{to}: {text(event.type)}'
        f"{which}, {time(event.at)}</p>{_content(event, found)}"
        + (f"<figcaption>Evidence: {evidence}</figcaption>" if evidence else "")
        + f"<details><summary>Ids</summary>{facts(_ids(name, event))}</details></figure>"
    )


def _content(event: Event, found: Collected) -> str:
    if event.content is None:
        return ""
    if event.content not in found.blobs:
        return "<p>Its content is not in this bundle.</p>"
    if not (event.media_type or "text/plain").startswith(("text/", "application/json")):
        return f"<p>{event.length} bytes of {text(event.media_type)}.</p>"
    words = found.blobs.get(event.content).decode("utf-8", "replace")
    cut = f"<p>… and {len(words) - SHOWN} more characters.</p>" if len(words) > SHOWN else ""
    return f'<pre dir="auto">{text(words[:SHOWN])}</pre>{cut}'


def _ids(name: str, event: Event) -> list[tuple[str, str]]:
    told = [("step", code(name))]
    if event.content:
        told.append(("content", code(event.content)))
    if event.model:
        told.append(("model", text(event.model)))
    if event.masked:
        told.append(("masked credentials", str(event.masked)))
    return told


def _evidence(name: str, places: dict[str, str]) -> str:
    """A link to where the report shows it, if it does."""
    short = hex_of(name)[:NAMED]
    return f'<a href="#{places[name]}-{short}">{code(short)}</a>' if name in places else code(short)
