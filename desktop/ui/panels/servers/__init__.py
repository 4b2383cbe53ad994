"""The MCP servers: a page of the settings on which they are added, looked at, tried and switched."""
