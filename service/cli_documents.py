"""Documents in files, as a request takes them: what is text as text, and of a bundle only what is looked at."""

import base64
import io
import zipfile
from pathlib import Path

from service.cli_lines import bytes_of
from service.documents_cited import PASSAGES, RECORDS
from service.doors import Json
from service.failures import BadRequest

FORMS = {
    ".bib": "bibtex", ".bibtex": "bibtex", ".htm": "html", ".html": "html", ".xhtml": "html", ".md": "markdown",
    ".markdown": "markdown", ".pdf": "pdf", ".txt": "text", ".wacz": "bundle",
}  # fmt: skip


def document_of(file: Path) -> Json:
    """A document in a file. What its name does not tell, its beginning does.

    Raises:
        BadRequest: it cannot be read.
    """
    form = FORMS.get(file.suffix.lower())
    if form == "bundle":
        return {"data": base64.b64encode(_of_bundle(file)).decode(), "format": form}
    return {"data": base64.b64encode(bytes_of(file)).decode()} | ({"format": form} if form else {})


def _of_bundle(file: Path) -> bytes:
    """Its passages and captures: pages and pictures stay where they are."""
    made = io.BytesIO()
    try:
        with zipfile.ZipFile(file) as whole, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as part:
            for name in (PASSAGES, RECORDS):
                if name in whole.namelist():
                    with whole.open(name) as member:
                        kept = [line for line in member if name == PASSAGES or b'"kind":"capture"' in line]
                    part.writestr(name, b"".join(kept))
    except OSError as error:
        raise BadRequest(f"{file} cannot be read: {error.strerror or error}") from error
    except (zipfile.BadZipFile, ValueError, RuntimeError, EOFError) as error:
        raise BadRequest(f"{file} is no bundle: {error}") from error
    return made.getvalue()
