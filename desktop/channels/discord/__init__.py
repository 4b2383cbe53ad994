"""Discord, by a bot of the person's own: its gateway and REST API, https://docs.discord.com/developers."""

from desktop.channels.discord.service import Discord

__all__ = ["Discord"]
