"""A private system bus, and mocks of the system's services on it by python-dbusmock."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

VARIABLE = "DBUS_SYSTEM_BUS_ADDRESS"
"""By which a program finds the system's bus."""


@contextmanager
def private_bus(folder: Path) -> Iterator[str]:
    """Its address, until the block ends."""
    address = f"unix:path={folder / 'bus'}"
    daemon = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", f"--address={address}", "--print-address"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert daemon.stdout
    assert daemon.stdout.readline()
    yield address
    daemon.terminate()
    daemon.wait(5)
    daemon.stdout.close()


@contextmanager
def mocks(bus: str, **names: str) -> Iterator[None]:
    """Those of dbusmock's templates, each with the name that it takes on the bus."""
    running = [
        subprocess.Popen(
            ["/usr/bin/python3", "-m", "dbusmock", "--template", template],
            env=os.environ | {VARIABLE: bus},
            stdout=subprocess.DEVNULL,
        )
        for template in names
    ]
    for name in names.values():
        gdbus("wait", "--timeout", "10", name)
    yield
    for mock in running:
        mock.terminate()
        mock.wait(5)


def gdbus(verb: str, *arguments: str) -> None:
    """Say something on it."""
    subprocess.run(
        ["gdbus", verb, "--system", *arguments], check=True, stdout=subprocess.DEVNULL, timeout=15
    )


def emit(name: str, path: str, interface: str, signal: str, signature: str, *values: str) -> None:
    """Have a mock send a signal; `values` as gdbus writes variants."""
    gdbus(
        *("call", "--dest", name, "--object-path", path),
        *("--method", "org.freedesktop.DBus.Mock.EmitSignal", interface, signal, signature),
        "[" + ", ".join(f"<{value}>" for value in values) + "]",
    )
