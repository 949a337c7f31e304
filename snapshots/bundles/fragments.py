"""Links that lead a browser to the quoted words (text fragments). A convenience, never a proof.

A browser finds the words without regard to case and accents, at word boundaries, each part within one block. So what
is long, or goes over several blocks, is named by how it begins and how it ends; what is short gets the words around it.
"""

from typing import Final
from urllib.parse import quote

LONG: Final = 300
"""Characters from which on a quotation is named by its beginning and its end."""
SHORT: Final = 20
"""Characters below which a quotation needs the words around it."""
END_WORDS: Final = 6
"""Words of the beginning and of the end."""
AROUND_WORDS: Final = 3
END_LETTERS: Final = 30
"""Letters of the beginning and of the end in scripts that put no spaces between words."""

_SAFE: Final = "!$'()*+./:;=?@_~"
WEB: Final = ("http://", "https://")


def link(url: str, text: str, *, prefix: str = "", suffix: str = "") -> str | None:
    """The address with a text fragment for `text`, which `prefix` and `suffix` surround; None if it is not the web's.

    `url` is printable ASCII.
    """
    if not url.startswith(WEB):
        return None
    directive = _directive(text, prefix, suffix)
    if not directive:
        return url
    return f"{url}{':~:' if '#' in url else '#:~:'}text={directive}"


def _directive(text: str, prefix: str, suffix: str) -> str:
    blocks = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    if not blocks:
        return ""
    if len(blocks) > 1 or len(blocks[0]) > LONG:
        start, end = _first(blocks[0], END_WORDS), _last(blocks[-1], END_WORDS)
        return f"{_encoded(start)},{_encoded(end)}"
    whole = _encoded(blocks[0])
    if len(blocks[0]) >= SHORT:
        return whole
    before = [line for line in prefix.splitlines() if line.strip()]
    after = [line for line in suffix.splitlines() if line.strip()]
    # The first word of what goes before may be a half one: the context is cut by characters.
    ahead = _encoded(" ".join(before[-1].split()[1:][-AROUND_WORDS:])) if before else ""
    behind = _encoded(" ".join(after[0].split()[:-1][:AROUND_WORDS])) if after else ""
    return (f"{ahead}-," if ahead else "") + whole + (f",-{behind}" if behind else "")


def _first(block: str, words: int) -> str:
    found = " ".join(block.split(" ")[:words])
    return found if len(found) <= LONG else found[:END_LETTERS]


def _last(block: str, words: int) -> str:
    found = " ".join(block.split(" ")[-words:])
    return found if len(found) <= LONG else found[-END_LETTERS:]


def _encoded(text: str) -> str:
    return quote(text.encode("utf-8", "replace"), safe=_SAFE).replace("-", "%2D")
