"""The window: the only room that knows Qt. It acts through the api and shows what the bus tells."""
