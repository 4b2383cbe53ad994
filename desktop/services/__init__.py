"""The one life cycle of every part that can be off, and who keeps such parts up."""
