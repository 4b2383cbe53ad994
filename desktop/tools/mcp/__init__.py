"""MCP servers: foreign programs and services whose tools the agent may use."""
