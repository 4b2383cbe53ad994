"""The verbs beside the conversation: sessions, provider, local, onboard, doctor, status."""

import typer

from desktop.cli import health, local, onboard, provider, sessions


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for room in (onboard, sessions, provider, local, health):
        room.register(app)
