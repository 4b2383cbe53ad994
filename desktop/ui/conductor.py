"""What connects the window's parts with one another and the core, from the first picture to the end."""

import asyncio
import gc
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from desktop import crashes, logs
from desktop.bus.events import MemoryChanged, QuitWaits, ServiceChanged
from desktop.errors import AppError, explain
from desktop.paths import Home
from desktop.tasks import cancel, in_thread, spawn
from desktop.text import _
from desktop.ui.application import App
from desktop.ui.conversation.conversation_actions import ConversationActions
from desktop.ui.conversation.empty import EmptyState
from desktop.ui.conversation.foot.context_reader import ContextReader
from desktop.ui.conversation.foot.permission_mode import PermissionMode
from desktop.ui.conversation.header.cost_reader import CostReader
from desktop.ui.conversation.header.effort import ReasoningChoice
from desktop.ui.conversation.header.own_models import OwnModels
from desktop.ui.conversation.header.provider_state import ProviderStates
from desktop.ui.conversation.live import MODELS
from desktop.ui.conversation.temporary import Temporary
from desktop.ui.conversation.text import markdown
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.first_run.setup import Setup
from desktop.ui.help.opener import HelpOpener
from desktop.ui.link_opener import LinkOpener
from desktop.ui.main_window import MainWindow
from desktop.ui.palette.commands import Commands
from desktop.ui.panels.inbox.pending import PendingQuestions
from desktop.ui.program import RESTART, Greeting, Own, Program
from desktop.ui.sidebar.activity_marks import ActivityMarks
from desktop.ui.sidebar.finder import Finder
from desktop.ui.sidebar.library import Library
from desktop.ui.sidebar.row_actions import RowActions
from desktop.ui.sidebar.rows import Rows
from desktop.ui.state import StateFile
from desktop.ui.theme.theme import load_later_fonts
from desktop.ui.trace import Ticker, note
from desktop.ui.tray.tray_presence import TrayPresence
from desktop.ui.tray.window_presence import WindowPresence
from desktop.ui.upgrade import Upgrade

if TYPE_CHECKING:
    from desktop.api.models import AnsweringModel, ModelLine

type Json = dict[str, Any]

_END_S = 2.0
_PREPARE_AGAIN_S = 30.0
_PATIENCE_S = 3.0


class Conductor(QObject):
    """One for the program; begin() once the event loop is attached."""

    def __init__(
        self,
        app: QApplication,
        window: MainWindow,
        file: StateFile,
        rows: Rows,
        place: Home,
        own: Own,
    ) -> None:
        super().__init__(app)
        self._app, self._window, self._file, self._place = app, window, file, place
        self._quitting = asyncio.Event()
        self._reporter = ErrorReporter(self)
        self._program = Program(own)
        self._prepared = 0.0
        self._wanted: Greeting | None = None
        """What this window is to do, or one that has this home already."""
        load_later_fonts()
        pane = self._pane = window.pane
        pane.begin(self._program, self._reporter, file, self._undoable)
        self.talk = pane.talk
        self._empty = EmptyState()
        pane.view.set_empty_widget(self._empty)
        self._setup = Setup(self._program, self._reporter, window, pane)
        self.library = Library(self._program, self._reporter, window, rows, file, self.talk)
        actions = RowActions(self._program, self._reporter, window, rows, self.library)
        kept = (self.library, actions)
        self._reading = ConversationActions(
            self._program, self._reporter, window, pane.view, *kept, self.talk
        )
        self._temporary = Temporary(self._program, self._reporter, window, self.library, self.talk, file)
        self._reasoning = ReasoningChoice(self._program, self._reporter, window.header.reasoning, self.talk)
        self._costing = CostReader(self._program, self._reporter, window.header, self.talk)
        self._answering = PendingQuestions(
            self._program, self._reporter, window, pane.view, self.talk.questions, self.library
        )
        self._permits = PermissionMode(self._program, self._reporter, self.talk, window.mode)
        self._fullness = ContextReader(self._program, self._reporter, window, self.talk)
        self._finder = Finder(self._program, self._reporter, rows, window)
        self._presence = WindowPresence(window, file)
        self._health = ProviderStates(self._program.bus, window.header, lambda: self.talk.key, self)
        self._doing = ActivityMarks(self._program.bus, rows, self.talk.questions, self)
        self._outside = TrayPresence(
            self._program, self._reporter, window, self.library, self._presence, file, self._doing
        )
        parts = (*kept, pane.drafts, self._setup, self._outside)
        self._commands = Commands(self._program, self._reporter, window, rows, *parts)
        self._help = HelpOpener(window)
        self._upgrade = Upgrade(self._program, self._reporter, pane, self.quit)
        self._ticker = Ticker.wanted(self)

    def begin(self, wanted: Greeting | None, *, hidden: bool) -> None:
        """Start the program behind the window. `wanted`: what it is to do besides; it is asked of another
        window that has this home. `hidden`: it is wanted in the tray."""
        loop = asyncio.get_running_loop()
        self._reporter.install(loop)
        self._connect()
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            with suppress(NotImplementedError, AttributeError):
                loop.add_signal_handler(getattr(signal, name), self.quit)
        if hidden:
            self._presence.begin_hidden()
        self._wanted = wanted
        if wanted is not None and wanted[0] == "quick":
            self._outside.quick.open_with(str(wanted[1].get("source") or ""))
        spawn(self._life(), name="window")

    def asked(self, greeting: Greeting) -> None:
        """What the desktop wants of the window that is there."""
        name, arguments = greeting
        if name == "link" and isinstance(self._app, App):
            self._app.links.take(str(arguments["link"]))
        elif name == "quick":
            self._outside.quick.open_with("")
        else:
            self._window.present()

    def quit(self) -> None:
        """End the program: its window at once, everything behind it in order."""
        self._quitting.set()

    # ---- the life of the program

    async def _life(self) -> None:
        listener = await in_thread(logs.start, self._place.logs)
        start = spawn(self._started(), name="window:start")
        quitting = spawn(self._quitting.wait(), name="window:quitting")
        try:
            await asyncio.wait({start, quitting}, return_when=asyncio.FIRST_COMPLETED)
            if start.done() and start.result():
                await quitting
        finally:
            try:
                await self._end(start, quitting)
            finally:
                await in_thread(logs.stop, listener)
                await in_thread(crashes.ended)
                await in_thread(_finish_wipe, self._place)
                note("ended")
                self._app.exit(RESTART if self._upgrade.restarts else 0)

    async def _end(self, start: asyncio.Task[bool], quitting: asyncio.Task[object]) -> None:
        started = not start.done() or start.cancelled() or bool(start.exception()) or start.result()
        if started:  # else another window has this home, and its file
            self._window.remember(self._file.state)
            self._file.write()
        self._window.hide()
        self._outside.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(_END_S):
                await cancel(start, quitting)
                await self._program.stop()
        if started:
            self._file.write()  # what was being sent is stored now, or a draft

    async def _started(self) -> bool:
        """Bring the core up; False where another window has this home. A failure is shown, and waits."""
        timers: list[asyncio.TimerHandle] = []

        def waits() -> None:
            timers.append(asyncio.get_running_loop().call_later(_PATIENCE_S, self._say_waiting))

        try:
            answers = {**self._outside.requests(), **self._links.requests()}
            if not await self._program.start(self._place, answers, waits, self._wanted, self.quit):
                return False
        except Exception as error:
            told = explain(error)
            self._reporter.tell(error)
            self._window.present()  # also where it was to begin in the tray
            self._window.notice.tell(told.text, told.remedy, actions=((_("Quit"), self.quit),))
            return True
        finally:
            for timer in timers:
                timer.cancel()
        self._window.notice.hide()
        self._own_models.begin()
        self.library.begin()
        self._answering.begin()
        self._setup.check()
        self._reporter.run(self._tell_of_problems(), name="window:problems")
        note("ready")
        self._outside.begin()
        if self._wanted is not None and self._wanted[0] == "link":
            await self._links.open(self._wanted[1])
        if isinstance(self._app, App):
            self._app.links.open_with(self._open_link)
        await self._settle()
        self._fullness.begin()
        self._costing.begin()
        self._pane.dictation.look()
        self._upgrade.begin()
        self._setup.look_for_damage()
        return True

    async def _tell_of_problems(self) -> None:
        """Settings that cannot be used are said at the start: the last good ones are in their place."""
        problems = (await self._program.api.program.opening()).problems
        if problems:
            text = "\n".join(problem.text for problem in problems)
            self._pane.tell(text, problems[0].remedy, "warning")
        elif await self._program.api.crashes.news():
            self._pane.tell(
                _("Nanobot crashed the last time it ran."),
                _("The report about it is on this computer, and is not sent anywhere."),
                "warning",
                ((_("View report"), lambda: self._settings("repair")),),
            )

    def _say_waiting(self) -> None:
        self._window.notice.tell(
            _("Nanobot is running in a terminal."),
            _("This window continues once the answer there is done."),
            tone="info",
        )

    async def _settle(self) -> None:
        """While nobody has asked yet: load what reads answers, and set aside what the garbage collector
        need not look at ever again, a pause that would come in mid-answer otherwise. It does not look at it
        one last time either: that alone is a pause of 60 ms, for some hundred objects."""
        if self._window.isVisible():
            await in_thread(markdown.load)
            self._window.composer.warm()
            await self._program.api.tools.list()  # their imports would fall into the first answer
        gc.freeze()

    def _service_changed(self, event: ServiceChanged) -> None:
        if event.name in MODELS:
            self._window.header.show_service(event.name, event.state, event.detail)

    def _quit_waits(self, event: QuitWaits) -> None:
        if event.waits and self._upgrade.waits:
            self._window.notice.tell(
                _("Nanobot restarts once its answers are done."),
                tone="info",
                actions=((_("Restart now"), self._upgrade.now),),
            )
        elif event.waits:
            self._window.notice.tell(
                _("Nanobot quits once its answers are done."),
                _("An installer or the command “quit” has asked for it."),
                tone="info",
                actions=((_("Quit now"), self.quit),),
            )
        else:
            self._window.notice.hide()

    def _remembered(self, event: MemoryChanged) -> None:
        if event.told:
            self._pane.tell(event.told)

    # ---- who hears whom

    def _connect(self) -> None:
        window, talk = self._window, self.talk
        self._program.bus.on(ServiceChanged, self._service_changed)
        self._program.bus.on(MemoryChanged, self._remembered)
        self._program.bus.on(QuitWaits, self._quit_waits)
        inner = (self.library, self._outside.quick, self._setup)
        self._links = LinkOpener(self._program, self._reporter, window, *inner)
        self._own_models = OwnModels(self._program, self._reporter, window, self._presence)
        window.quit_wanted.connect(self.quit)
        window.help_wanted.connect(self._help.open)
        window.sidebar.settings_wanted.connect(self._settings)
        window.sidebar.looked_for.connect(self._finder.look_for)
        window.header.settings_wanted.connect(self._settings)
        window.header.model_menu_wanted.connect(self._model_menu)
        window.header.model_chosen.connect(talk.choose_model)
        window.mode.settings_wanted.connect(lambda: self._settings("permissions"))
        window.composer.first_key.connect(self._prepare)
        self._empty.suggested.connect(self._suggest)
        talk.revisions.forked.connect(lambda key: self.library.go_on(key, ""))
        talk.model_known.connect(self._model_known)
        talk.noted.connect(window.note)
        talk.settings_wanted.connect(self._mend)
        self._setup.changed.connect(self.library.settings_changed)
        self._setup.help_wanted.connect(self._help.open)
        self._setup.wiped.connect(self.quit)
        self._setup.answered.connect(window.composer.setFocus)
        self._reporter.told.connect(self._pane.tell)
        self._presence.noticed.connect(self.library.seen)
        self._outside.quick.first_key.connect(self._prepare)
        self._outside.quick.settings_wanted.connect(self._mend)
        tray = self._presence.tray
        tray.new_wanted.connect(self._new)
        tray.settings_wanted.connect(self._settings)
        tray.help_wanted.connect(self._help.open)
        tray.quit_wanted.connect(self.quit)

    def _undoable(self, text: str, words: str, undo: Callable[[], object]) -> None:
        self._window.toast.say(text, words, undo, undoes=True)

    def _suggest(self, text: str) -> None:
        self._window.composer.show_draft(text)
        self._window.composer.setFocus()
        self._prepare()

    def _prepare(self) -> None:
        """Wake the model: somebody is about to ask. Where none was chosen yet, there is none to wake."""
        if self._setup.complete and time.monotonic() - self._prepared > _PREPARE_AGAIN_S:
            self._prepared = time.monotonic()
            spawn(self._wake(), name="window:prepare")

    async def _wake(self) -> None:
        with suppress(AppError):  # the question itself will say what is wrong
            await self._program.api.models.prepare(self.talk.key)

    def _model_known(self, found: "AnsweringModel") -> None:
        self._window.header.show_model(found.line.title, found.line.provider)
        self._chosen = found.line if found.chosen else None

    _chosen: "ModelLine | None" = None

    def _model_menu(self) -> None:
        self._reporter.run(self._show_models(), name="window:models")

    async def _show_models(self) -> None:
        api = self._program.api
        found, better = await api.models.choices(), await api.local.better()
        self._window.header.show_models(found, self._chosen, better)

    def _open_link(self, link: str) -> None:
        self._reporter.run(self._links.open({"link": link}), name="window:link")

    def _settings(self, page: str = "") -> None:
        self._window.present()
        self._setup.open(page)

    def _mend(self) -> None:
        self._window.present()
        self._setup.mend()

    def _new(self) -> None:
        self._window.present()
        self.library.new()


def _finish_wipe(home: Home) -> None:
    """Delete everything where the person wanted that."""
    if (home.root / ".wipe").exists():
        from desktop.api.privacy import finish_wipe

        finish_wipe(home)
