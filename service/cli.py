"""The command line. Parses first and imports later, so that `citator --help` is quick.

The modules of the commands import only Typer and what it takes to say how they are used; what a command works with is
imported when it runs.
"""

from typing import Annotated

import typer

from service import cli_care, cli_crawl, cli_evidence, cli_extract, cli_fetch, cli_keys, cli_search, cli_serve

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
app.command("search")(cli_search.search)
app.command("fetch")(cli_fetch.fetch)
app.command("crawl")(cli_crawl.crawl)
app.command("add")(cli_fetch.add)
app.command("extract")(cli_extract.extract)
app.command("show")(cli_evidence.show_)
app.command("proof")(cli_evidence.proof)
app.command("delete")(cli_evidence.delete)
app.command("rebuild")(cli_care.rebuild)
app.command("backup")(cli_care.backup)
app.command("restore")(cli_care.restore)
app.command("doctor")(cli_care.doctor)
app.add_typer(cli_keys.keys, name="keys")
app.add_typer(cli_keys.log_key, name="log-key")
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
    app()
