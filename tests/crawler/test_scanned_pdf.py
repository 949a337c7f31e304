"""PDF pages that are pictures are told."""

import zlib

from tests.crawler.reading_pages import read


def scan() -> bytes:
    """A PDF of one page that shows a picture and nothing else."""
    picture = zlib.compress(bytes(300))
    show = b"q 100 0 0 100 0 0 cm /I Do Q"
    image = b"/Type /XObject /Subtype /Image /Width 10 /Height 10 /ColorSpace /DeviceRGB /BitsPerComponent 8"
    resources = b"/Resources << /XObject << /I 5 0 R >> >>"
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R %s >>" % resources,
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(show), show),
        b"<< %s /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (image, len(picture), picture),
    ]
    objects = b"".join(b"%d 0 obj\n%s\nendobj\n" % one for one in enumerate(parts, 1))
    return b"%PDF-1.4\n" + objects + b"trailer << /Size 6 /Root 1 0 R >>\n%%EOF"


def test_a_pdf_of_pictures_is_flagged() -> None:
    reading = read(scan(), media_type="application/pdf")

    assert reading.outcome == "empty"
    assert "scanned_pages" in reading.flags
    assert "pictures" in (reading.detail or "")
