"""Chat apps: each a service that can be switched on and off."""
