"""Telegram, by a bot of the person's own: long polling of the Bot API, https://core.telegram.org/bots/api."""

from desktop.channels.telegram.service import Telegram

__all__ = ["Telegram"]
