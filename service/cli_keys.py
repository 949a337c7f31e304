"""`citator keys …` and `citator log-key …`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli_output import give_json, run, show

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from service.doors import Citator, Json

AsJson = Annotated[bool, typer.Option("--json", help="The result as JSON.")]
KeyId = Annotated[str, typer.Argument(metavar="KEY", help="The key's id, as `citator keys list` shows it.")]

keys = typer.Typer(no_args_is_help=True, help="Make, list, rotate and revoke API keys.")
log_key = typer.Typer(no_args_is_help=True, help="The key that signs the log.")


@keys.command("create")
def create(
    name: Annotated[str, typer.Argument(help="What the key is for.")],
    scope: Annotated[list[str], typer.Option(help="search, fetch, read or admin; may be given again.")],
    rate: Annotated[int | None, typer.Option(help="Requests a minute at most.")] = None,
    concurrency: Annotated[int | None, typer.Option(help="Requests at a time at most.")] = None,
    json: AsJson = False,
) -> None:
    """Make a key. It is shown this once."""

    async def work(citator: "Citator") -> "Json":
        from service.requests import KeyRequest

        asked = {"name": name, "scopes": scope, "rate": rate, "concurrency": concurrency}
        return await citator.keys_create(KeyRequest.model_validate(asked))

    _give(work, as_json=json)


@keys.command("list")
def list_(json: AsJson = False) -> None:
    """List all keys, without their secrets."""

    async def work(citator: "Citator") -> int:
        found = await citator.keys_list()
        if json:
            give_json(found)
            return 0
        for key in found["keys"]:
            state = f"revoked {key['revoked_at']}" if key.get("revoked_at") else f"last used {key.get('last_used')}"
            show(f"{key['id']}  {','.join(key['scopes'])}  {key['name']}  {state}")
        return 0

    run(work, as_json=json)


@keys.command("rotate")
def rotate(key: KeyId, json: AsJson = False) -> None:
    """Replace a key by a new one with the same name and scopes. It is shown this once."""
    _give(lambda citator: citator.keys_rotate(key), as_json=json)


@keys.command("revoke")
def revoke(key: KeyId, json: AsJson = False) -> None:
    """Refuse a key from now on."""
    _give(lambda citator: citator.keys_revoke(key), as_json=json)


@log_key.command("show")
def show_log_key(json: AsJson = False) -> None:
    """Tell the log's name and public key."""
    _give(lambda citator: citator.log_key_show(), as_json=json)


@log_key.command("backup")
def backup(
    path: Annotated[Path, typer.Argument(help="The file to write, on the machine that holds the data.")],
    json: AsJson = False,
) -> None:
    """Copy the private key to a file that only you can read. Keep it elsewhere: without it the log cannot go on."""
    _give(lambda citator: citator.log_key_backup(path), as_json=json)


@log_key.command("rotate")
def rotate_log_key(json: AsJson = False) -> None:
    """Sign with a new key from now on; the old public key stays known."""
    _give(lambda citator: citator.log_key_rotate(), as_json=json)


def _give(what: "Callable[[Citator], Awaitable[Json]]", *, as_json: bool) -> None:
    async def work(citator: "Citator") -> int:
        found = await what(citator)
        if as_json:
            give_json(found)
        else:
            for name, value in found.items():
                show(f"{name}: {','.join(value) if isinstance(value, list) else value}")
        return 0

    run(work, as_json=as_json)
