"""The vector of a document with pages and a caption."""

from snapshots import Block2, Document, Document2

PLACES = (("heading", 1), ("caption", 1), ("heading", 2), ("paragraph", 2), ("heading", 3), ("paragraph", None))


def with_pages(first: Document) -> Document2:
    """The same text as if it had been a PDF, with a line below a picture."""
    blocks = [
        Block2(type=kind, start=one.start, end=one.end, level=one.level, page=page)
        for one, (kind, page) in zip(first.blocks, PLACES, strict=True)
    ]
    same = {name: getattr(first, name) for name in Document.model_fields if name not in {"version", "blocks"}}
    return Document2(**same | {"media_type": "application/pdf"}, blocks=blocks)
