"""A sound server of its own: what is played into its only output is what its only microphone hears."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SINK = "talk"


class SoundRoom:
    """PulseAudio with a null sink, whose monitor is the microphone."""

    def __init__(self, folder: Path) -> None:
        self.server = f"unix:{folder / 'native'}"

    def play(self, wav: bytes) -> "subprocess.Popen[bytes]":
        """Say something; it takes as long as it lasts."""
        command = ["paplay", f"--server={self.server}", f"--device={SINK}"]
        playing = subprocess.Popen([*command, "--latency-msec=20"], stdin=subprocess.PIPE)
        assert playing.stdin
        playing.stdin.write(wav)
        playing.stdin.close()
        return playing


@contextmanager
def sound_room() -> Iterator[SoundRoom]:
    """One while the block lasts."""
    with tempfile.TemporaryDirectory(prefix="sound-") as place:
        room = SoundRoom(Path(place))
        listen = f"module-native-protocol-unix auth-anonymous=1 socket={place}/native"
        command = ["pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1"]
        command += ["--disable-shm=yes", "--log-level=error", f"--load={listen}"]
        environment = {**os.environ, "HOME": place, "PULSE_RUNTIME_PATH": place, "XDG_RUNTIME_DIR": place}
        loads = [f"--load=module-null-sink sink_name={SINK} rate=16000 channels=1"]
        server = subprocess.Popen([*command, *loads], env=environment, stderr=subprocess.DEVNULL)
        try:
            _wait(room.server, server)
            yield room
        finally:
            server.terminate()
            server.wait()


def _wait(address: str, server: "subprocess.Popen[bytes]") -> None:
    while server.poll() is None:
        asked = subprocess.run(["pactl", f"--server={address}", "info"], capture_output=True, check=False)
        if asked.returncode == 0:
            return
    raise AssertionError("no PulseAudio")
