"""Kills around due moments: no reminder is lost, and none comes twice but where the kill made that unknown.

`serve` keeps reminders and jobs that are due a moment after they were made, and is killed around those
moments; the notification daemon and the model server outlive it. In the end each due moment has one notice,
each notice was shown, a second time only if the program died between the call to the daemon and its reply
(the daemon's history counts the showings, state.db names the notices), no job's run asked the model twice,
and a run that was cut off is told of.
"""

import asyncio
import json
import os
import re
import signal
import subprocess
import threading
import time
from collections import Counter
from dataclasses import dataclass
from random import Random

from desktop.api.client import Api
from desktop.api.jobs import JobLine
from desktop.api.remote import Remote
from desktop.cron.wanted import Wanted
from desktop.errors import AppError
from desktop.ipc.connection import NoOwnerError
from desktop.paths import Home
from tests.desktop.daemon import Daemon, Shown
from tests.desktop.session import nested_session
from tests.desktop.window import until
from tests.soak import killing
from tests.soak.killing import Json, Lines, Scene, Soak
from tests.stories.program import read_event

_WAIT_S, _END_S = 60, 2.0
_TICK_S = 2.0
_EVERY_NTH_WORKS = 5
_TALK = "cli:direct"
_WORK = re.compile(r"Do the work (\d+)\.")


@dataclass
class Planned:
    """A job that the program was told of. `id` is empty until it acknowledged it."""

    name: str
    moment: float
    plain: bool = True
    talks: bool = False
    """Whether it comes from a conversation, which gets it too."""
    id: str = ""

    @property
    def told(self) -> Wanted:
        message = f"Text of {self.name}" if self.plain else f"Do the {self.name}."
        session = _TALK if self.talks else None
        return Wanted(name=self.name, message=message, plain=self.plain, at=self.moment, session=session)


class _Due(Soak):
    """Reminders in every round, a job for the model in some, and one at an interval all the time."""

    what = "around due moments"

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.api = Api(Remote(Home(self.program.home, self.program.home / "models")))
        self.planned: list[Planned] = []
        self.tick: JobLine | None = None
        self.unsure: Counter[str] = Counter()
        """Notices that were being handed over when the program was killed."""

    def prepare(self) -> None:
        """A notification daemon that outlives every kill, in a session of its own."""
        environment = self.stack.enter_context(nested_session("--screen", "none", "--secrets", "missing"))
        folder = self.program.home.parent
        self.daemon = self.stack.enter_context(Daemon(folder, environment=environment))
        self.program.environment = environment
        self.program.use_server(self.server.url, "say:Done.")
        self.works("ask", "hello")

    def round(self, number: int) -> None:
        """Begin, plan something for the next moments, kill around one of them."""
        works = number % _EVERY_NTH_WORKS == 1
        with self.killed("serve", "--json") as (process, lines):
            if self.chance.random() < 0.15:
                lines.follow(self.chance.uniform(0.3, 0.9))
            elif lines.until("serving", seconds=_WAIT_S):
                self._serve(number, process, lines, works)
            else:
                self.lost.append(f"round {number}: it did not begin")
        self._look(number)

    def _serve(self, number: int, process: subprocess.Popen[str], lines: Lines, works: bool) -> None:
        if not self.tick:
            self._add_tick()
        now = time.time()
        new = [
            Planned(
                f"reminder {number}{letter}",
                round(now + self.chance.uniform(0.05, 0.6), 3),
                talks=self.chance.random() < 0.3,
            )
            for letter in "abc"[: self.chance.randint(1, 3)]
        ]
        if works:
            new.append(Planned(f"work {number}", round(now + self.chance.uniform(0, 0.2), 3), plain=False))
        self.planned += new
        adding = threading.Thread(target=lambda: asyncio.run(self._add(new)))
        adding.start()
        spread = self.chance.choice(((-0.03, 0.01), (0.0, 0.03), (0.01, 0.05), (0.0, 0.2)))
        after = (0.0, 2.5) if works and self.chance.random() < 0.8 else spread
        lines.follow(self.chance.choice(new).moment + self.chance.uniform(*after) - time.time())
        os.killpg(process.pid, signal.SIGKILL)
        adding.join(_WAIT_S)

    async def _add(self, new: list[Planned]) -> None:
        """Tell the program of them, until it is killed."""
        try:
            for planned in new:
                planned.id = (await self.api.jobs.add(planned.told)).id
        except (NoOwnerError, AppError):
            return

    def _add_tick(self) -> None:
        async def add() -> JobLine:
            return await self.api.jobs.add(Wanted(name="tick", message="Tick", plain=True, every=_TICK_S))

        self.tick = asyncio.run(add())

    async def _remove(self, job: str) -> None:
        await self.api.jobs.remove(job)

    # ---- what is stored

    def _look(self, number: int) -> None:
        """Where the kill fell, seen from what became of the round's first reminder."""
        name = f"reminder {number}a"
        handing = self.rows("SELECT id FROM inbox WHERE shown = 1 AND state = 'open'")
        self.unsure.update(row["id"] for row in handing)
        run = self.rows("SELECT outcome FROM runs WHERE name = ?", name)
        notice = self.rows("SELECT shown FROM inbox WHERE title = ?", name)
        if not any(planned.name == name for planned in self.planned):
            self.moments["start"] += 1
        elif not run:
            self.moments["before its claim"] += 1
        elif not notice:
            self.moments["claimed"] += 1
        else:
            self.moments[("in the inbox", "being handed over", "shown")[notice[0]["shown"]]] += 1

    # ---- the end

    def finish(self) -> str:
        """Go on without a kill until all is done, and look at everything.

        The tick is taken away once what the last kill cut off is taken up: a reminder whose job was deleted
        before that is not shown any more.
        """
        started = time.time()
        with self.program.started("serve", "--json", seconds=4 * _WAIT_S) as serving:
            read_event(serving, "serving")
            try:
                if self.tick:
                    until(lambda: not self._cut_off(started), "what was cut off is taken up", _WAIT_S)
                    asyncio.run(self._remove(self.tick.id))
                until(self._settled, "all that was due is done", _WAIT_S)
            except AssertionError as failure:
                self.lost.append(str(failure))
            began = time.monotonic()
            serving.terminate()
            serving.wait(_WAIT_S)
            took = time.monotonic() - began
        self.expect(took <= _END_S, f"SIGTERM ended it after {took:.1f} s")
        notices = [dict(row) for row in self.rows("SELECT * FROM inbox")]
        runs = [dict(row) for row in self.rows("SELECT * FROM runs")]
        for notice in notices:
            notice["body"] = json.loads(notice["body"])
        self._look_at_reminders(notices, runs)
        self._look_at_ticks(notices, runs)
        self._look_at_showings(notices)
        self._look_at_work(notices, runs)
        self._look_at_talk()
        return f"{len(self.planned)} of them"

    def _cut_off(self, before: float) -> bool:
        """Whether a run that was claimed before this moment is still open."""
        return bool(self.rows("SELECT 1 FROM runs WHERE outcome = 'running' AND claimed < ?", before))

    def _settled(self) -> bool:
        left = json.loads((self.workspace / "cron/jobs.json").read_text("utf-8"))["jobs"]
        return not (
            self.rows("SELECT 1 FROM runs WHERE outcome = 'running'")
            or self.rows("SELECT 1 FROM inbox WHERE shown < 2")
            or self.rows("SELECT 1 FROM deliveries")
            or any(job["enabled"] for job in left)
        )

    def _look_at_reminders(self, notices: list[Json], runs: list[Json]) -> None:
        """One run and one notice for each."""
        found = Counter(notice["title"] for notice in notices)
        ran = Counter(run["name"] for run in runs)
        for planned in self.planned:
            if planned.plain:
                allowed = {1} if planned.id else {0, 1}
                for what, times in (("notices", found[planned.name]), ("runs", ran[planned.name])):
                    self.expect(times in allowed, f"{planned.name} has {times} {what}")

    def _look_at_ticks(self, notices: list[Json], runs: list[Json]) -> None:
        """Each moment of the interval had its run, or was counted by the one that stood for it."""
        ticks = sorted((run for run in runs if run["name"] == "tick"), key=lambda run: run["planned"])
        assert self.tick is not None
        assert self.tick.next is not None
        first = self.tick.next
        expected = round((ticks[-1]["planned"] - first) / _TICK_S) + 1 if ticks else 0
        counted = sum(1 + run["missed"] for run in ticks)
        self.expect(counted == expected, f"{counted} of {expected} ticks are accounted for")
        told = Counter(notice["body"]["run"] for notice in notices if notice["title"] == "tick")
        # finish() may take the job away between the claim of its last run and the beginning of it.
        begun = [run for run in ticks if run is not ticks[-1] or run["outcome"] != "stopped"]
        each = told == Counter(run["id"] for run in begun)
        self.expect(each, f"{len(begun)} ticks had {told.total()} notices")
        print(f"{expected} ticks, {len(ticks)} of them run, the others missed", flush=True)

    def _look_at_showings(self, notices: list[Json]) -> None:
        """Each was shown; twice only if a kill left it open whether it was."""
        history = self.daemon.history
        own, digests = Counter(shown.title for shown in history), [s for s in history if _is_digest(s)]
        listed = Counter(line for shown in digests for line in shown.text.splitlines())
        twice = 0
        for title, group in _by_title(notices).items():
            handed = sum(notice["handed"] for notice in group)
            shown = own[title] + listed[f"• {title}"]
            more = any(re.search(r"and \d+ more", line) for line in listed)
            twice += max(0, shown - len(group))
            enough = more or shown >= len(group)
            self.expect(enough, f"{title!r} was shown {shown} times for {len(group)} notices")
            known = shown <= handed
            self.expect(known, f"{title!r} was handed over {handed} times, and shown {shown} times")
            for notice in group:
                unsure = self.unsure[notice["id"]]
                self.expect(
                    1 <= notice["handed"] <= 1 + unsure,
                    f"{notice['id']} was handed over {notice['handed']} times; "
                    f"{unsure} kills fell between call and reply",
                )
        print(
            f"{len(notices)} notices, {len(history)} showings ({len(digests)} of them for several); "
            f"{self.unsure.total()} kills between call and reply, {twice} second showings",
            flush=True,
        )

    def _look_at_work(self, notices: list[Json], runs: list[Json]) -> None:
        """The model was asked once for a job, or never where its run was cut off before; that is told."""
        asked: Counter[str] = Counter()
        for seen in self.server.requests:
            last = str(seen.body["messages"][-1].get("content"))
            if found := _WORK.match(last):
                asked[f"work {found[1]}"] += 1
        ids = {notice["id"] for notice in notices}
        outcomes: Counter[str] = Counter()
        for planned in (planned for planned in self.planned if not planned.plain):
            own = [run for run in runs if run["name"] == planned.name]
            right = len(own) == 1 or not (own or planned.id)
            self.expect(right, f"{planned.name} has {len(own)} runs")
            for run in own:
                outcomes[run["outcome"]] += 1
                self._look_at_run(run, asked[planned.name], ids)
        print(f"{outcomes.total()} runs of jobs for the model: {dict(outcomes)}", flush=True)

    def _look_at_run(self, run: Json, asked: int, notices: set[str]) -> None:
        path = self.workspace / f"sessions/cron%3A{run['job']}.jsonl"
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        begun = sum(line.get("role") == "user" and line.get("_turn") == run["id"] for line in lines)
        once = begun == 1 and asked <= 1
        self.expect(once, f"{run['name']} was begun {begun} times, and asked the model {asked} times")
        if run["outcome"] == "ok" and (asked != 1 or f"run:{run['id']}" not in notices):
            self.lost.append(f"{run['name']} is told to be done; it asked {asked} times")
        elif run["outcome"] == "interrupted" and f"interrupted:{run['id']}" not in notices:
            self.lost.append(f"{run['name']} was cut off, and nobody was told")
        elif run["outcome"] not in ("ok", "interrupted"):
            self.lost.append(f"{run['name']} ended as {run['outcome']}: {run['detail']}")

    def _look_at_talk(self) -> None:
        """The conversation of a reminder has it once."""
        said = Counter(text for role, text in self.program.said(_TALK) if role == "assistant")
        for planned in self.planned:
            times = sum(count for text, count in said.items() if str(planned.told.message) in text)
            if times != planned.talks and planned.id:
                self.lost.append(f"{planned.name} is {times} times in its conversation")


def _is_digest(shown: Shown) -> bool:
    return shown.text.startswith("• ")


def _by_title(notices: list[Json]) -> dict[str, list[Json]]:
    groups: dict[str, list[Json]] = {}
    for notice in notices:
        groups.setdefault(notice["title"], []).append(notice)
    return groups


def run(chance: Random, rounds: int) -> list[str]:
    """So many kills; what was lost or came twice, empty when nothing was."""
    return killing.run(_Due, chance, rounds)
