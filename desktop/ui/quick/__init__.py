"""The quick chat: a small window over everything, with the same agent behind it."""
