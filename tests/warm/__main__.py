"""Loads what is wanted many times, and forks one for each connection:

    python -m tests.warm host SOCKET
    python -m tests.warm program SOCKET COMMAND...    the command starts a model host for the programs
    python -m tests.warm window SOCKET COMMAND...     the same with Qt loaded
    python -m tests.warm mcp SOCKET                   a script that is an MCP server

It ends with its stdin. A host and a server end when their stub does, as if they were the stub. A program is
a child of who asked for it, with the arguments, environment and streams of that one's choice.
"""

import gc
import marshal
import os
import pkgutil
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, ClassVar

_ELSEWHERE = {"host", "child", "windows", "network_windows", "network_macos", "__main__"}
"""Modules that the program does not load on Linux, and packages of such."""
_LATER = ("yaml", "mcp.client.auth", "mcp.client.stdio", "mcp.client.streamable_http")
"""Libraries that the program loads when it first needs them, and soon does."""
_PARENT_SECONDS = 10


type Become = Callable[[socket.socket, list[str], Any], None]
"""Is this from here on: the connection, the arguments, and what more was asked."""


def main(what: str, path: str, *command: str) -> None:
    """Serve until stdin ends, or be what was forked."""
    loads = {"host": _host, "mcp": _mcp}
    become = loads[what]() if what in loads else _program(what, list(command))
    assert threading.active_count() == 1, "a thread would not be there in what is forked"
    gc.collect()
    gc.freeze()  # what all have in common stays in common
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how a host ended
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if wire := _wire(path):
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        become(wire, *_taken_over(wire))


def _wire(path: str) -> socket.socket | None:
    """In a fork the connection that it is for; None at the end of stdin."""
    with socket.socket(socket.AF_UNIX) as door, selectors.DefaultSelector() as waiting:
        door.bind(path)
        door.listen(64)
        print("ready", flush=True)
        waiting.register(0, selectors.EVENT_READ)
        waiting.register(door, selectors.EVENT_READ)
        while all(key.fileobj is door for key, _events in waiting.select()):
            wire, _address = door.accept()
            if not os.fork():
                return wire
            wire.close()
    return None


def _taken_over(wire: socket.socket) -> tuple[list[str], Any]:
    """Have the streams, environment and folder of who asked; the arguments, and what more there is."""
    size, handles, _flags, _address = socket.recv_fds(wire, 4, 3)
    asked = b""
    while len(asked) < int.from_bytes(size, "big"):
        asked += wire.recv(1 << 16)
    environment, arguments, folder, *more = marshal.loads(asked)
    for number, handle in enumerate(handles):
        os.dup2(handle, number)
        os.close(handle)
    for number, name in enumerate(("stdin", "stdout", "stderr")):  # those of before know of other files
        old = getattr(sys, name)
        new = open(number, old.mode, encoding=old.encoding, errors=old.errors, closefd=False)  # noqa: SIM115
        new.reconfigure(line_buffering=name == "stderr" or new.isatty())
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)
    os.environb.clear()
    os.environb.update(environment)
    time.tzset()
    os.chdir(folder)
    return arguments, more


def _end_with(stub: socket.socket) -> None:
    def wait() -> None:
        stub.recv(1)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _host() -> Become:
    from desktop.providers.host.main import main as model_host
    from desktop.providers.host.openai_engine import OpenAIEngine

    def become(stub: socket.socket, _arguments: list[str], _more: Any) -> None:
        _end_with(stub)
        model_host()
        os._exit(0)

    OpenAIEngine().prepare()
    return become


def _mcp() -> Become:
    for module in ("mcp.server.mcpserver", "sse_starlette", "uvicorn"):
        import_module(module)

    def become(stub: socket.socket, arguments: list[str], _more: Any) -> None:
        _end_with(stub)
        sys.argv = arguments
        runpy.run_path(arguments[0], run_name="__main__")

    return become


def _program(what: str, host: list[str]) -> Become:
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"  # as the program does before it loads anything
    import desktop.__main__
    from desktop.tools.mcp import sdk

    elsewhere = _ELSEWHERE if what == "window" else _ELSEWHERE | {"ui"}
    for module in pkgutil.walk_packages(desktop.__path__, "desktop."):
        if elsewhere.isdisjoint(module.name.split(".")):
            import_module(module.name)
    for name in _LATER:
        import_module(name)
    sdk.load()
    if host:
        _Started.host = host
        subprocess.Popen = _Started  # type: ignore[misc, assignment]

    def become(wire: socket.socket, arguments: list[str], more: Any) -> None:
        parent, apart = more
        if os.fork():
            os._exit(0)
        _wait_for_parent(parent)
        if apart:
            os.setsid()
        sys.argv = [desktop.__main__.__file__, *arguments]
        wire.sendall(os.getpid().to_bytes(4, "big"))
        wire.close()
        desktop.__main__.main()

    return become


class _Started(subprocess.Popen[Any]):
    """A process of the program; a model host is loaded already, as the program is."""

    host: ClassVar[list[str]]

    def __init__(self, args: Sequence[str], **options: Any) -> None:
        host = self.host if args[-1] == "--model-host" else ()
        super().__init__([*host, *args] if host else args, **options)


def _wait_for_parent(parent: int) -> None:
    """Until the fork between is gone and this process is a child of who asked for it."""
    end = time.monotonic() + _PARENT_SECONDS
    while os.getppid() != parent:
        if time.monotonic() > end:
            os._exit(1)
        time.sleep(0.0005)


main(*sys.argv[1:])
