"""What waits for the person, stored before it is shown, and how it comes to the screen."""
