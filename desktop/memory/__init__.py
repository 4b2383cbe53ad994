"""What the agent remembers: summaries of what was said, and notes that last."""
