"""What the open conversation has cost since it began, over it: read when that may have changed."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from desktop.bus.events import UsageRecorded
from desktop.text import _, ngettext
from desktop.ui.actions import Actions
from desktop.ui.conversation.controller import Controller
from desktop.ui.conversation.header.header import Header
from desktop.ui.error_reporter import ErrorReporter
from desktop.ui.widgets.latest import Latest
from desktop.ui.words import spoken

if TYPE_CHECKING:
    from desktop.api.usage import Cost

_MODELS = 5
"""Models that are named; those used most."""


class CostReader(QObject):
    """One for the window; begin() once the core is up."""

    def __init__(self, actions: Actions, reporter: ErrorReporter, header: Header, talk: Controller) -> None:
        super().__init__(header)
        self._actions, self._header, self._talk = actions, header, talk
        self._figures: Cost | None = None
        self._begun = False
        self._latest = Latest(self._read, partial(reporter.run, name="cost:read"))
        actions.bus.on(UsageRecorded, self._recorded)

    def begin(self) -> None:
        """The program is up, and nobody waits for it any more."""
        self._begun = True
        self._talk.opened.connect(self.refresh)
        spoken(self._say)
        self.refresh()

    def _recorded(self, event: UsageRecorded) -> None:
        if event.session == self._talk.key:
            self.refresh()

    def refresh(self) -> None:
        """Read it anew."""
        if not self._talk.key:
            self._show(None)
        elif self._begun:
            self._latest.want()

    async def _read(self) -> None:
        key = self._talk.key
        found = await self._actions.api.usage.cost(key) if key else None
        if key == self._talk.key:
            self._show(found)

    def _show(self, found: "Cost | None") -> None:
        self._figures = found
        self._say()

    def _say(self) -> None:
        found = self._figures
        if found is None or not found.tokens:
            self._header.show_cost("", "")
            return
        from desktop.ui.panels.usage.words import cached, cost, short, thought, tokens, told, unknown

        words = f"{tokens(found.tokens)} · {cost(found)}{' +' if unknown(found) else ''}"
        lines = [
            _("This conversation so far: {figures}").format(figures=told(found)),
            _("Input {input}, output {output} tokens").format(
                input=short(found.input_tokens), output=short(found.output_tokens)
            ),
        ]
        lines += filter(None, (cached(found), thought(found)))
        lines += [f"{line.title}: {tokens(line.tokens)} · {cost(line)}" for line in found.models[:_MODELS]]
        if (more := len(found.models) - _MODELS) > 0:
            lines.append(ngettext("and {count} more", "and {count} more", more).format(count=more))
        self._header.show_cost(words, "\n".join(lines))
