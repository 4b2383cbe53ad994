"""A network for one command: the internet, but not this computer.

Runs as a child of its own by a hidden argument, before bubblewrap, and imports next to nothing. It makes a
network namespace, has pasta or slirp4netns connect it by their user-mode network, and lets nothing go to
this computer's own addresses. Where neither is installed the command has the computer's network; Landlock
then keeps it from abstract sockets (the screen's), where the kernel can.
"""

import ctypes
import itertools
import os
import signal
import socket
import struct
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from desktop.paths import persons_umask

HIDDEN_ARGUMENT = "--network"
"""Followed by the program that connects (empty for the computer's own network), then the command."""
NAMES_AT = 9
"""The descriptor from which bubblewrap takes the file of name servers, where it needs another one."""
PASTA, SLIRP = "pasta", "slirp4netns"
_FORWARDED = {PASTA: "169.254.1.1", SLIRP: "10.0.2.3"}
"""Where the namespace finds the name server of this computer."""
_READY_SECONDS = 5.0
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
_CREATE_RULESET, _RESTRICT_SELF = 444, 446
_ABSTRACT_SOCKETS, _ABI_WITH_SCOPES = 1, 6
_FAILED = 125


def main(argv: Sequence[str]) -> NoReturn:
    """Run a command with such a network, and exit with its code."""
    if sys.platform != "linux":
        raise SystemExit("Only Linux has network namespaces.")
    os.umask(persons_umask())
    connect, command = argv[0], list(argv[1:])
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if not connect:
        _scope()
        _become(command)
    os._exit(_connected(connect, command))


if sys.platform == "linux":

    def _connected(connect: str, command: list[str]) -> int:
        addresses = [*_own_addresses()]
        made, tell = os.pipe()
        wait, go = os.pipe()
        child = os.fork()
        if not child:
            os.close(made)
            os.close(go)
            _names(connect)
            _inside(tell, wait, addresses, command)
        os.close(tell)
        os.close(wait)
        if not os.read(made, 1):
            return _code(os.waitpid(child, 0)[1])
        tool = os.fork()
        if not tool:
            _connect(connect, child)
        os.close(go)
        code = _code(os.waitpid(child, 0)[1])
        with suppress(ProcessLookupError):
            os.kill(tool, signal.SIGKILL)
        os.waitpid(tool, 0)
        return code

    def _inside(tell: int, wait: int, addresses: list[bytes], command: list[str]) -> NoReturn:
        """The command's process: waits in its namespace until that is connected."""
        try:
            user, group = os.geteuid(), os.getegid()
            os.unshare(os.CLONE_NEWUSER | os.CLONE_NEWNET)
            for name, text in (
                ("setgroups", "deny"),
                ("uid_map", f"{user} {user} 1"),
                ("gid_map", f"{group} {group} 1"),
            ):
                Path("/proc/self", name).write_text(text, "ascii")
            with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as news:
                news.bind((0, 0x40 | 0x400))  # routes of IPv4 and IPv6
                news.settimeout(_READY_SECONDS)
                os.write(tell, b"1")
                os.read(wait, 1)
                while not has_route():
                    news.recv(1 << 16)
            _refuse(addresses)
            _become(command)
        except (OSError, TimeoutError) as error:
            os.write(2, f"The command has no network: {error}\n".encode())
        os._exit(_FAILED)

    def _connect(program: str, pid: int) -> NoReturn:
        """Become the program that connects the namespace of a process."""
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        spaces = [f"/proc/{pid}/ns/user", f"/proc/{pid}/ns/net"]
        if Path(program).name == PASTA:
            root = ["--runas", "0"] if os.geteuid() == 0 else []
            shut = ["-t", "none", "-u", "none", "-T", "none", "-U", "none"]
            names = ["--dns-forward", _FORWARDED[PASTA]] if own_names() else []
            options = ["--config-net", "--no-map-gw", "--foreground", "--quiet", *root, *shut, *names]
            _become([program, *options, "--userns", spaces[0], "--netns", spaces[1]])
        options = ["--configure", "--mtu=65520", "--disable-host-loopback", f"--userns-path={spaces[0]}"]
        _become([program, *options, str(pid), "tap0"])

    def _names(connect: str) -> None:
        """Have bubblewrap find the file of name servers, where that of the computer is of no use."""
        if own_names():
            file, text = os.pipe()
            os.write(text, f"nameserver {_FORWARDED[Path(connect).name]}\n".encode())
            os.close(text)
            os.dup2(file, NAMES_AT)

    def _refuse(addresses: list[bytes]) -> None:
        """Let nothing go to these addresses."""
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as kernel:
            for address in addresses:
                family = socket.AF_INET if len(address) == 4 else socket.AF_INET6
                route = struct.pack("=BBBBBBBBI", family, 8 * len(address), 0, 0, 254, 4, 0, 7, 0)
                route += struct.pack("=HH", 4 + len(address), 1) + address
                kernel.send(struct.pack("=IHHII", 16 + len(route), 24, 0x405, 0, 0) + route)
                kernel.recv(1 << 12)

    def _scope() -> None:
        """Keep what runs here from abstract sockets of others, where the kernel can."""
        if not scopes():
            return
        rules = struct.pack("=QQQ", 0, 0, _ABSTRACT_SOCKETS)
        libc = ctypes.CDLL(None, use_errno=True)
        made = libc.syscall(_CREATE_RULESET, rules, len(rules), 0)
        if made >= 0:
            prctl(_PR_SET_NO_NEW_PRIVS, 1)
            libc.syscall(_RESTRICT_SELF, made, 0)
            os.close(made)


def _become(command: list[str]) -> NoReturn:
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and what follows would, too
        signal.signal(number, signal.SIG_DFL)
    os.execv(command[0], command)  # noqa: S606 - there is no shell on purpose


def prctl(what: int, value: int) -> None:
    """Set something about this process (prctl(2))."""
    ctypes.CDLL(None).prctl(what, value, 0, 0, 0)


def scopes() -> bool:
    """Whether the kernel can keep a command from abstract sockets (Landlock, Linux 6.12)."""
    if sys.platform != "linux":
        return False
    return bool(ctypes.CDLL(None).syscall(_CREATE_RULESET, None, 0, 1) >= _ABI_WITH_SCOPES)


def has_route() -> bool:
    """Whether there is a way out of this network."""
    four = Path("/proc/net/route").read_text("ascii").splitlines()[1:]
    if any(line.split()[1] == "00000000" for line in four):
        return True
    with suppress(OSError):
        six = [line.split() for line in Path("/proc/net/ipv6_route").read_text("ascii").splitlines()]
        return any(words[0] == "0" * 32 and words[1] == "00" and words[-1] != "lo" for words in six)
    return False


def own_names() -> bool:
    """Whether names are looked up by a service of this computer."""
    try:
        lines = Path("/etc/resolv.conf").read_text("utf-8", "replace").splitlines()
    except OSError:
        return False
    servers = [words[1] for words in map(str.split, lines) if words[:1] == ["nameserver"] and words[1:]]
    return bool(servers) and all(name.startswith("127.") or name == "::1" for name in servers)


def _own_addresses() -> Iterator[bytes]:
    """The addresses of this computer but for loopback."""
    lines = Path("/proc/net/fib_trie").read_text("ascii").splitlines()
    found = {name.split()[-1] for name, kind in itertools.pairwise(lines) if "host LOCAL" in kind}
    yield from (socket.inet_aton(name) for name in found if not name.startswith("127."))
    with suppress(OSError):
        for line in Path("/proc/net/if_inet6").read_text("ascii").splitlines():
            address = bytes.fromhex(line.split()[0])
            if address != b"\0" * 15 + b"\1":
                yield address


def _code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code
