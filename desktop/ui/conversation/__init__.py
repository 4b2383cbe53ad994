"""One conversation on the screen: what was said, as it is said, and the place to say more."""
