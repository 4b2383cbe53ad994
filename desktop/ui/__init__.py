"""The window: the only room that knows Qt. It acts through core's door and shows what the bus tells."""
