"""Mends messages that hold half of a surrogate pair. Pure.

What is no Unicode cannot be kept, and readers of JSON refuse the whole message: the call would never be answered.
Each half becomes U+FFFD, as decoders do with what they cannot read, and the call is marked: its reply says so.
"""

import json
import re
from typing import Any, Final

import orjson

MENDED: Final = "citator/mended"
"""Under this name the metadata of a call says that it held half of a surrogate pair, which stands as U+FFFD now."""

_ESCAPE: Final = re.compile(rb"\\u[dD][89a-fA-F]")


def mended(message: bytes) -> bytes:
    """The message, with halves of surrogate pairs replaced; one that has none, or is no JSON, as it is."""
    if not _ESCAPE.search(message):
        return message
    try:
        orjson.loads(message)
    except orjson.JSONDecodeError:
        pass
    else:
        return message
    try:
        told = json.loads(message)
    except (ValueError, RecursionError):
        return message
    told = _whole(told)
    for one in told if isinstance(told, list) else [told]:
        if isinstance(one, dict) and isinstance(params := one.get("params"), dict):
            meta = params.setdefault("_meta", {})
            if isinstance(meta, dict):
                meta[MENDED] = True
    return json.dumps(told, ensure_ascii=False).encode()  # unlike orjson, it writes all that it reads


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        # Pairs that came as two halves are one character; what has no other half is none.
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [_whole(one) for one in value]
    if isinstance(value, dict):
        return {_whole(name): _whole(one) for name, one in value.items()}
    return value
