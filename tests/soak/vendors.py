"""The vendors' own clients with the servers of our tests: what these say is what a client understands.

They are unfit for the program, and large; here each is a bot in an environment of its own, made by the lock
once. It says what it heard.
"""

import os
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.channels import dingtalk_server, feishu_server
from tests.channels.dingtalk_server import DingTalkServer
from tests.channels.feishu_server import FeishuServer, Said
from tests.channels.loopback import InThread
from tests.channels.qq_server import APP_ID, GROUP, SECRET, QQServer

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "packaging" / "requirements" / "test-vendors.txt"
JUDGES = Path(__file__).with_name("judges")
_PATIENCE_S = 30.0


def run() -> list[str]:
    """What a vendor's client did not understand."""
    python, lost = _environment(), list[str]()
    for judge in (qq, feishu, dingtalk):
        began = time.monotonic()
        try:
            judge(python)
        except AssertionError as error:
            lost.append(f"{judge.__name__}: {error}")
        print(f"{judge.__name__}: {time.monotonic() - began:.1f} s", flush=True)
    return lost


def qq(python: Path) -> None:
    """It signs in, hears people in private and in a group, replies, and takes its session up again."""
    with InThread(QQServer()) as peer, _bot(python, "qq", peer.server.url, APP_ID, SECRET):
        _until(lambda: peer.server.sessions, "it does not sign in")
        peer.do(lambda there: there.write("one"))
        _until(lambda: "Heard one" in _said(peer), "it does not reply")
        peer.do(lambda there: there.write("two", group=GROUP))
        _until(lambda: "Heard two in a group" in _said(peer), "it does not hear groups")
        peer.do(lambda there: there.close(4009))
        _until(lambda: peer.server.resumed, "it does not go on with its session")
        peer.do(lambda there: there.write("three"))
        _until(lambda: "Heard three" in _said(peer), "it hears nothing after that")


def feishu(python: Path) -> None:
    """It signs in, hears people, in pieces too, reacts, replies with a card, and answers who presses its
    button."""
    there = feishu_server
    with (
        InThread(FeishuServer()) as peer,
        _bot(python, "feishu", peer.server.url, there.APP_ID, there.SECRET),
    ):
        _until(lambda: peer.do(lambda at: at.links), "it does not connect")
        peer.do(lambda at: at.write("one"))
        _until(lambda: "Heard one" in _cards(peer), "it does not reply")
        peer.do(lambda at: at.write("two", group=there.GROUP))
        _until(lambda: "Heard two" in _cards(peer), "it does not hear groups")
        peer.do(lambda at: at.write("long " * there.PIECE))
        _until(lambda: len(_cards(peer)) == 3, "it does not join pieces")
        _until(lambda: not peer.do(lambda at: at.waiting), "it does not acknowledge")
        assert len(peer.do(lambda at: at.had)) == 3, "it does not react"
        told = peer.do(lambda at: at.press(_first(at), "Yes"))
        _until(lambda: told.answer, "it does not answer who presses")
        assert "data" in (told.answer or {}), "it shows nothing to who presses"


def dingtalk(python: Path) -> None:
    """It signs in, hears people, replies by the addresses that came along, and connects anew when told."""
    there = dingtalk_server
    with (
        InThread(DingTalkServer()) as peer,
        _bot(python, "dingtalk", peer.server.url, there.CLIENT, there.SECRET),
    ):
        _until(lambda: peer.do(lambda at: at.links), "it does not connect")
        peer.do(lambda at: at.write("one"))
        _until(lambda: f"Heard one of {there.ALICE.title()}" in _words(peer), "it does not reply")
        peer.do(lambda at: at.write("two", group=there.GROUP))
        _until(lambda: "**Heard two** in a group" in _words(peer), "it does not hear groups")
        ping = peer.do(lambda at: at.ping())
        _until(lambda: ping in _acknowledged(peer), "it does not answer pings")
        peer.do(lambda at: at.leave())
        _until(lambda: peer.do(lambda at: at.opened) > 1, "it does not connect anew")
        peer.do(lambda at: at.write("three"))
        _until(lambda: any("three" in one for one in _words(peer)), "it hears nothing after that")
        _until(lambda: not peer.do(lambda at: at.waiting), "it does not acknowledge")


def _cards(peer: InThread[FeishuServer]) -> list[str]:
    return peer.do(lambda there: [one.text for one in there.said.values()])


def _first(there: FeishuServer) -> Said:
    return next(iter(there.said.values()))


def _words(peer: InThread[DingTalkServer]) -> list[str]:
    return peer.do(lambda there: [one["text"] for one in there.said])


def _acknowledged(peer: InThread[DingTalkServer]) -> list[str]:
    return peer.do(lambda there: [str(one["headers"]["messageId"]) for one in there.acknowledged])


def _said(peer: InThread[QQServer]) -> list[str]:
    return peer.do(lambda there: [str(one.get("content")) for one in there.said])


@contextmanager
def _bot(python: Path, name: str, *words: str) -> Iterator[None]:
    with subprocess.Popen([python, JUDGES / f"{name}.py", *words], stdout=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.kill()


def _until(holds: Callable[[], object], otherwise: str) -> None:
    end = time.monotonic() + _PATIENCE_S
    while not holds():
        assert time.monotonic() < end, otherwise
        time.sleep(0.05)


def _environment() -> Path:
    """The Python with the clients; made where it is not there."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    folder = cache / "nanobot-desktop" / "test-servers" / f"vendors-{zlib.crc32(LOCK.read_bytes()):08x}"
    python, made = folder / "bin" / "python", folder / ".installed"
    if not made.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        install = ("-m", "pip", "install", "-q", "--require-hashes", "-r", LOCK)
        subprocess.run((python, *install), check=True)
        made.touch()
    return python
