"""What the small Citator says of citations."""

import hashlib
import io
from collections.abc import Callable
from typing import Any

from service.attaching.asked import AttachRequest
from service.check_requests import CitationsRequest, RecheckRequest
from service.doors import Json, Progress
from service.requests import Caller, Made, Reply


class SmallChecks:
    """Compares with what stands on the small web, word for word."""

    web: dict[str, str]
    kept: dict[str, tuple[bytes, str, str]]
    _called: Callable[..., Any]
    _find: Callable[[str], str]
    _reply: Callable[..., Reply]

    async def recheck(self, request: RecheckRequest, caller: Caller, /) -> Reply:
        """What is kept under an id stands on the web or not; nothing can be said of other addresses."""
        await self._called(request, caller)
        texts = {one: self.kept[self._find(one)][0].decode("utf-8", "replace") for one in request.ids}
        texts |= {url: self.web.get(url, "") for url in request.urls}
        quoted = {one.quote for one in request.quotations}
        texts |= {quote: quote for quote in quoted}
        named = [text for text in texts.values() if text]
        verdicts = ["exact" if text in self.web.values() else "absent" for text in named]
        pages = [
            {"record": None, "url": "http://site.test/a", "verdict": "changed", "reason": "its text differs",
             "page_state": "ok", "passages": [
                 {"verdict": one, "quote": "Bread is baked.", "matched": None, "differences": [], "flags": ["number"],
                  "reason": "nothing says this", "passage": None if text in quoted else "sha256:" + "0" * 64}]}
            for text, one in zip(named, verdicts, strict=True)
        ]  # fmt: skip
        fields: Json = {
            "checked_at": "2026-11-29T19:28:36.123Z", "holds": "absent" not in verdicts, "conclusive": bool(verdicts),
            "pages": pages,
            "counts": {one: verdicts.count(one) for one in set(verdicts)}, "present": verdicts.count("exact"),
        }  # fmt: skip
        return self._reply(fields, store=request.store)

    async def check_citations(self, request: CitationsRequest, /) -> Json:
        """What stands on the web bears a text out."""
        await self._called(request)
        there = request.text in self.web.values()
        verdict = "supported" if there else "not_in_evidence"
        one = {"line": 1, "quote": request.text, "sources": [], "verdict": verdict, "reason": "looked",
               "support": None, "elsewhere": []}  # fmt: skip
        return {"holds": there, "counts": {verdict: 1}, "citations": [one], "too_short": 0, "cut": False}

    async def attach(self, request: AttachRequest, caller: Caller, progress: Progress, /) -> Made:  # noqa: ARG002 - the protocol's
        """The files that came, one behind the other."""
        await self._called(request, caller)
        data = b"".join(one.body for one in (request.file, *request.artefacts))
        digest = hashlib.sha256(data).hexdigest()
        return Made(io.BytesIO(data), len(data), digest, "application/wacz", "small.wacz", {"summary": "small"})
