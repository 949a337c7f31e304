"""Which characters are written without spaces between words, and how text is cut into units of them.

One list of ranges serves splitting, indexing and queries, so that the three agree.
"""

from __future__ import annotations

from functools import cache

import regex

# Scripts in which a run of letters holds several words, so that it is indexed by overlapping pairs of characters.
# Korean puts spaces between phrases only, and has endings that no stemmer here takes off: pairs serve it best too.
UNSPACED_RANGES = (
    r"\u0e00-\u0eff"  # Thai, Lao
    r"\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Burmese
    r"\u1780-\u17ff"  # Khmer
    r"\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"  # Korean
    r"\u3005-\u3007\u3021-\u302f\u3031-\u3035\u3038-\u303c\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Japanese
    r"\u3100-\u312f\u31a0-\u31bf"  # Bopomofo
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese characters
)

# Among them, those where one unit is one code point; in the others marks stand above and below a letter.
_SINGLE_RANGES = r"\u3005-\u3007\u3021-\u3029\u3040-\u3098\u309b-\u30ff\u3100-\u312f\u3400-\u9fff\uac00-\ud7a3"


@cache
def unspaced_run() -> regex.Pattern[str]:
    """Finds runs of letters, marks and digits of scripts without spaces."""
    return regex.compile(rf"[[{UNSPACED_RANGES}]&&[\w\p{{M}}]]+", regex.VERSION1)


@cache
def any_unspaced() -> regex.Pattern[str]:
    """Finds one character of such a script."""
    return regex.compile(rf"[[{UNSPACED_RANGES}]&&\w]", regex.VERSION1)


@cache
def _single() -> regex.Pattern[str]:
    return regex.compile(rf"[{_SINGLE_RANGES}]+")


@cache
def _cluster() -> regex.Pattern[str]:
    return regex.compile(r"\X")


def units(run: str) -> list[str]:
    """The characters of a run as a reader counts them: marks stay with their letter."""
    if _single().fullmatch(run):
        return list(run)
    return _cluster().findall(run)
