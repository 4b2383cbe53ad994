"""QQ, by an official bot of the person's own: https://bot.q.qq.com/wiki/develop/api-v2."""

from desktop.channels.qq.service import QQ

__all__ = ["QQ"]
