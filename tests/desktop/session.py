"""A desktop session inside the test's own, for what the one around all tests cannot be: without a tray,
without a keychain, with another screen."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_BARE = {"HOME": "/", "LC_ALL": "C.UTF-8"}
"""What another account begins with: nothing of this one's session."""
SCRIPT = Path(__file__).parent.parent / "desktop-session.sh"


@contextmanager
def nested_session(
    *options: str, script: Path = SCRIPT, account: int | None = None
) -> Iterator[dict[str, str]]:
    """The environment of a new session: `with nested_session("--tray", "none") as environment: ...`

    Give it to a Program (`program.environment |= environment`) and to a Desk. `account`: root can begin one
    for another account, with a copy of `script` that this account can read.
    """
    tell = 'env -0 >"$DESKTOP_SESSION_FOLDER/environment"; echo "$DESKTOP_SESSION_FOLDER"; read _ || true'
    command = [str(script), *options, "--", "sh", "-c", tell]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        user=account,
        group=account,
        extra_groups=None if account is None else [],
        env=None if account is None else {**_BARE, "PATH": os.environ["PATH"]},
        cwd=None if account is None else "/",
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            folder = process.stdout.readline().strip()
            assert folder, f"no session: {script.name} ended with {process.wait(30)}"
            entries = (Path(folder) / "environment").read_text("utf-8").split("\0")
            yield dict(entry.split("=", 1) for entry in entries if "=" in entry)
        finally:
            process.stdin.close()
            process.wait(30)


@contextmanager
def private_bus() -> Iterator[str]:
    """The address of a bus on which nobody is but who the test brings: no notification daemon, say."""
    config = Path(os.environ["DESKTOP_SESSION_FOLDER"]) / "bus.conf"
    command = ["dbus-daemon", f"--config-file={config}", "--nofork", "--print-address"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            assert address, f"no bus: dbus-daemon ended with {process.wait(30)}"
            yield address
        finally:
            process.kill()
