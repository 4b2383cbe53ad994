"""What differs from one desktop to the next: the tray and who shows it."""
