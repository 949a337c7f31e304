"""`citator mcp` and `citator tools`."""

from typing import Annotated

import typer

from service.cli_output import bad_use, end, give_json, refuse


def mcp(
    structured: Annotated[
        bool | None,
        typer.Option(help="Give replies their structured form too; as CITATOR_MCP_STRUCTURED says if not given."),
    ] = None,
) -> None:
    """Serve the tools over MCP on stdin and stdout, for an agent that starts this command itself."""
    from service.mcp_tools.wire import claim

    wire = claim()  # before anything else can print

    def work() -> int:
        import asyncio
        import os

        from service.logs import log_to_stderr

        log_to_stderr("warning")
        level, two_forms = "info", structured
        if not os.environ.get("CITATOR_URL"):
            from service.errors import problem_of
            from service.failures import BadSetting
            from service.settings import load_settings

            try:
                settings = load_settings()
            except BadSetting as error:
                refuse(problem_of(error), as_json=False)
            level = settings.log_level
            two_forms = settings.mcp_structured if two_forms is None else two_forms
        log_to_stderr(level)
        from service.mcp_tools.stdio import serve_wire

        asyncio.run(serve_wire(wire, structured=two_forms is not False))
        return 0

    end(work)


def tools(
    format: Annotated[str, typer.Option(help="openai, anthropic, gemini or mcp.")] = "mcp",  # noqa: A002 - the option's name
) -> None:
    """Give the definitions of the tools as JSON, ready to be handed to a model."""
    from service.mcp_tools.formats import FORMATS, defined

    if format not in FORMATS:
        bad_use(f"there is no format {format!r}; there are {', '.join(FORMATS)}")

    def work() -> int:
        give_json(defined(format))
        return 0

    end(work)
