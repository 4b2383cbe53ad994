"""How far a long command is: on stderr, out of the way of what it prints."""

import sys
from collections.abc import AsyncIterator, Mapping

from desktop.cli.output import hint, passing
from desktop.cli.reach import ended
from desktop.pace import Advanced


class Progress:
    """A line that rewrites itself on a terminal, and a line for each tenth elsewhere."""

    def __init__(self, words: Mapping[str, str]) -> None:
        """`words`: what is under way, by the `what` of the reports."""
        self._words = words
        self._last = ("", -1)
        self._shown = False

    async def follow[End](self, work: AsyncIterator[Advanced | End]) -> End:
        """Show how far work is; what it comes to. Raises AppError."""
        end: End | None = None
        async for event in work:
            if isinstance(event, Advanced):
                self.show(event.what, event.done, event.total)
            else:
                end = event
        self.clear()
        return ended(end)

    def show(self, what: str, done: int, total: int) -> None:
        """Take one report."""
        percent = 100 * done // total if total else 100
        live = sys.stderr.isatty()
        step = percent if live else percent // 10 * 10
        at_once = step == 100 and self._last[0] != what
        if (what, step) == self._last or (not live and (at_once or not step)):
            return
        self._last = (what, step)
        doing = self._words.get(what, what)
        if live:
            passing(f"{doing}… {step} %")
            self._shown = True
        else:
            hint(f"{doing}… {step} %")

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            self._shown = False
            passing("")
