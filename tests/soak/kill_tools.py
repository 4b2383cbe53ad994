"""Kills at random moments of turns that act: nothing acknowledged is missing then, nothing was done twice.

Acknowledged is what the program told a script: after turn_started the person's message is on disk, after
tool_started the call, after tool_finished its result, after turn_finished the answer. A call that was cut
off reads "interrupted" in the next request, and never runs again; what ran for it has ended, too.
"""

import json
import os
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from random import Random

import psutil

from desktop.tools.exec.tree import MARK
from tests.soak import killing
from tests.soak.killing import Json, Lines, Scene, Soak

_INTERRUPTED = "interrupted"
_GONE_S = 5.0
_LONG_S = 600
_ASK = ("ask", "--json", "--approve", "all")
_CALLS = 5
"""Of a whole turn."""
_KEPT = "Nothing may happen to this.\n"


class _Acting(Soak):
    """Turns of five calls each."""

    what = "of turns that act"

    def __init__(self, scene: Scene, sandbox: str) -> None:
        super().__init__(scene)
        self.sandbox = sandbox
        self.mark = self.program.home.parent.name
        self.told: Counter[str] = Counter()
        self.interrupted = 0
        self.outlived: list[psutil.Process] = []
        """Commands that ran on; the program ends them when it is there again."""
        self.seconds = 1.0
        """How long a turn takes from the moment it was told to have started."""

    def prepare(self) -> None:
        """Settings with a window that no history outgrows, a file that must stay, and one whole turn."""
        self.program.use_server(self.server.url)
        config = json.loads((self.program.home / "config.json").read_text())
        config["agents"]["defaults"]["contextWindowTokens"] = 50_000_000
        config["tools"] = {"exec": {"sandbox": self.sandbox}}
        self.program.configure(**config)
        self.workspace.mkdir()
        (self.workspace / "kept.txt").write_text(_KEPT)
        self._script(0, naps=(0, 0))
        with self.killed(*_ASK, "question 0") as (process, lines):
            lines.until("turn_started")
            begun = time.monotonic()
            process.wait(60)
            self.seconds = time.monotonic() - begun
        self.server.forget()
        done = self._ran() == Counter(["r0a", "r0b"])
        self.expect(done, f"the turn that nobody killed did not do its work: {self._ran()}")

    def round(self, number: int) -> None:
        """Ask, kill, look."""
        before = _outcomes(self._messages())
        stay = self.chance.choice((0, 0, 0, 1, 2))
        short = self.chance.choice((0, 0, 0.1))
        self._script(number, [_LONG_S if stay == place else short for place in (1, 2)])
        with self.killed(*_ASK, f"question {number} of the run") as (_process, lines):
            self._wait(lines, {0: _CALLS, 1: 0, 2: _CALLS - 1}[stay])
        requests = [seen.body for seen in self.server.requests]
        self.server.forget()
        self.moments[lines.last("turn_", "tool_")] += 1
        self._everything_ended(number, restarted=bool(requests))
        if requests:
            self._compare(before, requests[0], f"round {number}")
        self._acknowledged(number, lines.events)

    def _script(self, number: int, naps: Iterable[float]) -> None:
        """The steps of a turn: a command, a file written and read, a command, an answer."""
        first, second = naps
        name = f"{number}.txt"
        write = ["write_file", {"path": name, "content": f"file {number}\n" * 50}]
        steps = [
            [["exec", {"command": self._command(f"r{number}a", first), "timeout": _LONG_S}]],
            [write, ["read_file", {"path": "kept.txt"}]],
            [
                ["read_file", {"path": name}],
                ["exec", {"command": self._command(f"r{number}b", second), "timeout": _LONG_S}],
            ],
        ]
        self.server.script(*(f"use:{json.dumps(step)}" for step in steps), f"say:Done with {number}.")

    def _command(self, token: str, nap: float) -> str:
        """Appends a token to a file, and may stay a while."""
        stay = f"; MARK={self.mark} sleep {nap}" if nap else ""
        return f"echo {token} >> ran.txt{stay}"

    def _wait(self, lines: Lines, results: int) -> None:
        """Until some moment: before the turn, anywhere in it, or just after something was told.

        `results`: how many calls come to their end; one more begins, or else the turn ends.
        """
        kinds = ["", "turn_started", "turn_started", "tool_started", "tool_finished"]
        kind = self.chance.choice([*kinds, "turn_finished"] if results == _CALLS else kinds)
        if not kind:
            lines.follow(self.chance.uniform(0, 1.5))
            return
        lines.until("turn_started")
        if kind == "turn_started":
            lines.follow(self.chance.uniform(0, self.seconds * 1.1))
            return
        ends = {"turn_finished": 1, "tool_finished": results, "tool_started": min(results + 1, _CALLS)}
        reach = ends[kind]
        for _ in range(self.chance.randint(min(1, reach), reach)):
            lines.until(kind, since=len(lines.events))
        lines.follow(self.chance.choice((0, 0, self.chance.uniform(0, 0.05))))

    # ---- looking

    def _messages(self) -> list[Json]:
        """Those of the session log as they are on disk."""
        return [record for record in self.records() if "role" in record]

    def _ran(self) -> Counter[str]:
        """How often each command did its work."""
        path = self.workspace / "ran.txt"
        return Counter(path.read_text().split()) if path.exists() else Counter()

    def _acknowledged(self, number: int, events: list[Json]) -> None:
        """All that was told of this round is in the log."""
        what, records = f"of round {number}", self._messages()
        told: dict[str, list[Json]] = {}
        for event in events:
            told.setdefault(event["event"], []).append(event)
        turns = {e["turn"] for e in told.get("turn_started", ())}
        mine = [r for r in records if r.get("_turn") in turns]
        asked = [r for r in mine if r["role"] == "user" and r["content"] == f"question {number} of the run"]
        self.expect(len(asked) == len(turns), f"the question {what} is kept {len(asked)} times")
        made = Counter(call["id"] for r in mine for call in r.get("tool_calls") or ())
        started = Counter(e["call"] for e in told.get("tool_started", ()))
        self.expect(started <= made, f"calls {what}: told {started}, kept {made}")
        results = Counter((r["tool_call_id"], r["_outcome"]) for r in mine if r["role"] == "tool")
        finished = Counter((e["call"], e["outcome"]) for e in told.get("tool_finished", ()))
        self.expect(finished <= results, f"results {what}: told {finished}, kept {results}")
        self.expect({outcome for _call, outcome in results} <= {"ok"}, f"failed {what}: {results}")
        said = {r["content"] for r in mine if r["role"] == "assistant"}
        answers = [e["text"] for e in told.get("turn_finished", ())]
        self.expect(set(answers) <= said, f"the answer {what} is not kept")
        counts = {"questions": len(turns), "calls": started.total(), "results": finished.total()}
        self.told.update({**counts, "answers": len(answers)})
        written = self.workspace / f"{number}.txt"
        whole = not written.exists() or written.read_text() == f"file {number}\n" * 50
        self.expect(whole, f"{written.name} is not whole")

    def _compare(self, before: list[tuple[str, str, str]], body: Json, what: str) -> None:
        """The request shows every call that was made before it, those without a result as interrupted."""
        shown = _outcomes(body["messages"])
        pairs = zip(shown, before, strict=False)
        differs = next((f"shown {a}, kept {b}" for a, b in pairs if a != b), "")
        counts = f"the request shows {len(shown)} calls, the log has {len(before)}"
        self.expect(shown == before, f"{what}: {counts}; {differs}")
        self.interrupted = sum(result == _INTERRUPTED for _name, _given, result in shown)

    def _everything_ended(self, number: int, restarted: bool) -> None:
        """Nothing that the program started outlives it, but for a command until the program is there again.

        A sandbox ends its command with the program once it is up; a kill in the moment before finds none.
        """
        if restarted:
            self.expect(not (left := _alive(self.outlived)), f"round {number} found and left: {left}")
            _kill(self.outlived)
        else:
            self.outlived = _alive(self.outlived)
        end = time.monotonic() + _GONE_S
        while (left := self._ours()) and time.monotonic() < end:
            psutil.wait_procs(left, timeout=0.05)
        commands = [process for process in left if _is_command(process)]
        others = [process for process in left if process not in commands]
        self.expect(not others, f"round {number} left behind: {others}")
        _kill(others)
        self.outlived += commands
        self.told["commands that outlived their kill"] += len(commands)

    def _ours(self) -> list[psutil.Process]:
        """What belongs to the program that was just killed."""
        return [p for p in psutil.process_iter() if p not in self.outlived and self._is_ours(p)]

    def _is_ours(self, process: psutil.Process) -> bool:
        with suppress(psutil.Error):
            if process.pid == os.getpid() or process.status() == psutil.STATUS_ZOMBIE:
                return False
            words = [*process.cmdline(), *process.environ().values()]
            return any(self.mark in word for word in words)
        return False

    def finish(self) -> str:
        """One turn that nobody kills; then the whole of it once more."""
        before = _outcomes(self._messages())
        self.server.script("say:I am alive.")
        said = self.works("ask", "Are you alive?")
        self.expect(said == "I am alive.\n", f"the turn after the kills said {said!r}")
        self._compare(before, self.server.requests[-1].body, "after the last kill")
        self.expect(not (left := _alive(self.outlived)), f"still there after the last turn: {left}")
        _kill(self.outlived)
        ran = self._ran()
        twice = [token for token, count in ran.items() if count > 1]
        self.expect(not twice, f"these ran more than once: {twice}")
        made = {_token(given): result for name, given, result in before if name == "exec"}
        self.expect(ran.keys() <= made.keys(), f"ran without a call: {ran.keys() - made.keys()}")
        ended = {token for token, result in made.items() if result != _INTERRUPTED}
        self.expect(ended <= ran.keys(), f"have a result and did not run: {ended - ran.keys()}")
        self.expect((self.workspace / "kept.txt").read_text() == _KEPT, "kept.txt was changed")
        self.expect(not list(self.program.home.glob("*damaged*")), "state.db was set aside as damaged")
        sound = [tuple(row) for row in self.rows("PRAGMA quick_check")]
        self.expect(sound == [("ok",)], f"state.db is damaged: {sound}")
        told = ", ".join(f"{count} {what}" for what, count in self.told.items())
        return f"{told} acknowledged; {self.interrupted} calls read interrupted"


def run(chance: Random, rounds: int, sandbox: str = "auto") -> list[str]:
    """So many kills; what was lost, empty when nothing was. `sandbox`: as in the settings."""
    return killing.run(lambda scene: _Acting(scene, sandbox), chance, rounds)


def _outcomes(messages: Iterable[Json]) -> list[tuple[str, str, str]]:
    """Every call in order with its arguments and its result, or that it was interrupted."""
    calls: list[tuple[str, str, str]] = []
    waiting: dict[str, int] = {}
    for message in messages:
        if message["role"] == "tool":
            if (at := waiting.pop(message["tool_call_id"], None)) is not None:
                calls[at] = (*calls[at][:2], message["content"])
            continue
        waiting = {}
        for call in message.get("tool_calls") or ():
            waiting[call["id"]] = len(calls)
            calls.append((call["function"]["name"], call["function"]["arguments"], _INTERRUPTED))
    return calls


def _token(arguments: str) -> str:
    """What a command appends."""
    return str(json.loads(arguments)["command"].split()[1])


def _is_command(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return MARK in process.environ()
    return False


def _alive(processes: Iterable[psutil.Process]) -> list[psutil.Process]:
    found = []
    for process in processes:
        with suppress(psutil.Error):
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def _kill(processes: Iterable[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.Error):
            process.kill()
