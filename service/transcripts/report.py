"""The report of an audit: five tests with counts and lines, each result, each copy elsewhere, and one sentence."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from service.transcripts.comparing import Verdict
from service.transcripts.findings import HOSTED, MAX_LISTED, WHOLE, WRONG, Copy, Result, Tallies
from service.transcripts.retention import retention

MAX_TOLD: Final = 200
"""Kinds of unknown lines that are told by name."""


@dataclass
class Audited:
    """What an audit has found."""

    anthropic: bool = False
    file: dict[str, Any] = field(default_factory=dict)
    tallies: Tallies = field(default_factory=Tallies)
    results: list[Result] = field(default_factory=list)
    results_total: int = 0
    not_listed: Counter[tuple[Verdict, bool]] = field(default_factory=Counter)
    sealed: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    copies: list[Copy] = field(default_factory=list)
    unknown: dict[str, int] = field(default_factory=dict)
    unread: list[dict[str, Any]] = field(default_factory=list)
    unknown_ids: list[dict[str, Any]] = field(default_factory=list)
    origins: dict[tuple[str | None, str | None], int] = field(default_factory=dict)
    listing_cut: bool = False
    steps: int = 0

    def count_only(self, result: Result) -> None:
        """Count a result that has no room in the list."""
        self.not_listed[result.verdict, result.web] += 1

    def verdicts(self, *, web: bool | None = None) -> Counter[Verdict]:
        """How many results have each verdict; those of searches and pages (`web`), of other tools, or of all."""
        found = Counter[Verdict](one.verdict for one in self.results if web is None or one.web == web)
        for (verdict, is_web), count in self.not_listed.items():
            if web is None or is_web == web:
                found[verdict] += count
        return found

    def compared(self, *, web: bool | None = None) -> Counter[Verdict]:
        """The same, whatever happened later."""
        found = Counter[Verdict](one.compared.verdict for one in self.results if web is None or one.web == web)
        for (verdict, is_web), count in self.not_listed.items():
            if web is None or is_web == web:
                found[verdict] += count
        return found


def report(found: Audited) -> dict[str, Any]:
    """The whole report, ready to be sent as JSON."""
    verdicts = found.verdicts()
    wrong = sum(verdicts[one] for one in WRONG)
    unknown_ids = found.tallies.count("cited ids that are not known here")
    return {
        "file": found.file,
        "holds": wrong == 0 and unknown_ids == 0,
        "summary": sentence(found),
        "models": [
            {"provider": provider, "model": model, "line": line} for (provider, model), line in found.origins.items()
        ],
        "counts": {
            "steps": found.steps,
            "results": found.results_total,
            "verdicts": dict(sorted(verdicts.items())),
            **{name: tally.count for name, tally in sorted(found.tallies.by_name.items())},
        },
        "tests": [_inspect(found), _export(found), _replay(found), _audit(found), _delete(found)],
        "results": [one.told() for one in found.results],
        "results_not_listed": sum(found.not_listed.values()),
        "sealed": [
            {"what": what, "where": where, "count": len(sizes), "characters": sum(sizes)}
            | {"lines": found.tallies.by_name[f"sealed: {where}"].lines}
            for (what, where), sizes in sorted(found.sealed.items())
        ],
        "copies": [_copy(one, anthropic=found.anthropic) for one in found.copies],
        "cited_unknown": found.unknown_ids,
        "unread": found.unread,
        "unknown_kinds": [{"what": what, "line": line} for what, line in list(found.unknown.items())[:MAX_TOLD]],
        "notes": _notes(found),
    }


def sentence(found: Audited) -> str:
    """How much of what the model saw can be proven, for a person."""
    compared, total = found.compared(web=True), sum(found.compared(web=True).values())
    alone = sum(found.compared(web=False).values())
    if not total:
        first = "No search and no page that was read stands in this transcript, so there is nothing to prove"
    else:
        whole = sum(compared[one] for one in WHOLE)
        parts = [f"{whole} can be proven word for word"]
        parts += [f"{compared['partial']} in part"] if compared["partial"] else []
        parts += [f"{compared['spilled']} only as a beginning"] if compared["spilled"] else []
        parts += [f"{compared['altered']} differ from what was served"] if compared["altered"] else []
        parts += [f"{compared['unknown_hash']} name records nobody here knows"] if compared["unknown_hash"] else []
        parts += [f"{compared['removed']} were removed here since"] if compared["removed"] else []
        hosted = sum(compared[one] for one in HOSTED)
        parts += [f"{hosted} happened at a provider and left addresses at most"] if hosted else []
        parts += [f"{compared['unreferenced']} rest on this transcript's word"] if compared["unreferenced"] else []
        things = "search or page" if total == 1 else "searches and pages"
        first = f"Of {total} {things} that the model was given, {_joined(parts)}"
    later = found.verdicts()["later_removed"]
    second = f"; {later} of all results were taken out of its sight later" if later else ""
    third = f"; {alone} more results are of other tools, and only this transcript says what they were" if alone else ""
    return f"{first}{second}{third}."


def _joined(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _test(name: str, bad: list[dict[str, Any]], good: str, wrong: str, *, fails: bool = False) -> dict[str, Any]:
    result = "fails" if fails else "partly" if bad else "holds"
    return {"test": name, "result": result, "detail": wrong if bad or fails else good, "findings": bad}


def _of(found: Audited, what: str, *verdicts: Verdict) -> list[dict[str, Any]]:
    """The results with one of these verdicts as a finding; none if there are none."""
    lines = [one.line for one in found.results if one.compared.verdict in verdicts or one.verdict in verdicts]
    counted = sum(count for (verdict, _), count in found.not_listed.items() if verdict in verdicts)
    total = len(lines) + counted
    return [{"what": what, "count": total, "lines": lines[:100]}] if total else []


def _inspect(found: Audited) -> dict[str, Any]:
    bad = found.tallies.told(
        "sealed content", "unreadable agent messages", "hosted searches without text",
        "context replaced by sealed text", "calls made inside scripts", "unread", "unknown kinds",
    )  # fmt: skip
    bad += _of(found, "results cut or put into files", "partial", "spilled")
    return _test(
        "inspect",
        bad,
        "Everything that the model was given stands in the transcript, readable.",
        "Not everything that the model was given can be read here.",
    )


def _export(found: Audited) -> dict[str, Any]:
    bad = found.tallies.told("server-held ids", "remote files", "expiring addresses")
    bad += _of(found, "results in files of the client", "spilled")
    return _test(
        "export",
        bad,
        "No name in it needs a provider to be resolved.",
        "Names in it mean something only to a provider, or will stop to.",
    )


def _replay(found: Audited) -> dict[str, Any]:
    sole = found.tallies.told(
        "context replaced by sealed text", "unreadable agent messages", "hosted searches without text",
        "server-held ids", "remote files", "unread", "calls made inside scripts",
    )  # fmt: skip
    sole += _of(found, "results cut or put into files", "partial", "spilled")
    return _test(
        "replay",
        sole,
        "Another model can be given the same context from it.",
        "Another model cannot be given quite the same context: what is listed is missing or only its provider has it.",
        fails=bool(found.tallies.count("context replaced by sealed text")),
    )


def _audit(found: Audited) -> dict[str, Any]:
    bad = _of(found, "results that differ from what was served", "altered")
    bad += _of(found, "results of records nobody here knows", "unknown_hash")
    bad += found.tallies.told("cited ids that are not known here")
    wrong = bool(bad)
    web = [one.line for one in found.results if one.web and one.compared.verdict == "unreferenced"]
    bad += [{"what": "searches and pages without a record", "count": len(web), "lines": web[:100]}] if web else []
    bad += _of(found, "results that were removed here", "removed")
    bad += _of(found, "searches at a provider", "sealed", "hosted_url_only")
    bad += _of(found, "results the model lost from sight later", "later_removed")
    bad += [] if found.origins else [{"what": "no model is named", "count": 1, "lines": []}]
    return _test(
        "audit",
        bad,
        "Each search and page can be traced to a record that is in the log.",
        "What is listed contradicts the records." if wrong else "What is listed cannot be traced to a record.",
        fails=wrong,
    )


def _delete(found: Audited) -> dict[str, Any]:
    bad = found.tallies.told("server-held ids", "remote files")
    return _test(
        "delete",
        bad,
        "It names no copy that lies elsewhere. Providers may keep logs of which it does not tell.",
        "Copies lie with providers; `copies` says for how long, and which call deletes each.",
    )


def _copy(one: Copy, *, anthropic: bool) -> dict[str, Any]:
    row = retention(one.where, anthropic=anthropic)
    return {
        "where": one.where,
        "id": one.value,
        "count": one.tally.count,
        "lines": one.tally.lines,
        "provider": row.provider,
        "what": row.what,
        "kept": row.kept,
        "delete": row.call.replace("{id}", one.value),
        "as_of": row.as_of,
    }


def _notes(found: Audited) -> list[str]:
    notes = ["Served is not seen: what is proven is what Citator served and what this transcript says the model got."]
    if found.not_listed:
        notes.append(f"{MAX_LISTED} results are listed; {sum(found.not_listed.values())} more are only counted.")
    if found.listing_cut:
        notes.append("Only the newest records were looked through for results that name none.")
    if found.tallies.count("words like ids that are not known here"):
        notes.append("Words that look like ids and are not known here may be something else: commits, images.")
    return notes
