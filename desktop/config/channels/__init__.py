"""Settings of the chat apps: what they share, and a module for each."""
