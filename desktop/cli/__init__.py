"""The command line: a front end of the core like the window, with plain text or JSON."""
