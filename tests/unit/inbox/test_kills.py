"""Kills while notices are handed to the screen: none is lost, and none is shown twice but where the kill
fell between the call and its reply, which the inbox counts."""

import asyncio
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from desktop.bus.bus import Bus
from desktop.config.presence import Notifications
from desktop.database.database import Database
from desktop.inbox.dbus_screen import DBusScreen
from desktop.inbox.inbox import Inbox, Notice
from desktop.inbox.presenter import Presenter
from tests.desktop.daemon import Daemon

pytestmark = pytest.mark.machine

ROOT = Path(__file__).parent.parent.parent.parent
KILLS = 10
EACH = 3


async def present(file: Path, first: int) -> None:
    """A program that gets some notices, shows what is due, and lives until it is killed."""
    database = Database(file)
    await database.open()
    inbox = Inbox(database, Bus())
    Presenter(inbox, Notifications, DBusScreen()).start()
    print("up", flush=True)
    for number in range(first, first + EACH):
        await inbox.add(Notice(f"n{number}", "reminder", "", "", f"Reminder {number}"))
        print(number, flush=True)
    await asyncio.Event().wait()


async def test_each_is_shown_and_none_twice_without_a_reason(
    daemon: Daemon, database: Database, tmp_path: Path
) -> None:
    chance, stored = random.Random(7), set[str]()
    for kill in range(KILLS):
        command = [sys.executable, "-m", __name__, str(tmp_path / "state.db"), str(kill * EACH)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            assert process.stdout.readline() == "up\n"
            time.sleep(chance.uniform(0.02, 0.16))
            process.kill()
            stored |= {f"Reminder {line.strip()}" for line in process.stdout}
    presenter = Presenter(Inbox(database, Bus()), Notifications, screen := DBusScreen())
    presenter.start()
    async with asyncio.timeout(60):
        while await database.read("SELECT 1 FROM inbox WHERE shown < 2"):
            await asyncio.sleep(0.02)
    await presenter.stop()
    await screen.stop()
    rows = await database.read("SELECT title, handed FROM inbox")
    assert stored <= {title for title, _handed in rows}
    shown = Counter(title for title in daemon.titles() if title.startswith("Reminder"))
    grouped = "\n".join(toast.text for toast in daemon.history if not toast.title.startswith("Reminder"))
    for title, handed in rows:
        assert handed >= 1
        assert shown[title] or f"• {title}\n" in f"{grouped}\n", title
        assert shown[title] <= handed, f"{title} was shown more often than the inbox knows"
    assert sum(shown.values()) <= len(rows) + KILLS


if __name__ == "__main__":
    asyncio.run(present(Path(sys.argv[1]), int(sys.argv[2])))
