"""What came from elsewhere: records that an import brought, told from those that were made here.

An import stands in the log before the records that it brought. One that names a record which was here before it says
only that somebody else had it too.
"""

from typing import Final

from sqlalchemy import ColumnElement, exists, select

from snapshots.tables import captures, entries, links

SEEN: Final = ("http", "browser")
"""Methods of captures that somebody made by asking; where and when others come from is somebody's word."""


def seen_here() -> ColumnElement[bool]:
    """Of rows of `captures` joined with `entries`: asked for here, and not brought by an import that stands before."""
    importing = entries.alias("importing")
    brought = (
        select(links.c.source)
        .join(importing, importing.c.position == links.c.source)
        .where(links.c.target == entries.c.id, importing.c.kind == "import")
        .where(links.c.source < captures.c.position)
        .correlate(captures, entries)
    )
    return captures.c.method.in_(SEEN) & ~exists(brought)
