"""The real library, as far as it goes without WhatsApp: it dials, by the proxy that it is given."""

import asyncio
import json
import os
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from desktop import frames
from desktop.child import environment
from desktop.paths import Home, self_command
from tests.channels.test_whatsapp import running
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.unit.core.test_conversations import started

pytestmark = [
    pytest.mark.machine,
    pytest.mark.skipif(find_spec("neonize._binder") is None, reason="the library is not for this system"),
]


class Proxy:
    """Lets nobody through, and notes who wanted what."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self.port = 0

    @asynccontextmanager
    async def there(self) -> AsyncIterator["Proxy"]:
        async with await asyncio.start_server(self._enter, "127.0.0.1", 0) as server:
            self.port = server.sockets[0].getsockname()[1]
            yield self

    async def _enter(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.asked.append(head.partition(b"\r\n")[0])
        writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        writer.close()


async def told(folder: Path, **opening: object) -> tuple[list[dict[str, object]], str]:
    """What its process tells until it ends, and what it says on stderr."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *self_command("--whatsapp"), stdin=pipe, stdout=pipe, stderr=pipe, env=environment()
    )
    assert process.stdin
    first = {"op": "open", "folder": str(folder), "proxy": "", "links": True, "phone": "", **opening}
    process.stdin.write(frames.pack(first))
    assert process.stdout
    assert process.stderr
    out, complaints = await asyncio.gather(process.stdout.read(), process.stderr.read())
    await process.wait()
    process.stdin.close()
    return list(frames.Splitter().feed(out)), complaints.decode()


async def test_it_dials_by_the_proxy_says_that_it_is_down_and_leaves(tmp_path: Path) -> None:
    async with Proxy().there() as proxy:
        found, complaints = await told(tmp_path, proxy=f"http://127.0.0.1:{proxy.port}")
    assert [(one["op"], one["why"]) for one in found] == [("down", "unreachable")]
    assert proxy.asked == [b"CONNECT web.whatsapp.com:443 HTTP/1.1"]
    assert complaints == ""
    assert (tmp_path / "account.db").stat().st_mode & 0o077 == 0


async def test_a_linked_device_without_a_way_is_degraded_with_a_sentence_and_tries_again(
    tmp_path: Path, server: ScriptedServer
) -> None:
    folder = tmp_path / "channels" / "whatsapp"
    folder.mkdir(parents=True, mode=0o700)
    async with Proxy().there() as proxy:
        address = f"http://127.0.0.1:{proxy.port}"
        await told(folder, proxy=address)  # makes the database
        _put_device(folder / "account.db")
        Program(tmp_path).use_server(server.url, "say:Good day.")
        async with started(Home(tmp_path, tmp_path / "models")) as desk:
            await desk.owner.core.staying()
            await desk.owner.core.change(
                {"channels.whatsapp.proxy": address, "channels.whatsapp.enabled": True}
            )
            detail = await running(desk, "degraded")
            assert detail == "WhatsApp can’t be reached. Check the internet connection and the proxy."
            linked = await desk.api.channels.linked("whatsapp")
            assert linked
            assert (linked.account, linked.name) == ("491700000001", "Nano")
    assert set(proxy.asked) == {b"CONNECT web.whatsapp.com:443 HTTP/1.1"}
    assert len(proxy.asked) >= 2


def _put_device(path: Path) -> None:
    """A device with keys that nobody knows."""
    values = {
        "jid": "491700000001:7@s.whatsapp.net",
        "lid": "90000000000001:7@lid",
        "registration_id": 1,
        "noise_key": os.urandom(32),
        "identity_key": os.urandom(32),
        "signed_pre_key": os.urandom(32),
        "signed_pre_key_id": 1,
        "signed_pre_key_sig": os.urandom(64),
        "adv_key": os.urandom(32),
        "adv_details": b"",
        "adv_account_sig": os.urandom(64),
        "adv_account_sig_key": os.urandom(32),
        "adv_device_sig": os.urandom(64),
        "push_name": "Nano",
    }
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    with closing(sqlite3.connect(path)) as database, database:
        row = tuple(values.values())
        database.execute(f"INSERT INTO whatsmeow_device ({names}) VALUES ({marks})", row)


async def test_its_process_needs_no_library_of_the_system(tmp_path: Path) -> None:
    """python-magic wants libmagic; what stands in its place is enough."""
    script = (
        "from desktop.channels.whatsapp.child.stand_in import without_magic; without_magic()\n"
        "import desktop.channels.whatsapp.child.device, sys, json\n"
        "print(json.dumps([hasattr(sys.modules['magic'], 'libmagic'), 'PySide6' in sys.modules]))"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, stdout=asyncio.subprocess.PIPE, env=environment()
    )
    out, _none = await process.communicate()
    assert json.loads(out.splitlines()[-1]) == [False, False]
