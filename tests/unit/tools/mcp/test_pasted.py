"""What people paste: every wrapping that READMEs have, with comments, commas and missing braces."""

from typing import Any

import pytest

from desktop.errors import UsageError
from desktop.tools.mcp.pasted import servers

INNER = '"files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/tmp"]}'
FILES = {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/tmp"]}


@pytest.mark.parametrize(
    "text",
    [
        f'{{"mcpServers": {{{INNER}}}}}',
        f'{{"servers": {{{INNER}}}, "inputs": []}}',
        f'{{"mcp": {{"servers": {{{INNER}}}}}}}',
        f'{{"context_servers": {{{INNER}}}}}',
        f"{{{INNER}}}",
        INNER,
        f'"mcpServers": {{{INNER}}}',
        f'// settings\n{{"mcpServers": {{ /* mine */ {INNER},\n}},\n}}',
        f'```json\n{{"mcpServers": {{{INNER}}}}}\n```',
    ],
)
def test_every_wrapping(text: str) -> None:
    (found,) = servers(text)
    assert (found.name, found.server) == ("files", FILES)


@pytest.mark.parametrize(
    ("text", "name", "server"),
    [
        (
            '{"command": "uvx", "args": ["mcp-server-time"]}',
            "time",
            {"command": "uvx", "args": ["mcp-server-time"]},
        ),
        (
            '{"command": "npx -y @modelcontextprotocol/server-memory"}',
            "memory",
            {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"]},
        ),
        ('{"url": "https://mcp.example.com/mcp"}', "example", {"url": "https://mcp.example.com/mcp"}),
        ('{"a b/c": {"serverUrl": "https://x.org/sse"}}', "a-b-c", {"url": "https://x.org/sse"}),
        (
            '{"x": {"type": "streamable-http", "url": "https://x.org/", "headers": {"A": "${env:B}"}}}',
            "x",
            {"type": "streamableHttp", "url": "https://x.org/", "headers": {"A": "${B}"}},
        ),
        (
            '{"x": {"command": ["a", "b"], "disabled": true}}',
            "x",
            {"command": "a", "args": ["b"], "enabled": False},
        ),
        (
            '{"x": {"command": "a", "env": {"N": 5, "T": true}}}',
            "x",
            {"command": "a", "env": {"N": "5", "T": "true"}},
        ),
    ],
)
def test_every_way_to_say_it(text: str, name: str, server: dict[str, Any]) -> None:
    (found,) = servers(text)
    assert (found.name, found.server) == (name, server)


@pytest.mark.parametrize(
    ("entry", "secrets"),
    [
        (
            '"env": {"API_KEY": "abc", "URL": "u", "X": "ghp_0123456789abcdefghij", "K_TOKEN": "${T}"}',
            {"env": ("API_KEY", "X"), "headers": ()},
        ),
        (
            '"headers": {"Authorization": "Bearer abcdefghijkl", "Accept": "a"}',
            {"env": (), "headers": ("Authorization",)},
        ),
    ],
)
def test_what_looks_secret_is_named(entry: str, secrets: dict[str, tuple[str, ...]]) -> None:
    assert servers(f'{{"x": {{"command": "a", {entry}}}}}')[0].secrets == secrets


def test_two_of_one_name_are_told_apart() -> None:
    found = servers('{"a b": {"command": "x"}, "a-b": {"command": "y"}}')
    assert [entry.name for entry in found] == ["a-b", "a-b-2"]


@pytest.mark.parametrize(
    "text", ["", "hello", "[1]", "{}", '{"mcpServers": {}}', "npx something", "x" * 300_000]
)
def test_anything_else_is_said_to_be_none(text: str) -> None:
    with pytest.raises(UsageError, match="This text contains no MCP server"):
        servers(text)


def test_a_field_that_cannot_be_is_named() -> None:
    with pytest.raises(UsageError, match="url"):
        servers('{"x": {"url": "ftp://x.org"}}')
