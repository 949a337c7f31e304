"""Passages, and finding the right ones. A cache: it may be deleted at any time."""

from index.engine import VERSION, Index
from index.errors import BadOption, IndexBusy, IndexDamaged, IndexFull, IndexVersion, QueryError
from index.fusion import Fused, fuse
from index.local import Known, RunPage, RunPassage, near_copies, score_passages
from index.pages import Block, Hit, Hits, Page, Span
from index.queries import read_query
from index.splitting import headings, split

__all__ = [
    "VERSION",
    "BadOption",
    "Block",
    "Fused",
    "Hit",
    "Hits",
    "Index",
    "IndexBusy",
    "IndexDamaged",
    "IndexFull",
    "IndexVersion",
    "Known",
    "Page",
    "QueryError",
    "RunPage",
    "RunPassage",
    "Span",
    "fuse",
    "headings",
    "near_copies",
    "read_query",
    "score_passages",
    "split",
]
