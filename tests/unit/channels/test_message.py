"""Addresses of chats, and the keys of their conversations."""

import pytest

from desktop.channels.message import Address


@pytest.mark.parametrize(
    "where",
    [
        Address("telegram", "42"),
        Address("telegram", "-1001000000001", "7"),
        Address("slack", "C0001", "1764500000.000100"),
        Address("email", "alice@example.org", "5f0c1d"),
        Address("matrix", "!room:example.org"),
        Address("matrix", "!room:example.org", "$event:example.org"),
        Address("matrix", "!room", "$event"),
    ],
)
def test_a_key_names_its_chat_and_thread(where: Address) -> None:
    assert Address.of(where.session) == where
