"""Reading and searching the web."""
