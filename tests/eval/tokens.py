"""How far the estimate of tokens is from what models count: on passages of the evaluation data and on code.

    python -m tests.eval.tokens FILE...

A FILE is a tokeniser: a `tokenizer.json` (needs the package `tokenizers`), Mistral's `tekken.json`, or the list of
ranks of OpenAI's `cl100k_base` (both need `tiktoken`). Packages that bring such files: litellm, mistral-common,
wordllama. None is needed to run Citator or its tests; without a FILE nothing is measured.
"""

import base64
import importlib
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from service.tokens import estimate
from tests.conftest import EVAL_DATA
from tests.eval.search import as_page, collection, names

PIECES = 120
CODE = 900  # characters of a piece of code
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
NO_DATA = 2

Count = Callable[[str], int]


def counter(path: Path) -> Count:
    """What counts with this tokeniser."""
    raw = path.read_bytes()
    if not raw.lstrip().startswith(b"{"):
        pairs = (line.split() for line in raw.splitlines() if line.strip())
        return _ranked(CL100K, {base64.b64decode(token): int(rank) for token, rank in pairs})
    told = json.loads(raw)
    if "vocab" in told and "config" in told:
        count = told["config"]["default_vocab_size"] - told["config"]["default_num_special_tokens"]
        ranks = {base64.b64decode(one["token_bytes"]): one["rank"] for one in told["vocab"][:count]}
        return _ranked(told["config"]["pattern"], ranks)
    tokenizer = importlib.import_module("tokenizers").Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def _ranked(pattern: str, ranks: dict[bytes, int]) -> Count:
    encoding = importlib.import_module("tiktoken").Encoding(
        "measured", pat_str=pattern, mergeable_ranks=ranks, special_tokens={}
    )
    return lambda text: len(encoding.encode(text, disallowed_special=()))


def pieces() -> dict[str, list[str]]:
    """Passages in each language, and code."""
    found = {}
    for name in names(EVAL_DATA):
        pages = [as_page(one, 1) for one in collection(EVAL_DATA, name).documents[:PIECES]]
        found[name] = [page.text[span.start : span.end] for page in pages for span in page.spans][:PIECES]
    sources = [path.read_text(encoding="utf-8") for path in sorted(Path("service").glob("*.py"))]
    found["python code"] = [source[:CODE] for source in sources if len(source) >= CODE][:PIECES]
    return found


def told(texts: Sequence[str], count: Count) -> str:
    """The estimate over what is counted: of all, and the range in which nine of ten passages lie."""
    shares = sorted(estimate(text) / max(1, count(text)) for text in texts)
    whole = sum(map(estimate, texts)) / sum(map(count, texts))
    return f"{whole:.2f} ({shares[len(shares) // 20]:.2f}-{shares[-1 - len(shares) // 20]:.2f})"


def main() -> int:
    files = [Path(name) for name in sys.argv[1:]]
    if not files or not (EVAL_DATA / "search").is_dir():
        print("NOTHING WAS MEASURED: name tokenisers, and see that there is evaluation data", file=sys.stderr)
        return NO_DATA
    counters = {path.stem[:20]: counter(path) for path in files}
    print(f"{'estimate / count':<18} {' '.join(f'{name:>20}' for name in counters)}")
    for name, texts in pieces().items():
        print(f"{name:<18} {' '.join(f'{told(texts, count):>20}' for count in counters.values())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
