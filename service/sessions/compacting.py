"""An extract in place of older messages, made without a model and named so. Pure."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from service import tokens
from service.sessions.context import Said

MAX_SENTENCES: Final = 20_000  # sentences weighed: a session of many books is cut from its beginning
_SENTENCE: Final = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")  # noqa: RUF001 - full-width marks end sentences too
_WORD: Final = re.compile(r"\w{3,}")


def extract(messages: Sequence[Said], budget: int) -> str:
    """Sentences of `messages` that say most, in their order and word for word, each with who said it."""
    lines: list[tuple[str, str]] = []
    for said in messages:
        who = said.author or said.name or said.role
        lines += [(who, found.strip()) for found in _SENTENCE.findall(said.text) if len(found.strip()) > 1]
    lines = lines[-MAX_SENTENCES:]
    counts = Counter(word for _, line in lines for word in set(_WORD.findall(line.casefold())))
    weights = [
        sum(counts[word] for word in set(_WORD.findall(line.casefold()))) / (5 + len(line.split()))
        + (2.0 if who == "user" else 0.0)
        + (1.0 if any(sign.isdigit() for sign in line) else 0.0)
        for who, line in lines
    ]
    room, chosen = budget, set()
    for place in sorted(range(len(lines)), key=lambda place: (-weights[place], place)):
        cost = tokens.estimate(f"{lines[place][0]}: {lines[place][1]}\n")
        if cost <= room:
            chosen.add(place)
            room -= cost
    return "\n".join(f"{who}: {line}" for place, (who, line) in enumerate(lines) if place in chosen)
