"""Tasks and threads: reported, kept, and never in the way of the exit."""

import asyncio
import os
import select
import signal
import sys
import threading

import pytest

from desktop.errors import AppError
from desktop.tasks import cancel, end_child, in_daemon, in_thread, spawn


@pytest.mark.expected_log("task doomed failed")
async def test_a_failing_task_is_reported_though_nobody_waits_for_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def fail() -> None:
        raise ValueError("lost otherwise")

    await asyncio.wait({spawn(fail(), name="doomed")})
    assert "lost otherwise" in caplog.text


async def test_an_expected_failure_is_no_alarm() -> None:
    async def fail() -> None:
        raise AppError("told to the person")

    await asyncio.wait({spawn(fail(), name="expected")})


async def test_cancel_waits_until_the_task_has_cleaned_up() -> None:
    cleaned = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.append(True)

    task = spawn(work(), name="work")
    await asyncio.sleep(0)
    await cancel(task, None)
    assert cleaned


async def test_in_thread_runs_elsewhere_and_passes_errors_on() -> None:
    assert await in_thread(threading.get_ident) != threading.get_ident()
    with pytest.raises(ZeroDivisionError):
        await in_thread(lambda: 1 / 0)


async def test_a_thread_that_never_ends_is_left_behind_at_the_deadline() -> None:
    release = threading.Event()
    with pytest.raises(TimeoutError):
        await in_daemon(release.wait, seconds=0.01)
    release.set()


async def test_in_daemon_gives_the_result_or_the_error() -> None:
    def work() -> int:
        return 7

    def fail() -> int:
        raise OSError(28, "full")

    assert await in_daemon(work, seconds=5) == 7
    with pytest.raises(OSError, match="full"):
        await in_daemon(fail, seconds=5)


@pytest.mark.skipif(sys.platform != "linux", reason="waits by a pidfd, which only Linux has")
async def test_to_end_a_child_that_has_just_ended_leaves_its_exit_code_to_the_loop() -> None:
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", "raise SystemExit(7)")
    handle = os.pidfd_open(child.pid)
    select.select([handle], [], [])  # it has ended, and the loop has had no turn to learn of it
    os.close(handle)
    end_child(child)
    assert await child.wait() == 7


@pytest.mark.skipif(sys.platform != "linux", reason="waits by a pidfd, which only Linux has")
async def test_a_child_is_asked_to_end_or_made_to() -> None:
    codes = []
    for politely in (True, False):
        child = await asyncio.create_subprocess_exec("sleep", "1000")
        end_child(child, politely=politely)
        codes.append(await child.wait())
        end_child(child)
    assert codes == [-signal.SIGTERM, -signal.SIGKILL]
