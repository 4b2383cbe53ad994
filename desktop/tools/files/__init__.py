"""The file tools: read, write, edit, list, search. What they change can be taken back for 30 days."""
