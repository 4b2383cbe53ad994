"""Feishu and Lark, by an app of the person's own: https://open.feishu.cn/document."""

from desktop.channels.feishu.service import Feishu

__all__ = ["Feishu"]
