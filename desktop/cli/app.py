"""nanobot-desktop: the verbs of the command line. What a verb needs is loaded when it runs.

The commands are made inside main(), not at import, so that their help speaks the person's language.
click, not typer: typer 0.29 imports pydantic and builds its adapters for any command, which takes 0.3 s of
the half second in which a running program answers.
"""

import sys
from importlib import import_module

import click

from desktop import __version__
from desktop.cli.output import ready, say
from desktop.config import given
from desktop.text import _, mark, serve_libraries

COMMANDS = {
    "about": "about",
    "acts": "tools inbox audit undo approve",
    "backups": "backup restore",
    "channels": "channels",
    "cron": "cron",
    "health": "doctor status",
    "help": "help",
    "imports": "import",
    "local": "local",
    "mcp": "mcp",
    "memory": "memory",
    "onboard": "onboard",
    "privacy": "diagnostics wipe",
    "provider": "provider",
    "quick": "quick",
    "quit": "quit",
    "remind": "remind",
    "serve": "serve",
    "sessions": "sessions",
    "skills": "skills",
    "talk": "ask agent chat",
    "usage": "usage",
    "waiting": "waiting",
}
"""Of each module of this room; its register() makes them."""
_MODULES = {name: module for module, names in COMMANDS.items() for name in names.split()}

CLICK = (
    mark("Usage:"),
    mark("Options"),
    mark("Commands"),
    mark("Show this message and exit."),
    mark("Error: {message}"),
    mark("Try '{command} {option}' for help."),
    mark("No such command {name!r}."),
    mark("No such option {name!r}."),
    mark("Missing argument"),
    mark("Missing command."),
    mark("Invalid value for {param_hint}: {message}"),
    mark("Canceled."),
)
"""What click itself says to the person."""


def main() -> None:
    """The command line's entrance."""
    ready()
    if sys.argv[1:2] == ["--version"]:
        say(f"Nanobot Desktop {__version__}")
        return
    serve_libraries()
    given.tidy()
    build()(prog_name="nanobot-desktop")


class Commands(click.Group):
    """Loads the module of a command when it is first wanted; all of them for the list of commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _MODULES and cmd_name not in self.commands:
            import_module(f"desktop.cli.{_MODULES[cmd_name]}").register(self)
        return super().get_command(ctx, cmd_name)


def build() -> click.Group:
    """All commands, with help in the language of the environment."""

    @click.group(
        cls=Commands,
        invoke_without_command=True,
        help=_("Nanobot Desktop: a personal AI agent on your computer."),
    )
    @click.option("--verbose", is_flag=True, expose_value=False, help=_("Show the log on stderr."))
    @click.option("--hidden", is_flag=True, help=_("Start minimized to the tray."))
    @click.version_option(
        __version__, message=f"Nanobot Desktop {__version__}", help=_("Show the version.")
    )
    @click.pass_context
    def app(context: click.Context, hidden: bool) -> None:
        if context.invoked_subcommand is None:
            from desktop.cli import window

            sys.exit(window.main(hidden=hidden))

    return app
