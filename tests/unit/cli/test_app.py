"""The command line loads what a command needs, and no more."""

from importlib import import_module

import click
import pytest

from desktop.cli.app import COMMANDS, build


@pytest.mark.parametrize("module", COMMANDS)
def test_a_module_makes_the_commands_that_it_is_listed_with(module: str) -> None:
    group = click.Group("app")
    import_module(f"desktop.cli.{module}").register(group)
    assert sorted(group.commands) == sorted(COMMANDS[module].split())


def test_every_command_is_listed_and_found() -> None:
    app = build()
    context = click.Context(app)
    names = app.list_commands(context)
    assert all(app.get_command(context, name) for name in names)
    assert app.get_command(context, "weather") is None
