"""Options that every verb has, with help in the person's language."""

from typing import Any

import typer

from desktop.text import _


def as_json() -> Any:
    """--json"""
    return typer.Option("--json", help=_("Print one JSON value a line."))


def verbose() -> Any:
    """--verbose, which run() reads from the arguments before anything else starts."""
    return typer.Option("--verbose", help=_("Show the log on stderr."))
