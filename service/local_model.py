"""A model of static word vectors from this machine: a matrix, and a tokeniser that says which of its rows a text has.

It is read from the files of an installed package or of a directory (one `.safetensors` with one matrix, and one
`*tokenizer*.json`). Nothing is downloaded and none of the package's code runs.
"""

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import orjson

from service.failures import BadSetting

KINDS: Final = {"F16": "float16", "F32": "float32"}
LARGEST: Final = 2 * 1024 * 1024 * 1024
"""Bytes of a matrix: it lies in memory."""


def load_vectors(named: str) -> Callable[[Sequence[str]], list[list[float]]]:
    """A function that gives the mean of the vectors of each text's tokens.

    Raises:
        BadSetting: there is no such model, or what reads its tokeniser is not installed.
    """
    import numpy as np  # noqa: PLC0415 -- takes a while and 20 MB, and only who sets a model up needs it

    folder = _folder(named)
    tables = [path for path in sorted(folder.rglob("*.safetensors")) if path.stat().st_size <= LARGEST]
    words = [path for path in sorted(folder.rglob("*.json")) if "tokenizer" in path.name]
    words = [path for path in words if not path.name.startswith("special")]
    if not tables or not words:
        raise BadSetting(f"CITATOR_LOCAL_MODEL: {folder} holds no matrix (.safetensors) with its tokenizer (.json)")
    matrix = _matrix(tables[0], np)
    try:
        tokenizer: Any = importlib.import_module("tokenizers").Tokenizer.from_file(str(words[0]))
    except ImportError as error:
        raise BadSetting("CITATOR_LOCAL_MODEL needs the package tokenizers: install it beside Citator") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()

    def vectors(texts: Sequence[str]) -> list[list[float]]:
        return pooled(matrix, [one.ids for one in tokenizer.encode_batch(list(texts), add_special_tokens=False)])

    return vectors


def pooled(matrix: Any, tokens: Sequence[Sequence[int]]) -> list[list[float]]:
    """The mean of the rows of each text; zeros for one without any."""
    import numpy as np  # noqa: PLC0415 -- takes a while and 20 MB, and only who sets a model up needs it

    empty = [0.0] * matrix.shape[1]
    return [matrix[ids].mean(axis=0, dtype=np.float32).tolist() if ids else empty for ids in map(list, tokens)]


def _folder(named: str) -> Path:
    path = Path(named)
    if path.is_dir():
        return path
    try:
        found = importlib.util.find_spec(named) if named.isidentifier() else None
    except (ImportError, ValueError):
        found = None
    places = list(found.submodule_search_locations or ()) if found else []
    if not places:
        raise BadSetting(f"CITATOR_LOCAL_MODEL: {named} is neither a directory nor a package that is installed")
    return Path(places[0])


def _matrix(path: Path, np: Any) -> Any:
    """The only matrix in a file of safetensors: its length, a head in JSON, then the numbers."""
    raw = path.read_bytes()
    head = int.from_bytes(raw[:8], "little")
    try:
        tables = {name: one for name, one in orjson.loads(raw[8 : 8 + head]).items() if name != "__metadata__"}
        ((_, told),) = tables.items()
        first, last = told["data_offsets"]
        rows, columns = told["shape"]
        numbers = np.frombuffer(raw[8 + head + first : 8 + head + last], KINDS[told["dtype"]])
        return numbers.reshape(rows, columns)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadSetting(f"CITATOR_LOCAL_MODEL: {path} is no matrix of F16 or F32 numbers") from error
