"""Compares a tool's result, as a transcript has it, with what was served. Pure.

Something is `exact` only if it is the same bytes or the same canonical JSON. Wrappers and cuts are known by name; what
is neither, while naming a record, is `altered`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

import orjson

from service.transcripts.events import Resulted
from service.transcripts.lines import NO_JSON, parsed
from service.transcripts.wrappers import Cut, View, cuts, preview, views

Verdict = Literal[
    "exact", "exact_after_client_wrapper", "partial", "spilled", "altered", "later_removed", "unreferenced",
    "unknown_hash", "removed", "sealed", "hosted_url_only",
]  # fmt: skip

MIN_SIDE: Final = 1
"""Characters that must be left of a cut text, on both sides together: a marker alone shows nothing."""


@dataclass(frozen=True)
class Served:
    """A reply as it was kept: its exact bytes, and for tools its structured form apart. `serving` names its record."""

    record: str
    serving: str
    body: bytes
    structured: bytes | None = None

    @cached_property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8", "replace")

    @cached_property
    def values(self) -> tuple[bytes, ...]:
        """The canonical JSON of the forms that are JSON."""
        found = (canonical(parsed(form)) for form in (self.body, self.structured) if form is not None)
        return tuple(one for one in found if one is not None)

    @cached_property
    def renderings(self) -> tuple[tuple[str, str], ...]:
        """Every text that a client is known to make of this reply, with the name of how."""
        found = [("body", self.text)]
        for form in (self.structured, self.body):
            value = NO_JSON if form is None else parsed(form)
            if form is None or not isinstance(value, dict | list):
                continue
            found.append(("structured", form.decode("utf-8", "replace")))
            found.append(("compact", json.dumps(value, ensure_ascii=False, separators=(",", ":"))))
            found.append(("spaced", json.dumps(value, ensure_ascii=False)))
            found.append(("indented", json.dumps(value, ensure_ascii=False, indent=2)))
            found.append(("escaped", json.dumps(value)))
        return tuple(dict((text, name) for name, text in reversed(found)).items())  # noqa: C402 - texts are the keys


@dataclass(frozen=True)
class Compared:
    """What comparing found. `how` names what was taken off or cut; `reason` is a sentence."""

    verdict: Verdict
    served: Served | None = None
    how: tuple[str, ...] = ()
    reason: str = ""
    whole: tuple[str, ...] = ()
    """Ids of passages that stand in the result whole."""
    lost: tuple[str, ...] = ()
    """Ids of passages that were served and do not stand in it whole."""


_ORDER: Final[dict[Verdict, int]] = {
    "exact": 0, "exact_after_client_wrapper": 1, "partial": 2, "spilled": 3, "altered": 9,
}  # fmt: skip


def compare(result: Resulted, candidates: Iterable[Served], passages: Mapping[str, str]) -> Compared:
    """The best that can be said of a result against the replies it may be; `passages` are texts by id.

    With no candidate that fits, `altered`.
    """
    found = min((_against(result, one) for one in candidates), key=lambda one: _ORDER[one.verdict], default=None)
    if found is None:
        return Compared("altered", reason="nothing that was served is known to compare it with")
    if found.verdict in ("exact", "exact_after_client_wrapper"):
        return found
    whole, lost = survivors(result.text, passages)
    return Compared(found.verdict, found.served, found.how, found.reason, whole, lost)


def _against(result: Resulted, served: Served) -> Compared:
    if result.structured is not None and not result.blocks:
        value = canonical(parsed(result.structured))
        if value in served.values:
            return Compared("exact", served, ("structured",), "its structured content is what was served")
    text_views = tuple(views(result.text, result.blocks))
    exact = _exact(text_views, served)
    if exact is not None:
        return exact
    shown = preview(result.text)
    if shown is not None:
        return _spilled(shown, served)
    for view in text_views:
        for cut in cuts(view.text):
            if _fits(cut, served):
                how = (*view.taken_off, f"cut at {cut.marker[:80]!r}")
                return Compared("partial", served, how, "before and after the cut it is what was served")
    return Compared("altered", served, (), _difference(text_views, served))


def _exact(text_views: Sequence[View], served: Served) -> Compared | None:
    renderings = dict(served.renderings)
    for view in text_views:
        same = view.text in renderings
        if not same and view.text[:1] in ("{", "["):
            same = canonical(parsed(view.text)) in served.values
        if not same:
            continue
        if not view.taken_off:
            return Compared("exact", served, (renderings.get(view.text, "canonical"),), "it is what was served")
        return Compared(
            "exact_after_client_wrapper",
            served,
            view.taken_off,
            "it is what was served, with the client's wrapper around it",
        )
    return None


def _spilled(shown: str, served: Served) -> Compared:
    if not shown:
        return Compared(
            "spilled", served, ("no preview",), "it is in a file of the client's, and nothing of it was shown"
        )
    if any(text.startswith(shown.rstrip()) for text, _ in served.renderings):
        return Compared(
            "spilled", served, ("preview",), "it is in a file of the client's; the preview is what was served"
        )
    return Compared("altered", served, ("preview",), "the preview of the file is not the beginning of what was served")


def _fits(cut: Cut, served: Served) -> bool:
    """Whether head and tail are those of the reply. Clients put the marker on lines of its own, or not."""
    for text, _ in served.renderings:
        for head in dict.fromkeys((cut.head, cut.head.removesuffix("\n"), cut.head.rstrip())):
            for tail in dict.fromkeys((cut.tail, cut.tail.removeprefix("\n"), cut.tail.lstrip())):
                if (
                    len(head) + len(tail) >= MIN_SIDE
                    and len(head) + len(tail) <= len(text)
                    and text.startswith(head)
                    and text.endswith(tail)
                ):
                    return True
    return False


def _difference(text_views: Sequence[View], served: Served) -> str:
    """Where the text leaves what was served, for whoever looks into it."""
    best = max(
        ((_common(view.text, text), view, text) for view in text_views for text, _ in served.renderings),
        key=lambda one: one[0],
    )
    common, view, text = best
    if common == len(view.text):
        return f"it breaks off after {common} of {len(text)} characters, and nothing says that it was cut"
    return f"it is what was served up to character {common}, and differs from there on"


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def survivors(text: str, passages: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids of the passages whose text stands whole in `text`, as it is or escaped in JSON, and of the others."""
    whole = tuple(name for name, passage in passages.items() if any(form in text for form in _forms(passage)))
    return whole, tuple(name for name in passages if name not in whole)


def _forms(passage: str) -> Iterator[str]:
    yield passage
    yield orjson.dumps(passage).decode()[1:-1]
    yield json.dumps(passage)[1:-1]


def canonical(value: Any) -> bytes | None:
    """One form for equal JSON values; None for no JSON."""
    if value is NO_JSON:
        return None
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return None
