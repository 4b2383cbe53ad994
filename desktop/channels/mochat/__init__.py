"""Mochat, by an agent's account of its own: https://mochat.io."""

from desktop.channels.mochat.service import Mochat

__all__ = ["Mochat"]
