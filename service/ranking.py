"""Models that rank passages besides their words, where one is set up: behind an endpoint, or in this process.

What a model says is a second opinion. It sees the query and the passages, never more, and where it fails the words
decide alone and the reply says so.
"""

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

import orjson
from anyio.to_thread import run_sync

from crawler import DIRECT, CrawlError, Endpoint, Proxies

MAX_REPLY: Final = 32 * 1024 * 1024
"""Bytes of an answer: a hundred vectors of four thousand numbers, written out."""
MAX_TEXT: Final = 8_000
"""Characters of a passage that a model is shown: most take some 500 tokens, and passages have 200 words."""
OK: Final = 200

BY_LIKENESS: Final = 10.0
"""What a likeness of 1 between query and passage counts beside the score of their words. From 5 to 20 the evaluation
sets differ by less than .001; joining the two orders by rank costs up to .11 where the model does not know the
language."""


class NotRanked(Exception):
    """The model gave no usable answer; the message says why."""


class Ranker(Protocol):
    """Judges passages against a query. Safe for several tasks at once."""

    @property
    def name(self) -> str:
        """What it is, with its model, as records name it."""
        ...

    @property
    def weight(self) -> float | None:
        """What one point of its judgement counts beside the words; None: its judgement decides alone."""
        ...

    async def rank(self, query: str, texts: Sequence[str], *, seconds: float) -> list[float]:
        """A number for each text, higher for better, within `seconds`.

        Raises:
            NotRanked: there is no usable answer.
        """
        ...

    def close(self) -> None:
        """Give back what it holds."""
        ...


class _Behind:
    """A model behind an endpoint that takes and gives JSON, at `end` of an address; `kind` is how records name such."""

    end: str
    kind: str

    def __init__(
        self,
        url: str,
        *,
        model: str | None,
        key: str | None,
        seconds: float,
        agent: str,
        proxies: Proxies = DIRECT,
    ) -> None:
        place = url.rstrip("/")
        place = place if place.endswith(self.end) else place + self.end
        self._endpoint = Endpoint(place, user_agent=agent, proxies=proxies)
        self._model = model
        self._key = key
        self._seconds = seconds
        self.name = f"{self.kind}:{model or 'default'}"

    def close(self) -> None:
        """Give back what the endpoint holds."""
        self._endpoint.close()

    async def _ask(self, fields: dict[str, Any], seconds: float) -> Any:
        body = orjson.dumps(({"model": self._model} if self._model else {}) | fields)
        headers = [("Content-Type", "application/json"), ("Accept", "application/json")]
        headers += [("Content-Length", str(len(body)))]
        headers += [("Authorization", f"Bearer {self._key}")] if self._key else []
        try:
            answer = await self._endpoint.ask(
                self._endpoint.address,
                tuple(headers),
                body=body,
                limit=MAX_REPLY,
                seconds=max(min(seconds, self._seconds), 0.001),
            )
        except CrawlError as error:
            raise NotRanked(f"the model's endpoint: {error}") from error
        if answer.status != OK:
            raise NotRanked(f"the model's endpoint answered with status {answer.status}")
        try:
            return orjson.loads(answer.body)
        except orjson.JSONDecodeError as error:
            raise NotRanked("the model's endpoint answered something that is no JSON") from error


class Embeddings(_Behind):
    """An OpenAI-compatible `/v1/embeddings`: how alike query and passage are."""

    weight: float | None = BY_LIKENESS
    end = "/embeddings"
    kind = "embeddings"

    async def rank(self, query: str, texts: Sequence[str], *, seconds: float) -> list[float]:
        """See `Ranker`."""
        shown = [text[:MAX_TEXT] for text in (query, *texts)]
        fields = {"input": shown, "encoding_format": "float"}
        told = await self._ask(fields, seconds)
        try:
            vectors = {int(one["index"]): [float(number) for number in one["embedding"]] for one in told["data"]}
            first, *others = (vectors[place] for place in range(len(shown)))
        except (KeyError, TypeError, ValueError) as error:
            raise NotRanked("the model's endpoint did not give a vector for each text") from error
        return [likeness(first, other) for other in others]


class Reranking(_Behind):
    """A `/rerank` as Cohere and Jina have it, and many servers of models after them."""

    weight: float | None = None
    end = "/rerank"
    kind = "rerank"

    async def rank(self, query: str, texts: Sequence[str], *, seconds: float) -> list[float]:
        """See `Ranker`."""
        documents = [text[:MAX_TEXT] for text in texts]
        fields = {"query": query[:MAX_TEXT], "documents": documents, "top_n": len(documents)}
        told = await self._ask(fields, seconds)
        try:
            judged = {int(one["index"]): float(one["relevance_score"]) for one in told["results"]}
            numbers = [judged[place] for place in range(len(texts))]
        except (KeyError, TypeError, ValueError) as error:
            raise NotRanked("the model's endpoint did not judge each text") from error
        if not all(map(math.isfinite, numbers)):
            raise NotRanked("the model's endpoint judged with something that is no number")
        return numbers


class Local:
    """A model in this process, given as a function from texts to vectors. It runs in a thread."""

    weight: float | None = BY_LIKENESS

    def __init__(self, name: str, vectors: Callable[[Sequence[str]], Sequence[Sequence[float]]]) -> None:
        self.name = f"local:{name}"
        self._vectors = vectors

    def close(self) -> None:
        """It holds nothing."""

    async def rank(self, query: str, texts: Sequence[str], *, seconds: float) -> list[float]:  # noqa: ARG002 - milliseconds
        """See `Ranker`."""
        first, *others = await run_sync(self._vectors, [text[:MAX_TEXT] for text in (query, *texts)])
        return [likeness(first, other) for other in others]


def likeness(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of two vectors. Raises NotRanked if they cannot be compared."""
    lengths = math.hypot(*one) * math.hypot(*other)
    if len(one) != len(other) or not math.isfinite(lengths):
        raise NotRanked("the model's vectors cannot be compared")
    return sum(map(operator.mul, one, other)) / lengths if lengths else 0.0
