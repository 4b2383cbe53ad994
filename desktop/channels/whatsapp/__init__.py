"""WhatsApp, as a linked device of an account. Its library runs in a process of its own: `child`."""
