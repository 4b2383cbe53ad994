"""asyncio on Qt's loop: the faults of qasync are mended, and neither holds the other up."""

import asyncio
import gc
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from desktop.tasks import in_thread, spawn
from desktop.ui.loop import Loop

type Run = Callable[[Coroutine[Any, Any, Any]], Any]


@pytest.fixture
def loop(qapp: QApplication) -> Iterator[Loop]:
    loop = Loop(qapp)
    yield loop
    loop.close()


@pytest.fixture
def run(loop: Loop, qtbot: QtBot) -> Run:
    def run(work: Coroutine[Any, Any, Any]) -> Any:
        task = spawn(work, name="test")
        qtbot.waitUntil(task.done)
        return task.result()

    return run


def test_a_timer_never_fires_early(loop: Loop, run: Run) -> None:
    async def early() -> list[float]:
        early = []
        for milliseconds in range(1, 40):
            due = loop.time() + milliseconds / 1000 + 0.0004
            await asyncio.sleep(due - loop.time())
            early.append(due - loop.time())
        return early

    assert max(run(early())) <= 0


def test_cancelled_timers_are_freed(loop: Loop, run: Run) -> None:
    async def many() -> int:
        for _ in range(2_000):
            async with asyncio.timeout(3600):
                await asyncio.sleep(0)
        return len(loop._later)

    assert run(many()) <= 2


def test_a_handle_knows_when_it_is_due(loop: Loop) -> None:
    handle = loop.call_later(60, print)
    assert isinstance(handle, asyncio.TimerHandle)
    assert 59 < handle.when() - loop.time() <= 60
    handle.cancel()
    assert handle.cancelled()


def test_timers_run_in_the_order_they_are_due(loop: Loop, run: Run) -> None:
    async def order() -> list[int]:
        seen: list[int] = []
        for delay in (30, 10, 20):
            loop.call_later(delay / 1000, seen.append, delay)
        await asyncio.sleep(0.05)
        return seen

    assert run(order()) == [10, 20, 30]


def test_a_thread_wakes_the_loop_and_is_refused_when_it_is_closed(qapp: QApplication, qtbot: QtBot) -> None:
    loop = Loop(qapp)
    done: list[str] = []
    thread = threading.Thread(target=lambda: loop.call_soon_threadsafe(done.append, "from a thread"))
    thread.start()
    qtbot.waitUntil(lambda: bool(done))
    thread.join()
    loop.close()
    with pytest.raises(RuntimeError):
        loop.call_soon_threadsafe(print)


def test_a_context_goes_with_a_callback(loop: Loop, run: Run) -> None:
    from contextvars import ContextVar, copy_context

    name: ContextVar[str] = ContextVar("name", default="none")

    async def main() -> str:
        context = copy_context()
        context.run(name.set, "given")
        seen = loop.create_future()
        loop.call_soon_threadsafe(lambda: seen.set_result(name.get()), context=context)
        return str(await seen)

    assert run(main()) == "given"


def test_servers_children_threads_and_generators_work(run: Run) -> None:
    async def main() -> list[Any]:
        closed = []

        async def numbers() -> Any:
            try:
                yield 1
                yield 2
            finally:
                closed.append(True)

        async def greet(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"hello")
            writer.close()

        server = await asyncio.start_server(greet, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        heard = await reader.read()
        writer.close()
        server.close()
        child = await asyncio.create_subprocess_exec("echo", "child", stdout=asyncio.subprocess.PIPE)
        told, _ = await child.communicate()
        stream = numbers()
        async for _number in stream:
            break
        await stream.aclose()
        return [heard, told.strip(), await in_thread(threading.current_thread) is not None, closed]

    assert run(main()) == [b"hello", b"child", True, [True]]


def test_the_window_gets_its_turn_between_many_callbacks(loop: Loop, qtbot: QtBot) -> None:
    """A Qt timer due at once fires long before a long queue of callbacks is through."""
    left: list[int] = []
    steps = 400

    def step() -> None:
        deadline = loop.time() + 0.001
        while loop.time() < deadline:
            pass
        left.append(1)

    for _ in range(steps):
        loop.call_soon(step)
    seen: list[int] = []
    QTimer.singleShot(0, lambda: seen.append(len(left)))
    qtbot.waitUntil(lambda: len(left) == steps)
    assert seen
    assert seen[0] < steps / 4


def test_a_dialog_that_is_opened_holds_nothing_up(run: Run, qtbot: QtBot) -> None:
    dialog = QDialog()
    qtbot.addWidget(dialog)

    async def main() -> int:
        finished = asyncio.get_running_loop().create_future()
        dialog.finished.connect(finished.set_result)
        dialog.open()
        other = spawn(asyncio.sleep(0.01), name="other")
        await other
        dialog.accept()
        return int(await finished)

    assert run(main()) == int(QDialog.DialogCode.Accepted)


def test_a_failing_callback_is_told_and_the_rest_goes_on(loop: Loop, qtbot: QtBot) -> None:
    told: list[BaseException] = []
    loop.set_exception_handler(lambda _loop, context: told.append(context["exception"]))
    done: list[bool] = []
    loop.call_soon(lambda: 1 / 0)
    loop.call_soon(done.append, True)
    qtbot.waitUntil(lambda: bool(done))
    assert [type(error) for error in told] == [ZeroDivisionError]


class _Cycle:
    """Nothing but the garbage collector frees it; it tells where that was."""

    freed: set[int]

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        self.freed.add(threading.get_ident())


def test_garbage_of_any_thread_is_collected_in_the_windows(run: Run, qtbot: QtBot) -> None:
    """In a worker it would take widgets apart there, and both threads would wait for each other."""
    freed: set[int] = set()
    kind = type("Told", (_Cycle,), {"freed": freed})

    def litter() -> None:
        for _ in range(20_000):
            kind()

    run(in_thread(litter))
    qtbot.waitUntil(lambda: bool(freed))
    assert freed == {threading.get_ident()}


def test_nor_is_it_collected_in_another_once_the_loop_is_closed(qapp: QApplication) -> None:
    Loop(qapp).close()
    freed: set[int] = set()
    kind = type("Told", (_Cycle,), {"freed": freed})
    thread = threading.Thread(target=lambda: [kind() for _ in range(20_000)])
    thread.start()
    thread.join()
    gc.collect()
    assert freed == {threading.get_ident()}
