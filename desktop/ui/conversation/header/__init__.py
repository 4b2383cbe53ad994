"""Above a conversation: title, model, reasoning, cost."""
