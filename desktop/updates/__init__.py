"""Newer versions of the program: what is released, who installs it here, and the look once a day."""
