"""nanobot-desktop: the verbs of the command line. Each lives in a module of its own, loaded when it runs.

The commands are made inside main(), not at import, so that their help speaks the person's language.
"""

import sys
from typing import Annotated

import typer

from desktop import __version__
from desktop.cli import panels, talk
from desktop.text import _


def main() -> None:
    """The command line's entrance."""
    if sys.argv[1:2] == ["--version"]:
        sys.stdout.write(f"Nanobot Desktop {__version__}\n")
        return
    build()(prog_name="nanobot-desktop")


def build() -> typer.Typer:
    """All commands, with help in the language of the environment."""
    app = typer.Typer(
        help=_("Nanobot Desktop: a personal AI agent on your own computer."),
        no_args_is_help=False,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )

    @app.callback(invoke_without_command=True)
    def start(
        context: typer.Context,
        verbose: Annotated[bool, typer.Option("--verbose", help=_("Show the log on stderr."))] = False,
        version: Annotated[bool, typer.Option("--version", help=_("Show the version and leave."))] = False,
    ) -> None:
        del verbose  # read from the arguments before anything is imported
        if version:
            typer.echo(f"Nanobot Desktop {__version__}")
            raise typer.Exit
        if context.invoked_subcommand is None:
            talk.chat("cli:direct", "", as_json=False)

    talk.register(app)
    panels.register(app)
    return app
