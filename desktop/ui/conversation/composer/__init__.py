"""Where the person writes, and what helps there."""
