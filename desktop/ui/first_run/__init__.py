"""Getting the program to answer for the first time."""
