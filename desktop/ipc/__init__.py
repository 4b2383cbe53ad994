"""Who owns a home, and how processes talk with the owner."""
