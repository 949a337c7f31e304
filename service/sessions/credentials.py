"""Finds credentials in what is about to be kept, so that none ever is. Pure.

Only forms that nobody writes by accident are looked for: a prefix that its maker chose for this purpose, a private
key's envelope, a password in an address. What is found is replaced by its kind; the rest of the text stays as it was.
No form can begin again and again within what another beginning has searched already: time grows with the text alone.
"""

import re
from functools import lru_cache
from typing import Any, Final

_FORMS: Final[tuple[tuple[str, tuple[str, ...], str], ...]] = (
    (
        "private key",
        ("PRIVATE KEY-----",),
        r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----(?:[^-]|-(?!----)){20,20000}+-----END (?:[A-Z]+ )*PRIVATE KEY-----",
    ),
    ("log key", ("PRIVATE+KEY+",), r"PRIVATE\+KEY\+[^\s+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]{40,}"),
    ("Citator key", ("citator_",), r"citator_[0-9a-f]{12}_[A-Za-z0-9_-]{43}"),
    ("Anthropic key", ("sk-ant-",), r"sk-ant-[A-Za-z0-9_-]{20,200}"),
    ("OpenAI key", ("sk-",), r"sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,200}"),
    ("AWS key", ("AKIA", "ASIA"), r"(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])"),
    (
        "GitHub token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})",
    ),
    ("GitLab token", ("glpat-",), r"glpat-[A-Za-z0-9_-]{20,64}"),
    ("Slack token", ("xox",), r"xox[abeoprs]-[A-Za-z0-9-]{10,250}"),
    ("Google key", ("AIza",), r"AIza[A-Za-z0-9_-]{35}"),
    ("Google token", ("ya29.",), r"ya29\.[A-Za-z0-9_-]{20,400}"),
    ("Hugging Face token", ("hf_",), r"hf_[A-Za-z0-9]{30,60}"),
    ("Stripe key", ("_live_", "_test_"), r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{20,200}"),
    ("npm token", ("npm_",), r"npm_[A-Za-z0-9]{36}"),
    ("PyPI token", ("pypi-",), r"pypi-[A-Za-z0-9_-]{50,300}"),
    ("Tavily key", ("tvly-",), r"tvly-[A-Za-z0-9_-]{20,100}"),
    ("bearer token", ("earer ",), r"(?<=[Bb]earer )[A-Za-z0-9._~+/-]{24,4000}=*"),
    (
        "web token",
        ("eyJ",),
        r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,2000}+\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{16,1000}",
    ),
    ("password in an address", ("://",), r"(?<=://)[^\s/:@\"'<>]{1,256}:[^\s/@\"'<>]{1,256}(?=@[A-Za-z0-9\[])"),
)
"""What it is, what stands in every text that holds one (one of these), and its form."""


def _pattern(text: str) -> re.Pattern[str] | None:
    """What to look for in a text: the forms of which it holds the unmistakable part. Most texts hold none."""
    places = tuple(place for place, (_, marks, _) in enumerate(_FORMS) if any(mark in text for mark in marks))
    return _compiled(places) if places else None


@lru_cache(maxsize=256)
def _compiled(places: tuple[int, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<f{place}>{_FORMS[place][2]})" for place in places))


def masked(value: Any) -> tuple[Any, int]:
    """A JSON value with every credential in its strings replaced by `[… removed]`, and how many there were."""
    count = 0

    def mask(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return f"[{_FORMS[int((match.lastgroup or 'f0')[1:])][0]} removed]"

    def walk(one: Any) -> Any:
        if isinstance(one, str):
            pattern = _pattern(one)
            return pattern.sub(mask, one) if pattern is not None else one
        if isinstance(one, list | tuple):
            return [walk(inner) for inner in one]
        if isinstance(one, dict):
            return {walk(name): walk(inner) for name, inner in one.items()}
        return one

    return walk(value), count


def found(value: Any) -> str | None:
    """The kind of the first credential in a JSON value, None if there is none."""
    if isinstance(value, str):
        pattern = _pattern(value)
        match = pattern.search(value) if pattern is not None else None
        return None if match is None else _FORMS[int((match.lastgroup or "f0")[1:])][0]
    inner = value.items() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return next((kind for one in inner if (kind := found(one)) is not None), None)
