"""`README` and `README.txt`: what the bundle is, for somebody who finds it in twenty years and has never heard of it.

The first lies at the top and leads to the second: validators of web archives take no other names there.
"""

from textwrap import fill

from snapshots.bundles.collecting import Collected
from snapshots.bundles.evidence import Seal, notes
from snapshots.bundles.saying import NOT_PROVEN, PROVEN

WIDTH = 78

FIRST_WORDS = b"""This is evidence: web pages as they were captured, and what it takes to check them.

To read    open evidence/index.html in any browser
To check   python3 -I evidence/verify.py
In words   evidence/README.txt
"""


_SESSION = (
    "  session/transcript.jsonl  what happened in the session, a step a line",
    "  session/context*.json     what a model is shown of it, in the forms of several APIs",
    "  session/rebuild.py        makes these anew out of the records:",
    "                            python3 -I session/rebuild.py --check",
)


def readme(found: Collected, sealed: Seal, *, created: str, vkey: str) -> bytes:
    """The text."""
    passages = sum(map(len, found.passages.values()))
    told = notes(found, sealed)
    parts = [
        "EVIDENCE BUNDLE",
        "===============",
        "",
        _filled(
            f"This file holds {len(found.captures)} captures of web pages and {passages} passages of them, up to "
            f"{created}, with everything that it takes to check that nothing was changed since. No program of ours, no "
            "server and no network is needed."
        ),
        "",
        "TO READ   Unpack the ZIP file, open evidence/index.html in any browser.",
        "TO LOOK   Readers of web archives (WACZ) show the pages as they were.",
        "TO CHECK  In the unpacked folder:  python3 -I evidence/verify.py",
        "          (Python 3.11 or newer; nothing else is needed.)",
        "",
        "It proves",
        "---------",
        *(_item(one) for one in PROVEN),
        "",
        "It does not prove",
        "-----------------",
        *(_item(one) for one in NOT_PROVEN),
        "",
        "Missing",
        "-------",
        *([_item(one) for one in told] or [_item("Nothing.")]),
        "",
        "What lies where",
        "---------------",
        "  archive/data.warc.gz      the pages, as requests and responses (WARC 1.1)",
        "  indexes/, pages/          where each page is in it, and its text",
        "  evidence/records.jsonl    the records, one a line; each is named by the SHA-256",
        "                            of its line without the line's end",
        "  evidence/passages.jsonl   the passages, named in the same way",
        "  evidence/blobs.jsonl      other bytes, and the member that holds each",
        "  evidence/proofs.jsonl     that each record stands in the log (c2sp.org/tlog-proof)",
        "  evidence/checkpoint.txt   the log's signed state",
        "  evidence/token-*.tsr      time stamps (RFC 3161), as far as there are any",
        "  evidence/bundle.json      what was asked for, and what is missing",
        "  evidence/index.html       all of this to look at",
        "  evidence/verify.py        the program that checks it",
        "  evidence/statement.dsse.json   the hash of every member, signed by the log's key",
        "  datapackage.json, datapackage-digest.json   the same for readers of WACZ files",
        *(_SESSION if any(name in found.sessions for name in found.roots) else ()),
        "",
        "The key that signed",
        "-------------------",
        f"  {vkey}",
        _item("Whose key that is has to be known from elsewhere; then: verify.py --trust-key KEY"),
        "",
    ]
    return "\n".join(parts).encode("utf-8", "replace")


def _filled(text: str) -> str:
    return fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def _item(text: str) -> str:
    return fill(
        text, WIDTH, initial_indent="  * ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
