"""DingTalk, by the robot of an app of the person's own: https://open.dingtalk.com/document/development."""

from desktop.channels.dingtalk.service import Dingtalk

__all__ = ["Dingtalk"]
