"""The program for Windows and its installer, built and tried under Wine from a clean prefix.

What only Windows itself shows is in packaging/windows/CHECKLIST.md.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from tests.servers.scripted import ScriptedServer
from tests.soak.wine.machine import PACKAGES, ROOT, missing, version, windows
from tests.soak.wine.wizard import Walking

_CLASSES = r"HKCU\Software\Classes"
_UNINSTALL = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\NanobotDesktop"
_RUN = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Run"
_OLDER = "0.0.1"
_NUMPY = ("numpy", "miniaudio", "openpyxl", "soundfile")
"""What imports numpy, which ends a program under Wine 8."""


def run(pictures: Path, folder: Path | None, *, built: bool) -> list[str]:
    """Build, install and try it; what was not as it should be. `folder`: where all of it is made and stays.
    `built`: take the program that is there."""
    if lacks := missing():
        return [f"{', '.join(lacks)} is not here: apt install {PACKAGES}"]
    # A session has a home of its own, without models.
    os.environ.setdefault("NANOBOT_TEST_MODELS", str(Path("~/.cache/nanobot-desktop/models").expanduser()))
    if "DESKTOP_SESSION_FOLDER" not in os.environ:
        session = ["bash", str(ROOT / "tests" / "desktop-session.sh"), "--secrets", "none", "--"]
        again = subprocess.run([*session, sys.executable, *sys.argv], check=False)
        return ["see above"] if again.returncode else []
    if folder is not None:
        return Trying(folder.resolve(), pictures.resolve()).all(built=built)
    with tempfile.TemporaryDirectory(prefix="nanobot-wine-") as made:
        return Trying(Path(made), pictures.resolve()).all(built=False)


class Trying(Walking):
    """One run."""

    def __init__(self, folder: Path, pictures: Path) -> None:
        super().__init__(folder, pictures)
        self._home = folder / "home of 小明"
        self._setup = self._old_setup = Path()

    def all(self, *, built: bool) -> list[str]:
        """Everything, in the order in which a person meets it."""
        machine = self._machine
        self._timed("prefix made", machine.set_up)
        if not built:
            self._timed("Python and packages laid down", machine.lay_python)
            self._timed("program built", machine.build)
        self._setup = self._timed("installer made", machine.package)
        self._old_setup = self._timed("older installer made", lambda: machine.package(_OLDER, quick=True))
        if self.lost:
            return self.lost
        self._say(f"installer {_megabytes(self._setup)} MB, installed {_megabytes(machine.program)} MB")
        try:
            for step in (
                self._install_older,
                self._told_by_the_system,
                self._in_the_terminal,
                self._turns,
                self._built_in_model,
                self._window,
                self._upgrade_while_it_runs,
                self._older_over_newer,
                self._uninstall,
                self._purge,
                self._elsewhere,
                self._by_its_pages,
            ):
                self._timed(step.__name__.strip("_").replace("_", " "), step)
        finally:
            machine.end()
        return self.lost

    # ---- where things are

    def _registered(self, key: str, name: str = "") -> str:
        words = ["/v", name] if name else ["/ve"]
        told = self._machine.run("reg", "query", key, *words, seconds=60).stdout
        found = re.search(r"REG_\w+\s+(.*\S)", told)
        return found[1] if found else ""

    def _terminal(
        self, *words: str, home: bool = True, given: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """The command as a terminal has it."""
        more = {"NANOBOT_DESKTOP_LANGUAGE": "en"} | (
            {"NANOBOT_DESKTOP_HOME": windows(self._home)} if home else {}
        )
        return self._machine.run(
            str(self._installed / "nanobot-desktop.com"), *words, given=given, more=more
        )

    def _window_is_there(self) -> bool:
        return bool(self._desk.windows("--name", "Nanobot"))

    # ---- the installer

    def _install(self, setup: Path, *words: str) -> int:
        began = time.monotonic()
        # Without a pipe, which the program that it starts would hold open.
        code = self._machine.begin(str(setup), "/S", *words).wait(900)
        self._say(
            f"{setup.name} {' '.join(words)} ended with {code} after {time.monotonic() - began:.1f} s"
        )
        return code

    def _install_older(self) -> None:
        self._expect(self._install(self._old_setup) == 0, "the older version installs silently")
        self._expect(self._registered(_UNINSTALL, "DisplayVersion") == _OLDER, "and is the one installed")

    def _told_by_the_system(self) -> None:
        program = rf"{self._place}\nanobot-desktop.exe"
        for scheme in ("nanobot-desktop", "nanobot"):
            command = self._registered(rf"{_CLASSES}\{scheme}\shell\open\command")
            self._expect(command == f'"{program}" "%1"', f"{scheme}: links open in it", command)
        size = self._registered(_UNINSTALL, "EstimatedSize")
        self._expect(int(size, 16) > 100_000, f"its size is told: {int(size, 16):,} KB")
        self._expect(
            any(self._users.rglob("Start Menu/Programs/Nanobot Desktop.lnk")), "it is in the start menu"
        )
        self._expect(not self._registered(_RUN, "NanobotDesktop"), "it does not start at login unasked")
        path = self._registered(r"HKCU\Environment", "Path")
        self._expect(program.rpartition("\\")[0] in path, "a terminal finds it", path)

    def _upgrade_while_it_runs(self) -> None:
        program = str(self._installed / "nanobot-desktop.exe")
        running = self._machine.begin(program, more={"NANOBOT_DESKTOP_LANGUAGE": "en"})
        self._until(self._window_is_there, "the window of the older version")
        self._until((self._data / "ipc").exists, "it owns its home")
        self._expect(self._install(self._setup, "/LOGIN=1") == 0, "the newer version installs over it")
        self._expect(running.wait(60) == 0, "which has quit by itself", running.returncode)
        self._expect(self._registered(_UNINSTALL, "DisplayVersion") == version(), "and is replaced")
        self._until((self._data / "ipc").exists, "the newer version runs in its place")
        told = json.loads(self._terminal("status", "--json", home=False).stdout.splitlines()[0])
        self._say(f"status: {told}")
        login = self._registered(_RUN, "NanobotDesktop")
        self._expect(login.endswith('nanobot-desktop.exe" --hidden'), "it starts at login, as asked", login)
        config = (self._data / "config.json").read_text("utf-8")
        self._expect(json.loads(config)["presence"]["login"] is True, "and its setting says so", config)
        left = sorted(path.name for path in self._installed.iterdir())
        expected = [
            "_internal",
            "nanobot-desktop.com",
            "nanobot-desktop.exe",
            "nanobot-desktop.pkg",
            "uninstall.exe",
        ]
        self._expect(left == expected, "nothing of the older version is left", left)
        done = self._terminal("quit", "--wait", "30", home=False)
        self._expect(done.returncode == 0, "it quits when asked", done.stderr)

    def _older_over_newer(self) -> None:
        self._expect(
            self._install(self._old_setup) == 4, "an older version is refused where nobody can be asked"
        )
        self._expect(self._registered(_UNINSTALL, "DisplayVersion") == version(), "and the newer one stays")

    def _remove(self, *words: str) -> None:
        self._machine.begin(rf"{self._place}\uninstall.exe", "/S", *words).wait(300)
        program = self._installed / "nanobot-desktop.exe"  # a copy of it goes on when it has ended
        self._until(lambda: not program.exists(), "the program is gone")
        with suppress(AssertionError):
            self._until(lambda: not (self._installed / "uninstall.exe").exists(), "its uninstaller is gone")

    def _uninstall(self) -> None:
        (self._installed / "mine.txt").write_text("mine", "utf-8")
        self._remove()
        left = [path.name for path in self._installed.iterdir()]
        self._expect(left == ["mine.txt"], "only the person's own file is left of its folder", left)
        self._expect((self._data / "config.json").exists(), "the data stays")
        self._expect(not any(self._users.rglob("Nanobot Desktop.lnk")), "its shortcut is gone")
        for key, name in (
            (_UNINSTALL, "DisplayName"),
            (_RUN, "NanobotDesktop"),
            (rf"{_CLASSES}\nanobot-desktop", ""),
            (rf"{_CLASSES}\nanobot", ""),
        ):
            self._expect(not self._registered(key, name), f"{key} is gone")
        path = self._registered(r"HKCU\Environment", "Path")
        self._expect("Nanobot" not in path, "its place in the terminal's Path is gone", path)
        (self._installed / "mine.txt").unlink()

    def _purge(self) -> None:
        self._expect(self._install(self._setup) == 0, "it installs again")
        self._remove("/PURGE=1")
        left = list(self._data.rglob("*")) if self._data.exists() else []
        self._expect(not self._data.exists(), "with /PURGE=1 the data is gone", left)

    def _elsewhere(self) -> None:
        place = r"C:\程序 和 空格\Nanobot"
        # Word by word: NSIS wants no quotation marks, which Wine sets around a word with spaces.
        self._expect(self._install(self._setup, *f"/D={place}".split()) == 0, f"it installs into {place}")
        done = self._machine.run(f"{place}\\nanobot-desktop.com", "--version")
        self._expect(done.returncode == 0 and version() in done.stdout, "and runs from there", done)
        self._machine.run(f"{place}\\uninstall.exe", "/S", seconds=300)
        folder = self._users.parent.joinpath(*place.split("\\")[1:])
        self._until(lambda: not folder.exists(), "nothing is left of it there")

    def _by_its_pages(self) -> None:
        for language in ("en_US", "zh_CN"):
            self._walk(self._old_setup, language)

    # ---- the program

    def _in_the_terminal(self) -> None:
        done = self._terminal("--version")
        self._expect(done.stdout.strip() == f"Nanobot Desktop {version()}", "--version", done)
        done = self._terminal("doctor")
        for line in done.stdout.splitlines():
            self._say(line)
        self._expect("Keychain: It works." in done.stdout, "doctor, in UTF-8: ✓", done)
        self._expect("apt install" not in done.stdout, "no remedy of another system", done.stdout)
        self._self_test()

    def _self_test(self) -> None:
        modules = [name for name in _late_imports() if name.partition(".")[0] not in _NUMPY]
        asked = json.dumps({"modules": modules, "without": ["documents", "sounds"]})
        done = self._terminal("--self-test", given=asked)
        told = (
            json.loads(done.stdout.splitlines()[-1])
            if done.stdout
            else {"failed": {"": done.stderr}, "done": {}}
        )
        ours = {name: why for name, why in told["failed"].items() if not _of_another_system(name, why)}
        self._say(f"self-test: {len(modules)} modules, {len(told['done'])} things done")
        self._expect(not ours, "every module and data file is there", ours)

    def _turns(self) -> None:
        with ScriptedServer() as server:
            for engine in ("openai", "litellm"):
                self._configure(server.url, engine)
                server.script("say:Paris. 巴黎。")
                done = self._terminal("ask", "What is the capital of France?")
                self._expect(done.stdout == "Paris. 巴黎。\n", f"ask, through {engine}", done)
            self._act(server)
            self._command(server)
            self._server_of_tools(server)

    def _told(self, server: ScriptedServer, session: str, *steps: str) -> list[str]:
        """What tools answered in a conversation of its own, in which the model takes these steps."""
        server.script(*steps, "say:Done.")
        done = self._terminal("ask", "Do it", "--session", session, "--approve", "all")
        self._expect(done.stdout == "Done.\n", f"a turn that acts: {session}", done)
        told = [m["content"] for m in server.requests[-1].body["messages"] if m["role"] == "tool"]
        for text in told:
            self._say(f"tool: {text[:160]!r}")
        return told

    def _act(self, server: ScriptedServer) -> None:
        file = "新 文件.txt"
        told = self._told(
            server,
            "files",
            _use(("write_file", {"path": file, "content": "alpha\nbeta\n"})),
            _use(("edit_file", {"path": file, "old_text": "beta", "new_text": "delta"})),
            _use(("grep", {"pattern": "^d"}), ("write_file", {"path": "con.txt", "content": "x"})),
        )
        self._expect(len(told) == 4, "each call has a result", told)
        self._expect(f"{file}:2: delta" in told[2], "grep finds it", told[2])
        self._expect("Only plain files" in told[3], "a device is no file", told[3])

    def _command(self, server: ScriptedServer) -> None:
        (told,) = self._told(server, "command", _use(("exec", {"command": "dir /b"})))
        self._expect("exit code 0" in told and "AGENTS.md" in told, "a command runs", told)
        endless = "for /l %i in (0,0,1) do @rem"
        (told,) = self._told(server, "endless", _use(("exec", {"command": endless, "timeout": 2})))
        self._expect("2 seconds" in told, "one that takes too long is stopped", told)
        left = self._running("pwsh.exe", "cmd.exe")
        self._expect(not left, "and all that it started", left)

    def _running(self, *names: str) -> list[dict[str, Any]]:
        """Processes of this Windows; one that has ended may stay in the list of Linux for a while."""
        prefix = self._machine.environment["WINEPREFIX"]
        every = (one.info for one in psutil.process_iter(["name", "status", "environ"]))
        return [
            {"name": one["name"], "status": one["status"]}
            for one in every
            if one["name"] in names
            and one["status"] != psutil.STATUS_ZOMBIE
            and (one["environ"] or {}).get("WINEPREFIX") == prefix
        ]

    def _server_of_tools(self, server: ScriptedServer) -> None:
        plain = windows(ROOT / "tests" / "servers" / "mcp" / "plain.py")
        python = windows(self._machine.python / "python.exe")
        tools = {"mcpServers": {"plain": {"command": python, "args": [plain]}}}
        self._configure(server.url, "openai", tools=tools)
        done = self._terminal("mcp", "test", "plain")
        self._expect("convert_time" in done.stdout, "an MCP server over stdio answers", done)

    def _built_in_model(self) -> None:
        """Where its file is at hand: the engine needs Microsoft's runtime, which Wine has not."""
        models = Path(os.environ["NANOBOT_TEST_MODELS"])
        if not (files := list(models.glob("*.gguf"))):
            self._say(f"no file of the built-in model in {models}: not tried")
            return
        (self._home / "models").mkdir(exist_ok=True)
        shutil.copy(files[0], self._home / "models")
        (self._home / "config.json").write_text("{}", "utf-8")
        done = self._terminal("ask", "The capital of France, in one word?", "--session", "own")
        self._expect("Paris" in done.stdout, "the built-in model answers", done)

    def _window(self) -> None:
        with ScriptedServer() as server:
            self._configure(server.url, "openai")
            server.script("say:Paris is **bold**, and $E=mc^2$.")
            home = {"NANOBOT_DESKTOP_HOME": windows(self._home), "NANOBOT_DESKTOP_LANGUAGE": "en"}
            began = time.monotonic()
            running = self._machine.begin(str(self._installed / "nanobot-desktop.exe"), more=home)
            self._until(self._window_is_there, "the window")
            self._say(f"window after {time.monotonic() - began:.1f} s")
            self._until((self._home / "ipc").exists, "it owns its home")
            self._until(lambda: self._stands_still("wine-window"), "a first picture that stands still")
            asked = len(server.requests)
            (window,) = self._desk.windows("--name", "Nanobot")
            self._desk.run("xdotool", "windowactivate", "--sync", window)
            area = self._desk.geometry(window)
            self._desk.click(area.x + area.width * 2 // 3, area.y + area.height - 70)
            self._desk.type("What is the capital of France?")
            self._desk.key("Return")
            self._until(lambda: len(server.requests) > asked, "the question arrives")
            stored = self._home / "workspace" / "sessions"
            self._until(
                lambda: any("bold" in file.read_text("utf-8") for file in stored.rglob("*.jsonl")),
                "the answer",
            )
            self._until(lambda: self._stands_still("wine-answer"), "a picture that stands still")
            done = self._terminal("quit", "--wait", "30")
            self._expect(
                done.returncode == 0 and running.wait(60) == 0, "a window, which quits when asked", done
            )

    def _configure(self, url: str, engine: str, **more: Any) -> None:
        self._home.mkdir(exist_ok=True)
        settings = {
            "agents": {"defaults": {"provider": "custom", "model": "say:Hello.", "autoTitles": False}},
            "providers": {"custom": {"apiBase": url, "engine": engine}},
            **more,
        }
        (self._home / "config.json").write_text(json.dumps(settings), "utf-8")


def _use(*calls: tuple[str, dict[str, Any]]) -> str:
    return f"use:{json.dumps(calls)}"


def _late_imports() -> list[str]:
    sys.path.append(str(ROOT / "packaging"))
    from check import late_imports  # type: ignore[import-not-found]

    return [str(name) for name in late_imports()]


def _of_another_system(name: str, why: str) -> bool:
    """Whether this module is made for another one: it says so itself, or imports what is only there."""
    here = re.search(r"No module named '(fcntl|grp|pty|pwd|readline|resource|secretstorage|termios)'", why)
    return bool(here) or "AssertionError" in why or "dbus_fast" in why or name.startswith("AppKit")


def _megabytes(path: Path) -> str:
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    return f"{sum(each.stat().st_size for each in files) / 1e6:.1f}"
