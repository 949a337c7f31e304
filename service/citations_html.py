"""A report in HTML as the Markdown that `service.citations` reads. Nothing in it is run or fetched."""

from html.parser import HTMLParser
from typing import Final

_BLOCKS: Final = frozenset((
    "address", "article", "aside", "body", "br", "dd", "div", "dl", "dt", "figcaption", "figure", "footer",
    "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav",
    "ol", "p", "pre", "section", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
))  # fmt: skip
_UNREAD: Final = frozenset(("script", "style", "template", "head", "noscript"))


class _Writer(HTMLParser):
    """Writes paragraphs, those of a block quotation with `> `; an address follows the text that it belongs to."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.paragraphs: list[str] = []
        self._line: list[str] = []
        self._unread = 0
        self._open: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in _UNREAD:
            self._unread += 1
        elif tag == "blockquote":
            self.end()
            self._open.append((tag, given.get("cite")))
        elif tag in ("q", "a"):
            self._open.append((tag, given.get("cite") if tag == "q" else given.get("href")))
            self._line.append("“" if tag == "q" else "")
        elif tag in _BLOCKS:
            self.end()

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNREAD:
            self._unread = max(0, self._unread - 1)
        elif tag in ("blockquote", "q", "a"):
            self._close(tag)
        elif tag in _BLOCKS:
            self.end()

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self._line.append(data)

    def _close(self, tag: str) -> None:
        if all(name != tag for name, _ in self._open):
            return
        while self._open:
            name, address = self._open.pop()
            if name == "q":
                self._line.append("”")
            known = address if address and address.startswith(("http://", "https://")) else None
            if name == "blockquote":
                self._open.append((name, None))
                self.end()
                self._open.pop()
                if known:
                    self.paragraphs.append(f"— {known}")
            elif known:
                self._line.append(f" {known} ")
            if name == tag:
                return

    def end(self) -> None:
        """End the paragraph that is being written."""
        words = " ".join("".join(self._line).split())
        self._line = []
        if words:
            quoted = any(name == "blockquote" for name, _ in self._open)
            self.paragraphs.append(f"> {words}" if quoted else words)


def markdown_of(html: str) -> str:
    """The text of an HTML report with its quotations and links. Line numbers are those of paragraphs."""
    writer = _Writer()
    writer.feed(html)
    writer.close()
    writer.end()
    return "\n\n".join(writer.paragraphs)
