"""Where the header of an article begins and ends: title, byline, date, summary."""

from typing import Any, Final

from crawler.page_signs import count_words

# A paragraph of this many words is where the article begins; what stands before it is its header.
FIRST_PARAGRAPH_WORDS: Final = 25
# One of this many is a sentence of the text, not a line of the header; the first may be a summary.
SENTENCE_WORDS: Final = 12


class Header:
    """Follows the elements of a page in their order, and knows where the header of the article begins and ends.

    It begins with TITLE and ends with the first long paragraph, or the second of some length, that is in no `header`.
    """

    def __init__(self, title: Any | None) -> None:
        self.title = title
        self.titled = False
        self.ended = False
        self.last: Any | None = None
        self._sentences = 0

    def pass_over(self, element: Any) -> None:
        """Take note of the next ELEMENT."""
        if element is self.title:
            self.titled = True
        elif self.titled and not self.ended:
            words = _prose(element)
            if words >= SENTENCE_WORDS and next(element.iterancestors("header"), None) is None:
                self._sentences += 1
                self.ended = words >= FIRST_PARAGRAPH_WORDS or self._sentences > 1
                self.last = element


def _prose(element: Any) -> int:
    """How many words ELEMENT says as a paragraph; one that is called otherwise must say twice as much."""
    if element.tag == "p":
        return count_words("".join(element.itertext()))
    return count_words(" ".join(text for text in (element.text, *(child.tail for child in element)) if text)) // 2
