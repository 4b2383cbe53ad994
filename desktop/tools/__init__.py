"""The tools: what the agent can do besides speaking, and who may say yes to it."""
