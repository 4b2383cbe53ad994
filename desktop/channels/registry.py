"""Which module has which chat app. A module is loaded when its app is first switched on or tested."""

from desktop.channels.channel import Channel, Given
from desktop.text import mark

TITLES = {
    "telegram": mark("Telegram"),
    "slack": mark("Slack"),
    "discord": mark("Discord"),
    "matrix": mark("Matrix"),
    "email": mark("Email"),
    "qq": mark("QQ"),
    "dingtalk": mark("DingTalk"),
    "feishu": mark("Feishu / Lark"),
    "whatsapp": mark("WhatsApp"),
    "mochat": mark("Mochat"),
}
"""The apps by their names in the settings, and what people call them."""


def make(name: str, given: Given) -> Channel:
    """The app of this name. Raises KeyError."""
    match name:
        case "telegram":
            from desktop.channels.telegram import Telegram

            return Telegram(given)
        case "slack":
            from desktop.channels.slack import Slack

            return Slack(given)
        case "discord":
            from desktop.channels.discord import Discord

            return Discord(given)
        case "matrix":
            from desktop.channels.matrix import Matrix

            return Matrix(given)
        case "email":
            from desktop.channels.email import Email

            return Email(given)
        case "qq":
            from desktop.channels.qq import QQ

            return QQ(given)
        case "dingtalk":
            from desktop.channels.dingtalk import Dingtalk

            return Dingtalk(given)
        case "feishu":
            from desktop.channels.feishu import Feishu

            return Feishu(given)
        case "whatsapp":
            from desktop.channels.whatsapp.service import WhatsApp

            return WhatsApp(given)
        case "mochat":
            from desktop.channels.mochat import Mochat

            return Mochat(given)
        case _:
            raise KeyError(name)
