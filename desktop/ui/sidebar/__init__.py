"""The list of conversations, at the left."""
