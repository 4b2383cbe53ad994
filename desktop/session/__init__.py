"""Conversations on disk: append-only logs that survive kills, damage and other programs' files."""
