"""What is damaged and what can be done about it: over the conversation, and in the settings."""
