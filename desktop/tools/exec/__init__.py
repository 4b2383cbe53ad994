"""The tool that runs commands: a clean environment, a sandbox where there is one, nothing left running."""
