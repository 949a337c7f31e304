"""Commands whose argument is what someone looks for: `citator search "-word"` is about a word, not about an option."""

from typing import Any

from typer.core import TyperCommand, TyperOption


class QueryCommand(TyperCommand):
    """Takes what begins with one dash, and is no option of the command, for the argument."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put such words behind `--`, where nothing is an option any more."""
        ends = args.index("--") if "--" in args else len(args)
        known = [one for one in self.params if isinstance(one, TyperOption)]
        options = {name: one for one in known for name in (*one.opts, *one.secondary_opts)}
        own = options.keys() | set(self.get_help_option_names(ctx))
        kept: list[str] = []
        words: list[str] = []
        for place, arg in enumerate(args[:ends]):
            before = options.get(args[place - 1]) if place else None
            is_value = before is not None and not before.is_flag
            is_word = arg.startswith("-") and not arg.startswith("--") and len(arg) > 1 and arg not in own
            (words if is_word and not is_value else kept).append(arg)
        rest = [*words, *args[ends + 1 :]]
        return super().parse_args(ctx, [*kept, "--", *rest] if rest or ends < len(args) else kept)
