"""Answers made to freeze, to fetch or to crash: the window shows what it can, fetches nothing, goes on."""

import os
import socket
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.desktop.desk import Desk
from tests.desktop.window import Window, running_window
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program
from tests.stories.window.talk import ask, open_conversation, rest

QUOTES = ">" * 10_000 + "at the bottom"
TABLE = "|one|two|\n|-|-|\n" + "|a|b|\n" * 50_000
BOMB = (
    '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a0 "boom">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    + ']><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>&a9;</text></svg>'
)
STRANGE = (
    "Right to left: \u202eevil\u202c and \u2067more\u2069.\n\n"
    "Nothing: a\u200bb\u200cc\u200dd\ufeffe\u2060f.\n\n"
    "Family 👨‍👩‍👧‍👦, flag 🏴󠁧󠁢󠁳󠁣󠁴󠁿, hand 👍🏿, keycap 3️⃣, mark " + "Z" + "̈" * 2000 + ".\n\n"
    "Control: \x07\x1b[31m\x00 half: \ufffd, end of strange."
)


def picture(path: Path, width: int, height: int) -> None:
    """A PNG of so many pixels, black, one bit each."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress(bytes(1 + width // 8) * height, 9)
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    )


@pytest.fixture
def trap() -> Iterator[socket.socket]:
    """A server that nobody may call."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        yield listening


def called(trap: socket.socket) -> bool:
    try:
        trap.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def pages(trap: socket.socket, folder: Path) -> str:
    """Everything by which a page could bring something in."""
    away = f"http://127.0.0.1:{trap.getsockname()[1]}"
    picture(folder / "huge.png", 20_000, 10_000)
    (folder / "bomb.svg").write_text(BOMB, "utf-8")
    (folder / "bomb.png").write_text(BOMB, "utf-8")
    os.mkfifo(folder / "pipe.png")
    return "\n\n".join(
        (
            f"<script>fetch('{away}/script')</script>",
            f'<img src="{away}/tag.png"> <link rel=stylesheet href="{away}/sheet.css">',
            f'<iframe src="{away}/frame"></iframe><style>@import url({away}/style);</style>',
            f"![away]({away}/picture.png) ![other](//127.0.0.1:{trap.getsockname()[1]}/x.png)",
            f"[![inside]({away}/inside.png)]({away}/link) <{away}/auto> {away}/bare",
            "![secrets](file:///etc/passwd) ![device](/dev/zero) ![data](data:image/png;base64,AAAA)",
            f"![huge]({folder}/huge.png) ![bomb]({folder}/bomb.svg) ![lying bomb]({folder}/bomb.png)",
            f"![pipe]({folder}/pipe.png) ![script](javascript:alert(1)) ![resource](qrc:/x.png)",
            "The end of the pages.",
        )
    )


def usable(window: Window, server: ScriptedServer, word: str) -> None:
    """Another question is answered, and the field takes a text."""
    server.script(f"say:Fine, {word}.")
    ask(window, f"Are you {word}?")
    window.wait_text("Nanobot", f"Fine, {word}.")
    rest(window)
    window.set_text("Message", "a draft")
    assert window.text("Message") == "a draft"


@pytest.mark.soak
def test_hostile_answers(
    program: Program, server: ScriptedServer, desk: Desk, trap: socket.socket, tmp_path: Path
) -> None:
    program.use_server(server.url)
    hostile = pages(trap, tmp_path)
    with running_window(program) as window:
        for name, answer, sign in (
            ("pages", f"say:{hostile}", "The end of the pages."),
            ("strange", f"say:{STRANGE}", "end of strange."),
            ("quotes", f"say:{QUOTES}", "at the bottom"),
        ):
            server.script(answer)
            ask(window, f"Show me {name}")
            window.wait_text("Nanobot", sign)
            rest(window)
            desk.screenshot(f"hostile-{name}")
            usable(window, server, name)
        assert not called(trap), "something was fetched"
        assert psutil.Process(window.pid).memory_info().rss < 500_000_000

    with running_window(program) as window:
        open_conversation(window, "Show me pages")
        usable(window, server, "back")
        assert not called(trap), "something was fetched"


@pytest.mark.soak
def test_enormous_answers(program: Program, server: ScriptedServer, desk: Desk) -> None:
    program.use_server(server.url)
    with running_window(program) as window:
        for name, answer, sign in (
            ("a line", "huge:5", "xxxx"),
            ("a table", f"say:{TABLE}", "two"),
        ):
            desk.key("ctrl+n")
            window.wait("New conversation", "label")
            server.script(answer)
            ask(window, f"Show me {name}")
            window.wait_text("Nanobot", sign)
            rest(window)
            desk.screenshot(f"enormous-{name}")
            usable(window, server, name)
        assert psutil.Process(window.pid).memory_info().rss < 1_000_000_000

    with running_window(program) as window:
        for name in ("a line", "a table"):
            open_conversation(window, f"Show me {name}")
            window.wait_text("Nanobot", f"Fine, {name}.")
            usable(window, server, f"back at {name}")
