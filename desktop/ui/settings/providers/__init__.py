"""The page of the providers: a card for each, and which model does what."""
