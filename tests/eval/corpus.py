"""A corpus of any size with the word statistics of real prose, the same for the same seed."""

import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.acceptance.pages import python_documentation

WORDS_A_PASSAGE = 120
PASSAGES_A_PAGE = 20


class Corpus:
    """Pages made of words drawn as often as the documentation of Python uses them."""

    def __init__(self, seed: int = 7) -> None:
        counted: Counter[str] = Counter()
        for path in sorted(Path(python_documentation()).glob("library/*.html")):
            text = re.sub(r"<[^>]+>", " ", path.read_text(encoding="utf-8"))
            counted.update(word.lower() for word in re.findall(r"[A-Za-z]{2,14}", text))
        ranked = counted.most_common(30_000)
        self.words = [word for word, _ in ranked]
        self._weights = [count for _, count in ranked]
        self._random = random.Random(seed)

    def pages(self, count: int) -> Iterator[tuple[str, str, list[str]]]:
        """Address, title and paragraphs; a paragraph is about one passage long."""
        for number in range(count):
            words = self._random.choices(self.words, self._weights, k=WORDS_A_PASSAGE * PASSAGES_A_PAGE)
            paragraphs = []
            for start in range(0, len(words), WORDS_A_PASSAGE):
                part = words[start : start + WORDS_A_PASSAGE]
                sentences = [" ".join(part[at : at + 15]).capitalize() + "." for at in range(0, len(part), 15)]
                paragraphs.append(" ".join(sentences))
            yield f"http://corpus.example/{number // 500}/{number}", " ".join(words[:5]).title(), paragraphs

    def queries(self, count: int) -> list[str]:
        """Three words each, neither the commonest nor the rarest: what people type."""
        return [" ".join(self._random.sample(self.words[150:6000], 3)) for _ in range(count)]
