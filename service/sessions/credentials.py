"""Finds credentials in what is about to be kept, so that none ever is. Pure.

Only forms that nobody writes by accident are looked for: a prefix that its maker chose for this purpose, a private
key's envelope, a password in an address. What is found is replaced by its kind; the rest of the text stays as it was.
No form can begin again and again within what another beginning has searched already: time grows with the text alone.
"""

import re
from typing import Any, Final

_FORMS: Final[tuple[tuple[str, str], ...]] = (
    (
        "private key",
        r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----(?:[^-]|-(?!----)){20,20000}+-----END (?:[A-Z]+ )*PRIVATE KEY-----",
    ),
    ("log key", r"PRIVATE\+KEY\+[^\s+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]{40,}"),
    ("Citator key", r"citator_[0-9a-f]{12}_[A-Za-z0-9_-]{43}"),
    ("Anthropic key", r"sk-ant-[A-Za-z0-9_-]{20,200}"),
    ("OpenAI key", r"sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,200}"),
    ("AWS key", r"(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])"),
    ("GitHub token", r"(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})"),
    ("GitLab token", r"glpat-[A-Za-z0-9_-]{20,64}"),
    ("Slack token", r"xox[abeoprs]-[A-Za-z0-9-]{10,250}"),
    ("Google key", r"AIza[A-Za-z0-9_-]{35}"),
    ("Google token", r"ya29\.[A-Za-z0-9_-]{20,400}"),
    ("Hugging Face token", r"hf_[A-Za-z0-9]{30,60}"),
    ("Stripe key", r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{20,200}"),
    ("npm token", r"npm_[A-Za-z0-9]{36}"),
    ("PyPI token", r"pypi-[A-Za-z0-9_-]{50,300}"),
    ("Tavily key", r"tvly-[A-Za-z0-9_-]{20,100}"),
    ("bearer token", r"(?<=[Bb]earer )[A-Za-z0-9._~+/-]{24,4000}=*"),
    ("web token", r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,2000}+\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{16,1000}"),
    ("password in an address", r"(?<=://)[^\s/:@\"'<>]{1,256}:[^\s/@\"'<>]{1,256}(?=@[A-Za-z0-9\[])"),
)
_ANY: Final = re.compile("|".join(f"(?P<f{place}>{form})" for place, (_, form) in enumerate(_FORMS)))


def masked(value: Any) -> tuple[Any, int]:
    """A JSON value with every credential in its strings replaced by `[… removed]`, and how many there were."""
    count = 0

    def mask(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return f"[{_FORMS[int((match.lastgroup or 'f0')[1:])][0]} removed]"

    def walk(one: Any) -> Any:
        if isinstance(one, str):
            return _ANY.sub(mask, one)
        if isinstance(one, list | tuple):
            return [walk(inner) for inner in one]
        if isinstance(one, dict):
            return {walk(name): walk(inner) for name, inner in one.items()}
        return one

    return walk(value), count


def found(value: Any) -> str | None:
    """The kind of the first credential in a JSON value, None if there is none."""
    if isinstance(value, str):
        match = _ANY.search(value)
        return None if match is None else _FORMS[int((match.lastgroup or "f0")[1:])][0]
    inner = value.items() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return next((kind for one in inner if (kind := found(one)) is not None), None)
