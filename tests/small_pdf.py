"""Pages of PDF made by hand: lines of text, and frames that link somewhere."""

from collections.abc import Sequence

Frame = tuple[int, int, int, int, str]
"""Left, bottom, right, top, address."""


def linked_pdf(lines: Sequence[str], frames: Sequence[Frame] = ()) -> bytes:
    """Lines of Helvetica, the first at height 700, each 14 below the one before."""
    return paged_pdf([lines], frames)


def paged_pdf(pages: Sequence[Sequence[str]], frames: Sequence[Frame] = ()) -> bytes:
    """Pages of such lines; the frames are on the first."""
    first = 4  # objects: catalogue, pages, font, then a page and its content for each, then the frames
    kids = " ".join(f"{first + 2 * n} 0 R" for n in range(len(pages)))
    links = " ".join(f"{first + 2 * len(pages) + n} 0 R" for n in range(len(frames)))
    parts = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, lines in enumerate(pages):
        shown = "".join(f"1 0 0 1 50 {700 - 14 * n} Tm ({line}) Tj\n" for n, line in enumerate(lines))
        content = f"BT /F1 11 Tf\n{shown}ET"
        notes = f" /Annots [{links}]" if number == 0 else ""
        parts.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {first + 2 * number + 1} 0 R"
            f" /Resources << /Font << /F1 3 0 R >> >>{notes} >>"
        )
        parts.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    for left, bottom, right, top, address in frames:
        action = f"<< /S /URI /URI ({address}) >>"
        parts.append(f"<< /Type /Annot /Subtype /Link /Rect [{left} {bottom} {right} {top}] /A {action} >>")
    out, places = "%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{part}\nendobj\n"
    start = len(out)
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    out += f"xref\n0 {len(parts) + 1}\n0000000000 65535 f \n{table}"
    return f"{out}trailer << /Size {len(parts) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF".encode("latin-1")
