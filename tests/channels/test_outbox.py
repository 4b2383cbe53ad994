"""What waits to be sent, where the disk takes no note of it for a while."""

import asyncio
import logging
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from desktop.tasks import in_thread
from tests.channels.telegram_server import ALICE, TelegramServer
from tests.unit.core.test_conversations import Desk


@pytest.mark.expected_log(r"the outbox waits for the disk")
async def test_a_locked_disk_delays_a_message_and_doubles_none(
    desk: Desk, telegram: TelegramServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database = desk.owner.core.database
    telegram.write("Hello")
    await telegram.sent(lambda call: call["text"] == "Good day.")
    telegram.slow_down("sendMessage", 1)
    await desk.api.channels.send("telegram", str(ALICE["id"]), "One moment.")
    await telegram.refused(lambda call: call.name == "sendMessage")
    with closing(sqlite3.connect(tmp_path / "state.db", check_same_thread=False)) as other:
        await in_thread(other.execute, "BEGIN IMMEDIATE")
        await telegram.sent(lambda call: call["text"] == "One moment.")
        with caplog.at_level(logging.WARNING):
            async with asyncio.timeout(30):
                while "waits for the disk" not in caplog.text:
                    await asyncio.sleep(0.05)
    async with asyncio.timeout(30):
        while await database.read("SELECT 1 FROM outbox WHERE state != 'sent'"):
            await asyncio.sleep(0.05)
    assert len([call for call in telegram.named("sendMessage") if call["text"] == "One moment."]) == 1
