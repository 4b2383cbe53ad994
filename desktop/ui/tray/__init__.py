"""How the program is there while its window is closed."""
