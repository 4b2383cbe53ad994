"""A link that is really set up and down between a service and a TCP server; run in `unshare -n` (or -rn).

Prints one line of JSON with what was counted. A pair of virtual links joins two namespaces; the server is a
process in the other one. The supervisor hears of the link from the kernel, as in the program.
"""

import asyncio
import json
import subprocess
import sys

from desktop.bus.bus import Bus
from desktop.bus.events import ServiceChanged
from desktop.errors import AppError
from desktop.services.netlink import Netlink
from desktop.services.service import Service, SignInNeeded
from desktop.services.supervisor import Supervisor
from desktop.services.timing import Timing
from desktop.tasks import cancel, spawn

NEAR, FAR, PORT = "10.77.0.1", "10.77.0.2", 7700
FLAPS = 60
TIMING = Timing(least=600.0, most=600.0, hurried=3, window=8.0, check=1.0)
"""No wait ends by itself in the time of the test: what is tried, is tried because of the network."""
DEEDS = (
    ("link set near down", False),
    ("link set near up", True),
    ("link set near mtu 1400", False),
    ("addr add 10.78.0.1/24 dev near valid_lft 900 preferred_lft 900", True),
    ("addr change 10.78.0.1/24 dev near valid_lft 800 preferred_lft 800", False),
    ("addr del 10.78.0.1/24 dev near", False),
    ("addr add 10.78.0.1/24 dev near", True),
    ("link set lo up", False),
    ("link set near mtu 1500", False),
    ("link set near down", False),
    ("link set near up", True),
)
"""What is done to the link, and whether it is told as another network."""
_BEAT_S = 0.3
SERVER = f"""
import socket, sys, threading
server = socket.create_server(("{FAR}", {PORT}))
print("ready", flush=True)
def serve(one):
    while data := one.recv(1024):
        one.sendall(b"sign in\\n" if data == b"stranger\\n" else data)
while True:
    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
"""


class Line(Service):
    """Keeps a connection, and proves every 0.3 s that it lives."""

    def __init__(self, name: str, bus: Bus) -> None:
        super().__init__(name, bus)
        self.starts = 0
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._beat: asyncio.Task[None] | None = None
        self._one_at_a_time = asyncio.Lock()

    async def start(self) -> None:
        self.starts += 1
        async with asyncio.timeout(3):
            self._streams = await asyncio.open_connection(FAR, PORT)
        await self.check()
        self._beat = spawn(self._beating(), name="beat")

    async def stop(self) -> None:
        await cancel(self._beat)
        if self._streams:
            self._streams[1].transport.abort()
            self._streams = None

    async def check(self) -> None:
        assert self._streams
        reader, writer = self._streams
        async with asyncio.timeout(0.5), self._one_at_a_time:
            writer.write(f"{self.status.name}\n".encode())
            answer = await reader.readline()
        if answer == b"sign in\n":
            raise SignInNeeded("Sign in.")
        if not answer:
            raise AppError("It hung up.")

    async def _beating(self) -> None:
        while True:
            await asyncio.sleep(_BEAT_S)
            try:
                await self.check()
            except (OSError, TimeoutError, AppError) as error:
                return self.lost(error)


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


async def link(state: str) -> None:
    await asyncio.to_thread(ip, "link", "set", "near", state)


def server() -> subprocess.Popen[str]:
    """In a namespace of its own, which has the other end of the link."""
    script = 'echo here; read -r _; ip addr add "$1/24" dev far; ip link set far up; exec "$2" -c "$3"'
    process = subprocess.Popen(
        ["unshare", "-n", "sh", "-c", script, "sh", FAR, sys.executable, SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdin
    assert process.stdout.readline() == "here\n"
    ip("link", "add", "near", "type", "veth", "peer", "name", "far")
    ip("link", "set", "far", "netns", str(process.pid))
    process.stdin.write("go\n")
    process.stdin.flush()
    ip("addr", "add", f"{NEAR}/24", "dev", "near")
    ip("link", "set", "near", "up")
    assert process.stdout.readline() == "ready\n"
    return process


async def state(bus: Bus, name: str, wanted: str, deed: str = "") -> None:
    """Set the link, where a deed is given, and wait until the service has that state."""
    with bus.subscribe() as events:
        if deed:
            await link(deed)
        async with asyncio.timeout(60):
            async for event in events:
                if isinstance(event, ServiceChanged) and (event.name, event.state) == (name, wanted):
                    return


async def hearing() -> list[str]:
    """What the kernel is listened to for, by what was done to the link."""
    heard: list[str] = []
    more = asyncio.Event()
    doing = ""

    def hear() -> None:
        heard.append(doing)
        more.set()

    netlink = Netlink(hear)
    await netlink.start()
    for doing, is_told in DEEDS:
        more.clear()
        await asyncio.to_thread(ip, *doing.split())
        if is_told:
            await more.wait()
    await netlink.stop()
    return heard


async def measure() -> dict[str, object]:
    bus, found = Bus(), dict[str, object]()
    async with asyncio.timeout(60):
        found["heard"] = await hearing()
    supervisor = Supervisor(timing=TIMING)
    known, stranger = Line("known", bus), Line("stranger", bus)
    supervisor.add(known)
    supervisor.add(stranger)
    await asyncio.gather(state(bus, "known", "running"), state(bus, "stranger", "needs_sign_in"))
    await state(bus, "known", "degraded", "down")
    found["planned"] = known.status.again_at is not None
    before = known.starts
    await state(bus, "known", "running", "up")
    found["back after"] = known.starts - before
    before = known.starts
    loop = asyncio.get_running_loop()
    began = loop.time()
    for _ in range(FLAPS):
        await link("down")
        await asyncio.sleep(0.05)
        await link("up")
        await asyncio.sleep(0.05)
    found["windows"] = (loop.time() - began) / TIMING.window
    found["while flapping"] = known.starts - before
    await state(bus, "known", "degraded", "down")  # and in the end for a while
    await state(bus, "known", "running", "up")
    found["stranger"] = stranger.starts
    await supervisor.stop()
    return found


def main() -> None:
    process = server()
    try:
        print(json.dumps(asyncio.run(measure())))
    finally:
        process.kill()
        process.communicate()


if __name__ == "__main__":
    main()
