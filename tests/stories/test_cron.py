"""Appointments from a terminal: made, changed, kept while `serve` runs, and what comes of nonsense."""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.desktop.window import until
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program, read_event

type Json = dict[str, Any]


def in_seconds(seconds: float) -> str:
    return (datetime.now() + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")


def add(program: Program, name: str, *when: str) -> Json:
    """Have a reminder made, or a job if `when` has no --plain."""
    [job] = program.events("cron", "add", "--name", name, "--message", f"Text of {name}", *when)
    return job


@contextmanager
def serving(program: Program) -> Iterator[Any]:
    with program.started("serve", "--json", seconds=100) as process:
        read_event(process, "serving")
        yield process


def notices(program: Program) -> list[Json]:
    """The inbox, as it is stored: whoever runs."""
    if not (program.home / "state.db").exists():
        return []
    with closing(sqlite3.connect(f"file:{program.home / 'state.db'}?mode=ro", uri=True)) as database:
        try:
            rows = database.execute("SELECT kind, title, body FROM inbox ORDER BY at").fetchall()
        except sqlite3.OperationalError:  # it is just being made
            return []
    return [{"kind": kind, "title": title, **json.loads(body)} for kind, title, body in rows]


def titles(program: Program) -> list[str]:
    return [notice["title"] for notice in notices(program)]


def jobs_file(program: Program) -> Path:
    folder = program.home / "workspace" / "cron"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "jobs.json"


def write_jobs(program: Program, *jobs: Json) -> None:
    jobs_file(program).write_text(json.dumps({"version": 1, "owner": "by hand", "jobs": jobs}), "utf-8")


def test_a_job_from_its_making_to_its_end(program: Program) -> None:
    assert program.run("cron", "list").stdout == "No tasks.\n"
    told = program.run(
        *("cron", "add", "--name", "Tea", "--message", "Drink it", "--plain", "--missed", "ask"),
        *("--cron", "0 9 * * 1-5", "--tz", "Europe/Berlin"),
    )
    assert (told.returncode, told.stdout[8:]) == (0, "  Tea: every weekday at 09:00 (Europe/Berlin)\n")
    assert told.stderr.startswith("Next: 20")

    with serving(program):
        listed = program.run("cron", "list")
        assert (listed.returncode, listed.stderr) == (0, "")
        assert "every weekday at 09:00" in listed.stdout
        [job] = program.events("cron", "list")
        assert told.stdout.startswith(job["id"])
        kept = {name: job[name] for name in ("name", "message", "plain", "cron", "tz", "missed", "enabled")}
        assert kept == {
            "name": "Tea",
            "message": "Drink it",
            "plain": True,
            "cron": "0 9 * * 1-5",
            "tz": "Europe/Berlin",
            "missed": "ask",
            "enabled": True,
        }
        shown = program.run("cron", "show", "tea").stdout.splitlines()
        assert shown[:2] == ["Tea: every weekday at 09:00 (Europe/Berlin)", "  Drink it"]
        assert len(shown) == 7, "and the next five times"
        [shown_too] = program.events("cron", "show", job["id"])
        assert shown_too["upcoming"][0] == shown_too["next"] == job["next"]

        edited = program.run("cron", "edit", "Tea", "--every", "90", "--message", "Drink it now")
        assert (edited.returncode, edited.stdout) == (0, f"{job['id']}  Tea: every 90 seconds\n")
        [changed] = program.events("cron", "edit", job["id"], "--name", "Green tea")
        assert (changed["name"], changed["every"], changed["message"]) == ("Green tea", 90, "Drink it now")

        off = program.run("cron", "disable", "Green tea")
        assert (off.returncode, off.stdout, off.stderr) == (0, "Turned off.\n", "")
        assert " off " in program.run("cron", "list").stdout
        [on] = program.events("cron", "enable", job["id"])
        assert on["job"]["enabled"]
        assert time.time() < on["job"]["next"] <= time.time() + 91

        [run] = program.events("cron", "run", "Green tea")
        assert (run["cause"], run["outcome"]) == ("hand", "ok")
        assert titles(program) == ["Green tea"]
        [logged] = program.events("cron", "log", job["id"])
        assert logged == run
        assert "Green tea" in program.run("cron", "log").stdout

        gone = program.run("cron", "remove", "Green tea")
        assert (gone.returncode, gone.stdout) == (0, "Removed.\n")
        assert program.events("cron", "list") == []
        assert len(program.events("cron", "log", job["id"])) == 1, "its runs stay"


NONSENSE = [
    (("--cron", "* * 30 2 *"), "'* * 30 2 *' is not a valid schedule: the day of the month is not valid."),
    (("--cron", "61 * * * *"), "'61 * * * *' is not a valid schedule: the minute is not valid."),
    (("--cron", "soon"), "'soon' is not a valid schedule: it must have five fields."),
    (("--cron", "* * * * *", "--tz", "Mars/Olympus"), "There is no time zone Mars/Olympus."),
    (("--every", "0"), "An interval of 0 seconds is not possible."),
    (("--every", "nan"), "An interval of nan seconds is not possible."),
    (("--at", "1970-01-01T00:00"), "That time is in the past."),
    (("--at", "9999-12-31T23:59"), "That time is too far away."),
    (("--at", "tomorrow"), "'tomorrow' is not a valid time."),
    ((), "No time was given."),
]


@pytest.mark.soak
def test_nonsense_is_wrong_usage_and_changes_nothing(program: Program) -> None:
    with serving(program):
        job = add(program, "Tea", "--plain", "--every", "3600")
        before = jobs_file(program).read_bytes()
        for given, sentence in NONSENSE:
            new = ("cron", "add", "--name", "X", "--message", "x", *given)
            done = program.run(*new)
            assert (done.returncode, done.stdout) == (2, ""), given
            said, remedy = done.stderr.splitlines()
            assert said == sentence
            assert remedy
        for verb in ("show", "edit", "enable", "disable", "run", "remove"):
            done = program.run("cron", verb, "nobody")
            assert (done.returncode, done.stdout) == (2, "")
            assert done.stderr.splitlines()[0] == "There is no task named nobody."
        wrong = program.run("cron", "edit", job["id"], "--every", "-5", "--json")
        assert wrong.returncode == 2
        assert json.loads(wrong.stdout)["error"] == "An interval of -5 seconds is not possible."
        assert (
            program.run("cron", "add", "--name", "X", "--message", "x", "--every", "often").returncode == 2
        )
        assert jobs_file(program).read_bytes() == before


def test_a_file_cut_in_half_stops_no_reminder_and_is_not_written_over(program: Program) -> None:
    with serving(program):
        add(program, "First", "--plain", "--at", in_seconds(2.5))
        add(program, "Tea", "--plain", "--every", "3600")
        whole = jobs_file(program).read_bytes()
        half = whole[: len(whole) // 2]
        jobs_file(program).write_bytes(half)
        until(lambda: titles(program) == ["First"], "the reminder comes")
        listed = program.run("cron", "list")
        assert "Tea" in listed.stdout, "the jobs as they were last go on"
        assert "jobs.json is damaged at line" in " ".join(listed.stderr.split())
        told = program.run("status").stdout
        assert "cron: degraded" in told
        assert "jobs.json is damaged at line" in told
        assert jobs_file(program).read_bytes() == half

        jobs_file(program).write_bytes(whole)
        until(lambda: program.run("cron", "list").stderr == "", "all is well again")
        assert "Tea" in program.run("cron", "list").stdout
    assert titles(program) == ["First"], "what was done is not done again"


@pytest.mark.soak
def test_nonsense_is_kept_aside_where_the_person_goes_on(program: Program) -> None:
    jobs_file(program).write_text('{"jobs": [{"name": "Precious', "utf-8")
    listed = program.run("cron", "list")
    assert (listed.returncode, listed.stdout) == (0, "No tasks.\n")
    assert "jobs.json is damaged at line 1." in listed.stderr
    assert program.run("cron", "list", "--json").stderr == listed.stderr
    add(program, "Tea", "--plain", "--every", "3600")
    [kept] = jobs_file(program).parent.glob("jobs.json.damaged-*")
    assert "Precious" in kept.read_text("utf-8")
    assert program.run("cron", "list").stderr == ""


@pytest.mark.soak
def test_a_file_edited_by_hand_counts_at_once_and_keeps_what_is_not_ours(program: Program) -> None:
    with serving(program):
        write_jobs(
            program,
            {
                "name": "By hand",
                "colour": "green",
                "schedule": {"at": in_seconds(1), "why": "so"},
                "payload": {"message": "Text", "plain": True},
            },
            {"id": "dream", "payload": {"kind": "system_event"}, "other": [1, 2]},
            {"id": "x1", "name": "Never", "schedule": {"kind": "cron", "expr": "* * * * * * *"}},
        )
        until(lambda: titles(program) == ["By hand"], "what was written by hand comes")
        listed = program.run("cron", "list")
        assert "The task 'Never' in jobs.json can’t be used" in " ".join(listed.stderr.split())
        until(lambda: _first_of_file(program)["state"].get("lastOutcome") == "ok", "it is written down")
    kept = json.loads(jobs_file(program).read_text("utf-8"))
    assert kept["owner"] == "by hand"
    first, other, never = kept["jobs"]
    assert (first["colour"], first["schedule"]["why"]) == ("green", "so")
    assert other == {"id": "dream", "payload": {"kind": "system_event"}, "other": [1, 2]}
    assert never["schedule"]["expr"] == "* * * * * * *"


def _first_of_file(program: Program) -> Json:
    job: Json = json.loads(jobs_file(program).read_text("utf-8"))["jobs"][0]
    return {"state": {}, **job}


def test_what_was_missed_while_closed_is_done_skipped_or_asked_about(program: Program) -> None:
    past = (datetime.now() - timedelta(hours=2)).isoformat(timespec="seconds")
    reminder = {"schedule": {"at": past}, "payload": {"message": "Text", "plain": True}}
    write_jobs(
        program,
        *({"id": name, "name": name, "missed": name, **reminder} for name in ("late", "skip", "ask")),
    )
    with serving(program):
        until(lambda: len(notices(program)) == 3, "each is told of")
    found = {notice["title"]: notice for notice in notices(program)}
    assert found["late"]["late"] == pytest.approx(7200, abs=60)
    assert found["ask"]["ask"]
    assert [job["name"] for job in found["A task was missed"]["skipped"]] == ["skip"]
    outcomes = {run["name"]: (run["cause"], run["outcome"]) for run in program.events("cron", "log")}
    assert outcomes == {"late": ("late", "ok"), "skip": ("late", "skipped"), "ask": ("late", "asked")}
    with serving(program):
        assert len(program.events("cron", "log")) == 3, "and once"
    assert len(notices(program)) == 3


@pytest.mark.soak
def test_two_homes_with_one_workspace_do_each_job_once(program: Program, tmp_path: Path) -> None:
    other = Program(tmp_path / "other")
    other.configure(agents={"defaults": {"workspace": str(program.home / "workspace")}})
    with serving(program) as first, serving(other) as second:
        add(other, "Tea", "--plain", "--at", in_seconds(1.5))
        until(lambda: "Tea" in program.run("cron", "list").stdout, "both show it")
        until(lambda: titles(program) == ["Tea"], "the one who runs the jobs does it")
        told = " ".join(other.run("cron", "list").stderr.split())
        assert told == (
            "Another program runs the tasks of this folder (serve, process "
            f"{first.pid}). They are only shown here."
        )
        assert f"process {first.pid}" in other.run("status").stdout
        assert program.run("cron", "list").stderr == ""
        refused = other.run("cron", "run", add(other, "Later", "--plain", "--every", "3600")["id"])
        assert refused.returncode == 2
        assert f"process {first.pid}" in refused.stderr

        first.terminate()
        first.wait(60)
        add(other, "Cake", "--plain", "--at", in_seconds(1))
        until(lambda: titles(other) == ["Cake"], "then the other one does")
        assert second.poll() is None
    assert titles(program) == ["Tea"]


def test_serving_is_shared_and_ends_when_told(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "say:It rains.")
    with serving(program) as first:
        second = program.run("serve")
        assert (second.returncode, second.stdout) == (1, "")
        assert second.stderr == f"Already served by process {first.pid}.\n"

        add(program, "Weather", "--at", in_seconds(1))
        assert program.run("ask", "How is it?").stdout == "It rains.\n"
        until(lambda: titles(program) == ["Weather"], "the job is done")
        hosts = [child.cmdline() for child in psutil.Process(first.pid).children(recursive=True)]
        assert len([line for line in hosts if "--model-host" in line]) == 1, "one warm host for both"
        assert notices(program)[0]["text"] == "It rains."
        asked = [str(request.body["messages"][-1]["content"]) for request in server.requests]
        assert sorted(text.split()[0] for text in asked) == ["How", "Text"]
        assert program.events("cron", "list") == [], "it was to be done once"

        first.terminate()
        first.wait(60)
        assert first.stderr.read() == ""
    [run] = program.events("cron", "log")
    assert (run["outcome"], run["detail"]) == ("ok", "It rains.")
    assert run["tokens"] > 0


@pytest.mark.soak
def test_three_failures_in_a_row_switch_a_job_off(program: Program, server: ScriptedServer) -> None:
    program.use_server(server.url, "status:401")
    with serving(program):
        each_second = {"schedule": {"everyMs": 1000}, "payload": {"message": "How is it?"}}
        write_jobs(program, {"id": "w", "name": "Weather", "retries": 0, **each_second})
        until(lambda: titles(program) == ["Weather"], "it is told of")
        [job] = program.events("cron", "list")
        assert (job["enabled"], job["failures"]) == (False, 3)
        assert job["paused"].startswith("Turned off after 3 failures in a row: ")
        assert "did not accept the key" in job["paused"]
        assert job["paused"] in program.run("cron", "show", "w").stderr.replace("\n", " ")
        assert notices(program)[0]["kind"] == "error"
        assert [run["outcome"] for run in program.events("cron", "log", "w")] == ["failed"] * 3

        failed = program.run("cron", "run", "w")
        assert (failed.returncode, len(notices(program))) == (1, 1)
        assert "did not accept the key" in failed.stdout + failed.stderr
        program.run("cron", "edit", "w", "--every", "3600")
        [on] = program.events("cron", "enable", "w")
        assert (on["job"]["enabled"], on["job"]["failures"], on["job"]["paused"]) == (True, 0, "")
