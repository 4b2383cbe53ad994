"""One field over the window that finds everything and runs every command (Ctrl+K)."""
