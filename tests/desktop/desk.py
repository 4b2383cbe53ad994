"""The desktop around the window as a person has it: keyboard, mouse, eyes, clipboard, tray, notifications.

Everything goes through the X server, the panel and the notification daemon of tests/desktop-session.sh.
"""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.desktop.bus import Bus, BusError
from tests.desktop.window import until

WATCHER = "org.kde.StatusNotifierWatcher"
ITEM = "org.kde.StatusNotifierItem"
PANEL = "wrapper-2.0"
"""The class of the windows of the panel's tray: the tray itself, and the menus that it opens."""
LEFT, MIDDLE, RIGHT, WHEEL_UP, WHEEL_DOWN = 1, 2, 3, 4, 5


@dataclass(frozen=True)
class Area:
    """A rectangle on the screen."""

    x: int
    y: int
    width: int
    height: int

    @property
    def middle(self) -> tuple[int, int]:
        return self.x + self.width // 2, self.y + self.height // 2


@dataclass(frozen=True)
class Notification:
    """What was shown in a popup. One that replaces another has the same number."""

    number: int
    program: str
    title: str
    text: str
    urgency: str


class Desk:
    """One desktop session: this process's, or the one whose environment is given."""

    def __init__(self, shots: Path, environment: Mapping[str, str] | None = None) -> None:
        self._shots = shots
        self.environment = dict(environment or os.environ)
        self.folder = Path(self.environment["DESKTOP_SESSION_FOLDER"])

    def run(self, *command: str, given: str | None = None, check: bool = True) -> str:
        """What a command of the desktop (xdotool, xrandr...) prints. `check`: it must work; else nobody
        hears it complain."""
        done = subprocess.run(
            command,
            input=given,
            stdout=subprocess.PIPE,
            stderr=None if check else subprocess.DEVNULL,
            text=True,
            timeout=30,
            check=check,
            env=self.environment,
        )
        return done.stdout

    # ---- keyboard and mouse

    def key(self, *keys: str) -> None:
        """Press keys one after the other: key("ctrl+n", "Down", "Return")."""
        self.run("xdotool", "key", *keys)

    def type(self, text: str) -> None:
        """Type on the keyboard, into whatever has the focus; copy() and ctrl+v what no key has."""
        assert text.isascii(), "xdotool loses letters that it must first give a key"
        self.run("xdotool", "type", "--delay", "4", text)

    def move(self, x: int, y: int) -> None:
        """Move the pointer."""
        self.run("xdotool", "mousemove", str(x), str(y))

    def click(self, x: int, y: int, button: int = LEFT, times: int = 1) -> None:
        """Move the pointer there and click."""
        self.run("xdotool", "mousemove", str(x), str(y), "click", "--repeat", str(times), str(button))

    def click_on(self, extents: tuple[int, int, int, int], button: int = LEFT, times: int = 1) -> None:
        """Click into the middle of something: click_on(window.extents("Send"))."""
        self.click(*Area(*extents).middle, button, times)

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Press, move and let go."""
        x, y, left = *map(str, end), str(LEFT)
        self.run("xdotool", "mousemove", *map(str, start), "mousedown", left, "mousemove", x, y)
        self.run("xdotool", "mousemove", x, y, "mouseup", left)

    def scroll(self, notches: int) -> None:
        """Turn the wheel where the pointer is: down, or up if negative."""
        wheel = WHEEL_DOWN if notches > 0 else WHEEL_UP
        self.run("xdotool", "click", "--repeat", str(abs(notches)), "--delay", "10", str(wheel))

    # ---- eyes

    def screenshot(self, name: str, area: Area | None = None) -> Path:
        """Save what is on the screen, in NANOBOT_TEST_SHOTS if that is set."""
        self._shots.mkdir(parents=True, exist_ok=True)
        path = self._shots / f"{name}.png"
        self.run("import", "-window", "root", *_crop(area), str(path))
        return path

    def colours(self, area: Area | None = None) -> int:
        """How many colours are on the screen or in a part of it: 1 where nothing is drawn."""
        shot = subprocess.run(
            ["import", "-window", "root", *_crop(area), "ppm:-"],
            stdout=subprocess.PIPE,
            check=True,
            env=self.environment,
        ).stdout
        pixels = shot.split(b"\n", 3)[3]
        return len({pixels[at : at + 3] for at in range(0, len(pixels), 3)})

    def active(self) -> str:
        """The title of the window that has the keyboard; empty if none has."""
        return self.run("xdotool", "getactivewindow", "getwindowname", check=False).strip()

    def wait_active(self, title: str) -> None:
        """Wait until the window of this title has the keyboard."""
        until(lambda: self.active() == title, f"the active window is {title!r}")

    def windows(self, *criteria: str) -> list[str]:
        """The numbers of the windows that can be seen: windows("--name", "^Nanobot"), ("--pid", "7")."""
        return self.run("xdotool", "search", "--onlyvisible", *criteria, check=False).split()

    def geometry(self, window: str) -> Area:
        """Where a window is, without its frame."""
        told = self.run("xdotool", "getwindowgeometry", "--shell", window)
        values = dict(line.split("=") for line in told.split())
        return Area(*(int(values[name]) for name in ("X", "Y", "WIDTH", "HEIGHT")))

    def close_active(self, title: str) -> None:
        """Close the window of this title by the window manager, as the button in its frame does."""
        self.wait_active(title)
        self.key("alt+F4")

    # ---- monitors

    def set_monitors(self, *areas: Area) -> None:
        """Cut the screen into monitors; without areas it is one again. What is not named is unplugged."""
        named = [
            line.split()[1].lstrip("+*") for line in self.run("xrandr", "--listmonitors").splitlines()[1:]
        ]
        for name in named:
            if name.startswith("part"):
                self.run("xrandr", "--delmonitor", name)
        for number, area in enumerate(areas):
            shape = f"{area.width}/{area.width // 4}x{area.height}/{area.height // 4}+{area.x}+{area.y}"
            # The first takes the only output, so that there is no monitor of the whole screen besides.
            self.run("xrandr", "--setmonitor", f"part{number}", shape, "none" if number else "screen")

    def prefer_dark(self, dark: bool = True) -> None:
        """Choose the system's colour scheme, which programs are told in a session with --portal gtk."""
        scheme = "prefer-dark" if dark else "prefer-light"
        self.run("gsettings", "set", "org.gnome.desktop.interface", "color-scheme", scheme)

    # ---- clipboard

    def clipboard(self) -> str:
        """What was copied."""
        return self.run("xclip", "-selection", "clipboard", "-out", check=False)

    def copy(self, text: str) -> None:
        """Put a text on the clipboard."""
        command = ["xclip", "-selection", "clipboard", "-in"]
        # It stays, to hand the text out, and must not keep a pipe of ours open.
        subprocess.run(command, input=text, text=True, check=True, env=self.environment)

    # ---- notifications

    def notifications(self) -> list[Notification]:
        """Every popup of this session so far, the oldest first."""
        noted = self.folder / "notifications"
        fields = noted.read_text("utf-8").split("\0")[:-1] if noted.exists() else []
        return [Notification(int(fields[at]), *fields[at + 1 : at + 5]) for at in range(0, len(fields), 5)]

    def wait_notification(self, title: str, after: int = 0) -> Notification:
        """The first popup with this in its title, among those after the first `after` ones."""

        def look() -> Notification | None:
            return next((each for each in self.notifications()[after:] if title in each.title), None)

        return until(look, f"a notification {title!r}; there were {self.notifications()}")

    def press_notification(self, action: str) -> None:
        """Press the button of this name on a popup, through the menu that the daemon offers for it."""
        (self.folder / "choice").write_text(action, "utf-8")
        choices = self.folder / "choices"

        def offered() -> bool:
            """Nothing is offered before the popup is on the screen."""
            choices.unlink(missing_ok=True)
            self.run("dunstctl", "context")
            try:
                until(choices.exists, "the menu", 2)
            except AssertionError:
                return False
            return action in choices.read_text("utf-8")

        until(offered, f"a button {action!r} on a popup")

    def click_notification(self) -> None:
        """Click on the newest popup."""
        window = until(lambda: self.windows("--class", "^Dunst$"), "a popup on the screen")[0]
        until(lambda: self.geometry(window).height > 1, "the popup is drawn")
        area = self.geometry(window)
        self.click(area.x + area.width // 2, area.y + 20)

    def dismiss_notifications(self) -> None:
        """Close every popup."""
        self.run("dunstctl", "close-all")

    # ---- tray

    def tray(self, pid: int) -> "TrayIcon":
        """The icon of a program, as soon as it is drawn. Fails where another program has one too."""
        return TrayIcon(self, pid)

    def in_tray(self, pid: int) -> bool:
        """Whether the program has an icon now."""
        with Bus(self.environment["DBUS_SESSION_BUS_ADDRESS"]) as bus:
            return pid in (owner for owner, _service, _path in tray_items(bus))


def _crop(area: Area | None) -> list[str]:
    return ["-crop", f"{area.width}x{area.height}+{area.x}+{area.y}", "+repage"] if area else []


def tray_items(bus: Bus) -> Iterator[tuple[int, str, str]]:
    """The owner, the bus name and the path of each icon that the tray knows."""
    try:
        items = bus.read(WATCHER, "/StatusNotifierWatcher", WATCHER, "RegisteredStatusNotifierItems")
    except BusError:
        return
    for item in items:
        service, _, path = item.partition("/")
        try:
            owner = bus.call(
                "org.freedesktop.DBus",
                "/org/freedesktop/DBus",
                "org.freedesktop.DBus.GetConnectionUnixProcessID",
                "s",
                service,
            )
        except BusError:
            continue  # it went meanwhile
        yield owner, service, f"/{path}"


class TrayIcon:
    """The icon in the panel, used with the mouse; what it says is read from the bus."""

    def __init__(self, desk: Desk, pid: int) -> None:
        self._desk = desk
        self._pid = pid
        self._area()

    def _place(self) -> tuple[str, str]:
        def alone() -> tuple[str, str] | None:
            with self._bus() as bus:
                items = list(tray_items(bus))
            return items[0][1:] if [owner for owner, *_ in items] == [self._pid] else None

        return until(alone, f"the icon of process {self._pid}, alone in the tray")

    def _bus(self) -> Bus:
        return Bus(self._desk.environment["DBUS_SESSION_BUS_ADDRESS"])

    def _area(self) -> Area:
        """Where the panel drew it, once it did: the tray is as wide as its only icon."""
        self._place()

        def drawn() -> Area | None:
            for window in self._desk.windows("--class", PANEL):
                area = self._desk.geometry(window)
                if area.width == area.height + 1 and self._desk.colours(area) > 1:
                    return area
            return None

        return until(drawn, "the icon is drawn in the panel")

    def _read(self, name: str) -> Any:
        service, path = self._place()
        with self._bus() as bus:
            return bus.read(service, path, ITEM, name)

    @property
    def tooltip(self) -> str:
        """What the panel shows when the pointer rests on it."""
        return str(self._read("ToolTip")[2])

    @property
    def picture(self) -> bytes:
        """The pixels of the icon, to compare with what it was before."""
        sizes = self._read("IconPixmap")
        return bytes(sizes[0][2]) if sizes else str(self._read("IconName")).encode()

    def click(self, button: int = LEFT) -> None:
        """Click on it."""
        self._desk.click(*self._area().middle, button)

    def menu(self) -> list[dict[str, Any]]:
        """The entries of its menu: label, enabled, toggle-state, children..."""
        service, path = self._place()
        with self._bus() as bus:
            place = bus.read(service, path, ITEM, "Menu")
            method = "com.canonical.dbusmenu.GetLayout"
            _revision, layout = bus.call(service, place, method, "iias", 0, -1, [])
        return _entries(layout)

    def choose(self, *labels: str) -> None:
        """Open the menu with the right button and go to an entry, through its parents, with the keys."""
        before = set(self._desk.windows("--class", PANEL))
        self.click(RIGHT)
        until(lambda: set(self._desk.windows("--class", PANEL)) - before, "the tray's menu")
        entries, keys = self.menu(), list[str]()
        for depth, label in enumerate(labels):
            able = [entry["label"] for entry in entries if _can_be_chosen(entry)]
            assert label in able, f"no {label!r} among {able}"
            # A submenu that is entered has its first entry selected.
            keys += ["Down"] * (able.index(label) + (depth == 0))
            keys.append("Right" if label != labels[-1] else "Return")
            entries = next(entry["children"] for entry in entries if entry.get("label") == label)
        self._desk.key(*keys)


def _entries(layout: Any) -> list[dict[str, Any]]:
    entries = []
    for _signature, (number, properties, children) in layout[2]:
        entry = {name: value for name, (_type, value) in properties.items()}
        entry["label"] = re.sub("_(.)", r"\1", entry.get("label", ""))
        children = _entries((number, properties, children))
        entries.append({**entry, "children": children})
    return entries


def _can_be_chosen(entry: dict[str, Any]) -> bool:
    usable = entry.get("enabled", True) and entry.get("visible", True)
    return bool(usable) and entry.get("type") != "separator"
