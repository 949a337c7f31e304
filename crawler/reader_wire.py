"""How pages and readings go between the pool and its workers: JSON behind its length, never objects that run code.

A worker parses hostile pages, so what it sends back is taken as data only.
"""

import struct
from dataclasses import asdict, astuple, dataclass
from datetime import datetime
from typing import Any, Final

import orjson

from crawler.reading import Block, Charset, Dated, Language, Link, Outcome, Reading, RobotsMeta

# A request is its head and a body, a reply is one part: lengths as unsigned 32 and 64 bits.
REQUEST_LENGTHS: Final = struct.Struct(">IQ")
REPLY_LENGTH: Final = struct.Struct(">Q")

# Sent as soon as a request arrives: a worker that ends without having said this did not end because of the page.
TAKEN: Final = b"taken"

# Exit status of a worker by which a page needed more memory than it may.
OUT_OF_MEMORY: Final = 77

# No reading is larger: texts are cut from pages that the fetcher has limited.
MAX_REPLY: Final = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Request:
    """A page to read; with `after` it is to be read as plain text only, because reading it ended with that outcome.

    With `glance` nothing is read but what kind of content it is, and in which charset.
    """

    media_type: str | None
    charset: str | None
    url: str
    at: str
    status: int | None
    asked: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    after: Outcome | None = None
    detail: str = ""
    glance: bool = False

    @property
    def time(self) -> datetime:
        """When the page was got."""
        return datetime.fromisoformat(self.at)


def pack_request(request: Request, body: bytes) -> bytes:
    """The head of a request; BODY is to be sent right after it."""
    head = orjson.dumps(asdict(request))
    return REQUEST_LENGTHS.pack(len(head), len(body)) + head


def unpack_request(head: bytes) -> Request:
    """The request that `pack_request` packed, from its JSON."""
    fields: dict[str, Any] = orjson.loads(head)
    return Request(**fields | {"headers": tuple((name, value) for name, value in fields["headers"])})


def pack_reading(reading: Reading) -> bytes:
    """A reading as JSON. Its long parts are flat lists, so that thousands of links cost little."""
    value: dict[str, Any] = {name: getattr(reading, name) for name in _PLAIN}
    for name in _PARTS:
        part = getattr(reading, name)
        value[name] = part and astuple(part)
    value["blocks"] = [[b.type, b.start, b.end, b.level, b.page] for b in reading.blocks]
    value["links"] = [[link.url, link.text] for link in reading.links]
    return orjson.dumps(value)


def unpack_reading(data: bytes) -> Reading:
    """The reading that `pack_reading` packed. ValueError, KeyError or TypeError if DATA is anything else."""
    value: dict[str, Any] = orjson.loads(data)
    arguments: dict[str, Any] = {name: value[name] for name in _PLAIN}
    arguments |= {name: tuple(value[name]) for name in ("flags", "page_state_evidence")}
    arguments |= {name: make(*value[name]) if value[name] else None for name, make in _PARTS.items()}
    arguments["extractors"] = tuple((str(name), str(version)) for name, version in value["extractors"])
    arguments["blocks"] = tuple(Block(*block) for block in value["blocks"])
    arguments["links"] = tuple(Link(*link) for link in value["links"])
    return Reading(**arguments)


_PARTS: Final[dict[str, type[Any]]] = {
    "charset": Charset,
    "published": Dated,
    "modified": Dated,
    "language": Language,
    "robots_meta": RobotsMeta,
}
_PLAIN: Final = (
    "outcome", "media_type", "detail", "text", "visible", "hidden", "title", "author", "canonical", "base",
    "links_total", "flags", "page_state", "page_state_evidence", "extractors", "needs_browser", "replaced",
)  # fmt: skip
