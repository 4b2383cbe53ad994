"""How the program is there while its window is closed: tray, quick chat, shortcut, notices that open it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer

from desktop.bus.events import (
    InboxChanged,
    NoticeOpened,
    ServiceChanged,
    SettingsChanged,
    TurnFailed,
    TurnFinished,
    UsageRecorded,
)
from desktop.inbox.inbox import ANSWER, APPROVAL, Notice
from desktop.inbox.screen import DIGEST, Toast
from desktop.tasks import in_thread
from desktop.text import _
from desktop.ui.actions import Reach
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.main_window import MainWindow
from desktop.ui.program import Program
from desktop.ui.quick.quick import Quick
from desktop.ui.sidebar.activity_marks import ActivityMarks
from desktop.ui.sidebar.library import Library
from desktop.ui.state import StateFile
from desktop.ui.system import autostart, link_handler
from desktop.ui.system.shortcut import Shortcut
from desktop.ui.system.tray_icon import IDLE, NEEDS_YOU, TROUBLE, WORKING
from desktop.ui.tray.chat_apps import TROUBLE as TROUBLE_STATES
from desktop.ui.tray.chat_apps import ChatApps
from desktop.ui.tray.window_presence import WindowPresence

if TYPE_CHECKING:
    from desktop.api.requests import Request
    from desktop.inbox.presenter import Presenter
    from desktop.usage import Spent

type Json = dict[str, Any]

_RECENT = 3


class TrayPresence(QObject):
    """One for the program; begin() once the core is up."""

    def __init__(
        self,
        program: Program,
        reporter: ErrorReporter,
        window: MainWindow,
        library: Library,
        presence: WindowPresence,
        file: StateFile,
        doing: ActivityMarks,
    ) -> None:
        super().__init__(window)
        self._program, self._reporter, self._window = program, reporter, window
        self._library, self._presence = library, presence
        self.quick = Quick(program, reporter, file, self)
        self.shortcut = Shortcut(self)
        self._chat_apps = ChatApps(program, reporter, presence.tray)
        self._doing = doing
        library.elsewhere = lambda: self.quick.in_front
        self._troubled: set[str] = set()
        self._met: set[str] = set()
        """Questions that the person had before their eyes, in a window that is still there."""
        self._presenter: Presenter | None = None
        program.front = self
        self._open, self._asked = 0, False
        """How many notices wait, and whether one of them is a question of permission."""
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._read)
        self._connect()

    def _connect(self) -> None:
        tray, quick = self._presence.tray, self.quick
        tray.quick_wanted.connect(quick.open)
        tray.inbox_wanted.connect(self._show_inbox)
        tray.conversation_wanted.connect(self.show_conversation)
        tray.pause_wanted.connect(self._pause)
        tray.notice_wanted.connect(self._chosen)
        quick.onward.connect(self._onward)
        quick.went.connect(self._looked_away)
        quick.came.connect(self._library.seen)
        self._doing.changed.connect(self._show_state)
        self._presence.left.connect(self._looked_away)
        self.shortcut.pressed.connect(quick.toggle)
        bus = self._program.bus
        for kind in (TurnFinished, TurnFailed, UsageRecorded, InboxChanged):
            bus.on(kind, lambda _event: self._soon.start())
        bus.on(NoticeOpened, self._opened)
        bus.on(ServiceChanged, self._service)
        bus.on(SettingsChanged, lambda _event: self._obey())

    def begin(self) -> None:
        """Obey the settings, and show notices also where the desktop does not."""
        self._reporter.run(self._hear_of_notices(), name="outside:notices")
        self._obey()
        self._chat_apps.begin()
        self._soon.start()

    def close(self) -> None:
        """The program ends."""
        self.shortcut.close()
        if self.quick.window is not None:
            self.quick.window.hide()

    # ---- what happens

    def _obey(self) -> None:
        self._reporter.run(self._apply(), name="outside:settings")

    def _service(self, event: ServiceChanged) -> None:
        if event.state in TROUBLE_STATES:
            self._troubled.add(event.name)
        else:
            self._troubled.discard(event.name)
        self._show_state()

    def _show_state(self) -> None:
        state = IDLE
        if self._troubled:
            state = TROUBLE
        elif self._asked:
            state = NEEDS_YOU
        elif self._doing.busy:
            state = WORKING
        self._presence.tray.show_state(state, self._open)

    # ---- the tray's menu

    def _read(self) -> None:
        self._reporter.run(self._refresh(), name="outside:read")

    async def _refresh(self) -> None:
        """What the menu tells: the last conversations, and what today has cost."""
        tray = self._presence.tray
        found = await self._program.api.inbox.list(kind=APPROVAL, limit=1)
        self._open, self._asked = found.open, bool(found.notices)
        self._show_state()
        tray.show_recent(self._library.recent(_RECENT))
        tray.show_spend(_spent(await self._program.api.usage.today()))

    async def _apply(self) -> None:
        values = (await self._program.api.settings.all()).values
        self._presence.use_tray(bool(values.get("presence.tray", True)))
        self._presence.tray.show_paused(bool(values.get("presence.paused", False)))
        self.shortcut.use(str(values.get("presence.shortcut") or ""))
        self.quick.assistant = str(values.get("agents.defaults.bot_name") or "")
        if autostart.supported():
            wanted = bool(values.get("presence.login", False))
            await in_thread(lambda: autostart.set_up(wanted=wanted))
        await in_thread(link_handler.set_up)

    def _pause(self, paused: bool) -> None:
        change = {"presence.paused": paused}
        self._reporter.run(self._program.api.settings.change(change), name="outside:pause")

    def _show_inbox(self) -> None:
        self._window.present()
        if not self._window.inbox.isVisible():
            self._window.toggle_inbox()

    def show_conversation(self, key: str, turn: str = "") -> None:
        """Come to the front, with a conversation where one is named."""
        self._window.present()
        if key:
            self._library.open(key, turn)

    def _onward(self, key: str, draft: str) -> None:
        self._window.present()
        self._library.go_on(key, draft)

    # ---- notices

    async def _hear_of_notices(self) -> None:
        presenter = self._presenter = await self._program.presenter()
        presenter.fallback = self._say
        presenter.attended = self._attended
        presenter.away = lambda notice: not self._attended(notice)
        presenter.start()

    def _attended(self, notice: Notice) -> bool:
        """Whether the person need not be told: that an answer came where the window is in front, anything
        else where its conversation is before their eyes; a question also where it was, and still stands
        there."""
        if bool(notice.session) and notice.session == self.quick.in_front:
            here = True
        elif notice.kind == ANSWER:
            here = self._window.in_front
        else:
            here = self._window.in_front and notice.session == self._library.key
        if here and notice.kind == APPROVAL:
            self._met.add(notice.id)
        return here or notice.id in self._met

    def _looked_away(self) -> None:
        """A window was closed or minimised: the questions that stood there are to be told."""
        self._met.clear()
        if self._presenter is not None:
            self._presenter.look()

    def _opened(self, event: NoticeOpened) -> None:
        if event.notice.startswith(DIGEST):
            self._show_inbox()
        elif event.reply:
            self.quick.open(session=event.session)
        else:
            self.show_conversation(event.session, event.turn)

    def _say(self, toast: Toast) -> bool:
        """Show a notice at the tray's icon, where the desktop has no notifications of its own."""
        return self._presence.tray.show_notice(toast.notice, toast.title, toast.body)

    def _chosen(self, notice: str) -> None:
        """What was shown at the icon was clicked."""
        if notice:
            self._reporter.run(self._open_notice(notice), name="outside:notice")

    async def _open_notice(self, notice: str) -> None:
        if notice.startswith(DIGEST):
            self._show_inbox()
            return
        place = await self._program.api.inbox.open(notice)
        self.show_conversation(place.session, place.turn)

    # ---- what others ask of the window

    def requests(self) -> "dict[str, Request]":
        """What the window alone can do."""
        return {"show": self._show, "quick": self._quick}

    async def _show(self, arguments: Json) -> Json:
        """Come to the front, with a conversation (`session`) where one is named."""
        self.show_conversation(str(arguments.get("session") or ""))
        return {}

    async def _quick(self, arguments: Json) -> Json:
        self.quick.open_with(str(arguments.get("source") or ""))
        return {}

    async def reach(self) -> Sequence[Reach]:
        """What of tray, shortcut and notifications works here. Raises AppError."""
        shortcut, tray = self.shortcut.state, self._presence.tray.present
        how = await (await self._program.presenter()).reach()
        no_tray = _("This desktop has no tray, so closing the window minimizes it.")
        told = how.missing or _("Notifications are shown on screen.")
        found = (
            Reach(_("The shortcut works."), True)
            if shortcut.held
            else Reach(shortcut.text, False, shortcut.remedy),
            Reach(_("The tray icon is shown.") if tray else no_tray, tray),
            Reach(told, how.way == "daemon", notifies=True),
        )
        return [one for one in found if one.text]


def _spent(today: "Spent") -> str:
    """Today's cost, for the menu."""
    if today.unpriced:
        return _("Today: {tokens} tokens").format(tokens=f"{today.tokens:,}")
    return _("Today: ${usd}").format(usd=f"{today.usd:.2f}")
