"""What comes into this home from elsewhere: a backup, or an existing nanobot home."""
