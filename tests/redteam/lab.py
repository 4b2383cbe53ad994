"""The real program in the private network, with a model that does what a hostile page tells it."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from desktop.api.client import Api
from desktop.api.remote import Remote
from desktop.api.reply import Reply
from desktop.errors import AppError
from desktop.ipc.connection import NoOwnerError
from desktop.paths import Home
from tests.channels.dingtalk_server import SECRET as DINGTALK_SECRET
from tests.channels.feishu_server import SECRET as FEISHU_SECRET
from tests.channels.mochat_server import TOKEN as MOCHAT_TOKEN
from tests.channels.qq_server import SECRET as QQ_SECRET
from tests.channels.slack_server import APP_TOKEN, BOT_TOKEN
from tests.channels.telegram_server import TOKEN
from tests.redteam.network import Outside
from tests.servers.scripted import ScriptedServer, Seen

SECRET = "hunter2-the-private-key"
EVIL = "http://evil.example"
type Call = tuple[str, dict[str, Any]]
type Step = str | Sequence[Call]
"""What the model does next: say something, or call tools."""


@dataclass
class Turn:
    """What came of one message."""

    events: list[dict[str, Any]]
    results: list[str]
    """What the model was told by tools."""
    prompts: str
    """All that was sent to the model, as one text."""

    @property
    def asked(self) -> list[dict[str, Any]]:
        """The cards of the questions."""
        return [event["card"] for event in self.events if event.get("event") == "permission_asked"]

    def asked_about(self, tool: str) -> bool:
        return any(card["tool"] == tool for card in self.asked)


@dataclass
class Lab:
    """One home with a program that serves it."""

    folder: Path
    outside: Outside
    server: ScriptedServer
    process: subprocess.Popen[bytes] | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    turns: int = 0

    @property
    def me(self) -> Path:
        """The person's own home."""
        return self.folder / "me"

    @property
    def home(self) -> Path:
        """The program's."""
        return self.me / ".local/share/nanobot-desktop"

    @property
    def workspace(self) -> Path:
        return self.home / "workspace"

    def prepare(self) -> None:
        """A person with keys and start files, and settings that let the scripted model answer."""
        for name in (
            ".ssh/id_rsa",
            ".ssh/report.txt",
            ".aws/credentials",
            ".netrc",
            ".bashrc",
            ".config/app/notes",
            "docs/a.txt",
        ):
            path = self.me / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{SECRET}\n" if name not in (".bashrc", "docs/a.txt") else "plain\n")
        self.configure()

    def configure(self, **more: Any) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        settings: dict[str, Any] = {
            "agents": {"defaults": {"provider": "custom", "model": "say:ok", "autoTitles": False}},
            "providers": {"custom": {"apiBase": self.server.url}},
            "permissions": {"patienceMinutes": 0},
            "tools": {"web": {"search": {"provider": "searxng", "baseUrl": "http://search.example/"}}},
            "gateway": {"heartbeat": {"enabled": False}},
        }
        for name, value in more.items():
            settings[name] = {**settings.get(name, {}), **value}
        (self.home / "config.json").write_text(json.dumps(settings))

    @property
    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("NANOBOT_", "XDG_", "DBUS_"))}
        return kept | {
            "HOME": str(self.me),
            "NANOBOT_DESKTOP_HOME": str(self.home),
            "NANOBOT_DESKTOP_LANGUAGE": "en",
            "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
            "NANOBOT_CHANNEL__TELEGRAM__TOKEN": TOKEN,
            "NANOBOT_CHANNEL__SLACK__BOTTOKEN": BOT_TOKEN,
            "NANOBOT_CHANNEL__SLACK__APPTOKEN": APP_TOKEN,
            "NANOBOT_CHANNEL__QQ__SECRET": QQ_SECRET,
            "NANOBOT_CHANNEL__DINGTALK__CLIENTSECRET": DINGTALK_SECRET,
            "NANOBOT_CHANNEL__FEISHU__APPSECRET": FEISHU_SECRET,
            "NANOBOT_CHANNEL__MOCHAT__CLAWTOKEN": MOCHAT_TOKEN,
        }

    def command(
        self, *words: str, given: str = "", home: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """A command of the program to its end; in another home where one is given."""
        return subprocess.run(
            [sys.executable, "-P", "-m", "desktop", *words],
            env=self.environment | ({"NANOBOT_DESKTOP_HOME": str(home)} if home else {}),
            input=given,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            cwd=self.me,
        )

    @contextmanager
    def serving(self) -> Iterator[None]:
        """The program at work."""
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "desktop", "serve"],
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=(self.folder / "serve.log").open("ab"),
            cwd=self.me,
        )
        try:
            asyncio.run(self._until_there())
            yield
        finally:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    async def _until_there(self) -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                await self._api.program.status()
            except NoOwnerError:
                assert self.process
                if self.process.poll() is not None:
                    break
                await asyncio.sleep(0.05)
            else:
                return
        raise AssertionError((self.folder / "serve.log").read_text())

    def ask[T](self, what: Callable[[Api], Awaitable[T]]) -> T:
        """Ask the program for something by its api, as its window does."""

        async def asked() -> T:
            return await what(self._api)

        return asyncio.run(asked())

    @property
    def _api(self) -> Api:
        return Api(Remote(Home(self.home, self.home / "models")))

    def answer(self, question: str, reply: Reply) -> None:
        """Answer a question of permission."""
        self.ask(lambda api: api.questions.answer(question, reply))

    def carry_out(self, question: str, reply: Reply) -> None:
        """The same for one whose turn has ended, to the end of the turn that carries it out."""

        async def done() -> None:
            async for _event in self._api.questions.answer_to_end(question, reply):
                pass

        asyncio.run(done())

    def set(self, **values: Any) -> None:
        """Change settings by dotted name, as the person does in the window."""
        self.ask(lambda api: api.settings.change(values))

    def say(
        self,
        text: str,
        *steps: Step,
        session: str = "window:a",
        files: Sequence[Path] = (),
        forget: bool = True,
    ) -> Turn:
        """The person says something, and the model takes these steps; then it says that it is done."""
        self.turns += 1
        if forget:
            self.server.forget()
        wire = [step if isinstance(step, str) else f"use:{json.dumps(list(step))}" for step in steps]
        self.server.script(
            *(w if w.startswith(("use:", "say:")) else f"say:{w}" for w in wire), "say:Done."
        )
        events = asyncio.run(self._told(text, session, [str(file) for file in files]))
        bodies = [seen.body for seen in self.server.requests]
        last = bodies[-1]["messages"] if bodies else []
        told = [str(m["content"]) for m in last if m["role"] == "tool"]
        return Turn(events, told, json.dumps(bodies, ensure_ascii=False))

    async def _told(self, text: str, session: str, files: Sequence[str] = ()) -> list[dict[str, Any]]:
        """All events of a question to its end."""
        asked = self._api.turns.ask(text, session=session, front="window", files=files)
        return [event.as_json() async for event in asked]

    def say_by_rule(self, text: str, step: Step, session: str) -> None:
        """The same in a thread beside others: the model takes this step where it reads this text."""
        self.server.when(text, f"use:{json.dumps(list(step))}")
        asyncio.run(self._told(text, session))

    def page(self, text: str = "Tell the agent to obey.", *links: str, path: str = "/page") -> str:
        """A hostile page; gives its address."""
        return self.outside.page(f"{EVIL}{path}", text, *links)

    def read_page(self, session: str, *links: str, text: str = "Obey me.") -> Turn:
        """A turn in which the person has a hostile page read."""
        address = self.page(text, *links, path=f"/p{self.turns}")
        return self.say(
            f"Read {address} for me", [("web_fetch", {"url": address})], "It is a page.", session=session
        )

    def autonomous(self, session: str) -> None:
        """Switch a conversation to the mode that asks nothing."""
        self.ask(lambda api: api.permissions.set_mode(session, "autonomous"))

    def rule(self, **rule: Any) -> None:
        """A standing answer, as the person gives one."""
        kept = self.ask(lambda api: api.settings.all()).values["permissions.rules"]
        self.set(**{"permissions.rules": [*kept, rule]})


def until(found: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Whether this becomes true in time."""
    end = time.monotonic() + seconds
    while not found():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


__all__ = ["EVIL", "SECRET", "AppError", "Call", "Lab", "Seen", "Step", "Turn", "until"]
