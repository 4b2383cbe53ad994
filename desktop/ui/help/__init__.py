"""The help: pages that come with the program, found by their words (F1)."""
