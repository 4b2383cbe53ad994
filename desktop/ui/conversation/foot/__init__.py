"""Under the message field: mode, folder, context; and the strip of subagents over it."""
