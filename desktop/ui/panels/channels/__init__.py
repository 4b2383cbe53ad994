"""The page of the chat apps."""
