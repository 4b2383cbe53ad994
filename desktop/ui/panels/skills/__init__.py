"""Skills in the window: a list, and each opened in its place."""
