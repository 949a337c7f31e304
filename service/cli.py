"""The command line. Parses first and imports later, so that `citator --help` is quick.

The modules of the commands import only Typer and what it takes to say how they are used; what a command works with is
imported when it runs.
"""

import io
import os
import sys
from typing import Annotated

import typer

from service import (
    cli_attach,
    cli_audit,
    cli_bundle,
    cli_care,
    cli_connect,
    cli_crawl,
    cli_evidence,
    cli_extract,
    cli_fetch,
    cli_imports,
    cli_keys,
    cli_mcp,
    cli_quote,
    cli_recheck,
    cli_retention,
    cli_search,
    cli_serve,
    cli_sessions,
    cli_verify,
    cli_watch,
)
from service.cli_queries import QueryCommand

app = typer.Typer(
    name="citator",
    help="A self-hosted search tool that keeps its receipts.",
    epilog="Settings are environment variables CITATOR_…; CITATOR_URL and CITATOR_KEY point to a server elsewhere.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # help in plain text: Rich would cost more than all the rest of `--help`
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("serve")(cli_serve.serve)
app.command("search", cls=QueryCommand)(cli_search.search)
app.command("fetch")(cli_fetch.fetch)
app.command("crawl")(cli_crawl.crawl)
app.add_typer(cli_crawl.crawls, name="crawls")
app.command("add")(cli_fetch.add)
app.command("import")(cli_imports.import_)
app.command("extract")(cli_extract.extract)
app.command("recheck")(cli_recheck.recheck)
app.command("check-citations")(cli_recheck.check_citations)
app.add_typer(cli_watch.watch, name="watch")
app.command("quote")(cli_quote.quote)
app.command("show")(cli_evidence.show_)
app.command("proof")(cli_evidence.proof)
app.command("attach")(cli_attach.attach)
app.command("audit")(cli_audit.audit)
app.command("bundle")(cli_bundle.bundle)
app.command("delete")(cli_evidence.delete)
app.add_typer(cli_watch.hold, name="hold")
app.add_typer(cli_retention.retention, name="retention")
app.command("rebuild")(cli_care.rebuild)
app.command("backup")(cli_care.backup)
app.command("restore")(cli_care.restore)
app.command("doctor")(cli_care.doctor)
app.add_typer(cli_sessions.sessions, name="sessions")
app.command("verify")(cli_verify.verify)
app.add_typer(cli_keys.keys, name="keys")
app.add_typer(cli_keys.log_key, name="log-key")
app.command("mcp")(cli_mcp.mcp)
app.command("tools")(cli_mcp.tools)
app.command("connect")(cli_connect.connect)
app.command("demo")(cli_serve.demo)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"citator {version('citator')}")
        raise typer.Exit


@app.callback()
def _root(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Tell the version and end.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command that the arguments name; ends the process with its exit status."""
    _open_streams()
    if "--json" not in sys.argv:
        app()
        return
    try:
        sys.exit(app(standalone_mode=False))
    except typer.TyperException as error:  # the arguments make no sense, and whoever asked reads JSON
        from service.cli_output import refuse
        from service.errors import problem_of
        from service.failures import BadRequest

        try:
            refuse(problem_of(BadRequest(error.format_message())), as_json=True)
        except typer.Exit as ended:
            sys.exit(ended.exit_code)


def _open_streams() -> None:
    """Have all three streams, whatever the caller closed: else the next file that is opened would be one of them.

    What stdout cannot write in its encoding is shown as `?`.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - stays open to the end
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
