"""A hub of model files on loopback: it knows Range, and breaks off as often as it is told."""

import re
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self

_BLOCK = 1 << 20


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *arguments: object) -> None:
        """The client hung up."""


class _Handler(BaseHTTPRequestHandler):
    hub: "Hub"

    def do_GET(self) -> None:
        hub, wanted = self.hub, self.headers.get("Range") or ""
        hub.asked.append(wanted)
        size = hub.file.stat().st_size
        start = int(found[1]) if (found := re.match(r"bytes=(\d+)-", wanted)) else 0
        self.send_response(206 if start else 200)
        self.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
        self.send_header("Content-Length", str(size - start))
        self.end_headers()
        end = next((at for at in hub.breaks if at > start), size)
        with hub.file.open("rb") as file:
            file.seek(start)
            while file.tell() < end and (data := file.read(min(_BLOCK, end - file.tell()))):
                hub.slow.wait(hub.pause_s)
                self.wfile.write(data)

    def log_message(self, *arguments: object) -> None:
        pass


class Hub:
    """Gives one file, whatever is asked for; each of `breaks` (bytes) ends an answer."""

    def __init__(self, file: Path, breaks: Sequence[int] = (), pause_s: float = 0.0) -> None:
        self.file, self.breaks, self.pause_s = file, sorted(breaks), pause_s
        self.asked: list[str] = []
        """The Range of each request."""
        self.slow = threading.Event()
        """Never set while it is slow: a block waits `pause_s` seconds for it."""
        self._server = _Quiet(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": self}))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.slow.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
