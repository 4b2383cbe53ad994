"""What the window shows beside the conversation, on demand."""
