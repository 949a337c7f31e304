"""Progress on a terminal, for what takes long."""

import sys
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from service.cli_output import cut, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WIDTH = 60
"""Characters of an address beside the bar."""


def _bar() -> Progress:
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(file=sys.stderr),
        transient=True,
    )


class CrawlBar:
    """The pages of a crawl: how many are there and are probably left, which was the last."""

    def __init__(self, pages: int) -> None:
        self._bar = _bar()
        self._task = self._bar.add_task("crawling", total=pages)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def event(self, event: dict[str, Any], /) -> None:
        """Show one event of the crawl."""
        url = event.get("url")
        counts, left = event.get("counts"), event.get("left")
        if not url:
            return
        told: dict[str, Any] = {"description": plain(cut(str(url), WIDTH))}
        if counts is None or left is None:
            self._bar.update(self._task, advance=1, **told)
            return
        done = counts.get("captured", 0) + counts.get("failed", 0)
        if counts.get("failed"):
            told["description"] = f"{counts['failed']} failed  {told['description']}"
        self._bar.update(self._task, completed=done, total=done + left["pages"], **told)


class WorkBar:
    """Long work on the installation. May be called from any thread."""

    def __init__(self) -> None:
        self._bar = _bar()
        self._tasks: dict[str, Any] = {}

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def step(self, what: str, done: int, total: int | None) -> None:
        """Show how far one part is."""
        if what not in self._tasks:
            self._tasks[what] = self._bar.add_task(plain(what), total=total)
        self._bar.update(self._tasks[what], completed=done, total=total)


@contextmanager
def shown() -> "Iterator[Callable[[str, int, int | None], None]]":
    """Progress on a terminal, or none."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    with WorkBar() as bar:
        yield bar.step
