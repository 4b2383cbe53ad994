"""The page on which a nanobot home is looked at and taken over."""
