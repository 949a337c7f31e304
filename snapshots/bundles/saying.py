"""What a bundle proves and what it does not, in the words that every bundle carries. See `docs/proves.md`."""

from collections.abc import Mapping
from typing import Final

PROVEN: Final = (
    "Nothing in this file was changed since it was signed: every member has the hash that the signed statement gives.",
    "Each page, record and passage has the name it is cited by: the name is the hash of its bytes.",
    "Each passage stands at this place in the text that was read out of this capture.",
    "Each record stood in the log when its checkpoint was signed, and nothing before it was changed or put in between.",
    "Where a time-stamping authority has signed: the records that it covers existed at that time.",
)

NOT_PROVEN: Final = (
    (
        "That the server sent these bytes. Servers do not sign what they send. The bundle shows that whoever captured "
        "the page held these bytes, and by when; that they came from the server is the capturer's word."
    ),
    "Whose key has signed, to someone who does not have the key from elsewhere.",
    "That the page said the same to everybody: a site can show each visitor something else.",
    (
        "The times in the records: they are the clock of the machine that captured. Only a time stamp bounds them, "
        "from one side."
    ),
    "That there was only one log: who holds the key could keep two. Comparing checkpoints shows it.",
    "That what a page says is true.",
)

OUTCOMES: Final[Mapping[str, str]] = {
    "ok": "received whole",
    "incomplete": "received in part",
    "timeout": "did not come in time",
    "too_large": "larger than is taken",
    "refused": "not asked for",
    "rate_limited": "turned away: asked too often",
    "error": "failed",
}
"""The outcome of a capture, in words."""

PAGE_STATES: Final[Mapping[str, str]] = {
    "ok": "the page itself",
    "not_found": "a page that says that there is none",
    "blocked": "a bot check",
    "login": "a log-in",
    "consent": "a consent wall",
    "paywall": "a paywall",
    "empty": "an empty shell",
    "error": "an error page",
    "unknown": "not judged",
}
"""What a page is, in words."""
