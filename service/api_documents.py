"""The parts of the OpenAPI document that routes share."""

from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from service.replies import ProblemTold

PROBLEM: Final = "application/problem+json"

_WHY: Final = {
    400: "The request cannot be understood: no id, no address, no query.",
    401: "A key is needed, and this one is not known.",
    403: "The key, the origin, the address guard or robots.txt does not allow this.",
    404: "There is no such thing.",
    408: "The request did not arrive in time.",
    409: "Several ids begin like this, or another writer has it.",
    410: "It was kept and has been removed; `deletion` and `deletion_record` say when and why.",
    412: "It has changed since the caller looked; `head` is where it is.",
    413: "The request is too large.",
    415: "The body is of a kind that is not taken here.",
    421: "This server does not go by that name.",
    422: "The request is misspelt (`errors` has each mistake), or the page has no text.",
    429: "This key asks too often; `Retry-After` says when to ask again.",
    500: "Damaged evidence, or a fault in Citator itself.",
    502: "The site cannot be fetched.",
    503: "The bucket, the log or the index cannot do this now.",
    504: "The page did not come in time.",
    507: "There is no room left.",
}

ALWAYS: Final = (401, 403, 408, 413, 421, 422, 429, 500, 503, 507)
"""What any route may answer."""


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The problem answers of a route: those given and those of every route."""
    return {
        status: {
            "description": _WHY[status],
            "content": {PROBLEM: {"schema": {"$ref": "#/components/schemas/ProblemTold"}}},
        }
        for status in sorted({*statuses, *ALWAYS})
    }


def told(model: type[BaseModel], *statuses: int, description: str = "Done.") -> dict[int | str, dict[str, Any]]:
    """The answers of a route: `model` when it worked, and the problems."""
    return {200: {"model": model, "description": description}, **problems(*statuses)}


def document(app: FastAPI) -> dict[str, Any]:
    """The whole OpenAPI document, with keys and problem details described once."""
    if app.openapi_schema is None:
        made = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        parts = made.setdefault("components", {})
        schemas = parts.setdefault("schemas", {})
        schemas["ProblemTold"] = ProblemTold.model_json_schema(ref_template="#/components/schemas/{model}")
        for unused in ("HTTPValidationError", "ValidationError"):
            schemas.pop(unused, None)
        parts["securitySchemes"] = {
            "bearer": {"type": "http", "scheme": "bearer"},
            "x-api-key": {"type": "apiKey", "in": "header", "name": "x-api-key"},
        }
        for operation in (one for path in made["paths"].values() for one in path.values()):
            if "requestBody" in operation:  # which may be no JSON, or bytes that are no text
                operation["responses"].setdefault("400", problems(400)[400])
        made["security"] = [{"bearer": []}, {"x-api-key": []}]
        app.openapi_schema = made
    return app.openapi_schema
