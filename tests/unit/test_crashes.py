"""How the program ended is told where it died of a fault, not where it was killed or ended by itself."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from desktop import crashes, logs
from desktop.api.crashes import Crashes
from desktop.errors import UsageError
from desktop.paths import Home

SECRET = "sk-story-canary-7be2"
BEGIN = "import os, signal, sys; from pathlib import Path; from desktop import crashes; "
BEGIN += "crashes.begin(Path(sys.argv[1])); "


def run(logs_: Path, code: str) -> int:
    """A process that has begun, and then does this."""
    return subprocess.run(
        [sys.executable, "-P", "-c", BEGIN + code, str(logs_)], capture_output=True, check=False
    ).returncode


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path, tmp_path / "models")
    home.logs.mkdir()
    return home


@pytest.mark.machine
@pytest.mark.parametrize("fault", ["SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL"])
def test_a_fault_is_told_with_the_place_in_the_code(home: Home, fault: str) -> None:
    code = f"exec('def deep(): os.kill(os.getpid(), signal.{fault})'); deep()"
    assert run(home.logs, code) == -signal.Signals[fault]
    crash = crashes.take(home.logs)
    assert crash is not None
    assert "Fatal Python error" in crash.text
    assert "in deep" in crash.text
    assert crashes.take(home.logs) is None, "once"


def test_an_error_that_ended_the_program_is_told_without_its_words(home: Home) -> None:
    code = (
        f"exec('''def deep(said):\n raise ValueError(said)\n''')\n"
        f"try: deep(bytes.fromhex('{SECRET.encode().hex()}').decode())\n"
        "except BaseException as error: crashes.died(error)"
    )
    assert run(home.logs, code.replace("\n", chr(10))) == 0
    crash = crashes.take(home.logs)
    assert crash is not None
    assert "builtins.ValueError" in crash.text
    assert "in deep" in crash.text
    assert SECRET not in crash.text


@pytest.mark.machine
@pytest.mark.parametrize(
    "end",
    [
        "crashes.ended()",
        "os.kill(os.getpid(), signal.SIGKILL)",
        "os.kill(os.getpid(), signal.SIGTERM)",
        "os.kill(os.getpid(), signal.SIGHUP)",
        "os._exit(1)",
    ],
)
def test_an_orderly_end_and_a_kill_are_no_crash(home: Home, end: str) -> None:
    run(home.logs, end)
    assert crashes.take(home.logs) is None
    assert list(crashes.folder(home.logs).iterdir()) == []


def test_of_a_process_that_runs_nothing_is_taken(home: Home) -> None:
    code = (
        "os.write(crashes._Mine.file.fileno(), b'Fatal'); print(flush=True); sys.stdin.read(); os._exit(1)"
    )
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", BEGIN + code, str(home.logs)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    child.stdout.readline()
    assert crashes.take(home.logs) is None
    child.communicate()
    assert crashes.take(home.logs) is not None


def test_a_home_that_cannot_be_written_costs_only_this(tmp_path: Path) -> None:
    (tmp_path / "crash").touch()
    assert run(tmp_path, "crashes.died(ValueError()); crashes.ended()") == 0


async def test_the_report_has_versions_and_the_log_and_no_secret(home: Home, tmp_path: Path) -> None:
    logs.mask(SECRET)
    (home.logs / "nanobot.log").write_text(f"a line with {SECRET}\nthe last line\n", "utf-8")
    api = Crashes(home)
    assert not await api.news()
    assert (await api.report()).text == ""
    run(home.logs, "os.kill(os.getpid(), signal.SIGSEGV)")
    assert await api.news()
    assert not await api.news(), "it is told once"
    report = await api.report()
    for part in ("Nanobot Desktop", "Fatal Python error", "the last line", "Python 3."):
        assert part in report.text
    assert SECRET not in report.text
    assert str(Path.home()) not in report.text or str(Path.home()) == os.sep
    target = tmp_path / "report.txt"
    assert await api.save(str(target)) == str(target)
    assert target.read_text("utf-8") == report.text
    with pytest.raises(UsageError):
        await api.save(str(target))
    await api.remove()
    assert (await api.report()).text == ""
