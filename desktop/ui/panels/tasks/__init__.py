"""Jobs and reminders in the window: a list, a form, and the ledger of their runs."""
