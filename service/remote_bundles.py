"""Files with evidence that a server makes: bundles, and what is attached to a report or a transcript."""

import base64
import json
from collections.abc import Mapping
from functools import partial
from secrets import token_hex
from typing import Final
from urllib.parse import quote, urlencode

from service.attaching.asked import Artefact, AttachRequest
from service.doors import Progress
from service.errors import ServerUnreachable
from service.exchange import Exchange, while_wanted
from service.requests import BundleRequest, Caller, Made

_BUNDLES: Final = "/api/v1/bundles"
_ATTACHMENTS: Final = "/api/v1/attachments"


class RemoteBundles:
    """The part of `Remote` that fetches files as they come."""

    _exchange: Exchange

    async def bundle(self, request: BundleRequest, _caller: Caller, _progress: Progress, /) -> Made:
        """A file that takes evidence along, as it comes."""
        body = request.model_dump_json(exclude_defaults=True).encode()
        return await self._made(_BUNDLES, body, {"Content-Type": "application/json"})

    async def attach(self, request: AttachRequest, _caller: Caller, _progress: Progress, /) -> Made:
        """A bundle of a file and its evidence, as it comes."""
        options = {"capture_missing": str(request.capture_missing).lower(), "notes": request.notes}
        options |= {"written_at": request.written_at.isoformat()} if request.written_at else {}
        boundary = token_hex(24)
        parts = [_part("file", request.file, boundary)]
        parts += [_part("artefact", one, boundary) for one in request.artefacts]
        body = b"".join([*parts, f"--{boundary}--\r\n".encode()])
        kind = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        return await self._made(f"{_ATTACHMENTS}?{urlencode(options)}", body, kind)

    async def _made(self, target: str, body: bytes, kind: Mapping[str, str]) -> Made:
        connection = self._exchange.connection()
        asking = partial(self._exchange.fetch, "POST", target, body, kind, connection=connection)
        coming = await while_wanted(connection, asking)
        head = coming.headers
        try:
            digest = base64.b64decode(head["repr-digest"].removeprefix("sha-256=").strip(":")).hex()
            name = head["content-disposition"].partition('filename="')[2].rstrip('"')
            told = json.loads(head.get("x-evidence-bundle", "{}"))
            return Made(coming, int(head["content-length"]), digest, head["content-type"], name, told)
        except (KeyError, ValueError) as error:
            coming.close()
            raise ServerUnreachable(f"the server's answer is no bundle ({error}): is it Citator?") from error


def _part(field: str, file: Artefact, boundary: str) -> bytes:
    """A file in a form. Its name is percent-coded, so that it cannot end its header."""
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"; filename="{quote(file.name)}"\r\n'
    return f"{head}Content-Type: application/octet-stream\r\n\r\n".encode() + file.body + b"\r\n"
