"""Reads pages in worker processes with limits on time and memory."""

from datetime import datetime
from types import TracebackType
from typing import Self

from crawler.reading import Reading


class ReaderPool:
    """Worker processes that read pages, started when first needed and ended when idle.

    An async context manager. `memory_limit` is bytes of address space for each worker, `time_limit` seconds a page.
    """

    def __init__(self, workers: int = 2, memory_limit: int = 1 << 30, time_limit: float = 20.0) -> None:
        self._workers, self._memory_limit, self._time_limit = workers, memory_limit, time_limit

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def read(
        self,
        body: bytes,
        *,
        media_type: str | None,
        charset: str | None,
        url: str,
        at: datetime,
        status: int | None = None,
    ) -> Reading:
        """As `read_page`, within the limits. What goes wrong is told by the reading's outcome, never raised."""
        raise NotImplementedError

    async def close(self) -> None:
        """End all workers. Reads under way end with CancelledError."""
