"""Patterns of addresses, in which `*` stands for anything. Time grows with the address, whatever the pattern."""

from collections.abc import Sequence
from dataclasses import dataclass

from crawler.addresses import parse_address
from crawler.errors import BadAddress


@dataclass(frozen=True)
class Patterns:
    """Which addresses are wanted: one of `include` fits (if there are any), and none of `exclude`.

    A pattern that begins with `/` is held against path and query, any other against the whole address.
    """

    include: Sequence[str] = ()
    exclude: Sequence[str] = ()

    def take(self, href: str) -> bool:
        """Whether an address is wanted."""
        if not self.include and not self.exclude:
            return True
        local = _local(href)
        wanted = not self.include or any(_fits(one, href, local) for one in self.include)
        return wanted and not any(_fits(one, href, local) for one in self.exclude)


def _local(href: str) -> str:
    try:
        address = parse_address(href)
    except BadAddress:
        return ""
    return href.removeprefix(address.origin)


def _fits(pattern: str, href: str, local: str) -> bool:
    return matches(pattern, local if pattern.startswith("/") else href)


def matches(pattern: str, text: str) -> bool:
    """Whether all of TEXT is what PATTERN says."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    *middle, last = rest
    if not text.startswith(first) or not text.endswith(last) or len(text) < len(first) + len(last):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in middle:  # the leftmost place leaves most room for what follows
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True
