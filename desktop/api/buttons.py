"""What the buttons of a notification do.

Where its conversation has to be shown, the front end is told by an event.
"""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from desktop.api.reply import Reply
from desktop.bus.bus import Bus
from desktop.bus.events import NoticeOpened
from desktop.inbox.inbox import Inbox, Notice
from desktop.tasks import spawn

if TYPE_CHECKING:
    from desktop.api.inbox import Notices
    from desktop.api.questions import Questions
    from desktop.cron.service import Scheduler


class Buttons:
    """Acts on the inbox."""

    def __init__(
        self,
        inbox: Inbox,
        bus: Bus,
        notices: "Callable[[], Notices]",
        questions: "Callable[[], Questions]",
        jobs: "Callable[[], Scheduler]",
    ) -> None:
        self._inbox, self._bus, self._jobs = inbox, bus, jobs
        self._notices, self._questions = notices, questions

    def acted(self, notice: str, action: str, text: str) -> None:
        """A button of a notification, or the notification itself, was chosen."""
        spawn(self._acted(notice, action, text), name=f"notice:{action}")

    async def _acted(self, id_: str, action: str, text: str) -> None:
        notice, inbox = await self._inbox.get(id_), self._notices()
        if action == "dismissed":
            return
        if notice is None:  # it stood for several
            self._bus.publish(NoticeOpened(id_))
            return
        if action == "done":
            await inbox.dismiss(id_)
        elif action == "snooze":
            await inbox.snooze(id_)
        elif action == "reply" and text.strip():
            await inbox.reply(id_, text)
        elif action in ("do", "skip"):
            await self._jobs().answer(str(notice.body.get("run")), action == "do")
        elif action in ("approve", "deny"):
            reply = Reply(action == "approve", network=_asks_for_network(notice))
            await self._questions().answer(id_, reply)
        else:
            await inbox.open(id_)
            opened = NoticeOpened(id_, notice.session, notice.turn, action == "reply")
            self._bus.publish(opened)


def _asks_for_network(notice: Notice) -> bool:
    """Whether the call wants the network, which its card says where it can be answered on the screen."""
    try:
        given = json.loads(str(notice.body.get("arguments") or "{}"))
    except ValueError:
        return False
    return isinstance(given, dict) and given.get("network") is True
