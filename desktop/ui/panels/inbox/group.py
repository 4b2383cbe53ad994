"""One entry for several notices that are decided on as one, and each of them by itself behind a link."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QFrame, QVBoxLayout, QWidget

from desktop.inbox.groups import group_of
from desktop.inbox.inbox import OPEN, WAITING, Notice
from desktop.text import _, listed, titled
from desktop.ui.panels.inbox.item import NO, YES, NoticeItem
from desktop.ui.panels.inbox.waits import said_of, setting_of
from desktop.ui.sidebar.channels import title
from desktop.ui.theme.tokens import Size, Space
from desktop.ui.widgets.boxes import across, down
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.labels import label
from desktop.ui.widgets.plain import shown
from desktop.ui.widgets.sign import Sign
from desktop.ui.words import spoken

_LONGEST = 600
"""Characters of what several settings would be."""
_AT_ONCE = 3
"""Notices made in one go: more would be felt."""


@dataclass(frozen=True, slots=True)
class Group:
    """What waits of one chat app, the newest first."""

    id: str
    notices: tuple[Notice, ...]

    @property
    def at(self) -> float:
        """When the newest of them came, as Unix time."""
        return self.notices[0].at


def grouped(notices: Sequence[Notice]) -> list[Notice | Group]:
    """The same entries, with one for those of a group, where its newest stands."""
    groups: dict[str, list[Notice]] = {}
    for notice in notices:
        groups.setdefault(_place(notice), []).append(notice)
    return [made[0] if len(made) == 1 else Group(name, tuple(made)) for name, made in groups.items()]


def _told(notices: Sequence[Notice]) -> str:
    """Each setting with all that it would be, in a line."""
    values: dict[str, list[str]] = {}
    for notice in notices:
        name = setting_of(notice.body["loose"])[1] or notice.title
        _says, _newline, value = said_of(notice.body).partition("\n")
        values.setdefault(name, []).append(value)
    return "\n".join(shown(titled(name, listed(filter(None, given)))) for name, given in values.items())


def _place(notice: Notice) -> str:
    waits = notice.kind == WAITING and notice.state == OPEN
    return (group_of(notice.body) if waits else "") or notice.id


class GroupItem(QWidget):
    """`acted` as with a NoticeItem; with the id of the group, it is wanted of all."""

    acted = Signal(str, str, str)

    def __init__(self) -> None:
        super().__init__()
        self._group: Group | None = None
        self._sign, self._title = Sign("shield", "link", Size.ICON + 2), label("title", wrap=True)
        self._text, self._remedy = label(wrap=True), label("muted", wrap=True)
        self.yes, self.no, self.fold = button("primary"), button(), button("link")
        self._parts, self.items = QWidget(), dict[str, NoticeItem]()
        self._column = QVBoxLayout(self._parts)
        self._steps = QTimer(self, singleShot=True, interval=0)
        self._steps.timeout.connect(self._make_parts)
        self._lay_out()
        self.yes.clicked.connect(lambda: self._act(YES))
        self.no.clicked.connect(lambda: self._act(NO))
        self.fold.clicked.connect(self._fold)
        spoken(self._words)

    def _lay_out(self) -> None:
        card = QFrame()
        card.setProperty("kind", "card")
        head = across((self._sign, Qt.AlignmentFlag.AlignTop), (self._title, 1))
        buttons = across(self.yes, self.no, None, self.fold)
        edges = (Space.L, Space.M, Space.L, Space.M)
        down(
            head,
            self._text,
            self._remedy,
            down(buttons, edges=(0, 2, 0, 0)),
            gap=Space.XS,
            edges=edges,
            of=card,
        )
        self._column.setContentsMargins(Space.L, 0, 0, 0)
        self._column.setSpacing(Space.S)
        down(card, self._parts, of=self)
        self._parts.hide()

    def show_group(self, group: Group) -> None:
        """Show this one."""
        self._group = group
        self._words()
        self._make_parts()

    def _words(self) -> None:
        if self._group is None:
            return
        notices = self._group.notices
        named = title(self._group.id.removeprefix("channels."))
        self._title.setText(named)
        self._sign.level(self._title)
        told = _told(notices)
        whole = len(told) <= _LONGEST
        self._text.setText(told if whole else f"{told[:_LONGEST]}…")
        self.yes.setVisible(whole or not self._parts.isHidden())  # nobody allows what they have not seen
        self._remedy.setText(shown(str(notices[0].body.get("remedy") or "")))
        self.yes.setText(_("Allow all"))
        self.no.setText(_("Keep all off"))
        self.fold.setText(_("Show all") if self._parts.isHidden() else _("Show less"))
        for made in (self.yes, self.no, self.fold):
            made.setAccessibleName(titled(made.text(), named))
        self.setAccessibleName(f"{named}, {told}")

    def _make_parts(self) -> None:
        """Each by itself, as far as it was looked at."""
        if self._group is None or self._parts.isHidden():
            return
        here = {notice.id for notice in self._group.notices}
        for id_ in [id_ for id_ in self.items if id_ not in here]:
            gone = self.items.pop(id_)
            if gone.isAncestorOf(QApplication.focusWidget() or self):
                self.take_keyboard()
            self._column.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        new = 0
        for number, notice in enumerate(self._group.notices):
            if notice.id not in self.items:
                if (new := new + 1) > _AT_ONCE:
                    self._steps.start()
                    return
                self.items[notice.id] = NoticeItem()
                self.items[notice.id].acted.connect(self.acted)
                self._column.insertWidget(number, self.items[notice.id])
            self.items[notice.id].show_notice(notice, "")

    def _fold(self) -> None:
        self._parts.setVisible(self._parts.isHidden())
        self._make_parts()
        self._words()

    def _act(self, what: str) -> None:
        if self._group is not None:
            self.acted.emit(what, self._group.id, "")

    def take_keyboard(self) -> None:
        """Give it to what tells more, not to an answer."""
        self.fold.setFocus()
