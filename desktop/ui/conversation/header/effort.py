"""How much the model of the open conversation shall think: read for it, stored for it."""

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from desktop.ui.actions import Actions
from desktop.ui.conversation.controller import Controller
from desktop.ui.conversation.header.reasoning import ReasoningButton
from desktop.ui.error_reporter import ErrorReporter

if TYPE_CHECKING:
    from desktop.api.models import Reasoning


class ReasoningChoice(QObject):
    """Keeps the button at what holds for the open conversation."""

    def __init__(
        self, actions: Actions, reporter: ErrorReporter, button: ReasoningButton, talk: Controller
    ) -> None:
        super().__init__(button)
        self._actions, self._reporter, self._button, self._talk = actions, reporter, button, talk
        button.chosen.connect(self._chosen)
        talk.model_known.connect(self._look)
        talk.spoken_in.connect(self._said)

    def _said(self, key: str, rests: bool) -> None:
        """What was said may have been a choice, and an answer may have taught what the model takes."""
        if rests and key == self._talk.key:
            self._look()

    def _look(self) -> None:
        self._reporter.run(self._read(), name="conversation:reasoning")

    def _chosen(self, level: str) -> None:
        self._reporter.run(self._store(level), name="conversation:reasoning")

    async def _read(self) -> None:
        key, new = self._talk.key, self._talk.for_new
        model, provider = new.model or ("", "")
        api, level = self._actions.api.models, new.reasoning or ""
        self._show(key, await api.reasoning(key, model=model, provider=provider, level=level))

    async def _store(self, level: str) -> None:
        if not (key := self._talk.key):  # it is stored with the first message
            self._talk.for_new = replace(self._talk.for_new, reasoning=level)
            await self._read()
            return
        self._show(key, await self._actions.api.models.choose_reasoning(key, level))

    def _show(self, key: str, found: "Reasoning") -> None:
        if key == self._talk.key:
            self._button.tell(found)
