"""Nanobot Desktop: a personal AI agent that lives in the system tray."""

__version__ = "0.1.0"
