"""Stories of the window fork a program that has Qt loaded as well."""

from tests.warm.program import warm_window as warm_program

__all__ = ["warm_program"]
