"""`/keys`: API keys, and `/log-key`: the key that signs the log."""

from pathlib import Path

from fastapi import APIRouter, Request, Response

from service.api_answers import Route, actions, allowed, answered
from service.api_documents import problems, told
from service.api_local import PathRequest, only_local
from service.replies import KeysTold, NewKeyTold, RevokedTold, Told
from service.requests import KeyRequest, Scope

router = APIRouter(route_class=Route, tags=["keys"])

_CREATED = 201


@router.get("/keys", responses=told(KeysTold))
async def keys(request: Request) -> Response:
    """List all keys, without their secrets."""
    allowed(request, Scope.ADMIN)
    return answered(await actions(request).keys_list())


@router.post(
    "/keys",
    status_code=_CREATED,
    responses={_CREATED: {"model": NewKeyTold, "description": "The only time the key is shown."}, **problems()},
)
async def create(request: Request, asked: KeyRequest) -> Response:
    """Make a key."""
    allowed(request, Scope.ADMIN)
    return answered(await actions(request).keys_create(asked), status=_CREATED)


@router.post("/keys/{key}/rotate", responses=told(NewKeyTold, 404))
async def rotate(request: Request, key: str) -> Response:
    """Replace a key by a new one with the same name and scopes."""
    allowed(request, Scope.ADMIN)
    return answered(await actions(request).keys_rotate(key))


@router.delete("/keys/{key}", responses=told(RevokedTold, 404))
async def revoke(request: Request, key: str) -> Response:
    """Revoke a key: it is refused from now on."""
    allowed(request, Scope.ADMIN)
    return answered(await actions(request).keys_revoke(key))


@router.get("/log-key", responses=told(Told))
async def log_key(request: Request) -> Response:
    """Tell the log's origin and public key."""
    allowed(request, Scope.READ)
    return answered(await actions(request).log_key_show())


@router.post("/log-key/rotate", responses=told(Told))
async def rotate_log_key(request: Request) -> Response:
    """Sign the log with a new key from now on."""
    allowed(request, Scope.ADMIN)
    return answered(await actions(request).log_key_rotate())


@router.post("/log-key/backup", responses=told(Told, 409))
async def backup_log_key(request: Request, asked: PathRequest) -> Response:
    """Copy the log's private key to a file on this machine; only through the local socket."""
    only_local(request)
    return answered(await actions(request).log_key_backup(Path(asked.path)))
