"""The inbox in the window: a drawer at the right with all that waits for the person, and what is done."""
