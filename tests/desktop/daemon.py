"""A small notification daemon for tests: it can do what those of other desktops can and dunst cannot, and
all that can go wrong with one. As a program it owns the name on the session bus until it is ended.

    with Daemon(folder, "--reply") as daemon:
        ...
        daemon.reply("Stand-up", "on my way")

Its history is a file that outlives the daemon: every call of Notify is a line, written before the reply.
"""

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from dbus_fast import Message, MessageType, NameFlag, RequestNameReply
from dbus_fast.aio import MessageBus

from tests.desktop.bus import Bus
from tests.desktop.window import until

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
CONTROL = "org.example.Pressing"
EXPIRED, DISMISSED, CLOSED = 1, 2, 3


@dataclass(frozen=True)
class Shown:
    """One call of Notify. `replaces`: the number of the toast that it took the place of, or 0."""

    number: int
    replaces: int
    program: str
    title: str
    text: str
    actions: dict[str, str]
    urgency: int
    timeout: int
    hints: dict[str, Any]


class Daemon:
    """The daemon as a child of the test. Pass the options of the program below."""

    def __init__(self, folder: Path, *options: str, environment: Mapping[str, str] | None = None) -> None:
        """`environment`: of the session to run in, if it is not the test's own."""
        self._history = folder / "notified.jsonl"
        self._environment = dict(environment or os.environ)
        self._options = options
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.die()

    def start(self) -> None:
        """Come, after die() anew. Returns when it has the name."""
        command = [sys.executable, "-m", "tests.desktop.daemon", str(self._history), *self._options]
        root = Path(__file__).parent.parent.parent
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, cwd=root, env=self._environment
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "up\n"

    def die(self) -> None:
        """Be killed, in the middle of whatever it does."""
        if self._process is not None:
            process, self._process = self._process, None
            process.kill()
            process.communicate()

    def hang(self) -> None:
        """Hold the name, and answer nothing any more."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Answer again, also what was asked meanwhile."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        os.kill(self._process.pid, number)

    # ---- what was shown

    @property
    def history(self) -> list[Shown]:
        """All that was ever shown, the oldest first."""
        lines = self._history.read_text("utf-8").splitlines() if self._history.exists() else []
        return [Shown(**json.loads(line)) for line in lines]

    def titles(self) -> list[str]:
        """The titles of all that was ever shown."""
        return [shown.title for shown in self.history]

    @property
    def written(self) -> float:
        """When something was shown last, Unix time."""
        return self._history.stat().st_mtime

    def on_screen(self) -> list[str]:
        """The titles of what is to be seen now."""
        return list(self._do("Visible"))

    def wait(self, title: str, times: int = 1) -> Shown:
        """The last showing of this title, once there were this many. For tests without a loop."""
        until(lambda: self.titles().count(title) >= times, f"{title!r} is shown {times} times")
        return [shown for shown in self.history if shown.title == title][-1]

    # ---- what a person does

    def press(self, title: str, action: str) -> None:
        """Press a button, by the name of its action; "default" is a click on the toast."""
        self._do("Press", title, action)

    def reply(self, title: str, text: str) -> None:
        """Type into the field for a reply, and send it."""
        self._do("Reply", title, text)

    def dismiss(self, title: str) -> None:
        """Close it without doing anything."""
        self._do("Close", title, DISMISSED)

    def expire(self, title: str) -> None:
        """Let it go by itself."""
        self._do("Close", title, EXPIRED)

    def _do(self, method: str, *arguments: Any) -> Any:
        with Bus(self._environment["DBUS_SESSION_BUS_ADDRESS"]) as bus:
            return json.loads(bus.call(NAME, PATH, f"{CONTROL}.{method}", "s", json.dumps(arguments)))


class _Server:
    """The other side: answers to calls."""

    def __init__(self, bus: MessageBus, history: Path, options: argparse.Namespace) -> None:
        self._bus, self._history, self._options = bus, history, options
        self._count = 0  # a daemon that begins anew gives the same numbers again
        self._visible: dict[int, tuple[str, str]] = {}
        """The title of each toast that is to be seen, and whose it is."""

    def handle(self, message: Message) -> Message | bool | None:
        if message.message_type is not MessageType.METHOD_CALL or message.path != PATH:
            return None
        if message.interface == CONTROL:
            answer = getattr(self, f"do_{str(message.member).lower()}")(*json.loads(message.body[0]))
            return Message.new_method_return(message, "s", [json.dumps(answer)])
        if message.member == "Introspect":
            return Message.new_method_return(message, "s", [_introspection()])
        if message.member == "GetServerInformation":
            return Message.new_method_return(message, "ssss", ["Test Daemon", "Tests", "1", "1.2"])
        if message.member == "GetCapabilities":
            return Message.new_method_return(message, "as", [self._capabilities()])
        if message.member == "CloseNotification":
            if message.body[0] in self._visible:
                self._closed(message.body[0], CLOSED)
            return Message.new_method_return(message)
        if message.member == "Notify":
            return self._notify(message)
        return None

    def _capabilities(self) -> list[str]:
        can = {"body": True, "actions": not self._options.no_actions, "inline-reply": self._options.reply}
        can["body-markup"] = self._options.markup
        return [name for name, has in can.items() if has]

    def _notify(self, message: Message) -> Message | bool:
        program, replaces, _icon, title, text, actions, hints, timeout = message.body
        if self._options.refuse or (self._options.refuse_actions and actions):
            return Message.new_error(message, "org.freedesktop.DBus.Error.InvalidArgs", "no")
        self._count += 1
        number = replaces if replaces in self._visible else self._count
        plain = {name: value.value for name, value in hints.items()}
        pairs = dict(zip(actions[::2], actions[1::2], strict=True))
        shown = Shown(
            number, replaces, program, title, text, pairs, plain.get("urgency", 1), timeout, plain
        )
        with self._history.open("a", encoding="utf-8") as history:
            history.write(json.dumps(vars(shown)) + "\n")
        self._visible[number] = title, str(message.sender)
        if self._options.press:  # the person is quicker than the answer is read
            self._bus.send(Message.new_method_return(message, "u", [number]))
            self._say(number, "ActionInvoked", "us", [number, self._options.press])
            return True
        return Message.new_method_return(message, "u", [number])

    def _find(self, title: str) -> int:
        return next(number for number, (shown, _owner) in self._visible.items() if shown == title)

    def do_visible(self) -> list[str]:
        return [title for title, _owner in self._visible.values()]

    def do_press(self, title: str, action: str) -> None:
        number = self._find(title)
        self._say(number, "ActionInvoked", "us", [number, action])
        self._closed(number, DISMISSED)

    def do_reply(self, title: str, text: str) -> None:
        number = self._find(title)
        self._say(number, "NotificationReplied", "us", [number, text])
        self._closed(number, DISMISSED)

    def do_close(self, title: str, reason: int) -> None:
        self._closed(self._find(title), reason)

    def _closed(self, number: int, reason: int) -> None:
        self._say(number, "NotificationClosed", "uu", [number, reason])
        del self._visible[number]

    def _say(self, number: int, member: str, signature: str, body: list[Any]) -> None:
        signal_ = Message.new_signal(PATH, NAME, member, signature, body)
        signal_.destination = self._visible[number][1]
        self._bus.send(signal_)


def _introspection() -> str:
    """What there is to call and to hear, for clients that ask."""
    told = "".join(
        f'<{kind} name="{name}">'
        + "".join(f'<arg type="{type_}" direction="in"/>' for type_ in given.split())
        + "".join(f'<arg type="{type_}" direction="out"/>' for type_ in back.split())
        + f"</{kind}>"
        for kind, name, given, back in (
            ("method", "Notify", "s u s s s as a{sv} i", "u"),
            ("method", "CloseNotification", "u", ""),
            ("method", "GetCapabilities", "", "as"),
            ("method", "GetServerInformation", "", "s s s s"),
            ("signal", "ActionInvoked", "", "u s"),
            ("signal", "NotificationReplied", "", "u s"),
            ("signal", "NotificationClosed", "", "u u"),
        )
    )
    return f'<node><interface name="{NAME}">{told}</interface></node>'


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("history", type=Path)
    parser.add_argument("--reply", action="store_true", help="has a field for replies")
    parser.add_argument("--markup", action="store_true", help="reads markup in bodies")
    parser.add_argument("--no-actions", action="store_true", help="has no buttons, and says so")
    parser.add_argument("--refuse-actions", action="store_true", help="has buttons; any is an error")
    parser.add_argument("--refuse", action="store_true", help="an error for every notification")
    parser.add_argument("--press", default="", metavar="ACTION", help="presses it in the very next message")
    return parser.parse_args()


async def _main() -> None:
    options = _options()
    bus = await MessageBus().connect()
    bus.add_message_handler(_Server(bus, options.history, options).handle)
    reply = await bus.request_name(NAME, NameFlag.DO_NOT_QUEUE)
    assert reply is RequestNameReply.PRIMARY_OWNER, "another daemon has the name"
    print("up", flush=True)
    await bus.wait_for_disconnect()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    asyncio.run(_main())
