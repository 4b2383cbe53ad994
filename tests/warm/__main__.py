"""Loads what a model host needs, and forks one for each connection: python -m tests.warm SOCKET

It ends with its stdin. A host ends when its stub does, as if it were the stub.
"""

import os
import selectors
import signal
import socket
import sys
import threading

from desktop.providers.host.main import main as model_host
from desktop.providers.host.openai_engine import OpenAIEngine


def main(path: str) -> None:
    """Serve until stdin ends."""
    OpenAIEngine().prepare()
    assert threading.active_count() == 1, "a thread would not be there in the hosts"
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how a host ended
    with socket.socket(socket.AF_UNIX) as door, selectors.DefaultSelector() as waiting:
        door.bind(path)
        door.listen()
        print("ready", flush=True)
        waiting.register(0, selectors.EVENT_READ)
        waiting.register(door, selectors.EVENT_READ)
        while all(key.fileobj is door for key, _events in waiting.select()):
            stub, _address = door.accept()
            with stub:
                if not os.fork():
                    waiting.close()
                    door.close()
                    _serve(stub)


def _serve(stub: socket.socket) -> None:
    """Be the host, with the pipes and the environment that the stub was started with."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    size, handles, _flags, _address = socket.recv_fds(stub, 4, 3)
    environment = stub.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL)
    for number, handle in enumerate(handles):
        os.dup2(handle, number)
        os.close(handle)
    os.environb.clear()
    for pair in environment.split(b"\0"):
        name, _equals, value = pair.partition(b"=")
        os.environb[name] = value
    threading.Thread(target=_end_with, args=(stub,), daemon=True).start()
    model_host()
    os._exit(0)


def _end_with(stub: socket.socket) -> None:
    stub.recv(1)
    os._exit(1)


main(sys.argv[1])
