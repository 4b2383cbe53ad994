"""Mail on this machine: Dovecot and Exim, with a configuration and a folder of their own.

They need root, as what is installed from Debian does, and are stopped with the test. What a person's own
mail server writes into a header, and mail of strangers, comes by `deliver`; what is sent goes by Exim.
"""

import mailbox
import os
import re
import shutil
import signal
import smtplib
import socket
import ssl
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from pathlib import Path
from typing import Any, Self

import psutil
from imapclient import IMAPClient

DOMAIN, PASSWORD = "nano.test", "app-password-of-the-tests"
_NOBODY_THERE = 68
"""What doveadm says where nobody was connected."""
_IDLE = "IMAP4rev1 SASL-IR LOGIN-REFERRALS ID ENABLE LITERAL+ UIDPLUS MOVE SPECIAL-USE"
_DOVECOT = """
base_dir = {at}/run
state_dir = {at}/state
log_path = {at}/dovecot.log
instance_name = {at}
protocols = imap lmtp
listen = 127.0.0.1
ssl = required
ssl_cert = <{at}/cert.pem
ssl_key = <{at}/key.pem
auth_mechanisms = plain login
auth_failure_delay = 0
mail_location = maildir:{at}/mail/%u
mail_uid = mail
mail_gid = mail
first_valid_uid = 1
mailbox_idle_check_interval = 1 secs
{capability}
namespace inbox {{
  inbox = yes
  mailbox Sent {{
    auto = subscribe
    special_use = \\Sent
  }}
}}
passdb {{
  driver = passwd-file
  args = scheme=PLAIN username_format=%u {at}/users
}}
userdb {{
  driver = static
  args = uid=mail gid=mail home={at}/mail/%u allow_all_users=yes
}}
service imap-login {{
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = {imaps}
    ssl = yes
  }}
}}
service anvil {{
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service lmtp {{
  unix_listener lmtp-in {{
    mode = 0666
  }}
}}
"""
_EXIM = """
primary_hostname = localhost
domainlist local_domains = {domain}
spool_directory = {at}/spool
log_file_path = {at}/spool/%slog
pid_file_path = {at}/spool/exim.pid
local_interfaces = 127.0.0.1
daemon_smtp_ports = {smtps} : {submission}
tls_on_connect_ports = {smtps}
tls_advertise_hosts = *
tls_certificate = {at}/cert.pem
tls_privatekey = {at}/exim-key.pem
auth_advertise_hosts = ${{if eq{{$tls_in_cipher}}{{}}{{}}{{*}}}}
host_lookup =
rfc1413_hosts =
message_size_limit = 25M
acl_smtp_rcpt = recipient
acl_smtp_data = accepted
deliver_drop_privilege = true
never_users = root
keep_environment =
begin acl
recipient:
  deny   !authenticated = *
         message = relay not permitted
  defer  condition = ${{lookup{{$local_part@$domain}}lsearch{{{at}/deferred}}{{yes}}{{no}}}}
         message = try again later
  deny   !verify = recipient
         message = no such mailbox
  accept
accepted:
  accept
begin routers
local:
  driver = accept
  domains = +local_domains
  condition = ${{lookup{{$local_part@$domain}}lsearch{{{at}/passwords}}{{yes}}{{no}}}}
  transport = dovecot
begin transports
dovecot:
  driver = lmtp
  socket = {at}/run/lmtp-in
  user = Debian-exim
  return_path_add
begin retry
* * F,1m,5s
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = ${{if and{{{{!eq{{$auth2}}{{}}}}{{eq{{$auth3}}\\
    {{${{lookup{{$auth2}}lsearch{{{at}/passwords}}}}}}}}}}}}
  server_set_id = $auth2
login:
  driver = plaintext
  public_name = LOGIN
  server_prompts = Username:: : Password::
  server_condition = ${{if and{{{{!eq{{$auth1}}{{}}}}{{eq{{$auth2}}\\
    {{${{lookup{{$auth1}}lsearch{{{at}/passwords}}}}}}}}}}}}
  server_set_id = $auth1
"""


def free_ports(number: int) -> list[int]:
    """Ports that nobody listens on."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [int(one.getsockname()[1]) for one in held]
    for one in held:
        one.close()
    return ports


def until_open(port: int, server: subprocess.Popen[bytes], log: Path, seconds: float = 60) -> None:
    """Wait until a server listens. Raises AssertionError where it ends instead."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.02)
    raise AssertionError(f"{server.args!r} does not listen: {log.read_text() if log.exists() else ''}")


class MailServer:
    """`imap` is for IMAP with STARTTLS, `imaps` and `smtps` are for TLS, `submission` for STARTTLS.

    `certificate` is to be trusted. `idle=False`: one of those servers that cannot tell of new mail.
    """

    def __init__(self, *users: str, idle: bool = True) -> None:
        self.users = users or ("bot", "alice", "mallory")
        self.imap, self.imaps, self.smtps, self.submission = free_ports(4)
        self.folder = Path(tempfile.mkdtemp(prefix="mail-"))
        self.certificate = self.folder / "cert.pem"
        self._capability = "" if idle else f"imap_capability = {_IDLE}"
        self._dovecot: subprocess.Popen[bytes] | None = None
        self._exim: subprocess.Popen[bytes] | None = None

    @staticmethod
    def address(user: str) -> str:
        """The address of a user, which is the name to log in with."""
        return f"{user}@{DOMAIN}"

    @property
    def tls(self) -> ssl.SSLContext:
        """Trusts these servers."""
        return ssl.create_default_context(cafile=str(self.certificate))

    # ---- its life

    def __enter__(self) -> Self:
        try:
            self._prepare()
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> None:
        """Start both, on the ports that they had."""
        self._dovecot = self._run("dovecot", "-F", "-c", str(self.folder / "dovecot.conf"))
        self._exim = self._run("exim4", "-C", str(self.folder / "exim.conf"), "-bdf")
        until_open(self.imaps, self._dovecot, self.folder / "dovecot.log")
        until_open(self.smtps, self._exim, self.folder / "exim4.out")

    def stop(self) -> None:
        """Stop both; the mail stays."""
        self.thaw()
        running = [server for server in (self._dovecot, self._exim) if server is not None]
        for server in running:
            server.terminate()
        for server in running:
            with suppress(subprocess.TimeoutExpired):
                server.wait(1)
            with suppress(ProcessLookupError):  # Dovecot waits five seconds for those that just started
                os.killpg(server.pid, signal.SIGKILL)
            server.wait(20)
        self._dovecot = self._exim = None

    def _run(self, *command: str) -> subprocess.Popen[bytes]:
        with open(self.folder / f"{command[0]}.out", "wb") as out:
            return subprocess.Popen(
                command,
                stdout=out,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )

    def _prepare(self) -> None:
        at = self.folder
        at.chmod(0o755)
        for name in ("run", "mail", "state", "spool"):
            (at / name).mkdir()
            (at / name).chmod(0o755)
        shutil.chown(at / "mail", "mail", "mail")
        shutil.chown(at / "spool", "Debian-exim", "Debian-exim")
        subprocess.run(
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 100"
            f" -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1"
            f" -keyout {at}/key.pem -out {at}/cert.pem".split(),
            check=True,
            capture_output=True,
        )
        shutil.copy(at / "key.pem", at / "exim-key.pem")
        self.password_of(*self.users, password=PASSWORD)
        self._write("deferred", "")
        values: dict[str, Any] = {"at": at, "domain": DOMAIN, "capability": self._capability}
        values |= {
            "imap": self.imap,
            "imaps": self.imaps,
            "smtps": self.smtps,
            "submission": self.submission,
        }
        self._write("dovecot.conf", _DOVECOT.format(**values))
        self._write("exim.conf", _EXIM.format(**values))
        self.certificate.chmod(0o644)
        for name, owner in (
            ("exim-key.pem", "Debian-exim"),
            ("passwords", "Debian-exim"),
            ("users", "dovecot"),
        ):
            shutil.chown(at / name, owner)

    def _write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o644)

    # ---- what there is

    def deliver(self, message: EmailMessage | bytes, to: str = "bot", sender: str = "") -> None:
        """Put a mail into a mailbox as it is, with whatever its headers say."""
        raw = message if isinstance(message, bytes) else message.as_bytes(policy=default)
        with smtplib.LMTP(str(self.folder / "run" / "lmtp-in")) as door:
            refused = door.sendmail(sender or "<>", [self.address(to)], raw)
        assert not refused, refused

    def log_in(self, user: str) -> IMAPClient:
        """A mailbox, as its owner has it."""
        client = IMAPClient("127.0.0.1", self.imaps, ssl_context=self.tls, timeout=30)
        try:
            client.login(self.address(user), PASSWORD)
        except BaseException:
            client.shutdown()
            raise
        return client

    def received(
        self, user: str, wanted: Callable[[EmailMessage], object] = bool, within: float = 30
    ) -> EmailMessage:
        """The first mail in somebody's inbox that is wanted. Waits for it."""
        end, seen = time.monotonic() + within, set[int]()
        with self.log_in(user) as client:
            client.select_folder("INBOX", readonly=True)
            while time.monotonic() < end:
                for number in sorted(set(client.search()) - seen):
                    seen.add(number)
                    raw = client.fetch([number], ["BODY.PEEK[]"])[number][b"BODY[]"]
                    message = BytesParser(EmailMessage, policy=default).parsebytes(raw)
                    if wanted(message):
                        return message
                client.idle()
                client.idle_check(timeout=0.5)  # it does not see what came together with the answer to IDLE
                client.idle_done()
        raise AssertionError(f"{user} received nothing like that in {within} s, but {len(seen)} others")

    def flags(self, user: str) -> list[str]:
        """For each mail in somebody's inbox, the oldest first: S seen, R answered, T deleted."""
        box = mailbox.Maildir(self.folder / "mail" / self.address(user), create=False)
        keys = sorted(box.iterkeys(), key=lambda key: [int(part) for part in re.findall(r"\d+", key)[:2]])
        return [box.get_message(key).get_flags() for key in keys]

    # ---- what goes wrong

    def password_of(self, *users: str, password: str) -> None:
        """Change passwords: an app password is taken back."""
        known: dict[str, str] = {}
        with suppress(FileNotFoundError):
            known = dict(line.split(": ") for line in (self.folder / "passwords").read_text().splitlines())
        known |= {self.address(user): password for user in users}
        self._write("passwords", "".join(f"{name}: {word}\n" for name, word in known.items()))
        self._write("users", "".join(f"{name}:{{PLAIN}}{word}\n" for name, word in known.items()))
        end = time.monotonic() + 20
        while self._dovecot and not all(self._is_known(one, password) for one in users):
            assert time.monotonic() < end, "the new password is not taken"
            time.sleep(0.05)  # Dovecot looks once a second

    def defer(self, user: str | None) -> None:
        """Exim takes nothing for a user for now, with 451; None: takes all again."""
        self._write("deferred", "" if user is None else f"{self.address(user)}: yes\n")

    def kick(self, user: str) -> None:
        """Close somebody's IMAP connections."""
        self._admin("kick", self.address(user), fine=(0, _NOBODY_THERE))

    def renumber(self, user: str, validity: int = 4711) -> None:
        """Another UIDVALIDITY: the numbers of the mails say nothing any more."""
        self._admin("mailbox", "update", "--uid-validity", str(validity), "-u", self.address(user), "INBOX")

    def freeze(self) -> None:
        """IMAP connections go dead without being closed."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """They go on."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        if self._dovecot is not None:
            for process in psutil.Process(self._dovecot.pid).children(recursive=True):
                with suppress(psutil.NoSuchProcess):
                    if process.name() in ("imap", "imap-login"):
                        process.send_signal(number)

    def _is_known(self, user: str, password: str) -> bool:
        words = ("auth", "test", self.address(user), password)
        command = ["doveadm", "-c", str(self.folder / "dovecot.conf"), *words]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def _admin(self, *words: str, fine: tuple[int, ...] = (0,)) -> None:
        command = ["doveadm", "-c", str(self.folder / "dovecot.conf"), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode in fine, done.stderr
