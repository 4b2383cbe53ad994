"""What every test gets: an English program without the developer's settings, and a check for leftovers.

A test that leaves a task, a thread or a child process, or logs a warning it did not announce, fails.
"""

import gc
import logging
import os
import re
import select
import signal
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest
from hypothesis import HealthCheck, settings

from desktop import tasks
from desktop.paths import be_private

if TYPE_CHECKING:
    from tests.desktop.desk import Desk

MARKS = {
    "expected_log(pattern)": "the test causes log lines from WARNING up that match this pattern",
    "expected_qt(pattern)": "the test causes Qt to print warnings that match this pattern",
    "machine": "needs more than Python: root, a program of the system, a session bus, a keychain, a screen,"
    " Node.js or the built-in model; tests/run.sh --quick leaves it out",
    "soak": "one test more than every run has time for; tests/soak stories runs these",
    "daemon(options)": "the notification daemon of the test is started with these options",
}


# How long an example takes says something about the machine, not about the program.
settings.register_profile(
    "steady", deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("brief", settings.get_profile("steady"), max_examples=10)
settings.load_profile("steady")


def pytest_configure(config: pytest.Config) -> None:
    # A run in the background ignores Ctrl+C, and so would the programs that it starts and interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    be_private()  # as the program does first of all
    # Programs under test start as they do for people, with their code compiled once, not each time.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for name, meaning in MARKS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")


def pytest_collection_finish() -> None:
    """As the program does after its start: what stays to the end is not looked through again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _clean_environment() -> Iterator[None]:
    kept = {name: value for name, value in os.environ.items() if name.startswith("NANOBOT_")}
    for name in kept:
        if not name.startswith("NANOBOT_TEST_"):
            del os.environ[name]
    os.environ["NANOBOT_DESKTOP_LANGUAGE"] = "en"
    yield
    del os.environ["NANOBOT_DESKTOP_LANGUAGE"]
    os.environ.update(kept)


@pytest.fixture
def desk(tmp_path: Path) -> "Desk":
    """The desktop session around the tests: keyboard, mouse, tray, notifications."""
    if "DESKTOP_SESSION_FOLDER" not in os.environ:
        pytest.skip("needs a desktop session: bash tests/desktop-session.sh -- pytest ...")
    from tests.desktop.desk import Desk

    return Desk(Path(os.environ.get("NANOBOT_TEST_SHOTS") or tmp_path / "shots"))


_LISTED = Path("/proc/thread-self/children")
"""Linux lists them in each thread; psutil reads all processes that there are, twice a test 3 ms."""


class _Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.name}: {record.getMessage()}")


@pytest.fixture(autouse=True)
def _nothing_unexpected_in_the_log(request: pytest.FixtureRequest) -> Iterator[None]:
    handler = _Lines()
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
    expected = [re.compile(mark.args[0]) for mark in request.node.iter_markers("expected_log")]
    surprises = [line for line in handler.lines if not any(e.search(line) for e in expected)]
    assert not surprises, "unexpected log lines:\n" + "\n".join(surprises)


def _children() -> set[int]:
    """The processes that this one started and has not waited for."""
    if not _LISTED.exists():
        return {child.pid for child in psutil.Process().children()}
    found: set[int] = set()
    for thread in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # it has ended
            found.update(map(int, (thread / "children").read_text().split()))
    return found


def _ended(child: psutil.Process) -> bool:
    """Wait for its end, without taking its exit status from who started it."""
    if not hasattr(os, "pidfd_open"):
        return not psutil.wait_procs([child], timeout=5)[1]
    try:
        handle = os.pidfd_open(child.pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 5)[0])
    finally:
        os.close(handle)


def _process(pid: int) -> psutil.Process | None:
    """None where it is gone."""
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(pid)
    return None


@pytest.fixture(autouse=True)
def _nothing_left_behind() -> Iterator[None]:
    threads = set(threading.enumerate())
    children = _children()
    yield
    running = {task.get_name() for task in tasks._running if not task.done()}
    assert not running, f"tasks still running: {running}"
    alive = [child for child in map(_process, _children() - children) if child and not _ended(child)]
    assert not alive, f"children still running: {[child.cmdline() for child in alive]}"
    for thread in set(threading.enumerate()) - threads:
        # The loop's own pool is emptied when pytest closes the loop, after this.
        if not thread.name.startswith("asyncio_"):
            thread.join(5)
            assert not thread.is_alive(), f"thread still running: {thread.name}"
