"""The tools of one server: what each does, whether it is on, and which the person has not accepted."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop.text import _, ngettext, sentences
from desktop.ui.widgets.boxes import down
from desktop.ui.widgets.labels import label, tip
from desktop.ui.widgets.notice import Notice
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.rows import Card, Row
from desktop.ui.widgets.styled import styled
from desktop.ui.widgets.switch import Switch
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.servers import ServerTool

_AT_ONCE = 2
"""So many rows are made before the window gets its turn."""
_LONGEST = 220
_SHEET = """
QLabel[badge="plain"] { background: $hover; color: $muted; border-radius: 7px; padding: 1px 7px;
  font-size: 11px; font-weight: 500; }
QLabel[badge="careful"] { background: $warning_soft; color: $warning; border-radius: 7px; padding: 1px 7px;
  font-size: 11px; font-weight: 500; }
"""


class ToolRow(Row):
    """One tool with its switch."""

    switched = Signal(str, bool)

    def __init__(self) -> None:
        self.switch = Switch()
        super().__init__(self.switch, width=0)
        self._kind, self._changed = label(), label()
        self._kind.setProperty("badge", "plain")
        self._changed.setProperty("badge", "careful")
        for badge in (self._kind, self._changed):
            self.beside.addWidget(badge)
        self.beside.addStretch(1)
        self.tool: ServerTool
        """Once it shows one."""
        self.switch.clicked.connect(lambda on: self.switched.emit(self.tool.name, on))

    def show_tool(self, tool: "ServerTool", *, trusted: bool) -> None:
        """Show this one. `trusted`: what the server says of it is believed."""
        self.tool = tool
        name, told = shown(tool.name), tool.seen
        if tool.changed:  # what is to be accepted is shown whole
            self.say(name, told)
            self.help.setToolTip("")
        else:
            about = " ".join(shown(tool.description).split())
            self.say(name, about if len(about) <= _LONGEST else f"{about[:_LONGEST].rstrip()}…")
            self.help.setToolTip(tip(told))
        self.switch.setChecked(tool.on)
        self.switch.setAccessibleName(_("Tool {name}").format(name=name))
        words = ""
        if tool.read_only:
            words = _("read-only") if trusted else _("says it is read-only")
        elif tool.destructive:
            words = _("always asks")
        self._kind.setText(words)
        self._kind.setVisible(bool(words))
        self._changed.setText(_("not accepted"))
        self._changed.setVisible(tool.changed)


class Tools(QWidget):
    """All tools of a server."""

    switched = Signal(str, bool)
    accepted = Signal(dict)
    """Digest by name."""

    def __init__(self) -> None:
        super().__init__()
        styled(self, _SHEET)
        self.rows: dict[str, ToolRow] = {}
        self._tools: Sequence[ServerTool] = ()
        self._trusted = False
        self._title, self._card, self._notice = label("section"), Card(), Notice()
        down(self._title, self._notice, self._card, of=self)
        self.hide()
        spoken(self._words)

    def _words(self) -> None:
        self._title.setText(_("Tools"))
        self._say_changed()
        for name, row in self.rows.items():
            tool = next((tool for tool in self._tools if tool.name == name), None)
            if tool is not None:
                row.show_tool(tool, trusted=self._trusted)

    def _say_changed(self) -> None:
        count = sum(tool.changed for tool in self._tools)
        if not count:
            self._notice.hide()
            return
        text = ngettext(
            "The agent can’t use {count} new or changed tool.",
            "The agent can’t use {count} new or changed tools.",
            count,
        ).format(count=count)
        remedy = _(
            "This is everything the server says about them. The agent sees it once you accept. Later "
            "changes need your approval again."
        )
        if self._notice.isHidden() or self._notice.accessibleName() != sentences(text, remedy):
            actions = ((_("Accept"), self._accept),)
            self._notice.tell(text, remedy, tone="warning", actions=actions)

    def _accept(self) -> None:
        """Accept what is shown, as it is shown."""
        waiting = [tool for tool in self._tools if tool.changed]
        self.accepted.emit({tool.name: tool.digest for tool in waiting})

    async def show_tools(self, tools: Sequence["ServerTool"], *, trusted: bool) -> None:
        """Show these; a few rows at a time, for a server may have a hundred."""
        self._tools, self._trusted = tools, trusted
        names = {tool.name for tool in tools}
        for gone in self.rows.keys() - names:
            row = self.rows.pop(gone)
            row.hide()
            row.deleteLater()
        self.setVisible(bool(tools))
        self._say_changed()
        for number, tool in enumerate(tools):
            name = tool.name
            if name not in self.rows:
                self.rows[name] = row = ToolRow()
                row.switched.connect(self.switched)
                row.show_tool(tool, trusted=trusted)
                self._card.add(row)
                if number % _AT_ONCE == _AT_ONCE - 1:
                    await asyncio.sleep(0)
            else:
                self.rows[name].show_tool(tool, trusted=trusted)
