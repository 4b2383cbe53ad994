"""A package: without this file the `tests` that a library installs beside itself would be found."""
