"""The built-in model's server in a process of its own: llama.cpp's, as the package xllamacpp brings it.

Our own executable with the hidden argument --engine. It prints one line, {"port": N}, when it answers,
wants the bearer token that its environment gave, and ends with its stdin: that is how it notices the death
of the program that started it.
"""

import contextlib
import json
import os
import threading
from collections.abc import Sequence
from typing import Any

from desktop.providers.engine import BATCH, CACHE_MB, TOKEN_NAME


def main(argv: Sequence[str]) -> None:
    """Serve until stdin ends. Arguments: the file, the model's name, the window in tokens, threads."""
    token = os.environ.pop(TOKEN_NAME)
    threading.Thread(target=_leave_with_stdin, daemon=True).start()
    server = _started(argv[0], argv[1], int(argv[2]), int(argv[3]), token)  # it ends with its last name
    port = int(server.listening_address.rsplit(":", 1)[1])
    os.write(1, json.dumps({"port": port}).encode() + b"\n")
    threading.Event().wait()


def _started(file: str, name: str, window: int, threads: int, token: str) -> Any:
    """Load the model and begin to answer."""
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = file
    settings.model_alias = {name}
    settings.hostnames, settings.port = ["127.0.0.1"], 0
    settings.api_keys = [token]
    settings.n_ctx, settings.n_predict, settings.n_parallel = window, window // 4, 1
    settings.n_batch = settings.n_ubatch = BATCH
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
    settings.cache_ram_mib = CACHE_MB
    settings.use_jinja, settings.ui, settings.endpoint_slots = True, False, False
    settings.warmup = False
    return xllamacpp.Server(settings)


def _leave_with_stdin() -> None:
    """At once: the threads of the engine may be in the middle of a long prompt."""
    with contextlib.suppress(OSError):
        while os.read(0, 4096):
            pass
    os._exit(0)
