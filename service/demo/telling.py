"""How the demonstration speaks: steps, passages as a person likes to read them, and figures."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console, Group
from rich.markup import escape
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

SHORT = 12  # hex digits of an id that are enough to name it
SHOWN = 420  # characters of a passage that fit a screen together with others


def short(identity: str) -> str:
    """An id as a person reads it out: `sha256:` and twelve hex digits, which the commands accept."""
    scheme, _, digits = identity.partition(":")
    return f"{scheme}:{digits[:SHORT]}…"


def excerpt(text: str, words: Sequence[str]) -> Text:
    """The part of a text around the first of the words, with the words marked."""
    flat = " ".join(text.split())
    places = [at for word in words if (at := flat.lower().find(word.lower())) >= 0]
    start = max(0, min(places, default=0) - SHOWN // 3)
    if start:
        start = flat.find(" ", start) + 1
    cut = flat[start : start + SHOWN]
    if start + SHOWN < len(flat):
        cut = cut[: cut.rfind(" ")] + " …"
    shown = Text(("… " if start else "") + cut)
    shown.highlight_words(words, style="bold yellow", case_sensitive=False)
    return shown


class Teller:
    """Writes the demonstration's story to a console."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._step = 0

    def step(self, title: str) -> None:
        """Begin the next part of the story."""
        self._step += 1
        self.console.print()
        self.console.rule(f"[bold]{self._step}. {title}", align="left")

    def say(self, text: str) -> None:
        """A sentence or two, with Rich's markup."""
        self.console.print(text, soft_wrap=False, highlight=False)

    def quote(self, text: str) -> None:
        """Lines as they are, set off, never broken by the width of the terminal."""
        for each in text.splitlines():
            self.console.print(f"  {each}", style="dim", markup=False, highlight=False, soft_wrap=True)

    def commands(self, meanings: Mapping[str, str]) -> None:
        """Commands to go on with, and what each is for."""
        for command, meaning in meanings.items():
            self.console.print(
                f"  [bold]{escape(command):<34}[/bold]  [dim]# {meaning}[/dim]", highlight=False, soft_wrap=True
            )

    def progress(self) -> Progress:
        """A bar with how many of how many, gone when it is done on a terminal that can."""
        return Progress(
            TextColumn("  {task.description}"),
            BarColumn(bar_width=40),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self.console,
        )

    def answer(self, reply: Mapping[str, Any], words: Sequence[str], limit: int = 3) -> None:
        """The best results of a search reply, one panel each."""
        for result in reply["results"][:limit]:
            parts: list[Text] = []
            for passage in result["passages"][:1]:
                parts += [excerpt(passage["text"], words), Text(f"cite {short(passage['id'])}", style="cyan")]
            self.console.print(
                Panel(
                    Group(*parts) if parts else Text("(no room left for its passages)", style="dim"),
                    title=f"[bold]{result['rank']}. {result['title'] or result['url']}",
                    title_align="left",
                    subtitle=f"[dim]{result['url']} · {result['retrieved_at']}",
                    subtitle_align="right",
                )
            )
        left = len(reply["results"]) - limit
        if left > 0:
            self.say(f"  [dim]… and {left} more, and {len(reply['dropped'])} dropped with their reasons.[/dim]")
