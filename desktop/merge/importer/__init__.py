"""Import of an existing nanobot home, of either generation: planned first, then taken item by item.

The old home is only read. Each item is put in place whole or not at all, nothing of the person's is written
over, and a second import adds only what is new: so an interrupted one is completed by doing it again.
"""
