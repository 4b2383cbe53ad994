"""The composition root: every part of the program, put together once."""
