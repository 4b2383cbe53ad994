"""What a screen reader gets of a program's windows: the accessible tree over AT-SPI, read fresh each time.

Qt answers these calls on its GUI thread, so an answer also says that the program is not stuck.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.desktop.bus import Bus, BusError, Call

type Name = str | re.Pattern[str]

A11Y = "org.a11y.atspi."
ROOT = "/org/a11y/atspi/accessible/root"
LABELLED_BY = 2
# The places of the states in the two words of GetState.
STATES = {
    1: "active", 4: "checked", 5: "collapsed", 7: "editable", 9: "expandable", 10: "expanded",
    11: "focusable", 12: "focused", 16: "modal", 20: "pressed", 22: "selectable", 23: "selected",
    24: "enabled", 25: "showing", 30: "visible", 32: "indeterminate", 33: "required", 36: "invalid",
    39: "default", 41: "checkable", 42: "has_popup", 43: "read_only",
}  # fmt: skip
# Of a longer list only the first rows are read: reading a row makes the program create it.
MANY = 500
BATCH = 100


@dataclass
class Node:
    """One accessible thing as it was when the tree was read. What it does, it does now."""

    bus: Bus = field(repr=False)
    service: str
    path: str
    name: str = ""
    role: str = ""
    states: frozenset[str] = frozenset()
    label: str = ""
    """What labels it, where its name is its content, as in a combo box."""
    count: int = field(default=0, repr=False)
    """How many children the program says it has."""
    children: "list[Node]" = field(default_factory=list, repr=False)

    def walk(self) -> "Iterator[Node]":
        """This and all below it, in the order of reading."""
        yield self
        for child in self.children:
            yield from child.walk()

    def matches(self, name: Name | None, role: str | None) -> bool:
        """Whether it has this name (or label) and this role."""
        if role is not None and role != self.role:
            return False
        if name is None or (isinstance(name, str) and name in {self.name, self.label}):
            return True
        return isinstance(name, re.Pattern) and bool(name.search(self.name) or name.search(self.label))

    @property
    def showing(self) -> bool:
        """Whether a person could see it, scrolled into view or not behind another tab."""
        return "showing" in self.states

    def _call(self, interface: str, method: str, signature: str = "", *arguments: Any) -> Any:
        return self.bus.call(self.service, self.path, f"{A11Y}{interface}.{method}", signature, *arguments)

    @property
    def description(self) -> str:
        """What is said of it beside its name; empty if it is gone."""
        try:
            return str(self.bus.read(self.service, self.path, f"{A11Y}Accessible", "Description"))
        except BusError:
            return ""

    @property
    def text(self) -> str:
        """Its text; its name if it is nothing that has a text."""
        try:
            return str(self._call("Text", "GetText", "ii", 0, -1))
        except BusError:
            return self.name

    @property
    def value(self) -> float:
        """The number of a slider, a progress bar, a spin box."""
        return float(self.bus.read(self.service, self.path, f"{A11Y}Value", "CurrentValue"))

    @property
    def extents(self) -> tuple[int, int, int, int]:
        """x, y, width and height on the screen."""
        x, y, width, height = self._call("Component", "GetExtents", "u", 0)
        return x, y, width, height

    @property
    def actions(self) -> list[str]:
        """What can be done with it."""
        try:
            return [name for name, _description, _key in self._call("Action", "GetActions")]
        except BusError:
            return []

    def do(self, action: str) -> None:
        """Do one of its actions."""
        self._call("Action", "DoAction", "i", self.actions.index(action))

    def press(self) -> None:
        """What a click on it would do."""
        able = self.actions
        for action in ("Press", "Toggle", "Show Menu"):
            if action in able:
                return self.do(action)
        raise AssertionError(f"{self!r} cannot be pressed: it offers {able}")

    def focus(self) -> None:
        """Give it the keyboard."""
        self._call("Component", "GrabFocus")

    def set_text(self, text: str) -> None:
        """Replace its text at once, as dictation software does."""
        assert self._call("EditableText", "SetTextContents", "s", text), f"{self!r} takes no text"

    def set_value(self, value: float) -> None:
        """Move a slider or a spin box to this number."""
        interface = "org.freedesktop.DBus.Properties"
        arguments = (f"{A11Y}Value", "CurrentValue", ("d", value))
        self.bus.call(self.service, self.path, f"{interface}.Set", "ssv", *arguments)

    def select(self, name: str) -> None:
        """Select the child of this name, in a list."""
        place = [child.name for child in self.children].index(name)
        assert self._call("Selection", "SelectChild", "i", place), f"{self!r} does not select {name}"

    def drawing(self) -> str:
        """The tree below as indented lines, for the message of a failed test."""
        return "\n".join(self._lines(0))

    def _lines(self, depth: int) -> Iterator[str]:
        states = ",".join(sorted(self.states - {"visible", "focusable", "selectable"}))
        label = f" [{self.label}]" if self.label else ""
        yield f"{'  ' * depth}{self.role} {self.name!r}{label} ({states})"
        for child in self.children:
            yield from child._lines(depth + 1)


def applications(bus: Bus, pid: int) -> list[tuple[str, str]]:
    """The roots of a process on the accessible desktop: its own, and one of GTK where Qt loads that."""
    roots = bus.call(f"{A11Y}Registry", ROOT, f"{A11Y}Accessible.GetChildren")
    asking = [
        Call(
            "org.freedesktop.DBus",
            "/org/freedesktop/DBus",
            "org.freedesktop.DBus",
            "GetConnectionUnixProcessID",
            "s",
            (service,),
        )
        for service, _path in roots
    ]
    return [root for root, owner in zip(roots, bus.together(asking), strict=True) if owner == pid]


def read_tree(bus: Bus, service: str, path: str, *, hidden: bool = False) -> Node:
    """The tree from here on, level by level. `hidden`: also what is in things that a person cannot see,
    such as the pages behind the one that is shown; they are most of it."""
    root = Node(bus, service, path)
    level = [root]
    while level:
        for start in range(0, len(level), BATCH):
            _read(bus, level[start : start + BATCH])
        seen = [node for node in level if hidden or node.showing or node is root]
        _read_children(bus, seen)
        level = [child for node in seen for child in node.children]
    _label(bus, root)
    return root


def _read(bus: Bus, nodes: list[Node]) -> None:
    interface = f"{A11Y}Accessible"
    calls = []
    for node in nodes:
        place = node.service, node.path
        calls += [Call.reading(*place, interface, name) for name in ("Name", "ChildCount")]
        calls += [Call(*place, interface, name) for name in ("GetRoleName", "GetState")]
    answers = bus.together(calls)
    for node, at in zip(nodes, range(0, len(answers), 4), strict=True):
        name, count, role, states = answers[at : at + 4]
        if any(isinstance(answer, BusError) for answer in (name, role, states)):
            node.role = "gone"
            continue
        node.name, node.role = name, role
        bits = states[0] | states[1] << 32
        node.states = frozenset(word for place, word in STATES.items() if bits >> place & 1)
        node.count = count


def _read_children(bus: Bus, nodes: list[Node]) -> None:
    interface = f"{A11Y}Accessible"
    few = [node for node in nodes if 0 < node.count <= MANY]
    for start in range(0, len(few), BATCH):
        some = few[start : start + BATCH]
        calls = [Call(node.service, node.path, interface, "GetChildren") for node in some]
        for node, found in zip(some, bus.together(calls), strict=True):
            if not isinstance(found, BusError):
                node.children = [Node(bus, *place) for place in found]
    for node in nodes:
        if node.count > MANY:
            place = node.service, node.path
            calls = [Call(*place, interface, "GetChildAtIndex", "i", (i,)) for i in range(MANY)]
            node.children = [Node(bus, *p) for p in bus.together(calls) if not isinstance(p, BusError)]


def _label(bus: Bus, root: Node) -> None:
    """Qt names a combo box after its content; what it is for is told by the label before it."""
    boxes = [node for node in root.walk() if node.role == "combo box"]
    if not boxes:
        return
    names = {node.path: node.name for node in root.walk()}
    asking = [Call(box.service, box.path, f"{A11Y}Accessible", "GetRelationSet") for box in boxes]
    for box, relations in zip(boxes, bus.together(asking), strict=True):
        for kind, others in relations if isinstance(relations, list) else []:
            if kind == LABELLED_BY:
                box.label = " ".join(names.get(path, "") for _service, path in others)
