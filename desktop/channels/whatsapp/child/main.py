"""The life of WhatsApp's process: frames in, calls side by side, frames out, and an end with the program.

To it: `open` first, then `call` and `stored`. From it: `qr`, `code` and `paired` while it is linked,
`connected`, `away`, `message`, `odd`, `down` (after which it ends), and `done` or `failed` for each call.
Stdin is read by a daemon thread; its end means that the program is gone, however it died, and this process
leaves at once.
"""

import json
import os
import queue
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO

from desktop import frames
from desktop.channels.whatsapp.child.stand_in import without_magic

_WORKERS = 4
type Json = Mapping[str, Any]


def main() -> None:
    """Serve until stdin ends."""
    pipe = Pipe(os.dup(1))
    os.dup2(2, 1)  # what the library prints must not get between the frames
    sys.stdout = sys.stderr
    stdin = os.fdopen(0, "rb", closefd=False)
    opening = json.loads(frames.read(stdin) or b"null")
    if opening is None:
        return
    frames_in = _Incoming()
    threading.Thread(target=frames_in.read, args=(stdin,), name="frames", daemon=True).start()
    without_magic()
    try:
        from desktop.channels.whatsapp.child.device import Device
    except (ImportError, OSError) as error:
        pipe.send({"op": "down", "why": "missing", "detail": str(error)})
        os._exit(1)
    device = Device(opening, pipe.send)
    pool = ThreadPoolExecutor(_WORKERS, "call")
    frames_in.begin(lambda frame: _act(device, pool, pipe, frame))
    device.run()
    pipe.flush()
    os._exit(0)  # threads of the library would hold up an orderly end


class Pipe:
    """What goes to the program; from any thread."""

    def __init__(self, wire: int) -> None:
        self._wire, self._lock = wire, threading.Lock()

    def send(self, value: Json) -> None:
        """Write a frame. Blocks while the program does not read."""
        rest = memoryview(frames.pack(value))
        with self._lock:
            try:
                while rest:
                    rest = rest[os.write(self._wire, rest) :]
            except OSError:
                os._exit(0)

    def flush(self) -> None:
        """Wait for who writes just now."""
        with self._lock:
            pass


class _Incoming:
    """What comes from the program, kept until there is somebody to act on it."""

    def __init__(self) -> None:
        self._frames: queue.SimpleQueue[Json] = queue.SimpleQueue()

    def begin(self, act: Callable[[Json], object]) -> None:
        """Act on what came, and on what comes."""
        threading.Thread(target=self._run, args=(act,), name="act", daemon=True).start()

    def read(self, stdin: BinaryIO) -> None:
        """Until the end, which is that of this process."""
        while (payload := frames.read(stdin)) is not None:
            self._frames.put(json.loads(payload))
        os._exit(0)

    def _run(self, act: Callable[[Json], object]) -> None:
        while True:
            act(self._frames.get())


def _act(device: Any, pool: ThreadPoolExecutor, pipe: Pipe, frame: Json) -> None:
    if frame["op"] == "stored":
        device.stored(frame["key"])
    elif frame["op"] == "call":
        pool.submit(_call, device, pipe, frame)


def _call(device: Any, pipe: Pipe, frame: Json) -> None:
    try:
        result = device.call(frame["what"], frame["with"])
    except Exception as error:  # the program says what became of it
        kind = type(error).__name__
        pipe.send({"op": "failed", "id": frame["id"], "kind": kind, "detail": str(error)[:1000]})
    else:
        pipe.send({"op": "done", "id": frame["id"], "result": result})
