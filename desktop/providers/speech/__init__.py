"""Speech into text: by a provider's endpoint, or by a model on this computer in a process of its own."""
