"""Slack, by an app in the person's own workspace: https://docs.slack.dev/apis/events-api/using-socket-mode."""

from desktop.channels.slack.service import Slack

__all__ = ["Slack"]
