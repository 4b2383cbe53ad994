"""The rotating log, with secrets masked by value.

Whatever knows a secret calls mask(value) once; from then on neither the log nor any text that goes
through masked() shows it, nor its base64, URL-encoded or JSON form. Records are written by a thread.
"""

import base64
import json
import logging
import logging.handlers
import queue
import urllib.parse
from contextlib import suppress
from pathlib import Path

_HIDDEN = "[hidden]"
_secrets: set[str] = set()


def mask(secret: str) -> None:
    """From now on never show this value. Values under six characters are no secrets."""
    if len(secret) >= 6:
        _secrets.update(
            {
                secret,
                urllib.parse.quote(secret, safe="", errors="replace"),
                base64.b64encode(secret.encode("utf-8", "replace")).decode(),
                *(json.dumps(secret, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)),
            }
        )


def masked(text: str) -> str:
    """The text without any secret that mask() was told."""
    for secret in sorted(_secrets, key=len, reverse=True):  # one may be the beginning of another
        if secret in text:
            text = text.replace(secret, _HIDDEN)
    return text


class _Formatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return masked(super().format(record))


class _File(logging.handlers.RotatingFileHandler):
    def handleError(self, record: logging.LogRecord) -> None:
        """A full disk costs the line; what it means for the person is said by whoever needs the disk."""


def start(folder: Path, *, verbose: bool = False) -> logging.handlers.QueueListener:
    """Send log records to folder/nanobot.log (5 files of 1 MB), and to stderr when verbose.

    Returns the listener, to be given to stop() at exit. A folder that cannot be written
    costs the log, not the program.
    """
    handlers: list[logging.Handler] = []
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        handlers.append(
            _File(folder / "nanobot.log", maxBytes=1_000_000, backupCount=4, encoding="utf-8", delay=True)
        )
    if verbose:
        handlers.append(logging.StreamHandler())
    for handler in handlers:
        handler.setFormatter(_Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    return _listen(handlers, verbose)


def _listen(handlers: list[logging.Handler], verbose: bool) -> logging.handlers.QueueListener:
    records: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
    root = logging.getLogger()
    root.handlers[:] = [logging.handlers.QueueHandler(records)]
    root.setLevel(logging.WARNING)
    logging.getLogger("desktop").setLevel(logging.DEBUG if verbose else logging.INFO)
    listener = logging.handlers.QueueListener(records, *handlers)
    listener.start()
    return listener


def stop(listener: logging.handlers.QueueListener) -> None:
    """Write what is left and close the file."""
    listener.stop()
    for handler in listener.handlers:
        with suppress(OSError):
            handler.close()


def failed(error: BaseException) -> None:
    """Log a fault of the program with its traceback."""
    logging.getLogger("desktop").error("unexpected failure", exc_info=error)
