"""Markdown in the words of each service, in pieces that its messages hold."""
