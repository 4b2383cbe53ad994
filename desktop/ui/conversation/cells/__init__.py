"""One entry of a conversation on the screen, a file a kind."""
