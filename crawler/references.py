"""References in XML that XML does not know: a parser would drop them, and with them letters of the text.

Feeds are full of `&nbsp;` and `&eacute;`, which only HTML defines, and of bare ampersands.
"""

import re
from html.entities import html5
from typing import Final
from xml.sax.saxutils import escape

KNOWN: Final = frozenset({"amp", "lt", "gt", "quot", "apos"})
REFERENCE: Final = re.compile(
    r"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|&(?:#[0-9]{1,7};|#x[0-9a-fA-F]{1,6};|([\w:][\w:.-]{0,99});)?",
    re.DOTALL,
)


def with_references(text: str) -> str:
    """Write out HTML's names in XML, and set apart each ampersand that begins none.

    Names that neither has stay as they stand where a document type may define them; nothing is ever expanded.
    """
    if "&" not in text:
        return text
    defined = "<!ENTITY" in text

    def written(found: re.Match[str]) -> str:
        whole, name = found[0], found[1]
        if whole == "&":
            return "&amp;"
        if name is None or name in KNOWN:
            return whole
        if (character := html5.get(f"{name};")) is not None:
            return escape(character, {'"': "&quot;", "'": "&apos;"})
        return whole if defined else f"&amp;{whole[1:]}"

    return REFERENCE.sub(written, text)
