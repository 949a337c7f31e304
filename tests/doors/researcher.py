"""gpt-researcher's own retrievers, without the rest of it. Arguments: `custom` or `searx`, a query. Prints JSON."""

import importlib.util
import json
import sys
import sysconfig
from pathlib import Path
from typing import Any

CLASSES = {"custom": "CustomRetriever", "searx": "SearxSearch"}


def retriever(name: str) -> Any:
    path = Path(sysconfig.get_path("purelib")) / "gpt_researcher" / "retrievers" / name / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, CLASSES[name])


if __name__ == "__main__":
    print(json.dumps(retriever(sys.argv[1])(sys.argv[2]).search(max_results=3)))
