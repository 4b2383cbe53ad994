"""What is missing without a keychain is said in words about MCP servers, whatever is wrong with it."""

import pytest

from desktop.config.keychain import Keychain
from desktop.config.mcp import KEYCHAIN, McpServer
from desktop.errors import KeychainError
from desktop.tools.exec.environment import Environment
from desktop.tools.mcp.environment import resolved
from desktop.tools.mcp.keychain import ForServers

STATES = ("missing", "locked", "dismissed", "waiting", "failed")


class Broken:
    """A keychain in one of its bad states."""

    def __init__(self, state: str) -> None:
        self._state = state

    async def get(self, name: str) -> str | None:
        raise KeychainError("The keychain.", "Look.", state=self._state)

    async def set(self, name: str, value: str) -> None:
        await self.get(name)

    async def delete(self, name: str) -> None:
        await self.get(name)


@pytest.mark.parametrize("state", STATES)
async def test_the_remedy_is_one_for_servers(state: str) -> None:
    keychain = ForServers(Broken(state))
    entry = "mcp:notes:env:TOKEN"
    for attempt in (
        keychain.get(entry),
        keychain.secret(entry),
        keychain.set(entry, "b"),
        keychain.delete(entry),
    ):
        with pytest.raises(KeychainError) as told:
            await attempt
        assert told.value.state == state
        assert "MCP servers" in str(told.value)
        assert "PROVIDERS" not in str(told.value)


async def test_without_any_keychain_the_way_out_is_told_by_its_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    keychain = ForServers(Keychain())
    server = McpServer(url="https://x.example/mcp", headers={"Authorization": KEYCHAIN})
    with pytest.raises(KeychainError) as told:
        await resolved("s", server, keychain.secret, Environment())
    assert "no keychain to store the keys and sign-ins of MCP servers" in told.value.text
    assert "nanobot.mcp.s.header.Authorization" in told.value.remedy
    assert "NANOBOT_MCP__S__HEADER__AUTHORIZATION" in told.value.remedy
