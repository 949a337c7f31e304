"""The report of a bundle: one HTML page that needs no program, no network and no Citator to be read.

It is written page by page into temporary files, so that a large bundle costs no more memory than a small one.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from cryptography import x509
from cryptography.x509.oid import NameOID

from snapshots.bundles.collecting import Collected
from snapshots.bundles.conversation import conversation
from snapshots.bundles.evidence import Seal, notes
from snapshots.bundles.markup import NAMED, STYLE, address, code, facts, foreign, table, text, time
from snapshots.bundles.pages import Page
from snapshots.bundles.questions import questions
from snapshots.bundles.saying import NOT_PROVEN, OUTCOMES, PAGE_STATES, PROVEN
from snapshots.capture import Capture, Hop
from snapshots.document import in_pages, pages_of
from snapshots.ids import hex_of
from snapshots.note import Checkpoint
from snapshots.passages import CONTEXT, Passage

POLICY: Final = "default-src 'none'; img-src 'self' file: data:; style-src 'unsafe-inline'; base-uri 'none'"
COPY_BYTES: Final = 1024 * 1024


class Report:
    """Gathers what the report says; `pieces` gives it."""

    def __init__(self, folder: Path, checkpoint: Checkpoint, created: str) -> None:
        self._paths = (folder / "report-passages", folder / "report-pages")
        self._passages: BinaryIO = self._paths[0].open("xb")
        self._pages: BinaryIO = self._paths[1].open("xb")
        self._checkpoint = checkpoint
        self._created = created
        self._certificates: dict[str, str] = {}
        self._quotes = 0
        self._count = 0

    def close(self) -> None:
        """Closes the temporary files."""
        self._passages.close()
        self._pages.close()

    def add(self, name: str, capture: Capture, page: Page, passages: Sequence[Passage], found: Collected) -> None:
        """Adds a capture and the passages of it."""
        self._count += 1
        title = page.title or capture.final
        if passages:
            self._passages.write(self._quoted(name, capture, page, title, passages, found).encode("utf-8", "replace"))
        self._pages.write(self._captured(name, capture, page, title, found).encode("utf-8", "replace"))

    # passages

    def _quoted(
        self, name: str, capture: Capture, page: Page, title: str, passages: Sequence[Passage], found: Collected
    ) -> str:
        shot = found.shown(capture.screenshot)
        picture = (
            f'<img class="shot" loading="lazy" src="{shot}" alt="The page as it looked when it was captured">'
            if shot
            else ""
        )
        return (
            f'<article><h3>{foreign(title, page.language)}</h3><p class="meta">{address(capture.final)}<br>'
            f'captured {time(capture.retrieved_at)} · <a href="#c-{hex_of(name)[:NAMED]}">how it was fetched</a></p>'
            f"{picture}{''.join(self._quote(one, page) for one in passages)}</article>\n"
        )

    def _quote(self, one: Passage, page: Page) -> str:
        self._quotes += 1
        above = " / ".join(foreign(heading, page.language) for heading in one.headings)
        before, after = _around(one)
        language = foreign("", page.language, element="x").partition(">")[0].removeprefix("<x")
        return (
            f'<figure id="p-{hex_of(one.id)[:NAMED]}">'
            + (f'<p class="under">{above}</p>' if above else "")
            + f'<blockquote{language} cite="{text(one.url)}"><span class="around">{text(before)}</span>'
            f'{_marked(one.text)}<span class="around">{text(after)}</span></blockquote>'
            f"<figcaption>Passage {self._quotes}, {code(hex_of(one.id)[:NAMED])}</figcaption>"
            "<details><summary>Ids, and how to check this passage</summary>"
            + facts(
                [
                    ("passage", code(one.id)),
                    ("capture", code(one.capture)),
                    ("document", code(one.document)),
                    ("place", f"{self._pages_of(one, page)}characters {one.start} to {one.end} of the document's text"),
                ]
            )
            + f"<p>The line of {code('evidence/passages.jsonl')} that holds this passage has the SHA-256 "
            f"{code(hex_of(one.id))} (without the line's end). {code('verify.py')} makes it again from the document "
            "and compares.</p></details></figure>"
        )

    @staticmethod
    def _pages_of(one: Passage, page: Page) -> str:
        found = pages_of(page, one.start, one.end)
        return "" if found is None else f"{in_pages(*found)}, "

    # captures

    def _captured(self, name: str, capture: Capture, page: Page, title: str, found: Collected) -> str:
        good = capture.outcome == "ok"
        outcome, state = OUTCOMES.get(capture.outcome, capture.outcome), capture.page_state
        received = f'<span class="{"ok" if good else "no"}">{text(outcome)}</span>'
        reason = [("why not", text(capture.detail or capture.reason))] if capture.detail or capture.reason else []
        told = [
            ("address", address(capture.final)),
            *([("asked for", address(capture.asked))] if capture.asked != capture.final else []),
            ("when", f"{time(capture.started_at)} to {time(capture.retrieved_at)}"),
            ("page", received),
            ("what it is", text(PAGE_STATES.get(state, state))),
            *reason,
            ("method", text(capture.method)),
            ("body", self._blob(capture.body, f"{capture.body_length} bytes", found)),
            *([("rendered page", self._blob(capture.rendered, "", found))] if capture.rendered else []),
            *([("screenshot", self._linked(capture.screenshot, found))] if capture.screenshot else []),
            *([("print", self._linked(capture.pdf, found))] if capture.pdf else []),
            ("capture", code(name)),
            *([("log entry", str(found.logged[name]))] if name in found.logged else []),
            *([("robots.txt", text(capture.robots.decision))] if capture.robots else []),
            *[("warning", text(one)) for one in capture.warnings],
        ]
        hops = (
            table(
                ["Request", "Status", "Protocol", "Server", "Certificate"],
                [self._hop(number, hop, found) for number, hop in enumerate(capture.hops, 1)],
                caption="Requests, in order",
            )
            if capture.hops
            else "<p>Nothing was asked over a network: these bytes were handed over.</p>"
        )
        return (
            f'<article id="c-{hex_of(name)[:NAMED]}"><h3>{foreign(title, page.language)}</h3>{facts(told)}'
            f"<details><summary>Requests and certificates</summary>{hops}</details></article>\n"
        )

    def _blob(self, blob: str | None, more: str, found: Collected) -> str:
        if blob is None:
            return "none was kept"
        if blob in found.missing:
            return f"{code(blob)}, not in this bundle"
        return code(blob) + (f", {more}" if more else "")

    def _linked(self, blob: str, found: Collected) -> str:
        shown = found.shown(blob)
        return f'<a href="{shown}">{code(blob)}</a>' if shown else self._blob(blob, "", found)

    def _hop(self, number: int, hop: Hop, found: Collected) -> list[str]:
        encrypted = "not encrypted"
        if hop.tls is not None:
            held = (
                '<span class="ok">valid for the name</span>'
                if hop.tls.verified
                else '<span class="no">not valid</span>'
            )
            why = f" ({text(hop.tls.error)})" if hop.tls.error else ""
            leaf = self._certificate(hop.tls.chain[0], found) if hop.tls.chain else "none was shown"
            encrypted = f"{text(hop.tls.protocol or 'TLS')}, {held}{why}<br>{leaf}"
        answer = text(hop.status if hop.status is not None else hop.error or "no answer")
        return [
            f"{number}. {text(hop.method)} {address(hop.url)}",
            answer,
            text(hop.protocol or "unknown"),
            text(hop.remote or "unknown"),
            encrypted,
        ]

    def _certificate(self, name: str, found: Collected) -> str:
        """What the server's own certificate says; the same one is read once."""
        if name not in self._certificates:
            self._certificates[name] = _certificate(found.blobs.get(name)) if name in found.blobs else code(name)
        return self._certificates[name]

    # the whole

    def pieces(self, found: Collected, sealed: Seal, vkey: str, software: str) -> Iterator[bytes]:
        """The page, piece by piece."""
        self.close()
        yield self._begin(found).encode()
        for section in (conversation(found), questions(found)):
            yield from (piece.encode("utf-8", "replace") for piece in section)
        yield b'<h2 id="passages">Passages</h2>\n'
        if self._quotes:
            yield from _file(self._paths[0])
        else:
            yield b"<p>This bundle quotes no passage; it holds whole pages.</p>\n"
        yield b'<h2 id="pages">Pages</h2>\n'
        if self._count:
            yield from _file(self._paths[1])
        else:
            yield b"<p>There is no page in this bundle.</p>\n"
        yield from (piece.encode("utf-8", "replace") for piece in self._end(found, sealed, vkey, software))

    def _begin(self, found: Collected) -> str:
        pages = f"{self._count} captured page{'s' * (self._count != 1)}"
        quotes = f", {self._quotes} passage{'s' * (self._quotes != 1)}" if self._quotes else ""
        gone = len(found.missing)
        asked = '<li><a href="#sessions">Sessions</a></li>' if found.sessions else ""
        asked += '<li><a href="#questions">Questions</a></li>' if found.searches else ""
        missing = f" Of what belongs to it, {gone} things are missing, and named below." if gone else ""
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width,initial-scale=1">'
            f'<meta http-equiv="Content-Security-Policy" content="{text(POLICY)}">'
            f'<meta name="referrer" content="no-referrer"><title>Evidence: {pages}{quotes}</title>'
            f"<style>{STYLE}</style></head>\n<body><header>"
            f'<p class="over">Evidence bundle</p><h1>{pages}{quotes}</h1>'
            f'<p class="lead">Web pages as they were captured, up to {time(self._created)}, with what it takes to '
            f"check that nothing was changed since.{missing}</p>"
            f'<nav aria-label="Contents"><ul>{asked}<li><a href="#passages">Passages</a></li>'
            '<li><a href="#pages">Pages</a></li><li><a href="#missing">What is missing</a></li>'
            '<li><a href="#proves">What it proves</a></li>'
            '<li><a href="#check">How to check</a></li></ul></nav></header>\n<main>'
            '<h2 id="what">What this file is</h2>'
            "<p>A bundle is one file that stands by itself. It holds the pages as they were received, what was read "
            "out of them, the record of each request, and proofs that these records stand in a log that can only grow. "
            "Nobody needs to be asked, and no network is needed, to see that they fit together.</p>"
            "<p>The file is a ZIP archive. Readers of web archives that know the WACZ format show its pages as they "
            f"looked. Unpacked, this report shows the pictures, and {code('verify.py')} checks everything.</p>\n"
        )

    def _end(self, found: Collected, sealed: Seal, vkey: str, software: str) -> Iterator[str]:
        yield '<h2 id="missing">What is missing</h2>'
        if found.missing:
            rows = [
                [code(name), text(gone.why), code(gone.deletion) if gone.deletion else "none"]
                for name, gone in sorted(found.missing.items())
            ]
            yield table(
                ["What", "Why", "The record of its deletion"], rows, caption="Named by something in here, and not here"
            )
        else:
            yield "<p>Nothing: whatever a record in this bundle names is in it.</p>"
        told = notes(found, sealed)
        if told:
            yield "<ul>" + "".join(f"<li>{text(one)}</li>" for one in told) + "</ul>"
        yield '<h2 id="proves">What it proves, and what not</h2><div class="two"><div><h3>It proves</h3><ul>'
        yield "".join(f"<li>{text(one)}</li>" for one in PROVEN)
        yield "</ul></div><div><h3>It does not prove</h3><ul>"
        yield "".join(f"<li>{text(one)}</li>" for one in NOT_PROVEN)
        yield "</ul></div></div>"
        yield '<h2 id="check">How to check</h2>'
        yield (
            "<p>Unpack the file, and in its folder run the program that lies beside this page. It needs Python 3.11 or "
            "newer, nothing else, and no network:</p><pre><code>python3 -I evidence/verify.py</code></pre>"
            "<p>It lists each claim: holds, fails (and why), or cannot be checked. Who signed is only known to someone "
            "who has the key from elsewhere. If you do, say so:</p>"
            f"<pre><code>python3 -I evidence/verify.py --trust-key '{text(vkey)}'</code></pre>"
            "<p>The program came with the file that it checks. If you do not trust whoever gave you the file, take one "
            "from somewhere else: every bundle holds the same program, and Citator has it as a command.</p>"
        )
        checkpoint = self._checkpoint
        yield "<h3>The log</h3>" + facts(
            [
                ("name", code(checkpoint.origin)),
                ("entries", str(checkpoint.size)),
                ("key", code(vkey)),
                ("records of this bundle", str(len(found.logged))),
            ]
        )
        if sealed.tokens:
            rows = [
                [
                    text(one.authority),
                    time(one.time),
                    f"the first {one.size} entries",
                    code(f"evidence/token-{number}.tsr"),
                ]
                for number, one in enumerate(sealed.tokens, 1)
            ]
            yield table(["Authority", "Time", "Covers", "Token"], rows, caption="Time stamps (RFC 3161) on the log")
        yield f"</main><footer><p>Made by {text(software)}. This page loads nothing and runs nothing.</p></footer>"
        yield "</body></html>\n"


def _around(one: Passage) -> tuple[str, str]:
    """What stands before and after a passage, without the halves of words that it was cut to."""
    before, after = one.prefix, one.suffix
    if one.start > len(before):
        half = re.match(r"\S{0,20}\s+", before)
        before = "…" + (before[half.end() :] if half else before)
    if len(after) == CONTEXT:
        half = re.search(r"\s+\S{0,20}$", after)
        after = (after[: half.start()] if half else after) + "…"
    return before, after


def _marked(words: str) -> str:
    """The quotation, marked line by line: an empty line has nothing to mark."""
    return "\n".join(f"<mark>{text(line)}</mark>" if line.strip() else "" for line in words.split("\n"))


def _certificate(data: bytes) -> str:
    try:
        read = x509.load_der_x509_certificate(data)
        subject, issuer = _names(read.subject), _names(read.issuer)
        until = read.not_valid_after_utc
    except (ValueError, TypeError, x509.InvalidVersion):
        return "a certificate that cannot be read"
    return f"{text(subject or 'no name')}<br>by {text(issuer or 'unknown')}<br>valid until {until:%Y-%m-%d}"


def _names(name: x509.Name) -> str:
    """What a certificate calls somebody: common name and organisation."""
    return ", ".join(str(one.value) for one in name if one.oid in {NameOID.COMMON_NAME, NameOID.ORGANIZATION_NAME})


def _file(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(COPY_BYTES):
            yield piece
