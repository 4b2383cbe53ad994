"""Kills while chats are received and answered: what the services were told of is stored, what is stored is
answered or said to be cut off, and comes twice only where the service cannot tell a second try.

`serve` is killed at random moments while people write over all apps, and now and then every connection of
an app is cut; the servers of this machine and the model outlive it. In the end each message that its
service need not send again is in its conversation, once, and its chat has an answer; each answer in a chat
stands in the log. Where a service takes what is sent twice for two messages, those that were on their way
when the kill came are counted, and not taken for lost.
"""

import re
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

from tests.channels.app import PEOPLE, App
from tests.channels.apps import apps, let_in
from tests.soak import killing
from tests.soak.killing import Scene, Soak

_NOTE = re.compile(r"Note (\d+)\.")
_CUT_OFF = "closed before it could answer"
_END_S = 180.0


class _Channels(Soak):
    """A few people write in every round."""

    what = "while chats are received and answered"

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.apps = apps(self.stack)
        self.written: dict[int, App] = {}
        self.cuts = 0

    def prepare(self) -> None:
        """Everybody may write, as often as they like; the model says what it was asked."""
        self.program.use_server(self.server.url, "echo")
        let_in(self.program, self.apps)
        with self.program.started("serve", "--json"):
            self._until(self._listening)
            for (
                app
            ) in self.apps:  # all know each other from now on, also those that only ask for whom they know
                for person in range(PEOPLE):
                    self._write(app, person)
            self._until(self._at_rest)
            self.works("quit")

    def _listening(self) -> bool:
        told = self.program.run("channels", "status", "--json").stdout
        return told.count('"running"') == len(self.apps)

    def round(self, number: int) -> None:
        """Some of them write, before or while it starts, and it is killed."""
        with self.killed("serve", "--json") as (_process, lines):
            if self.chance.random() < 0.7:
                lines.until("serving")
            for _message in range(self.chance.randint(1, 4)):
                self._write(self.chance.choice(self.apps), self.chance.randrange(PEOPLE))
            if self.chance.random() < 0.2:
                self.cuts += 1
                self.chance.choice(self.apps).cut()
            lines.follow(self.chance.uniform(0.05, 3.5))
            self.moments[self._moment()] += 1

    def _write(self, app: App, person: int) -> None:
        note = len(self.written) + 1
        self.written[note] = app
        app.write(f"Note {note}.", person)

    def _moment(self) -> str:
        rows: list[Any] = []
        with suppress(Exception):
            rows = self.rows("SELECT DISTINCT state FROM outbox WHERE state IN ('open', 'waiting')")
        return " and ".join(sorted(str(row["state"]) for row in rows)) or "at rest"

    def finish(self) -> str:
        """Nobody is killed any more."""
        with self.program.started("serve", "--json"):
            self._until(self._at_rest)
            self.works("quit")
        stored = self._stored()
        for number, app in self.written.items():
            self.expect(stored[number] == 1, f"{app.name}: Note {number} is stored {stored[number]} times")
        logged = "".join(str(record.get("content")) for record in self.records())
        told = [self._judge(app, logged) for app in self.apps]
        left = self.rows("SELECT key, state FROM outbox WHERE state NOT IN ('sent')")
        self.expect(not left, f"not sent: {[tuple(row) for row in left]}")
        return f"{len(self.written)} written, {self.cuts} cuts; " + "; ".join(told)

    def _stored(self) -> Counter[int]:
        """How often each note is in the logs."""
        return Counter(
            int(note)
            for record in self.records()
            if record.get("role") == "user"
            for note in _NOTE.findall(str(record.get("content")))
        )

    def _judge(self, app: App, logged: str) -> str:
        """What one app's people have; in short."""
        self.expect(not app.waiting(), f"{app.name}: not all was received")
        said = app.said()
        mine = {number for number, there in self.written.items() if there is app}
        answered = {int(note) for text in said for note in _NOTE.findall(text)}
        cut_off = sum(_CUT_OFF in text for text in said)
        self.expect(answered <= mine, f"{app.name}: {answered - mine} are of others")
        begun = {number for number in answered if logged.count(f"Note {number}.") < 2}
        without = (mine - answered) | begun  # shown, but not noted as shown when the kill came
        self.expect(
            len(without) <= cut_off,
            f"{app.name}: {len(without)} without an answer in the log, {cut_off} told: {without}",
        )
        twice = sum(n - 1 for text, n in Counter(said).items() if _CUT_OFF not in text)
        self.expect(not (twice and app.idempotent), f"{app.name}: {twice} came twice")
        done = f"{len(answered - begun)} answered, {len(begun)} begun, {cut_off} cut off, {twice} twice"
        return f"{app.name} {len(mine)}, {done}"

    def _at_rest(self) -> bool:
        """Whether all is stored and nothing is owed any more."""
        owed = self.rows("SELECT 1 FROM outbox WHERE state IN ('open', 'waiting')")
        waiting = sum(app.waiting() for app in self.apps)
        return not (owed or waiting) and len(self._stored()) == len(self.written)

    @staticmethod
    def _until(holds: Callable[[], bool]) -> None:
        end = time.monotonic() + _END_S
        while not holds() and time.monotonic() < end:
            time.sleep(0.3)


def run(chance: Random, rounds: int) -> list[str]:
    """So many kills; what was lost."""
    return killing.run(_Channels, chance, rounds)
