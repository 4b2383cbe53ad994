"""What every verb has, with help in the person's language."""

from collections.abc import Callable
from typing import Any

import click

from desktop.text import _


def verb(
    group: click.Group, name: str, help_text: str, cls: type[click.Command] | None = None
) -> Callable[[Callable[..., None]], click.Command]:
    """Make a function a command of the group, with --json (as_json) and --verbose.

    run() reads --verbose from the arguments, before anything else starts; the function never sees it.
    """

    def wrap(function: Callable[..., None]) -> click.Command:
        for decorate in (
            click.option("--json", "as_json", is_flag=True, help=_("Print one JSON value per line.")),
            click.option("--verbose", is_flag=True, expose_value=False, help=_("Show the log on stderr.")),
            group.command(name, cls=cls, help=help_text),
        ):
            function = decorate(function)
        command: Any = function
        return command  # type: ignore[no-any-return]

    return wrap
