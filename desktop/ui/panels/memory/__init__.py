"""The memory in the window: what the agent knows, what waits, summaries, and every version of it."""
