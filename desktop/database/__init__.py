"""state.db: what only the program needs, in one SQLite file with one writer."""
